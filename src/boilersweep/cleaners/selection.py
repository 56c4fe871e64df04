"""What cleaners leave of documents: some of their blocks, or a text that is beside them.

A page's text follows the document's blocks as one more block, which no rule keeps and which
is all that its cleaner keeps. So whatever reads texts and masks reads both kinds alike. What counts
blocks several times keeps all of them, and says beside that which count how often.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.boilerpipe import KeepEverything
from boilersweep.cleaners.extractor_blocks import (
    AlignmentCounts,
    count_alignments,
    extractor_names_in,
)
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.registry import plugin_identities
from boilersweep.cleaners.rules import NOTHING, RECURRENCE, Need, Rule, Trained, parts
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray

Bits = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class PageText:
    """The text that an extractor took from each page while it was segmented, or people did."""

    name: str

    def __str__(self) -> str:
        return self.name


TextCleaner = Rule | PageText
"""A cleaner that leaves a text of a page."""

Cleaner = TextCleaner | Weighted


@dataclass(frozen=True, slots=True)
class Repeat:
    """Blocks that count several times. row: of the masks, of these blocks. times: how often."""

    row: int
    times: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What a cleaner keeps of a document, at least a block.

    document: its number among those of the selection. blocks: numbers of the selection's blocks,
    ascending. text: that of all of them, one per line. repeated: the text of the blocks that count
    several times. times: how often they count.
    """

    document: int
    blocks: list[int]
    text: str
    repeated: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What some cleaners keep of n documents that have b blocks, with the texts beside them.

    starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1]. texts: (b,).
    bits: (ceil(rows / 8), b) masks, a bit each, as NumPy packs them: a page of many blocks costs
    little with many cleaners, too. cleaners: how many; the row of the same number says what one
    keeps. repeats: cleaner -> what it counts more than once, by a row behind those. placed: by
    name of the texts that are matched to blocks, how much of them was matched.
    """

    starts: IntArray
    texts: list[str]
    bits: Bits
    cleaners: int
    repeats: Mapping[int, Repeat] = field(default_factory=dict)
    placed: Mapping[str, AlignmentCounts] = field(default_factory=dict)

    def mask(self, row: int) -> BoolArray:
        """(b,) True where a cleaner, by its number, keeps a block."""
        bit = np.uint8(128 >> row % 8)
        mask: BoolArray = (self.bits[row // 8] & bit).astype(bool)
        return mask

    def weights(self, cleaner: int) -> BoolArray | IntArray:
        """(b,) how often a cleaner, by its number, counts a block."""
        mask, repeat = self.mask(cleaner), self.repeats.get(cleaner)
        return mask if repeat is None else mask + (repeat.times - 1) * self.mask(repeat.row)

    def masks(self, blocks: slice) -> BoolArray:
        """(cleaners, blocks) the same of all cleaners, for some blocks."""
        masks = np.unpackbits(self.bits[:, blocks], axis=0, count=self.cleaners)
        return masks.astype(bool)

    def kept(self, cleaner: int) -> Iterator[Kept]:
        """What a cleaner, by its number, keeps of each document, if it keeps a block of it."""
        blocks = np.flatnonzero(self.mask(cleaner))
        bounds = np.searchsorted(blocks, self.starts)
        repeat = self.repeats.get(cleaner)
        again = self.mask(repeat.row) if repeat else None
        for document in range(len(self.starts) - 1):
            here = blocks[bounds[document] : bounds[document + 1]]
            if not len(here):
                continue
            kept = Kept(document, here.tolist(), self._joined(here))
            if repeat and again is not None:
                kept = replace(kept, repeated=self._joined(here[again[here]]), times=repeat.times)
            yield kept

    def _joined(self, blocks: IntArray) -> str:
        return "\n".join(self.texts[block] for block in blocks.tolist())


def identity_of(cleaner: Cleaner) -> dict[str, Any]:
    """What the cleaner's choice depends on beside blocks, texts and code, as nested JSON.

    text: as it is written. models: path of each model file -> its SHA-256. plugins, where there
    are any: name of each rule of another distribution -> that, its version and its digest.
    """
    rules = list(_parts_of(cleaner))
    models = {rule.path: rule.model_digest() for rule in rules if isinstance(rule, Trained)}
    identity: dict[str, Any] = {
        "text": str(cleaner),
        "models": {path or "shipped": one for path, one in models.items()},
    }
    plugins = plugin_identities(rules)
    return identity | {"plugins": plugins} if plugins else identity


def learned_in(cleaners: Sequence[Cleaner]) -> list[Learned]:
    """The learned rules in the cleaners, one for each model."""
    rules = (rule for cleaner in cleaners for rule in _parts_of(cleaner))
    found = {rule.model_digest(): rule for rule in rules if isinstance(rule, Learned)}
    return list(found.values())


def _parts_of(cleaner: Cleaner) -> Iterator[Rule]:
    """The rules that a cleaner is made of."""
    rule = _rule_of(cleaner)
    return iter(()) if rule is None else parts(rule)


def needs_of(cleaners: Sequence[Cleaner]) -> frozenset[Need]:
    """What the cleaners read beside the numbers."""
    rules = (cleaner for cleaner in cleaners if not isinstance(cleaner, PageText))
    return NOTHING.union(*(rule.needs for rule in rules))


def texts_beside(cleaners: Sequence[Cleaner]) -> list[str]:
    """The names of the texts that follow the blocks, as cleaners of their own."""
    return list(dict.fromkeys(c.name for c in cleaners if isinstance(c, PageText)))


def texts_within(cleaners: Sequence[Cleaner]) -> list[str]:
    """The names of the texts that stand for blocks, in rules."""
    return extractor_names_in(rule for rule in map(_rule_of, cleaners) if rule is not None)


def page_texts_of(cleaners: Sequence[Cleaner]) -> list[str]:
    """The names of all texts that the cleaners read beside the blocks, each once."""
    return list(dict.fromkeys([*texts_beside(cleaners), *texts_within(cleaners)]))


def leaving_text(cleaner: Cleaner, what: str) -> TextCleaner:
    """A cleaner that is to leave a text. what: wants one.

    Raises UsageError for one that counts some of a text several times.
    """
    if isinstance(cleaner, Weighted):
        raise UsageError(
            f"{what}: expected a cleaner that keeps or drops text, got {cleaner}, which keeps all "
            f"and counts what {cleaner.cleaner} keeps {cleaner.times} times, as an index can: "
            "`index`, `sweep`, `compare` and `explain` take it"
        )
    return cleaner


def of_a_page(cleaner: Cleaner, what: str) -> Cleaner:
    """A cleaner that is to work on a page alone. what: wants one.

    Raises UsageError for one that counts over the pages of a host.
    """
    if needs_of([cleaner]) >= RECURRENCE:
        raise UsageError(
            f"{what}: expected a cleaner of a page alone, got {cleaner}, which counts over the "
            "pages of a host: `export`, `index`, `sweep`, `compare` and `explain --topic` take it, "
            "as they read a block store"
        )
    return cleaner


def text_of_a_page(cleaner: Cleaner, what: str) -> TextCleaner:
    """A cleaner that is to leave a text of a page alone; raises UsageError as the two above."""
    return leaving_text(of_a_page(cleaner, what), what)


def select(columns: BlockColumns, cleaners: Sequence[Cleaner]) -> Selection:
    """What each of the cleaners keeps; the columns must hold what they need."""
    names = texts_beside(cleaners)
    places = np.arange(len(columns.words)) + len(names) * columns.owners
    starts = columns.starts + len(names) * np.arange(len(columns) + 1)
    repeated, repeats = repeats_of(cleaners)
    rows = [*cleaners, *repeated]
    bits = np.zeros((-(-len(rows) // 8), starts[-1]), dtype=np.uint8)
    for number, cleaner in enumerate(rows):
        if isinstance(cleaner, PageText):
            mask = np.zeros(starts[-1], dtype=bool)
            mask[starts[1:] - len(names) + names.index(cleaner.name)] = True
        else:
            rule = KeepEverything() if isinstance(cleaner, Weighted) else cleaner
            mask = np.ascontiguousarray(rule.mask(columns), dtype=bool)
            if names:
                mask, kept = np.zeros(starts[-1], dtype=bool), mask
                mask[places] = kept
        bits[number // 8] |= mask.view(np.uint8) << np.uint8(7 - number % 8)
    placed = count_alignments(columns, texts_within(cleaners))
    return Selection(starts, _texts(columns, names), bits, len(cleaners), repeats, placed)


def _rule_of(cleaner: Cleaner) -> Rule | None:
    """The rule that a cleaner is, or that says what counts several times."""
    if isinstance(cleaner, PageText):
        return None
    return cleaner.cleaner if isinstance(cleaner, Weighted) else cleaner


def repeats_of(cleaners: Sequence[Cleaner]) -> tuple[list[Rule], dict[int, Repeat]]:
    """What the cleaners count several times, and the rules of the masks behind theirs for that."""
    weighted = {n: c for n, c in enumerate(cleaners) if isinstance(c, Weighted) and c.times > 1}
    if not weighted:
        return [], {}
    own = {c: n for n, c in enumerate(cleaners) if not isinstance(c, PageText | Weighted)}
    more = [rule for c in weighted.values() if (rule := c.cleaner) not in own]
    rows = own | {rule: len(cleaners) + n for n, rule in enumerate(dict.fromkeys(more))}
    repeats = {number: Repeat(rows[c.cleaner], c.times) for number, c in weighted.items()}
    return list(dict.fromkeys(more)), repeats


def _texts(columns: BlockColumns, names: Sequence[str]) -> list[str]:
    if not names:
        return columns.texts
    texts: list[str] = []
    for number in range(len(columns)):
        texts += columns.texts[columns.starts[number] : columns.starts[number + 1]]
        texts += (columns.page_texts[name][number] for name in names)
    return texts
