"""Datasets of the package ir_datasets, by names such as `irds:gov2/trec-tb-2004`.

The package is optional. It downloads what is free, and says where to put what is not; nothing is
loaded before a dataset is named.
"""

import difflib
import importlib
import threading
from importlib.metadata import version
from pathlib import Path
from typing import Any

from boilersweep.errors import UsageError

_MARK = "irds:"


def dataset_id(name: Path | str) -> str | None:
    """Return the id within `irds:ID`; None for any other name, which is a file's."""
    text = str(name)
    return text.removeprefix(_MARK) if text.startswith(_MARK) else None


def parse_dataset(text: str) -> str:
    """Return a name with its mark unchanged; raises UsageError for any other."""
    if not dataset_id(text):
        raise UsageError(f"expected irds:ID, such as irds:gov2/trec-tb-2004, got {text!r}")
    return text


def load_dataset(id_: str) -> Any:
    """Load a dataset without reading its documents.

    Raises:
        UsageError: ir_datasets is not installed or has no such dataset.
    """
    try:
        package = importlib.import_module("ir_datasets")
        tqdm = importlib.import_module("tqdm").tqdm  # draws its bars, also in workers
        tqdm.set_lock(threading.RLock())  # its own is a semaphore, left behind by a killed process
    except ImportError as error:
        raise UsageError(
            f"{_MARK}{id_} needs ir_datasets, which is not installed ({error}); install it with "
            "`pip install 'boilersweep[irds]'`"
        ) from error
    try:
        return package.load(id_)
    except KeyError as error:
        near = difflib.get_close_matches(id_, list(package.registry), n=3, cutoff=0.5)
        advice = f"did you mean {' or '.join(near)}" if near else "see https://ir-datasets.com"
        raise UsageError(f"ir_datasets has no dataset {id_!r}; {advice}?") from error


def package_version() -> str:
    """Return the version of the installed ir_datasets."""
    return version("ir_datasets")
