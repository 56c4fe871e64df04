"""The blocks of a page that a text beside them holds: what an extractor's name means in a rule.

`trafilatura` alone is the extractor's own text; in `trafilatura | resiliparse` either name stands
for the blocks of whose words its text has at least half, in the order of the page.
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


class Placed(NamedTuple):
    """How much of some texts stands in blocks. words: of the texts. placed: in blocks they hold."""

    words: int = 0
    placed: int = 0

    @property
    def share_left(self) -> float:
        """The share of words that stand in no block which their text holds."""
        return 1 - self.placed / self.words if self.words else 0.0


@dataclass(frozen=True, slots=True)
class HeldBlocks:
    """Keeps the blocks that a text holds which stands beside them. name: of that text."""

    name: str

    @property
    def needs(self) -> frozenset[Need]:
        return TEXTS

    def mask(self, columns: BlockColumns) -> BoolArray:
        return _aligned(columns, self.name)[0]

    def __str__(self) -> str:
        return self.name


def held_texts(rules: Iterable[Rule]) -> list[str]:
    """The names of the texts in some rules, each once."""
    found = (part for rule in rules for part in parts(rule))
    return list(dict.fromkeys(part.name for part in found if isinstance(part, HeldBlocks)))


def placed_words(columns: BlockColumns, names: Sequence[str]) -> dict[str, Placed]:
    """By name, how much of the documents' texts stands in blocks."""
    return {name: _aligned(columns, name)[1] for name in names}


def added_up(one: Mapping[str, Placed], other: Mapping[str, Placed]) -> dict[str, Placed]:
    """What is placed in two parts of a collection."""
    names = dict.fromkeys([*one, *other])
    none = Placed()
    return {
        name: Placed(*map(sum, zip(one.get(name, none), other.get(name, none), strict=True)))
        for name in names
    }


PlacedJson = Mapping[str, Mapping[str, int]]
"""As manifests have it: the name of a text -> what `Placed` counts."""


def placed_json(placed: Mapping[str, Placed]) -> dict[str, dict[str, int]]:
    """As a manifest has it."""
    return {name: one._asdict() for name, one in placed.items()}


def placed_of_json(values: PlacedJson) -> dict[str, Placed]:
    """What `placed_json` was made of."""
    return {name: Placed(**one) for name, one in values.items()}


def _aligned(columns: BlockColumns, name: str) -> tuple[BoolArray, Placed]:
    """(m,) the blocks that a text holds, found once for some columns."""
    key = (HeldBlocks, name)
    if key not in columns.memo:
        if name not in columns.page_texts:
            raise UsageError(
                f"{name} stands for the blocks that an extractor's text holds, but these blocks "
                "came without it"
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
        columns.memo[key] = (np.concatenate(masks), Placed(words, placed))
    found: tuple[BoolArray, Placed] = columns.memo[key]
    return found
