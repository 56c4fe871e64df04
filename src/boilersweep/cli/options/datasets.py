"""Annotated pages: any number of --dataset, and --input."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.messages import note
from boilersweep.cli.options.values import Folder, parsed_each
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.eval.judge.datasets import DATASETS, FORMATS, Dataset, read_datasets

# A dataset's name, and its folder if that is given with it.
Named = tuple[str, Path | None]

_NAMES = ", ".join(f"{name} ({known.layout})" for name, known in FORMATS.items())


def _named(text: str) -> Named:
    name, equals, folder = text.partition("=")
    if name not in DATASETS or (equals and not folder):
        raise UsageError(
            f"expected NAME=DIR, NAME one of {', '.join(DATASETS)}, got {text!r}"
            f"{did_you_mean(name, DATASETS) if name not in DATASETS else ''}"
        )
    return name, Path(folder) if equals else None


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class MarkedPages:
    """Pages whose main text people have marked.

    Attributes:
        input: The folder of a single --dataset NAME.
    """

    dataset: Annotated[
        Sequence[Named],
        parsed_each(
            _named,
            "NAME=DIR",
            help=f"Annotated pages, unpacked; repeat for more. NAME is {_NAMES}.",
        ),
    ]
    input: Folder | None = None

    def folders(self) -> list[tuple[str, Path]]:
        """Return names and folders; raise UsageError if a folder is missing or given twice."""
        if self.input is not None:
            name, folder = self.dataset[0]
            if len(self.dataset) > 1 or folder is not None:
                raise UsageError(
                    "expected any number of --dataset NAME=DIR, or one --dataset NAME with "
                    "--input DIR, got both"
                )
            return [(name, self.input)]
        named = [(name, folder) for name, folder in self.dataset if folder is not None]
        if len(named) < len(self.dataset):
            bare = next(name for name, folder in self.dataset if folder is None)
            raise UsageError(f"expected the folder of {bare}: --dataset {bare}=DIR")
        return named

    def read(self) -> list[Dataset]:
        """Read the datasets and describe them on stderr."""
        datasets = list(read_datasets(self.folders()))
        for dataset in datasets:
            for line in dataset.describe():
                note(f"{dataset.label}: {line}" if len(datasets) > 1 else line)
        return datasets
