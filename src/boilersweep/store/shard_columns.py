"""The columns of a shard: how a page becomes a row, and rows become `BlockColumns`.

One row per document; what belongs to a block or an element is in lists. A store made with metadata
has METADATA, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from boilersweep.collection.format import Record
from boilersweep.pages.columns import (
    NUMBERS,
    BlockColumns,
    IntArray,
    Need,
    joined_structure,
    starts_of,
)
from boilersweep.pages.language import Language
from boilersweep.pages.page import (
    PAGE_COLUMNS,
    ROOT,
    STRUCTURE_COLUMNS,
    Column,
    PackedPage,
    PackedStructure,
    PageStructure,
    pack_structure,
)

# The version of the layout and of what becomes of a page: raise it where either changes
# (`tests/system/test_golden.py` notices). A store of another version is refused.
VERSION = 12

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
_ARROW = {int: pa.int32(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
# The columns of blocks and elements, which are lists.
_COLUMNS = {column.name: column for column in (*PAGE_COLUMNS, *STRUCTURE_COLUMNS)}
# Columns of what pages state of themselves; null where a page does not state it.
METADATA = (
    "headline",
    "author",
    "published",
    "modified",
    "site_name",
    "image",
    "canonical_url",
)
_MOST_BYTES = 2**31 - 1  # in the strings of a column that are written together

# A document: the values of its columns by their names.
Row = dict[str, Any]


def schema(*, metadata: bool = False) -> pa.Schema:
    """Return the columns of a shard.

    Args:
        metadata: Whether it has the columns METADATA.
    """
    texts = dict.fromkeys(METADATA if metadata else (), pa.string())
    lists = [
        pa.field(name, _list_of(column), nullable=False)
        for name, column in _COLUMNS.items()
    ]
    documents = pa.schema(list(_DOCUMENT.items()))
    return pa.schema([*documents, *lists, *pa.schema(list(texts.items()))])


def _list_of(column: Column) -> pa.DataType:
    """Return the type of a column of lists; without missing values it is written faster."""
    return pa.list_(pa.field("element", _ARROW[column.kind], nullable=False))


# Columns that are as small as they are: few of their values recur, or follow one another.
_PLAIN = ("texts", "marks", "words", "tags_before", "tags_within", "markup")


def encodings() -> dict[str, Any]:
    """How Parquet writes the columns: what is quickest to write is also smallest.

    Integers as differences; strings and fractions that recur as a dictionary and places in it.
    Statistics, by which a reader may leave out rows, are of documents alone.
    """
    coded = [column for column in _COLUMNS.values() if column.name not in _PLAIN]
    values = {column.name: f"{column.name}.list.element" for column in coded}
    recurring = [values[one.name] for one in coded if one.kind in (str, float)]
    documents = [
        name for name in _DOCUMENT if name not in ("docid", "offset", "url", "title")
    ]
    integers = [values[one.name] for one in coded if one.kind is int]
    return {
        "write_statistics": list(_DOCUMENT),
        "use_dictionary": [*recurring, *documents],
        "column_encoding": dict.fromkeys(integers, "DELTA_BINARY_PACKED"),
    }


@dataclass(frozen=True, slots=True)
class Document:
    """A document to be written.

    Attributes:
        values: The columns with one value for the document, by their names.
    """

    values: Row
    page: PackedPage
    structure: PackedStructure


def document(
    record: Record,
    encoding: str,
    page: PackedPage,
    metadata: Mapping[str, str | None],
) -> Document:
    """Make a document of a page, without its `language_values`.

    Args:
        record: The record of the collection.
        encoding: The encoding in which the page came.
        page: The page.
        metadata: The columns METADATA of a store that has them.
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
    return Document({**values, **metadata}, page, structure)


def language_values(language: Language) -> Row:
    """Return the columns of a document that tell its language."""
    return {
        "language": language.language,
        "language_certainty": language.certainty,
        "declared_language": language.declared,
    }


def _plain_structure(blocks: int) -> PackedStructure:
    """Make the structure of a plain text: blocks in nothing but the document."""
    of_blocks = [column for column in STRUCTURE_COLUMNS if column.of == "block"]
    blank: Row = {column.name: [column.kind()] * blocks for column in of_blocks}
    structure = PageStructure(**blank)
    if blocks:
        structure.names, structure.marks, structure.attributes = [ROOT], [""], [""]
        structure.classes, structure.ids = [0], [0]
        structure.parents, structure.first, structure.end = [0], [0], [blocks]
    return pack_structure(structure)


def table_of(documents: Sequence[Document], schema: pa.Schema) -> pa.Table:
    """Documents as they are written; raises OverflowError where their texts are too many."""
    pages = [document.page for document in documents]
    structures = [document.structure for document in documents]
    offsets = {
        "block": _offsets([page.count for page in pages]),
        "element": _offsets([structure.count for structure in structures]),
    }
    arrays: dict[str, pa.Array] = {}
    for column in (*PAGE_COLUMNS, *STRUCTURE_COLUMNS):
        parts = pages if column in PAGE_COLUMNS else structures
        arrays[column.name] = pa.ListArray.from_arrays(
            offsets[column.of], _packed_column(column, parts), _list_of(column)
        )
    for field in schema:
        if field.name not in arrays:
            values = [document.values[field.name] for document in documents]
            arrays[field.name] = _column(field.name, field.type, values)
    return pa.Table.from_arrays([arrays[name] for name in schema.names], schema=schema)


