"""Blocks found in an extractor's text: the meaning of an extractor's name in a rule.

`trafilatura` alone is the extractor's own text; in `trafilatura | resiliparse` each name keeps the
blocks of whose words its text has at least half, in page order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from boilersweep.cleaners.rules import TEXTS
from boilersweep.errors import UsageError
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import BlockColumns, BoolArray


class AlignmentCounts(NamedTuple):
    """The words of some texts, and those of them in blocks that the texts contain."""

    words: int = 0
    placed: int = 0

    @property
    def share_left(self) -> float:
        """The share of words that no contained block has."""
        return 1 - self.placed / self.words if self.words else 0.0


@dataclass(frozen=True, slots=True)
class ExtractorBlocks:
    """Keeps the blocks contained in the page's stored text called `name`."""

    needs = TEXTS

    name: str

    def mask(self, columns: BlockColumns) -> BoolArray:
        """Return (m,) True for every block that the text contains."""
        return _aligned(columns, self.name)[0]

    def __str__(self) -> str:
        return self.name


def count_alignments(columns: BlockColumns, names: Sequence[str]) -> dict[str, AlignmentCounts]:
    """Return by name how many words of the documents' texts are in blocks."""
    return {name: _aligned(columns, name)[1] for name in names}


def sum_alignments(
    one: Mapping[str, AlignmentCounts], other: Mapping[str, AlignmentCounts]
) -> dict[str, AlignmentCounts]:
    """Return the counts of two parts of a collection together."""
    total = dict(one)
    for name, counts in other.items():
        before = total.get(name, AlignmentCounts())
        total[name] = AlignmentCounts(before.words + counts.words, before.placed + counts.placed)
    return total


# A manifest's form: the name of a text -> the fields of `AlignmentCounts`.
AlignmentJson = Mapping[str, Mapping[str, int]]


def alignment_json(placed: Mapping[str, AlignmentCounts]) -> dict[str, dict[str, int]]:
    """Return counts as a manifest has them."""
    return {name: counts._asdict() for name, counts in placed.items()}


def alignment_of_json(values: AlignmentJson) -> dict[str, AlignmentCounts]:
    """Return the counts of a manifest."""
    return {name: AlignmentCounts(**counts) for name, counts in values.items()}


def _aligned(columns: BlockColumns, name: str) -> tuple[BoolArray, AlignmentCounts]:
    """Return (m,) the blocks contained in a text, and its counts; computed once for columns."""
    key = (ExtractorBlocks, name)
    if key not in columns.memo:
        if name not in columns.page_texts:
            raise UsageError(
                f"{name} keeps the blocks contained in an extractor's text, but these blocks came "
                "without that text"
            )
        masks = [np.zeros(0, dtype=bool)]
        words = placed = 0
        for text, (start, end) in zip(
            columns.page_texts[name], pairwise(columns.starts.tolist()), strict=True
        ):
            alignment = align(columns.texts[start:end], text)
            masks.append(alignment.held)
            words += alignment.words
            placed += alignment.placed
        columns.memo[key] = (np.concatenate(masks), AlignmentCounts(words, placed))
    found: tuple[BoolArray, AlignmentCounts] = columns.memo[key]
    return found
