"""The columns of a shard: how a page becomes a row, and rows become `BlockColumns`.

One row per document; what belongs to a block or an element is in lists. What extractors or
people took from the pages is a column of strings named `extraction:NAME`. A store made with
metadata has METADATA, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boilersweep.cleaners.rules import Need
from boilersweep.collection.record import Record
from boilersweep.pages.columns import BlockColumns, IntArray, Structure
from boilersweep.pages.language import Language
from boilersweep.pages.packed import PackedPage, PackedStructure, pack, pack_structure
from boilersweep.pages.page import Page
from boilersweep.pages.structure import PageStructure

VERSION = 6
"""Of the layout; a store of another version is refused."""

_DOCUMENT = {
    "docid": pa.string(),
    "source": pa.string(),
    "offset": pa.int64(),
    "url": pa.string(),
    "date": pa.string(),
    "encoding": pa.string(),
    "title": pa.string(),
    "doctype": pa.string(),
    "language": pa.string(),
    "language_certainty": pa.float64(),
    "declared_language": pa.string(),
}
_BLOCKS = {
    "texts": pa.list_(pa.string()),
    "words": pa.list_(pa.int32()),
    "density": pa.list_(pa.float64()),
    "link_words": pa.list_(pa.int32()),
    "tags": pa.list_(pa.string()),
}
_STRUCTURE = {
    "elements": pa.list_(pa.int32()),
    "tags_before": pa.list_(pa.int32()),
    "tags_within": pa.list_(pa.int32()),
    "links": pa.list_(pa.int32()),
    "markup": pa.list_(pa.int32()),
    "joined": pa.list_(pa.bool_()),
    "names": pa.list_(pa.string()),
    "marks": pa.list_(pa.string()),
    "parents": pa.list_(pa.int32()),
    "first": pa.list_(pa.int32()),
    "end": pa.list_(pa.int32()),
}
METADATA = (
    "headline",
    "author",
    "published",
    "modified",
    "site_name",
    "image",
    "canonical_url",
)
"""Columns of what pages state of themselves; null where a page does not state it."""
_OF_BLOCKS = frozenset(("elements", "tags_before", "tags_within", "links", "markup", "joined"))
_MOST_BYTES = 2**31 - 1  # of the strings of a column that are written together
_NUMBERS = ("docid", "words", "density", "link_words")

Row = dict[str, Any]
"""A document: the values of its columns by their names."""

_PAGE_TEXT = "extraction:"


def schema(page_texts: Sequence[str] = (), *, metadata: bool = False) -> pa.Schema:
    """The columns of a shard. page_texts: names of those it holds. metadata: with METADATA."""
    texts = dict.fromkeys(METADATA if metadata else (), pa.string())
    texts |= {_PAGE_TEXT + name: pa.string() for name in page_texts}
    return pa.schema(list({**_DOCUMENT, **_BLOCKS, **_STRUCTURE, **texts}.items()))


def encodings() -> dict[str, Any]:
    """How Parquet writes the columns: what is quickest to write is also smallest.

    Integers as differences; strings and fractions that recur as a dictionary and places in it.
    """
    lists = {**_BLOCKS, **_STRUCTURE}
    values = {name: f"{name}.list.element" for name in lists}
    recurring = [name for name, kind in lists.items() if not pa.types.is_int32(kind.value_type)]
    recurring = [name for name in recurring if name not in ("texts", "joined")]
    documents = [name for name in _DOCUMENT if name not in ("docid", "offset", "url", "title")]
    return {
        "use_dictionary": [*(values[name] for name in recurring), *documents],
        "column_encoding": {
            values[name]: "DELTA_BINARY_PACKED"
            for name, kind in lists.items()
            if pa.types.is_int32(kind.value_type)
        },
    }


@dataclass(frozen=True, slots=True)
class Document:
    """A document to be written. values: of the columns that have one, by their names; the rest is
    in its blocks.
    """

    values: Row
    page: PackedPage
    structure: PackedStructure


def document(
    record: Record,
    encoding: str,
    page: PackedPage,
    page_texts: Mapping[str, str],
    metadata: Mapping[str, str | None],
) -> Document:
    """A page as a document, less its `language_values`.

    page_texts: what extractors or people took from it, by name. metadata: the columns METADATA of a
    store that has them.
    """
    structure = page.structure or _plain_structure(page.count)
    values = {
        "docid": record.docid,
        "source": record.place.source,
        "offset": record.place.offset,
        "url": record.url,
        "date": record.date,
        "encoding": encoding,
        "title": page.title or record.title or "",
        "doctype": structure.doctype,
    }
    return Document({**values, **metadata, **_named(page_texts)}, page, structure)


def language_values(language: Language) -> Row:
    """The columns of a document that tell its language."""
    return {
        "language": language.language,
        "language_certainty": language.certainty,
        "declared_language": language.declared,
    }


def document_of(row: Row, page_texts: Mapping[str, str]) -> Document:
    """A document as it was read. page_texts: more of them, or others in their place."""
    structure = PageStructure(**{name: row[name] for name in (*_STRUCTURE, "doctype")})
    page = pack(Page(row["title"], *(row[name] for name in _BLOCKS)))
    in_blocks = {*_BLOCKS, *_STRUCTURE}
    values = {name: value for name, value in row.items() if name not in in_blocks}
    return Document(values | _named(page_texts), page, pack_structure(structure))


def _named(page_texts: Mapping[str, str]) -> Row:
    return {_PAGE_TEXT + name: text for name, text in page_texts.items()}


def _plain_structure(blocks: int) -> PackedStructure:
    """The structure of a plain text: blocks that nothing but the document holds."""
    structure = PageStructure()
    if blocks:
        structure.names, structure.marks = ["#document"], [""]
        structure.parents, structure.first, structure.end = [0], [0], [blocks]
    structure.elements = [0] * blocks
    structure.tags_before = [0] * blocks
    structure.tags_within = [0] * blocks
    structure.links = [0] * blocks
    structure.markup = [0] * blocks
    structure.joined = [False] * blocks
    return pack_structure(structure)


def table_of(documents: Sequence[Document], schema: pa.Schema) -> pa.Table:
    """Documents as they are written; raises OverflowError where their texts are too many."""
    pages = [one.page for one in documents]
    structures = [one.structure for one in documents]
    blocks = _offsets([page.count for page in pages])
    elements = _offsets([structure.count for structure in structures])
    found: dict[str, pa.Array] = {}
    for name, column in _BLOCKS.items():
        found[name] = pa.ListArray.from_arrays(blocks, _packed_column(name, column, pages))
    for name, column in _STRUCTURE.items():
        offsets = blocks if name in _OF_BLOCKS else elements
        values = _packed_column(name, column, structures)
        found[name] = pa.ListArray.from_arrays(offsets, values)
    for field in schema:
        if field.name not in found:
            values = [one.values[field.name] for one in documents]
            found[field.name] = _column(field.name, field.type, values)
    return pa.Table.from_arrays([found[name] for name in schema.names], schema=schema)


# Arrays are made of buffers: `pyarrow.array` would import pandas, which takes as long as to cut 400
# pages.


def _packed_column(
    name: str, column: pa.ListType, pages: Sequence[PackedPage] | Sequence[PackedStructure]
) -> pa.Array:
    """The values of one column of blocks or elements, of some pages together."""
    parts: list[bytes] = [getattr(page, name) for page in pages]
    kind = column.value_type
    if not pa.types.is_string(kind):
        values = b"".join(parts)
        if pa.types.is_boolean(kind):
            return _array(kind, len(values), _bits(np.frombuffer(values, np.bool_)))
        return _array(kind, len(values) // (kind.bit_width // 8), values)
    all_ends: list[bytes] = [getattr(page, f"{name.removesuffix('s')}_ends") for page in pages]
    sizes = [len(part) for part in parts]
    ends = np.frombuffer(b"".join(all_ends), np.int32)
    before = np.cumsum(sizes, dtype=np.int64) - sizes
    before = np.repeat(before, [len(one) // ends.itemsize for one in all_ends])
    return _string_array(name, b"".join(parts), ends + before)


def _column(name: str, kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    """A column of documents; None where there is no value."""
    valid = _bits([value is not None for value in values]) if None in values else None
    if pa.types.is_string(kind):
        encoded = [(value or "").encode() for value in values]
        return _string_array(name, b"".join(encoded), np.cumsum([*map(len, encoded)]), valid)
    numbers = np.array([value or 0 for value in values], kind.to_pandas_dtype())
    return _array(kind, len(values), numbers, valid=valid)


def _string_array(name: str, joined: bytes, ends: IntArray, valid: Any = None) -> pa.Array:
    if len(joined) > _MOST_BYTES:
        raise OverflowError(f"{len(joined):,} bytes of {name}")
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return _array(pa.string(), len(ends), offsets, joined, valid=valid)


def _array(kind: pa.DataType, count: int, *buffers: Any, valid: Any = None) -> pa.Array:
    found = [None if valid is None else pa.py_buffer(valid), *map(pa.py_buffer, buffers)]
    return pa.Array.from_buffers(kind, count, found)


def _bits(flags: Any) -> Any:
    return np.packbits(flags, bitorder="little")


def _offsets(counts: Sequence[int]) -> pa.Array:
    offsets = np.array([0, *accumulate(counts)], np.int32)
    return _array(pa.int32(), len(offsets), offsets)


def column_names(needs: frozenset[Need], page_texts: Sequence[str]) -> list[str]:
    """The columns to read of a shard."""
    names = [*_NUMBERS, *(_PAGE_TEXT + name for name in page_texts)]
    if "texts" in needs:
        names += ["texts", "title"]
    if "structure" in needs:
        names += [*_STRUCTURE, "doctype"]
    return names


def block_columns(table: pa.Table) -> BlockColumns:
    """The documents of a table of such columns."""
    table = table.combine_chunks()
    names = table.column_names
    texts = "texts" in names
    starts = _starts(table, "words")
    return BlockColumns(
        docids=table.column("docid").to_pylist(),
        starts=starts,
        words=_integers(table, "words"),
        density=as_numpy(_values(table, "density")),
        link_words=_integers(table, "link_words"),
        texts=_values(table, "texts").to_pylist() if texts else [],
        titles=table.column("title").to_pylist() if texts else [],
        structure=_structure(table, starts) if "elements" in names else None,
        page_texts={
            name.removeprefix(_PAGE_TEXT): table.column(name).to_pylist()
            for name in names
            if name.startswith(_PAGE_TEXT)
        },
    )


def _structure(table: pa.Table, block_starts: IntArray) -> Structure:
    starts = _starts(table, "names")
    counts = np.diff(starts)
    names, name_list = _strings(table, "names")
    marks, mark_list = _strings(table, "marks")
    first_element = np.repeat(starts[:-1], counts)
    first_block = np.repeat(block_starts[:-1], counts)
    return Structure(
        elements=_integers(table, "elements") + np.repeat(starts[:-1], np.diff(block_starts)),
        tags_before=_integers(table, "tags_before"),
        tags_within=_integers(table, "tags_within"),
        links=_integers(table, "links"),
        markup=_integers(table, "markup"),
        joined=as_numpy(_values(table, "joined").cast(pa.uint8())).astype(bool),
        starts=starts,
        names=names,
        name_list=name_list,
        marks=marks,
        mark_list=mark_list,
        parents=_integers(table, "parents") + first_element,
        first=_integers(table, "first") + first_block,
        end=_integers(table, "end") + first_block,
        doctypes=table.column("doctype").to_pylist(),
    )


def as_numpy(array: pa.Array) -> NDArray[Any]:
    """Numbers without a gap, as they are in memory: to_numpy imports pandas, which takes .3 s."""
    found: NDArray[Any] = np.from_dlpack(array)
    return found


def _starts(table: pa.Table, name: str) -> IntArray:
    lengths = as_numpy(table.column(name).chunk(0).value_lengths())
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _values(table: pa.Table, name: str) -> Any:
    return table.column(name).chunk(0).flatten()


def _integers(table: pa.Table, name: str) -> IntArray:
    numbers: IntArray = as_numpy(_values(table, name)).astype(np.int64)
    return numbers


def _strings(table: pa.Table, name: str) -> tuple[IntArray, list[str]]:
    encoded = _values(table, name).dictionary_encode()
    return as_numpy(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()