# Arrays are made of buffers: `pyarrow.array` would import pandas, which takes as long as to cut 400
# pages.


def _packed_column(
    column: Column, pages: Sequence[PackedPage] | Sequence[PackedStructure]
) -> pa.Array:
    """Return the values of one column of blocks or elements, of some pages together."""
    parts = [page.columns[column.name] for page in pages]
    joined = b"".join(parts)
    if column.kind is str:
        all_ends = [page.ends[column.name] for page in pages]
        sizes = [len(part) for part in parts]
        ends = np.frombuffer(b"".join(all_ends), np.int32)
        before = np.cumsum(sizes, dtype=np.int64) - sizes
        before = np.repeat(before, [len(one) // ends.itemsize for one in all_ends])
        return _string_array(column.name, joined, ends + before)
    values: NDArray[Any] = np.frombuffer(joined, column.dtype)
    buffer = np.packbits(values, bitorder="little") if column.kind is bool else joined
    return _array(_ARROW[column.kind], len(values), buffer)


def _column(name: str, kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    """Make a column of documents; None for a missing value."""
    there = [value is not None for value in values]
    valid = None if all(there) else np.packbits(there, bitorder="little")
    if pa.types.is_string(kind):
        return string_array(name, values, valid)
    numbers = np.array([value or 0 for value in values], kind.to_pandas_dtype())
    return _array(kind, len(values), numbers, valid=valid)


def string_array(
    name: str, values: Sequence[str | None], valid: Any = None
) -> pa.Array:
    """Make a column of texts; raises OverflowError where they are too many."""
    encoded = [(value or "").encode() for value in values]
    ends = np.cumsum([*map(len, encoded)])
    return _string_array(name, b"".join(encoded), ends, valid)


def _string_array(
    name: str, joined: bytes, ends: IntArray, valid: Any = None
) -> pa.Array:
    if len(joined) > _MOST_BYTES:
        raise OverflowError(f"{len(joined):,} bytes of {name}")
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return _array(pa.string(), len(ends), offsets, joined, valid=valid)


def _array(kind: pa.DataType, count: int, *buffers: Any, valid: Any = None) -> pa.Array:
    found = [
        None if valid is None else pa.py_buffer(valid),
        *map(pa.py_buffer, buffers),
    ]
    return pa.Array.from_buffers(kind, count, found)


def _offsets(counts: Sequence[int]) -> pa.Array:
    offsets = np.array([0, *accumulate(counts)], np.int32)
    return _array(pa.int32(), len(offsets), offsets)


def column_names(needs: frozenset[Need]) -> list[str]:
    """Return the names of the columns to read of a shard."""
    names = ["docid", *(column.name for column in NUMBERS)]
    if "texts" in needs:
        names += ["texts", "title"]
    if "structure" in needs:
        names += [*(column.name for column in STRUCTURE_COLUMNS), "doctype"]
    return names


def block_columns(table: pa.Table) -> BlockColumns:
    """Return the documents of a table of such columns."""
    table = table.combine_chunks()
    names = table.column_names
    texts = "texts" in names
    starts = _starts(table, "words")
    structure = None
    if "elements" in names:
        doctypes = table.column("doctype").to_pylist()
        elements = _starts(table, "names")
        structure = joined_structure(
            starts, elements, doctypes, lambda one: _read(table, one)
        )
    return BlockColumns(
        docids=table.column("docid").to_pylist(),
        starts=starts,
        texts=_values(table, "texts").to_pylist() if texts else [],
        titles=table.column("title").to_pylist() if texts else [],
        structure=structure,
        **{column.name: _read(table, column) for column in NUMBERS},
    )


def _read(table: pa.Table, column: Column) -> Any:
    """Return the values of a column, of strings their places in a list and that list."""
    values = _values(table, column.name)
    if column.kind is str:
        coded = values.dictionary_encode()
        return as_numpy(coded.indices).astype(np.int64), coded.dictionary.to_pylist()
    if column.kind is bool:
        return as_numpy(values.cast(pa.uint8())).astype(bool)
    numbers = as_numpy(values)
    return numbers.astype(np.int64) if column.kind is int else numbers


def as_numpy(array: pa.Array) -> NDArray[Any]:
    """Numbers without a gap, as they are in memory: to_numpy imports pandas, which takes .3 s."""
    values: NDArray[Any] = np.from_dlpack(array)
    return values


def _starts(table: pa.Table, name: str) -> IntArray:
    return starts_of(as_numpy(table.column(name).chunk(0).value_lengths()))


def _values(table: pa.Table, name: str) -> Any:
    return table.column(name).chunk(0).flatten()
