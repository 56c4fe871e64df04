"""A table from pieces of texts to their terms, filled by asking Lucene for each piece once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from boilersweep.indexer.pieces import Numbers
from boilersweep.pages.columns import IntArray

if TYPE_CHECKING:
    from boilersweep.indexer.pieces import Pieces

MOST_PIECES = 2**19
# Of all pieces together. With more of either a table begins anew.
MOST_CHARACTERS = 2**23

Analyse = Callable[[Sequence[str]], list[str]]
CountStacked = Callable[[Sequence[str]], list[int] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Analysed:
    """Texts as pieces with their terms.

    Attributes:
        pieces: (p,) the numbers of the pieces.
        starts: (n + 1,) text i has pieces starts[i] to starts[i + 1].
        terms: For each piece, its terms with repeats, joined by spaces. The list belongs to the
            table: it grows as more pieces come, and is replaced when the table begins again.
        counts: How many terms each piece has.
        stacked: How many of a piece's terms are at the position of the one before; None for an
            analyzer that stacks none.
    """

    pieces: Numbers
    starts: IntArray
    terms: list[str]
    counts: Numbers
    stacked: Numbers | None

    @property
    def lengths(self) -> IntArray:
        """(n,) the terms of each text, with repeats."""
        return self._summed(self.counts)

    @property
    def stacked_lengths(self) -> IntArray | None:
        """(n,) of these, those at the position of the one before; None as `stacked`."""
        return None if self.stacked is None else self._summed(self.stacked)

    def _summed(self, of_pieces: Numbers) -> IntArray:
        running = np.zeros(len(self.pieces) + 1, dtype=np.int64)
        np.cumsum(of_pieces[self.pieces], out=running[1:])
        return np.diff(running[self.starts])

    def tokens(self) -> list[str]:
        """Return the terms of each text, joined by spaces ("" for none)."""
        filled = np.flatnonzero(self.counts[self.pieces])
        bounds = np.searchsorted(filled, self.starts).tolist()
        terms = [self.terms[piece] for piece in self.pieces[filled].tolist()]
        return [" ".join(terms[start:end]) for start, end in pairwise(bounds)]


def of_whole_texts(tokens: list[str], stacked: list[int] | None) -> Analysed:
    """Texts, each as one piece. tokens: of each, joined by spaces. stacked: see `Analysed`."""
    return Analysed(
        np.arange(len(tokens), dtype=np.int32),
        np.arange(len(tokens) + 1),
        tokens,
        _counts(tokens),
        None if stacked is None else np.array(stacked, dtype=np.int32),
    )


class TermTable:
    """What an analyzer makes of pieces; any number of threads may ask it."""

    def __init__(
        self, new_pieces: Callable[[], "Pieces"], analyse: Analyse, count_stacked: CountStacked
    ) -> None:
        """analyse: gives the tokens of each text, joined by spaces. count_stacked: see `Analysed`.

        Both are asked for the pieces that are new, and may raise.
        """
        self._new_pieces = new_pieces
        self._analyse = analyse
        self._count_stacked = count_stacked
        self._lock = Lock()
        self._begin()

    def _begin(self) -> None:
        self._pieces = self._new_pieces()
        self._terms: list[str] = []
        self._counts = np.empty(0, dtype=np.int32)
        self._stacked: Numbers | None = None

    def analysed(self, texts: Sequence[str]) -> Analysed:
        """Return the texts with their terms; raise what asking for those of new pieces raises."""
        with self._lock:
            if len(self._pieces) > MOST_PIECES or self._pieces.characters > MOST_CHARACTERS:
                self._begin()
            try:
                cut = self._pieces.cut(texts)
                self._add(cut.new)
            except BaseException:
                self._begin()  # pieces without terms would be taken for known ones
                raise
            return Analysed(cut.pieces, cut.starts, self._terms, self._counts, self._stacked)

    def _add(self, pieces: Sequence[str]) -> None:
        if not pieces:
            return
        terms = self._analyse(pieces)
        stacked = self._count_stacked(pieces)
        self._terms += terms
        self._counts = np.concatenate([self._counts, _counts(terms)])
        if stacked is not None:
            more = np.array(stacked, dtype=np.int32)
            self._stacked = more if self._stacked is None else np.r_[self._stacked, more]


def _counts(tokens: Sequence[str]) -> Numbers:
    counts = (text.count(" ") + 1 if text else 0 for text in tokens)
    return np.fromiter(counts, dtype=np.int32, count=len(tokens))
