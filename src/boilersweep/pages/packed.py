"""A page's columns as bytes, as the block store writes them: no object per block.

Numbers are 32-bit integers and 64-bit floats of this machine. Strings are all in one, as UTF-8,
beside where each ends.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from boilersweep.pages.page import (
    PAGE_COLUMNS,
    STRUCTURE_COLUMNS,
    Column,
    Page,
    PageStructure,
)
from boilersweep.pages.words import has_unspaced


@dataclass(frozen=True, slots=True)
class PackedStructure:
    """A `PageStructure`.

    Attributes:
        count: The number of elements.
        columns: The values of every column, by its name.
        ends: Where every string ends in its column, by the column's name.
        doctype: As `PageStructure` has it.
    """

    count: int
    columns: Mapping[str, bytes]
    ends: Mapping[str, bytes]
    doctype: str


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A `Page`.

    Attributes:
        title: The page's title.
        count: The number of blocks.
        all_words: The words of all blocks.
        unspaced_words: The words of the blocks with a script without spaces.
        all_characters: The characters of all blocks' texts.
        characters: The characters of each block's text.
        columns: The values of every column, by its name.
        ends: Where every string ends in its column, by the column's name.
        structure: The page's structure, if it was recorded.
    """

    title: str
    count: int
    all_words: int
    unspaced_words: int
    all_characters: int
    characters: bytes
    columns: Mapping[str, bytes]
    ends: Mapping[str, bytes]
    structure: PackedStructure | None = None

    def all_texts(self) -> list[str]:
        """Return the blocks' texts."""
        return unpacked_strings(self.columns["texts"], self.ends["texts"])

    def longest_text(self) -> str:
        """Return the first of the longest texts, "" if there is no block."""
        lengths = [*memoryview(self.characters).cast("i")]
        if not lengths:
            return ""
        number = lengths.index(max(lengths))
        ends = memoryview(self.ends["texts"]).cast("i")
        start = ends[number - 1] if number else 0
        return str(self.columns["texts"][start : ends[number]], "utf-8")

    def unpacked(self) -> Page:
        """Return the page with its columns as lists."""
        structure = None
        if self.structure:
            values = _unpacked(self.structure, STRUCTURE_COLUMNS)
            structure = PageStructure(**values, doctype=self.structure.doctype)
        return Page(self.title, **_unpacked(self, PAGE_COLUMNS), structure=structure)


# Codes of the modules `array` and `struct` for the values of a column, by their type.
_CODES: dict[type, Any] = {int: "i", float: "d", bool: "?"}


def _unpacked(
    packed: PackedPage | PackedStructure, columns: Sequence[Column]
) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    for column in columns:
        content = packed.columns[column.name]
        if column.kind is str:
            values[column.name] = unpacked_strings(content, packed.ends[column.name])
        else:
            values[column.name] = memoryview(content).cast(_CODES[column.kind]).tolist()
    return values


def unpacked_strings(strings: bytes, ends: bytes) -> list[str]:
    """Return the strings of a column, given their ends as packed integers."""
    borders = [0, *memoryview(ends).cast("i")]
    if strings.isascii():
        text = strings.decode()
        return [text[start:end] for start, end in pairwise(borders)]
    return [str(strings[start:end], "utf-8") for start, end in pairwise(borders)]


def pack(page: Page) -> PackedPage:
    """Write a page's columns as bytes; raises UnicodeEncodeError, OverflowError."""
    counted = zip(page.texts, page.words, strict=True)
    characters = [*map(len, page.texts)]
    columns, ends = _packed(page, PAGE_COLUMNS)
    return PackedPage(
        title=page.title,
        count=len(page),
        all_words=sum(page.words),
        unspaced_words=sum(words for text, words in counted if has_unspaced(text)),
        all_characters=sum(characters),
        characters=array("i", characters).tobytes(),
        columns=columns,
        ends=ends,
        structure=pack_structure(page.structure) if page.structure else None,
    )


def pack_structure(structure: PageStructure) -> PackedStructure:
    """Write a structure's columns as bytes; raises UnicodeEncodeError, OverflowError."""
    columns, ends = _packed(structure, STRUCTURE_COLUMNS)
    return PackedStructure(len(structure.names), columns, ends, structure.doctype)


def _packed(
    table: Page | PageStructure, columns: Sequence[Column]
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    packed: dict[str, bytes] = {}
    ends: dict[str, bytes] = {}
    for column in columns:
        values = getattr(table, column.name)
        if column.kind is str:
            packed[column.name], ends[column.name] = _strings(values)
        elif column.kind is bool:
            packed[column.name] = bytes(values)
        else:
            packed[column.name] = array(_CODES[column.kind], values).tobytes()
    return packed, ends


def _strings(values: Sequence[str]) -> tuple[bytes, bytes]:
    encoded = [value.encode() for value in values]
    ends = array("i", accumulate(map(len, encoded)))
    return b"".join(encoded), ends.tobytes()
