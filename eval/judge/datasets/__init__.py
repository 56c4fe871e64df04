"""Annotated pages of several makers, read as one kind of thing.

l3s: L3S-GN1, the 2010 paper's news pages. cleaneval: CleanEval's development or final pages.
wcxb: the Web Content Extraction Benchmark. snippets: pages with strings that must stay and strings
that must go. folder: pages and gold texts of one's own.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets.cleaneval import read_cleaneval
from boilersweep.eval.judge.datasets.folder import read_folder
from boilersweep.eval.judge.datasets.l3s import read_l3s
from boilersweep.eval.judge.datasets.page import Dataset, JudgedPage, Skipped, printable
from boilersweep.eval.judge.datasets.snippets import read_snippets
from boilersweep.eval.judge.datasets.wcxb import read_wcxb

__all__ = ["DATASETS", "Dataset", "JudgedPage", "Skipped", "read_dataset", "read_datasets"]

_READERS: dict[str, Callable[[Path], Dataset]] = {
    "l3s-gn1": read_l3s,
    "cleaneval": read_cleaneval,
    "wcxb": read_wcxb,
    "snippets": read_snippets,
    "folder": read_folder,
}

DATASETS = tuple(_READERS)
"""The names of the datasets that can be read."""


def read_dataset(name: str, folder: Path) -> Dataset:
    """The pages of a dataset, in the order of their names.

    Raises UsageError for a name that is not in DATASETS and InputError where the folder does not
    hold such a dataset. A page without its gold text, or one that is broken, is left out and
    is in `Dataset.skipped` with the reason.
    """
    if name not in _READERS:
        raise UsageError(f"expected one of {', '.join(DATASETS)} as the dataset, got {name!r}")
    return _READERS[name](folder)


def read_datasets(named: Sequence[tuple[str, Path]]) -> list[Dataset]:
    """Several datasets, each with a label of its own; see `labels`. named: names and folders.

    Raises as `read_dataset`, and UsageError for one that is named twice.
    """
    return [
        replace(read_dataset(name, folder), label=label)
        for (name, folder), label in zip(named, labels(named), strict=True)
    ]


def labels(named: Sequence[tuple[str, Path]]) -> list[str]:
    """What datasets are called beside each other; file names can be made of it.

    A dataset is called by its name, and one of several of that name, or of several datasets a
    `folder`, by that of its folder: as much of its path's end as no other has, joined by hyphens.
    Raises UsageError for one that is named twice.
    """
    names = [name for name, _ in named]
    # Path.resolve raises where links go in a circle, which reading says better.
    ends = [Path(os.path.realpath(folder)).parts for _, folder in named]
    if len(set(zip(names, ends, strict=True))) < len(named):
        raise UsageError("expected every --dataset once, got one of them twice")
    several = len(named) > 1
    taken = [int(names.count(name) > 1 or (several and name == "folder")) for name in names]
    while True:
        found = [
            "-".join(parts[-count:]).replace("/", "") if count else name
            for name, parts, count in zip(names, ends, taken, strict=True)
        ]
        often = Counter(found)
        longer = [
            count + 1 if often[label] > 1 and 0 < count < len(parts) else count
            for label, parts, count in zip(found, ends, taken, strict=True)
        ]
        if longer == taken:
            break
        taken = longer
    if len(often) < len(found):
        raise UsageError(f"expected folders of other names than those of datasets, got {found}")
    return [printable(label) for label in found]
