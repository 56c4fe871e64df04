"""The blocks of many documents as columns: what cleaners read and indexers cut from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import UsageError
from boilersweep.pages.boxes import Boxes
from boilersweep.pages.packed import PackedPage, PackedStructure
from boilersweep.pages.page import Page
from boilersweep.pages.structure import PageStructure

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Number = TypeVar("Number", np.int64, np.float64)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """Where m blocks of n documents are among the e elements that hold them.

    Of blocks, elements: (m,) the number of the innermost element around a block. tags_before,
    tags_within, links, markup: (m,) and joined: (m,) as `PageStructure` has them.

    Of elements, starts: (n + 1,) the elements of document i are starts[i] to starts[i + 1],
    parents before their children, the document itself first. names: (e,) places in `name_list`.
    marks: (e,) places in `mark_list`. parents: (e,) numbers of elements; the first of a document
    is its own. first, end: (e,) the blocks an element holds are first to end.

    doctypes: (n,) "html5", "html4", "xhtml" or "" for none.
    """

    elements: IntArray
    tags_before: IntArray
    tags_within: IntArray
    links: IntArray
    markup: IntArray
    joined: BoolArray
    starts: IntArray
    names: IntArray
    name_list: list[str]
    marks: IntArray
    mark_list: list[str]
    parents: IntArray
    first: IntArray
    end: IntArray
    doctypes: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class BlockColumns:
    """n documents with m blocks in all.

    docids: (n,) document ids.
    starts: (n + 1,) the blocks of document i are starts[i] to starts[i + 1] of every column.
    words: (m,) words of a block. density: (m,) text density. link_words: (m,) words within A.
    texts: (m,) the blocks' texts, or empty where they were not asked for.
    titles: (n,) the title elements' texts, or empty where they were not asked for.
    structure: None where it was not asked for.
    page_texts: name -> (n,) what an extractor or people took from each document's page.
    recurrence: (m,) on how many pages of its host a block's text occurs, as
    `boilersweep.features.recurrence` counts; None where it was not asked for.
    boxes: None where it was not asked for; comes with the structure.
    memo: what was once computed of them and is needed again.
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
    boxes: Boxes | None = None
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
    """The structure that something reads; raises UsageError where the blocks came without it."""
    if columns.structure is None:
        raise UsageError(
            f"{reader} reads the pages' structure, but these blocks came without it: "
            "segment the pages with structure=True, or load it with the blocks"
        )
    return columns.structure


def recurrence_of(columns: BlockColumns, reader: object) -> IntArray:
    """The recurrence that something reads; raises UsageError where the blocks came without it."""
    if columns.recurrence is None:
        raise UsageError(
            f"{reader} counts over the pages of a host, but these blocks came without it: it takes "
            "a block store (`boilersweep segment`), and a command or call that reads one"
        )
    return columns.recurrence


def boxes_of(columns: BlockColumns, reader: object) -> Boxes:
    """The boxes that something reads; raises UsageError where the blocks came without them."""
    if columns.boxes is None:
        raise UsageError(
            f"{reader} reads where blocks stand on the page as a browser draws it, but these came "
            "without that: make a store of the pages, have `boilersweep render --store STORE "
            "--input PAGES` draw them, and let the cleaner read the store"
        )
    return columns.boxes


