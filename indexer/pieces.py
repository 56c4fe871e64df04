"""Texts cut into pieces, and the pieces numbered, each once.

Pages say the same words again and again: what an analyzer makes of a piece need be found once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import IntArray

# Never a part of a token: it is between a term and its frequency in an index's input.
NONCHARACTER = "\uffff"

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Borders:
    """The ASCII characters at which texts may be cut, besides spaces.

    Attributes:
        at: Characters that end a piece and are in none.
        between: Characters that belong to a piece inside it, but not at its ends.
    """

    at: str = ""
    between: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """Texts as pieces.

    Attributes:
        pieces: (p,) the numbers of the pieces.
        starts: (n + 1,) text i has pieces starts[i] to starts[i + 1].
        new: The pieces that were not met before, in the order of their new numbers.
    """

    pieces: Numbers
    starts: IntArray
    new: list[str]


class PurePieces:
    """Numbers the distinct pieces of texts from 0 on, in the order in which they come.

    Without compiled code texts are cut at spaces alone: that is fast in Python.
    """

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._characters = 0

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def characters(self) -> int:
        """The number of characters of all pieces together."""
        return self._characters

    def cut(self, texts: Sequence[str]) -> Cut:
        """Cut some texts; NONCHARACTER, which cannot be part of a token, is left out."""
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


if TYPE_CHECKING:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    Pieces: TypeAlias = PurePieces | CompiledPieces
