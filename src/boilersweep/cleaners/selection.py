"""What cleaners leave of documents: some of their blocks, or a text beside the blocks.

`trafilatura` alone is the extractor's own text; in `trafilatura | resiliparse` each name keeps the
blocks of whose words its text has at least half, in page order.

A page's text follows the document's blocks as one more block: no rule keeps it, and it is all that
its cleaner keeps. So readers of texts and masks treat both kinds alike. A cleaner that counts some
blocks several times keeps all of them; `Selection.repeats` says which ones count how often. If it
is asked for, a page's title precedes the document's blocks as one more block that all cleaners
keep, once; a document of which they keep no other token is to be left empty.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.rules import PLUGINS, NamedRule, Rule, Weighted, parts
from boilersweep.errors import BoilersweepError, UsageError
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import (
    NOTHING,
    RECURRENCE,
    TEXTS,
    BlockColumns,
    BoolArray,
    IntArray,
    Need,
)
from boilersweep.plugins import contained

Bits = NDArray[np.uint8]

_OURS = "boilersweep."  # the modules of rules that no other distribution declares


@dataclass(frozen=True, slots=True)
class PageText:
    """The text that an extractor or people took from each page."""

    name: str

    def __str__(self) -> str:
        return self.name


# A cleaner that leaves a text of a page.
TextCleaner = Rule | PageText

Cleaner = TextCleaner | Weighted


@dataclass(frozen=True, slots=True)
class AlignmentCounts:
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


def sum_alignments(
    one: Mapping[str, AlignmentCounts], other: Mapping[str, AlignmentCounts]
) -> dict[str, AlignmentCounts]:
    """Return the counts of two parts of a collection together."""
    total = dict(one)
    for name, counts in other.items():
        before = total.get(name, AlignmentCounts())
        total[name] = AlignmentCounts(
            before.words + counts.words, before.placed + counts.placed
        )
    return total


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
    aligned: tuple[BoolArray, AlignmentCounts] = columns.memo[key]
    return aligned


@dataclass(frozen=True, slots=True)
class Repeat:
    """Blocks that count several times: the row of their mask, and how often they count."""

    row: int
    times: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The blocks, at least one, that a cleaner keeps of a document.

    Attributes:
        document: The document's number in the selection.
        blocks: Numbers of the selection's blocks, ascending, without the title.
        text: Their texts, one per line.
        title: The document's title; "" unless the selection has titles.
        repeated: The text of the blocks that count several times.
        times: How often these count.
    """

    document: int
    blocks: list[int]
    text: str
    title: str = ""
    repeated: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """What some cleaners keep of n documents with b blocks, titles and texts beside them included.

    Attributes:
        starts: (n + 1,) The blocks of document i are starts[i] to starts[i + 1].
        texts: (b,) Their texts.
        bits: (ceil(rows / 8), b) Masks, packed by NumPy: a page of many blocks costs little even
            with many cleaners. Row i is the mask of cleaner i.
        cleaners: The number of cleaners.
        repeats: Cleaner -> the blocks that it counts more than once, by a row behind the cleaners'.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
        has_titles: Whether each document's first block is its title.
    """

    starts: IntArray
    texts: list[str]
    bits: Bits
    cleaners: int
    repeats: Mapping[int, Repeat] = field(default_factory=dict)
    placed: Mapping[str, AlignmentCounts] = field(default_factory=dict)
    has_titles: bool = False

    def mask(self, row: int) -> BoolArray:
        """Return (b,) True for every block that a cleaner, by its number, keeps."""
        bit = np.uint8(128 >> row % 8)
        mask: BoolArray = (self.bits[row // 8] & bit).astype(bool)
        return mask

    def weights(self, cleaner: int) -> BoolArray | IntArray:
        """Return (b,) how often a cleaner, by its number, counts a block."""
        mask, repeat = self.mask(cleaner), self.repeats.get(cleaner)
        return (
            mask
            if repeat is None
            else mask + (repeat.times - 1) * self.mask(repeat.row)
        )

    def kept(self, cleaner: int) -> Iterator[Kept]:
        """Yield what a cleaner, by its number, keeps of each document of which it keeps a block."""
        mask = self.mask(cleaner)
        if self.has_titles:
            mask[self.starts[:-1]] = False
        blocks = np.flatnonzero(mask)
        bounds = np.searchsorted(blocks, self.starts)
        repeat = self.repeats.get(cleaner)
        again = self.mask(repeat.row) if repeat else None
        for document in range(len(self.starts) - 1):
            here = blocks[bounds[document] : bounds[document + 1]]
            if not len(here):
                continue
            title = self.texts[self.starts[document]] if self.has_titles else ""
            kept = Kept(document, here.tolist(), self._joined(here), title)
            if repeat and again is not None:
                kept = replace(
                    kept, repeated=self._joined(here[again[here]]), times=repeat.times
                )
            yield kept

    def _joined(self, blocks: IntArray) -> str:
        return "\n".join(self.texts[block] for block in blocks.tolist())


def identity_of(cleaner: Cleaner) -> dict[str, Any]:
    """Return what the cleaner's choice depends on beside blocks, texts and code, as nested JSON.

    It has `text`; `models`, path of each model file -> its SHA-256; and `plugins`, if there are
    any: name of each rule of another distribution -> that, its version and its digest.
    """
    rules = [rule for rule in _parts_of(cleaner) if isinstance(rule, NamedRule)]
    models: dict[str, str] = {}
    for rule in rules:
        models |= rule.models
    identity: dict[str, Any] = {"text": str(cleaner), "models": models}
    named = {rule.name: type(rule).__module__ for rule in rules}
    foreign = sorted(
        name for name, module in named.items() if not module.startswith(_OURS)
    )
    plugins = {name: known for name in foreign if (known := PLUGINS.identity(name))}
    return identity | {"plugins": plugins} if plugins else identity


def _parts_of(cleaner: Cleaner) -> Iterator[Rule]:
    if not isinstance(cleaner, PageText):
        yield from parts(cleaner.cleaner if isinstance(cleaner, Weighted) else cleaner)


def needs_of(cleaners: Sequence[Cleaner]) -> frozenset[Need]:
    """Return what the cleaners read beside the numbers."""
    rules = (cleaner for cleaner in cleaners if not isinstance(cleaner, PageText))
    return NOTHING.union(*(rule.needs for rule in rules))


def texts_beside(cleaners: Sequence[Cleaner]) -> list[str]:
    """Return the names of the texts that follow the blocks, as cleaners of their own."""
    return list(dict.fromkeys(c.name for c in cleaners if isinstance(c, PageText)))


def texts_within(cleaners: Sequence[Cleaner]) -> list[str]:
    """Return the names of the texts that stand for blocks in rules, each once."""
    rules = (part for cleaner in cleaners for part in _parts_of(cleaner))
    return list(
        dict.fromkeys(rule.name for rule in rules if isinstance(rule, ExtractorBlocks))
    )


def page_texts_of(cleaners: Sequence[Cleaner]) -> list[str]:
    """Return the names of all texts that the cleaners read beside the blocks, each once."""
    return list(dict.fromkeys([*texts_beside(cleaners), *texts_within(cleaners)]))


def leaving_text(cleaner: Cleaner, what: str) -> TextCleaner:
    """Return a cleaner that must leave a text.

    Args:
        cleaner: The cleaner.
        what: The command or function that wants one.

    Raises:
        UsageError: The cleaner counts some of the text several times.
    """
    if isinstance(cleaner, Weighted):
        raise UsageError(
            f"{what}: expected a cleaner that keeps or drops text, got {cleaner}, which keeps all "
            f"and counts what {cleaner.cleaner} keeps {cleaner.times} times, as an index can: "
            "`index`, `sweep`, `compare` and `explain` take it"
        )
    return cleaner


def of_a_page(cleaner: Cleaner, what: str) -> Cleaner:
    """Return a cleaner that must work on a page alone.

    Args:
        cleaner: The cleaner.
        what: The command or function that wants one.

    Raises:
        UsageError: The cleaner counts over the pages of a host.
    """
    if needs_of([cleaner]) >= RECURRENCE:
        raise UsageError(
            f"{what}: expected a cleaner of a page alone, got {cleaner}, which counts over the "
            "pages of a host: `export`, `index`, `sweep`, `compare` and `explain --topic` take it, "
            "as they read a block store"
        )
    return cleaner


def text_of_a_page(cleaner: Cleaner, what: str) -> TextCleaner:
    """Return a cleaner that must leave a text of a page alone; raises UsageError as these two."""
    return leaving_text(of_a_page(cleaner, what), what)


def select(
    columns: BlockColumns, cleaners: Sequence[Cleaner], *, titles: bool = False
) -> Selection:
    """Apply each of the cleaners.

    Args:
        columns: The blocks, with what the cleaners need.
        cleaners: The cleaners.
        titles: Whether the titles are blocks, too.
    """
    names = texts_beside(cleaners)
    more = titles + len(names)
    starts = columns.starts + more * np.arange(len(columns) + 1)
    repeated, repeats = repeats_of(cleaners)
    rows = [*cleaners, *repeated]
    bits = np.zeros((-(-len(rows) // 8), starts[-1]), dtype=np.uint8)
    of_blocks = np.zeros((len(bits), len(columns.words)), dtype=np.uint8)
    known: dict[Cleaner, BoolArray] = {}
    for index, cleaner in enumerate(rows):
        row, bit = index // 8, np.uint8(128 >> index % 8)
        if isinstance(cleaner, PageText):
            bits[row, starts[1:] - len(names) + names.index(cleaner.name)] |= bit
        elif isinstance(cleaner, Weighted):
            of_blocks[row] |= bit
        else:
            mask = known.pop(cleaner) if cleaner in known else _mask(cleaner, columns)
            of_blocks[row] |= np.ascontiguousarray(mask, dtype=bool) * bit
            if cleaner in repeated:
                known[cleaner] = mask
        if titles and index < len(cleaners):
            bits[row, starts[:-1]] |= bit
    if more:
        places = np.arange(len(columns.words)) + more * columns.owners + titles
        bits[:, places] = of_blocks
    within = texts_within(cleaners) if columns.page_texts else []
    placed = {name: _aligned(columns, name)[1] for name in within}
    return Selection(
        starts,
        _texts(columns, names, titles=titles),
        bits if more else of_blocks,
        len(cleaners),
        repeats,
        placed,
        titles,
    )


def _mask(rule: Rule | ExtractorBlocks, columns: BlockColumns) -> BoolArray:
    """Return the blocks that a rule keeps; a plug-in's may do what it likes."""
    try:
        with contained():
            return rule.mask(columns)
    except RuntimeError as error:
        raise BoilersweepError(f"{rule} failed: {error}") from error


def repeats_of(cleaners: Sequence[Cleaner]) -> tuple[list[Rule], dict[int, Repeat]]:
    """Return the rules of further masks, and which mask each weighting cleaner counts again."""
    weighted = {
        n: c for n, c in enumerate(cleaners) if isinstance(c, Weighted) and c.times > 1
    }
    rules = list(dict.fromkeys(c.cleaner for c in weighted.values()))
    rows = {rule: len(cleaners) + n for n, rule in enumerate(rules)}
    repeats = {
        number: Repeat(rows[c.cleaner], c.times) for number, c in weighted.items()
    }
    return rules, repeats


def _texts(columns: BlockColumns, names: Sequence[str], *, titles: bool) -> list[str]:
    if not (names or titles):
        return columns.texts
    texts: list[str] = []
    for index, (start, end) in enumerate(pairwise(columns.starts.tolist())):
        if titles:
            texts.append(columns.titles[index])
        texts += columns.texts[start:end]
        texts += (columns.page_texts[name][index] for name in names)
    return texts