def neighbours(values: NDArray[Number], owners: IntArray, step: int) -> NDArray[Number]:
    """(m, ...) of every row the values `step` rows further on in its document, else 0.

    owners: (m,) the document of each row, ascending. step: below 0 for rows before.
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
    """The columns of some pages; with their structure where all have it."""
    starts = _starts([len(page) for page in pages])
    structures = [page.structure for page in pages if page.structure is not None]
    return BlockColumns(
        docids=list(docids),
        starts=starts,
        words=_joined(pages, lambda page: page.words),
        density=np.array(list(chain.from_iterable(p.density for p in pages)), dtype=np.float64),
        link_words=_joined(pages, lambda page: page.link_words),
        texts=list(chain.from_iterable(page.texts for page in pages)),
        titles=[page.title for page in pages],
        structure=_structure(structures, starts) if len(structures) == len(pages) else None,
    )


def packed_columns(docids: Sequence[str], pages: Sequence[PackedPage]) -> BlockColumns:
    """As `columns_of`, of pages that were not unpacked: many times as fast where it is compiled."""
    from boilersweep.pages import compiled  # the command line does without lxml

    if not compiled.built or compiled.forbidden():
        return columns_of(docids, [page.unpacked() for page in pages])
    from boilersweep.pages.compiled.strings import decoded

    starts = _starts([page.count for page in pages])
    structures = [page.structure for page in pages if page.structure is not None]
    return BlockColumns(
        docids=list(docids),
        starts=starts,
        words=_unpacked(page.words for page in pages),
        density=np.frombuffer(b"".join(page.density for page in pages), dtype=np.float64),
        link_words=_unpacked(page.link_words for page in pages),
        texts=[text for page in pages for text in decoded(page.texts, page.text_ends)],
        titles=[page.title for page in pages],
        structure=_packed_structure(structures, starts) if len(structures) == len(pages) else None,
    )


def _packed_structure(structures: Sequence[PackedStructure], block_starts: IntArray) -> Structure:
    from boilersweep.pages.compiled.strings import encoded

    counts = [one.count for one in structures]
    starts = _starts(counts)
    elements, blocks = starts[:-1], block_starts[:-1]
    names, name_list = encoded([(one.names, one.name_ends) for one in structures])
    marks, mark_list = encoded([(one.marks, one.mark_ends) for one in structures])
    return Structure(
        elements=_unpacked(one.elements for one in structures)
        + np.repeat(elements, np.diff(block_starts)),
        tags_before=_unpacked(one.tags_before for one in structures),
        tags_within=_unpacked(one.tags_within for one in structures),
        links=_unpacked(one.links for one in structures),
        markup=_unpacked(one.markup for one in structures),
        joined=np.frombuffer(b"".join(one.joined for one in structures), dtype=bool),
        starts=starts,
        names=names,
        name_list=name_list,
        marks=marks,
        mark_list=mark_list,
        parents=_unpacked(one.parents for one in structures) + np.repeat(elements, counts),
        first=_unpacked(one.first for one in structures) + np.repeat(blocks, counts),
        end=_unpacked(one.end for one in structures) + np.repeat(blocks, counts),
        doctypes=[one.doctype for one in structures],
    )


def _unpacked(columns: Iterable[bytes]) -> IntArray:
    return np.frombuffer(b"".join(columns), dtype=np.int32).astype(np.int64)


def _structure(structures: Sequence[PageStructure], block_starts: IntArray) -> Structure:
    counts = [len(one.names) for one in structures]
    starts = _starts(counts)
    element_offsets = np.repeat(starts[:-1], counts)
    block_offsets = np.repeat(block_starts[:-1], counts)
    names, name_list = _encoded(chain.from_iterable(one.names for one in structures))
    marks, mark_list = _encoded(chain.from_iterable(one.marks for one in structures))
    return Structure(
        elements=_joined(structures, lambda one: one.elements)
        + np.repeat(starts[:-1], np.diff(block_starts)),
        tags_before=_joined(structures, lambda one: one.tags_before),
        tags_within=_joined(structures, lambda one: one.tags_within),
        links=_joined(structures, lambda one: one.links),
        markup=_joined(structures, lambda one: one.markup),
        joined=_joined(structures, lambda one: one.joined).astype(bool),
        starts=starts,
        names=names,
        name_list=name_list,
        marks=marks,
        mark_list=mark_list,
        parents=_joined(structures, lambda one: one.parents) + element_offsets,
        first=_joined(structures, lambda one: one.first) + block_offsets,
        end=_joined(structures, lambda one: one.end) + block_offsets,
        doctypes=[one.doctype for one in structures],
    )


def documents_of(columns: BlockColumns, keep: BoolArray) -> BlockColumns:
    """Some of the documents. keep: (n,) True for those."""
    lengths = np.diff(columns.starts)
    blocks = np.repeat(keep, lengths)
    return BlockColumns(
        docids=list(compress(columns.docids, keep)),
        starts=_starts(lengths[keep]),
        words=columns.words[blocks],
        density=columns.density[blocks],
        link_words=columns.link_words[blocks],
        texts=list(compress(columns.texts, blocks)),
        titles=list(compress(columns.titles, keep)),
        structure=columns.structure and _structure_of(columns.structure, keep, blocks),
        page_texts={n: list(compress(t, keep)) for n, t in columns.page_texts.items()},
        recurrence=None if columns.recurrence is None else columns.recurrence[blocks],
        boxes=columns.boxes and _boxes_of(columns.boxes, columns, keep, blocks),
    )


def _boxes_of(
    whole: Boxes, columns: BlockColumns, keep: BoolArray, blocks: BoolArray
) -> Boxes | None:
    if columns.structure is None:
        return None
    elements = np.repeat(keep, np.diff(columns.structure.starts))
    counts = np.diff(whole.rule_starts)
    rules = np.repeat(keep, counts)
    return Boxes(
        blocks=whole.blocks.some(blocks),
        elements=whole.elements.some(elements),
        rules=whole.rules.some(rules),
        rule_starts=_starts(counts[keep]),
        rule_elements=(np.cumsum(elements) - 1)[whole.rule_elements[rules]],
        widths=whole.widths[keep],
        heights=whole.heights[keep],
    )


def _structure_of(whole: Structure, keep: BoolArray, blocks: BoolArray) -> Structure:
    counts = np.diff(whole.starts)
    elements = np.repeat(keep, counts)
    element_places = np.cumsum(elements) - 1
    block_places = np.cumsum(np.r_[0, blocks])
    return Structure(
        elements=element_places[whole.elements[blocks]],
        tags_before=whole.tags_before[blocks],
        tags_within=whole.tags_within[blocks],
        links=whole.links[blocks],
        markup=whole.markup[blocks],
        joined=whole.joined[blocks],
        starts=_starts(counts[keep]),
        names=whole.names[elements],
        name_list=whole.name_list,
        marks=whole.marks[elements],
        mark_list=whole.mark_list,
        parents=element_places[whole.parents[elements]],
        first=block_places[whole.first[elements]],
        end=block_places[whole.end[elements]],
        doctypes=list(compress(whole.doctypes, keep)),
    )


def _encoded(strings: Iterable[str]) -> tuple[IntArray, list[str]]:
    """Strings as places in the list of the distinct ones."""
    places: dict[str, int] = {}
    codes = [places.setdefault(string, len(places)) for string in strings]
    return np.array(codes, dtype=np.int64), list(places)


def _starts(counts: Sequence[int] | IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(items: Sequence[Item], column: Callable[[Item], Sequence[int]]) -> IntArray:
    return np.array(list(chain.from_iterable(map(column, items))), dtype=np.int64)
