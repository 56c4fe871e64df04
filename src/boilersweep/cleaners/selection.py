"""What cleaners leave of documents: some of their blocks, or a text that stands beside them.

A page's text stands behind the document's blocks as one more block, which no rule keeps and which
is all that its cleaner keeps. So whatever reads texts and masks reads both kinds alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.registry import plugin_identities
from boilersweep.cleaners.rules import NOTHING, Need, Rule, Trained, parts
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray

Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PageText:
    """The text that an extractor took from each page while it was segmented, or people did."""

    name: str

    def __str__(self) -> str:
        return self.name


Cleaner = Rule | PageText


@dataclass(frozen=True, slots=True)
class Kept:
    """What a cleaner keeps of a document, at least a block.

    document: its number among those of the selection. blocks: numbers of the selection's blocks,
    ascending. text: that of all of them, one per line.
    """

    document: int
    blocks: list[int]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What some cleaners keep of n documents that have b blocks, with the texts beside them.

    starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1]. texts: (b,).
    bits: (ceil(cleaners / 8), b) which cleaners keep a block, a bit each, as NumPy packs them: a
    page of many blocks costs little with many cleaners, too. cleaners: how many.
    """

    starts: IntArray
    texts: list[str]
    bits: Bits
    cleaners: int

    def mask(self, cleaner: int) -> BoolArray:
        """(b,) True where a cleaner, by its number, keeps a block."""
        bit = np.uint8(128 >> cleaner % 8)
        mask: BoolArray = (self.bits[cleaner // 8] & bit).astype(bool)
        return mask

    def masks(self, blocks: slice) -> BoolArray:
        """(cleaners, blocks) the same of all cleaners, for some blocks."""
        masks = np.unpackbits(self.bits[:, blocks], axis=0, count=self.cleaners)
        return masks.astype(bool)

    def kept(self, cleaner: int) -> Iterator[Kept]:
        """What a cleaner, by its number, keeps of each document, if it keeps a block of it."""
        blocks = np.flatnonzero(self.mask(cleaner))
        bounds = np.searchsorted(blocks, self.starts)
        for document in range(len(self.starts) - 1):
            some = blocks[bounds[document] : bounds[document + 1]].tolist()
            if some:
                yield Kept(document, some, "\n".join(self.texts[block] for block in some))


def identity_of(cleaner: Cleaner) -> dict[str, Any]:
    """What the cleaner's choice depends on beside blocks, texts and code, as nested JSON.

    text: as it is written. models: path of each model file -> its SHA-256. plugins, where there
    are any: name of each rule of another distribution -> that, its version and its digest.
    """
    rules = [] if isinstance(cleaner, PageText) else list(parts(cleaner))
    models = {rule.path: rule.model_digest() for rule in rules if isinstance(rule, Trained)}
    identity: dict[str, Any] = {
        "text": str(cleaner),
        "models": {path or "shipped": one for path, one in models.items()},
    }
    plugins = plugin_identities(rules)
    return identity | {"plugins": plugins} if plugins else identity


def needs_of(cleaners: Sequence[Cleaner]) -> frozenset[Need]:
    """What the cleaners read beside the numbers."""
    rules = (cleaner for cleaner in cleaners if not isinstance(cleaner, PageText))
    return NOTHING.union(*(rule.needs for rule in rules))


def page_texts_of(cleaners: Sequence[Cleaner]) -> list[str]:
    """The names of the texts among the cleaners, each once."""
    return list(dict.fromkeys(c.name for c in cleaners if isinstance(c, PageText)))


def select(columns: BlockColumns, cleaners: Sequence[Cleaner]) -> Selection:
    """What each of the cleaners keeps; the columns must hold what they need."""
    names = page_texts_of(cleaners)
    places = np.arange(len(columns.words)) + len(names) * columns.owners
    starts = columns.starts + len(names) * np.arange(len(columns) + 1)
    bits = np.zeros((-(-len(cleaners) // 8), starts[-1]), dtype=np.uint8)
    for number, cleaner in enumerate(cleaners):
        mask = np.zeros(starts[-1], dtype=bool)
        if isinstance(cleaner, PageText):
            mask[starts[1:] - len(names) + names.index(cleaner.name)] = True
        else:
            mask[places] = cleaner.mask(columns)
        bits[number // 8] |= mask.view(np.uint8) << np.uint8(7 - number % 8)
    return Selection(starts, _texts(columns, names), bits, len(cleaners))


def _texts(columns: BlockColumns, names: Sequence[str]) -> list[str]:
    if not names:
        return columns.texts
    texts: list[str] = []
    for number in range(len(columns)):
        texts += columns.texts[columns.starts[number] : columns.starts[number + 1]]
        texts += (columns.page_texts[name][number] for name in names)
    return texts
