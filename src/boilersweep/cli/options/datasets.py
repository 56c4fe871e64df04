"""Annotated pages: any number of --dataset, and --input."""

import argparse
from pathlib import Path

from boilersweep.cli.messages import note
from boilersweep.cli.parser import Group, Options
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.judge.datasets import DATASETS, FORMATS, Dataset, read_datasets

# A dataset's name, and its folder if that is given with it.
Named = tuple[str, Path | None]


def folders(args: argparse.Namespace) -> list[tuple[str, Path]]:
    """Return names and folders; raise UsageError if a folder is missing or given twice."""
    given: list[Named] = args.dataset
    if args.input is not None:
        name, folder = given[0]
        if len(given) > 1 or folder is not None:
            raise UsageError(
                "expected any number of --dataset NAME=DIR, or one --dataset NAME with "
                "--input DIR, got both"
            )
        return [(name, args.input)]
    found = [(name, folder) for name, folder in given if folder is not None]
    if len(found) < len(given):
        bare = next(name for name, folder in given if folder is None)
        raise UsageError(f"expected the folder of {bare}: --dataset {bare}=DIR")
    return found


def read(args: argparse.Namespace) -> list[Dataset]:
    """Read the datasets and describe them on stderr."""
    datasets = list(read_datasets(folders(args)))
    for dataset in datasets:
        for line in dataset.describe():
            note(f"{dataset.label}: {line}" if len(datasets) > 1 else line)
    return datasets


def _named(text: str) -> Named:
    name, equals, folder = text.partition("=")
    if name not in DATASETS or (equals and not folder):
        raise UsageError(
            f"expected NAME=DIR, NAME one of {', '.join(DATASETS)}, got {text!r}"
            f"{did_you_mean(name, DATASETS) if name not in DATASETS else ''}"
        )
    return name, Path(folder) if equals else None


_NAMES = ", ".join(f"{name} ({known.layout})" for name, known in FORMATS.items())

# --dataset and --input.
ANNOTATED = Group(
    Options(
        f"--dataset NAME=DIR ...  annotated pages, unpacked; repeat for more. NAME is {_NAMES}",
        types={"dataset": _named},
        required=True,
    ),
    Options("--input DIR  the folder of a single --dataset NAME"),
    folders,
)
