"""The blocks of many documents as columns: what cleaners read and indexers cut from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import UsageError
from boilersweep.pages.page import (
    PAGE_COLUMNS,
    STRUCTURE_COLUMNS,
    Column,
    PackedPage,
    PackedStructure,
    Page,
    pack,
    unpacked_strings,
)

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)

# What is read of blocks beside their numbers.
Need = Literal["texts", "structure", "recurrence"]
NOTHING: frozenset[Need] = frozenset()
TEXTS: frozenset[Need] = frozenset({"texts"})
STRUCTURE: frozenset[Need] = frozenset({"structure"})
# On how many pages of its host a text occurs; unavailable for a page alone.
RECURRENCE: frozenset[Need] = frozenset({"recurrence"})


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Where m blocks of n documents are among the e elements that hold them.

    Attributes:
        elements: (m,) The number of the innermost element around a block.
        tags_before, tags_within, links, markup, joined: (m,) As `PageStructure` has them.
        unindexed: (m,) As `PageStructure` has it.
        starts: (n + 1,) The elements of document i are starts[i] to starts[i + 1], parents before
            their children, the document itself first.
        names: (e,) places in `name_list`.
        marks: (e,) places in `mark_list`.
        classes, ids: (e,) As `PageStructure` has them.
        attributes: (e,) places in `attribute_list`.
        parents: (e,) numbers of elements; the first of a document is its own.
        first, end: (e,) the blocks an element holds are first to end.
        doctypes: (n,) "html5", "html4", "xhtml" or "" for none.
    """

    elements: IntArray
    tags_before: IntArray
    tags_within: IntArray
    links: IntArray
    markup: IntArray
    joined: BoolArray
    unindexed: BoolArray
    starts: IntArray
    names: IntArray
    name_list: list[str]
    marks: IntArray
    mark_list: list[str]
    classes: IntArray
    ids: IntArray
    attributes: IntArray
    attribute_list: list[str]
    parents: IntArray
    first: IntArray
    end: IntArray
    doctypes: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class BlockColumns:
    """n documents with m blocks in all.

    Attributes:
        docids: (n,) document ids.
        starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1] of every column.
        words: (m,) words of a block.
        density: (m,) text density.
        link_words: (m,) words within A.
        texts: (m,) the blocks' texts, or empty where they were not asked for.
        titles: (n,) the title elements' texts, or empty where they were not asked for.
        structure: None where it was not asked for.
        page_texts: Name -> (n,) what an extractor or people took from each document's page.
        recurrence: (m,) on how many pages of its host a block's text occurs, as
            `boilersweep.features.recurrence` counts; None where it was not asked for.
        memo: What was once computed of them and is needed again.
    """

    docids: list[str]
    starts: IntArray
    words: IntArray
    density: FloatArray
    link_words: IntArray
    texts: list[str]
    titles: list[str] = field(default_factory=list)
    structure: Structure | None = None
    page_texts: Mapping[str, list[str]] = field(default_factory=dict)
    recurrence: IntArray | None = None
    memo: dict[object, Any] = field(default_factory=dict, init=False)

    @property
    def link_density(self) -> FloatArray:
        """(m,) link density: the share of a block's words that are within an A element."""
        return self.link_words / np.maximum(self.words, 1)

    @property
    def owners(self) -> IntArray:
        """(m,) the number of each block's document."""
        return np.repeat(np.arange(len(self.docids)), np.diff(self.starts))

    def __len__(self) -> int:
        return len(self.docids)


def structure_of(columns: BlockColumns, reader: object) -> Structure:
    """Return the structure for a reader; raises UsageError if the blocks came without it."""
    if columns.structure is None:
        raise UsageError(
            f"{reader} reads the pages' structure, but these blocks came without it: "
            "segment the pages with structure=True, or load it with the blocks"
        )
    return columns.structure


def recurrence_of(columns: BlockColumns, reader: object) -> IntArray:
    """Return the recurrence for a reader; raises UsageError if the blocks came without it."""
    if columns.recurrence is None:
        raise UsageError(
            f"{reader} counts over the pages of a host, but these blocks came without it: it takes "
            "a block store (`boilersweep segment`), and a command or call that reads one"
        )
    return columns.recurrence


def neighbours(values: NDArray[Number], owners: IntArray, step: int) -> NDArray[Number]:
    """(m, ...) of every row the values `step` rows further on in its document, else 0.

    Args:
        values: (m, ...) The rows.
        owners: (m,) the document of each row, ascending.
        step: Below 0 for rows before.
    """
    shifted = np.zeros_like(values)
    if 0 < abs(step) < len(values):
        here, there = slice(None, -step), slice(step, None)
        if step < 0:
            here, there = slice(-step, None), slice(None, step)
        shifted[here] = values[there]
        shifted[here][owners[here] != owners[there]] = 0
    return shifted


def columns_of(docids: Sequence[str], pages: Sequence[Page]) -> BlockColumns:
    """Return the columns of some pages; with their structure if all have it."""
    return packed_columns(docids, list(map(pack, pages)))


