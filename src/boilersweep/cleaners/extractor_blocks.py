"""Blocks found in an extractor's text: the meaning of an extractor's name in a rule.

`trafilatura` alone is the extractor's own text; in `trafilatura | resiliparse` each name keeps the
blocks of whose words its text has at least half, in page order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from boilersweep.cleaners.rules import TEXTS, Need, Rule, parts
from boilersweep.errors import UsageError
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import BlockColumns, BoolArray


class AlignmentCounts(NamedTuple):
    """words: in some texts. placed: words of these in blocks that the texts contain."""

    words: int = 0
    placed: int = 0

    @property
    def share_left(self) -> float:
        """The share of words that no contained block has."""
        return 1 - self.placed / self.words if self.words else 0.0


@dataclass(frozen=True, slots=True)
class ExtractorBlocks:
    """Keeps the blocks contained in the page's stored text called `name`."""

    name: str

    @property
    def needs(self) -> frozenset[Need]:
        return TEXTS

    def mask(self, columns: BlockColumns) -> BoolArray:
        return _aligned(columns, self.name)[0]

    def __str__(self) -> str:
        return self.name


def extractor_names_in(rules: Iterable[Rule]) -> list[str]:
    """The names of the texts that some rules use, each once."""
    found = (part for rule in rules for part in parts(rule))
    return list(dict.fromkeys(part.name for part in found if isinstance(part, ExtractorBlocks)))


def count_alignments(columns: BlockColumns, names: Sequence[str]) -> dict[str, AlignmentCounts]:
    """By name, how many words of the documents' texts are in blocks."""
    return {name: _aligned(columns, name)[1] for name in names}


def sum_alignments(
    one: Mapping[str, AlignmentCounts], other: Mapping[str, AlignmentCounts]
) -> dict[str, AlignmentCounts]:
    """The counts of two parts of a collection together."""
    total = dict(one)
    for name, counts in other.items():
        before = total.get(name, AlignmentCounts())
        total[name] = AlignmentCounts(before.words + counts.words, before.placed + counts.placed)
    return total


AlignmentJson = Mapping[str, Mapping[str, int]]
"""A manifest's form: the name of a text -> the fields of `AlignmentCounts`."""


def alignment_json(placed: Mapping[str, AlignmentCounts]) -> dict[str, dict[str, int]]:
    return {name: one._asdict() for name, one in placed.items()}


def alignment_of_json(values: AlignmentJson) -> dict[str, AlignmentCounts]:
    return {name: AlignmentCounts(**one) for name, one in values.items()}


def _aligned(columns: BlockColumns, name: str) -> tuple[BoolArray, AlignmentCounts]:
    """(m,) the blocks contained in a text, and its counts; computed once for some columns."""
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
