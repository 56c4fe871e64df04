"""Annotated pages of several makers, read as one kind of thing.

dataset_formats  the layouts of datasets, and how each is read; l3s: that of L3S-GN1, by
                 its annotations
judged_page  a page with its gold text, a dataset, and the functions that readers share
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from boilersweep.errors import InputError, UsageError
from boilersweep.eval.judge.datasets.dataset_formats import FORMATS
from boilersweep.eval.judge.datasets.judged_page import (
    Dataset,
    JudgedPage,
    Skipped,
    home_of,
    printable,
)

__all__ = [
    "DATASETS",
    "FORMATS",
    "Dataset",
    "JudgedPage",
    "Skipped",
    "read_dataset",
    "read_datasets",
]

DATASETS = tuple(FORMATS)


def read_dataset(name: str, folder: Path) -> Dataset:
    """Read the pages of a dataset, in the order of their names.

    A page without its gold text, or a broken one, is left out; `Dataset.skipped` has the reason.

    Args:
        name: One of DATASETS.
        folder: The unpacked dataset.

    Raises:
        UsageError: The name is unknown.
        InputError: The folder does not contain such a dataset, or none of its pages can be judged.
    """
    if name not in FORMATS:
        raise UsageError(
            f"expected one of {', '.join(DATASETS)} as the dataset, got {name!r}"
        )
    dataset_format = FORMATS[name]
    dataset = Dataset(
        name, folder, *dataset_format.read(home_of(folder, dataset_format))
    )
    if not dataset.pages:
        why = "; ".join(dataset.describe()) or "no page was found"
        title = dataset_format.title
        raise InputError(
            f"expected pages with gold texts of {title} in {folder}: {why}"
        )
    return dataset


def read_datasets(named: Sequence[tuple[str, Path]]) -> list[Dataset]:
    """Read several datasets, each with its own label (see `labels`).

    Args:
        named: Names and folders.

    Raises:
        UsageError: A dataset is given twice; also as `read_dataset`.
        InputError: As `read_dataset`.
    """
    return [
        replace(read_dataset(name, folder), label=label)
        for (name, folder), label in zip(named, labels(named), strict=True)
    ]


def labels(named: Sequence[tuple[str, Path]]) -> list[str]:
    """Return names that tell datasets apart, and of which file names can be made.

    A dataset is called by its name. If several have that name, or a `folder` is one of several
    datasets, it is called by as much of its path's end as no other path has, joined by hyphens.

    Args:
        named: Names and folders.

    Raises:
        UsageError: A dataset is given twice.
    """
    names = [name for name, _ in named]
    # Path.resolve raises if links go in a circle, which reading explains better.
    ends = [Path(os.path.realpath(folder)).parts for _, folder in named]
    if len(set(zip(names, ends, strict=True))) < len(named):
        raise UsageError("expected every `dataset` once, got one of them twice")
    several = len(named) > 1
    taken = [
        int(names.count(name) > 1 or (several and name == "folder")) for name in names
    ]
    for _ in range(max(map(len, ends)) + 1):
        candidates = [
            "-".join(parts[-count:]).replace("/", "") if count else name
            for name, parts, count in zip(names, ends, taken, strict=True)
        ]
        often = Counter(candidates)
        taken = [
            count + int(often[label] > 1 and count > 0)
            for label, count in zip(candidates, taken, strict=True)
        ]
    if len(often) < len(candidates):
        raise UsageError(
            f"expected folders of other names than those of datasets, got {candidates}"
        )
    return [printable(label) for label in candidates]