def packed_columns(docids: Sequence[str], pages: Sequence[PackedPage]) -> BlockColumns:
    """Return the columns of some packed pages; with their structure if all have it."""
    from boilersweep.pages import compiled  # the command line does without lxml

    decoded, encoded = unpacked_strings, _encoded
    if compiled.built and not compiled.forbidden():
        from boilersweep.pages.compiled.strings import decoded, encoded

    def joined(parts: Sequence[PackedPage | PackedStructure], column: Column) -> Any:
        if column.kind is str:
            return encoded(
                [(part.columns[column.name], part.ends[column.name]) for part in parts]
            )
        content = b"".join(part.columns[column.name] for part in parts)
        values: NDArray[Any] = np.frombuffer(content, column.dtype)
        return values.astype(np.int64) if column.kind is int else values

    starts = starts_of([page.count for page in pages])
    structures = [page.structure for page in pages if page.structure is not None]
    structure = None
    if len(structures) == len(pages):
        structure = joined_structure(
            starts,
            starts_of([one.count for one in structures]),
            [one.doctype for one in structures],
            lambda column: joined(structures, column),
        )
    strings = [decoded(page.columns["texts"], page.ends["texts"]) for page in pages]
    return BlockColumns(
        docids=list(docids),
        starts=starts,
        texts=list(chain.from_iterable(strings)),
        titles=[page.title for page in pages],
        structure=structure,
        **{column.name: joined(pages, column) for column in NUMBERS},
    )


# The columns of blocks that `BlockColumns` has beside the texts.
NUMBERS = tuple(column for column in PAGE_COLUMNS if column.kind is not str)


def joined_structure(
    block_starts: IntArray,
    starts: IntArray,
    doctypes: list[str],
    read: Callable[[Column], Any],
) -> Structure:
    """Return the structure of several documents, numbered through.

    Args:
        block_starts: (n + 1,) As `BlockColumns.starts`.
        starts: (n + 1,) As `Structure.starts`.
        doctypes: (n,) As `Structure.doctypes`.
        read: Gives the values of a column, of all documents in a row; of strings their places in a
            list, and that list.
    """
    before = {"block": block_starts[:-1], "element": starts[:-1]}
    counts = {"block": np.diff(block_starts), "element": np.diff(starts)}
    values: dict[str, Any] = {}
    for column in STRUCTURE_COLUMNS:
        column_values = read(column)
        if column.kind is str:
            column_values, values[f"{column.name.removesuffix('s')}_list"] = (
                column_values
            )
        elif column.to and len(doctypes) > 1:
            column_values = column_values + np.repeat(
                before[column.to], counts[column.of]
            )
        values[column.name] = column_values
    return Structure(starts=starts, doctypes=doctypes, **values)


def documents_of(columns: BlockColumns, keep: BoolArray) -> BlockColumns:
    """Select documents.

    Args:
        columns: All documents.
        keep: (n,) True for the selected documents.
    """
    lengths = np.diff(columns.starts)
    blocks = np.repeat(keep, lengths)
    return BlockColumns(
        docids=list(compress(columns.docids, keep)),
        starts=starts_of(lengths[keep]),
        texts=list(compress(columns.texts, blocks)),
        titles=list(compress(columns.titles, keep)),
        structure=columns.structure and _structure_of(columns.structure, keep, blocks),
        page_texts={n: list(compress(t, keep)) for n, t in columns.page_texts.items()},
        recurrence=None if columns.recurrence is None else columns.recurrence[blocks],
        **{column.name: getattr(columns, column.name)[blocks] for column in NUMBERS},
    )


def _structure_of(whole: Structure, keep: BoolArray, blocks: BoolArray) -> Structure:
    counts = np.diff(whole.starts)
    elements = np.repeat(keep, counts)
    kept = {"block": blocks, "element": elements}
    numbers = {"block": np.cumsum(np.r_[0, blocks]), "element": np.cumsum(elements) - 1}
    values: dict[str, Any] = {}
    for column in STRUCTURE_COLUMNS:
        some = getattr(whole, column.name)[kept[column.of]]
        values[column.name] = numbers[column.to][some] if column.to else some
    doctypes = list(compress(whole.doctypes, keep))
    return replace(whole, starts=starts_of(counts[keep]), doctypes=doctypes, **values)


def _encoded(pages: list[tuple[bytes, bytes]]) -> tuple[IntArray, list[str]]:
    """Return packed strings as places in the list of the distinct ones."""
    places: dict[str, int] = {}
    codes = [
        places.setdefault(string, len(places))
        for strings, ends in pages
        for string in unpacked_strings(strings, ends)
    ]
    return np.array(codes, dtype=np.int64), list(places)


def starts_of(counts: Sequence[int] | IntArray) -> IntArray:
    """Return (n + 1,) where each of n things begins in a row of all that they have, and the end."""
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def subtree_ends(structure: Structure) -> IntArray:
    """(e,) the descendants of element i are i + 1 up to, without, ends[i].

    Elements are in document order and each holds a block: a later one is a descendant exactly
    if its first block comes before the end.
    """
    ends = np.searchsorted(structure.first, structure.end, side="left")
    return ends.astype(np.int64)


def nearest(marked: BoolArray, parents: IntArray) -> IntArray:
    """(e,) for every element the innermost marked one of itself and its ancestors, else the root.

    In as many steps as the binary logarithm of the tree's depth.
    """
    own = np.arange(len(parents))
    targets = np.where(marked, own, parents)
    while True:
        further = targets[targets]
        if np.array_equal(further, targets):
            return targets
        targets = further
