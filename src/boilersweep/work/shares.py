"""Shares of work that separate processes do, on one machine or on many with one shared folder."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from boilersweep.errors import UsageError

Item = TypeVar("Item")

_TEXT = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")
_NAME = re.compile(r"([0-9]{1,9})-of-([0-9]{1,9})")


@dataclass(frozen=True, slots=True, order=True)
class Share:
    """One of so many shares that together are the whole.

    Attributes:
        number: The number of the share, from 1.
        of: The number of shares.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise _error(str(self))

    @property
    def name(self) -> str:
        """For files and folders, such as `3-of-7`."""
        return f"{self.number}-of-{self.of}"

    def take(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return the items of this share, which are neighbours.

        The shares in order give all items in order; their sizes differ by one at most.
        """
        start = len(items) * (self.number - 1) // self.of
        return items[start : len(items) * self.number // self.of]

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def parse_share(text: str) -> Share:
    """Parse `3/7`, the third of seven; raises UsageError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise _error(text)
    return Share(int(match[1]), int(match[2]))


def all_shares(of: int) -> list[Share]:
    """Return the shares that make the whole."""
    return [Share(number, of) for number in range(1, of + 1)]


def shares_in(folder: Path) -> list[Share]:
    """Return the shares that a folder, if it exists, has a file or folder of."""
    paths = folder.iterdir() if folder.is_dir() else ()
    matches = (_NAME.fullmatch(path.stem) for path in paths)
    return [Share(int(match[1]), int(match[2])) for match in matches if match]


def parts_folder(output: Path) -> Path:
    """Return the folder beside the output in which shares leave what is to be joined.

    Raises:
        UsageError: The output is the root folder, beside which there is nothing.
    """
    # resolve() raises where links lead in a circle
    output = Path(os.path.realpath(output))
    if not output.name:
        raise UsageError(f"{output} is no folder for output; choose one below it")
    return output.with_name(f"{output.name}.parts")


def _error(text: str) -> UsageError:
    return UsageError(
        f"share {text!r}: expected NUMBER/COUNT with a number from 1 to the count, such as 3/7"
    )
