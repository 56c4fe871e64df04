"""Texts cut into pieces, and the pieces numbered, each once.

Pages say the same words again and again: what an analyzer makes of a piece need be found once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import IntArray

NONCHARACTER = "\uffff"
"""Never a part of a token: it is between a term and its frequency in an index's input."""

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Borders:
    """Where texts may be cut, besides at spaces; all of these are ASCII.

    at: characters that part what precedes from what follows. between: characters that
    are in a piece where they are between others of it, and not at its ends.
    """

    at: str = ""
    between: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts as pieces.

    pieces: (p,) their numbers. starts: (n + 1,) text i has pieces starts[i] to starts[i + 1].
    new: those that were not met before, in the order of their numbers, which are the next.
    """

    pieces: Numbers
    starts: IntArray
    new: list[str]


class Pieces(Protocol):
    """Numbers the distinct pieces of texts from 0 on, in the order in which they come."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    @property
    def characters(self) -> int:
        """Those of all pieces together."""
        ...

    def cut(self, texts: Sequence[str]) -> Cut:
        """Cut some texts; what cannot be part of a token, NONCHARACTER, is left out."""
        ...


class PurePieces:
    """Pieces without compiled code, cut at spaces alone: that is fast in Python."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def characters(self) -> int:
        return self._characters

    def cut(self, texts: Sequence[str]) -> Cut:
        before = len(self._numbers)
        number_of = self._numbers.__getitem__
        numbers: list[int] = []
        starts = [0]
        for text in texts:
            whole = text.replace(NONCHARACTER, " ") if NONCHARACTER in text else text
            numbers += map(number_of, whole.split(" "))
            starts.append(len(numbers))
        new = list(islice(reversed(self._numbers), len(self._numbers) - before))[::-1]
        self._characters += sum(map(len, new))
        return Cut(np.array(numbers, dtype=np.int32), np.array(starts, dtype=np.int64), new)


class _Numbers(dict[str, int]):
    def __missing__(self, piece: str) -> int:
        self[piece] = number = len(self)
        return number
