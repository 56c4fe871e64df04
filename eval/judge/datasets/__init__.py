"""Annotated pages of several makers, read as one kind of thing.

l3s: L3S-GN1, the 2010 paper's news pages. cleaneval: CleanEval's development or final pages.
wcxb: the Web Content Extraction Benchmark. folder: pages and gold texts of one's own.
"""

from collections.abc import Callable
from pathlib import Path

from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets.cleaneval import read_cleaneval
from boilersweep.eval.judge.datasets.folder import read_folder
from boilersweep.eval.judge.datasets.l3s import read_l3s
from boilersweep.eval.judge.datasets.page import Dataset, JudgedPage, Skipped
from boilersweep.eval.judge.datasets.wcxb import read_wcxb

__all__ = ["DATASETS", "Dataset", "JudgedPage", "Skipped", "read_dataset"]

_READERS: dict[str, Callable[[Path], Dataset]] = {
    "l3s-gn1": read_l3s,
    "cleaneval": read_cleaneval,
    "wcxb": read_wcxb,
    "folder": read_folder,
}

DATASETS = tuple(_READERS)
"""The names of the datasets that can be read."""


def read_dataset(name: str, folder: Path) -> Dataset:
    """The pages of a dataset, in the order of their names.

    Raises UsageError for a name that is not in DATASETS and InputError where the folder does not
    hold such a dataset. A page without its gold text, or one that is broken, is left out and
    stands in `Dataset.skipped` with the reason.
    """
    if name not in _READERS:
        raise UsageError(f"expected one of {', '.join(DATASETS)} as the dataset, got {name!r}")
    return _READERS[name](folder)
