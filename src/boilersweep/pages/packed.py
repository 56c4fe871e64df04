"""A page's columns as bytes, as the block store writes them: no object per block.

Numbers are 32-bit integers and 64-bit floats of this machine. Strings are all in one, as UTF-8,
beside where each ends.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from boilersweep.pages.page import Page
from boilersweep.pages.structure import PageStructure
from boilersweep.pages.words import has_unspaced


@dataclass(frozen=True, slots=True)
class PackedStructure:
    """A `PageStructure`. count: of elements. joined: a byte for each block."""

    count: int
    elements: bytes
    tags_before: bytes
    tags_within: bytes
    links: bytes
    markup: bytes
    joined: bytes
    names: bytes
    name_ends: bytes
    marks: bytes
    mark_ends: bytes
    parents: bytes
    first: bytes
    end: bytes
    doctype: str


@dataclass(frozen=True, slots=True)
class PackedPage:
    """A `Page`. count: of blocks. all_words: of all blocks; unspaced_words: of those with a script
    without spaces. all_characters: of all blocks' texts; characters: of each.
    """

    title: str
    count: int
    all_words: int
    unspaced_words: int
    all_characters: int
    texts: bytes
    text_ends: bytes
    characters: bytes
    words: bytes
    density: bytes
    link_words: bytes
    tags: bytes
    tag_ends: bytes
    structure: PackedStructure | None = None

    def all_texts(self) -> list[str]:
        """The blocks' texts."""
        return _unpacked_strings(self.texts, self.text_ends)

    def longest_text(self) -> str:
        """The first of the longest texts, empty where there is no block."""
        lengths = _unpacked_integers(self.characters)
        if not lengths:
            return ""
        number = lengths.index(max(lengths))
        ends = memoryview(self.text_ends).cast("i")
        return str(self.texts[ends[number - 1] if number else 0 : ends[number]], "utf-8")

    def unpacked(self) -> Page:
        """The page with its columns as lists."""
        return Page(
            self.title,
            self.all_texts(),
            _unpacked_integers(self.words),
            [*memoryview(self.density).cast("d")],
            _unpacked_integers(self.link_words),
            _unpacked_strings(self.tags, self.tag_ends),
            _unpacked(self.structure) if self.structure else None,
        )


def _unpacked(structure: PackedStructure) -> PageStructure:
    return PageStructure(
        _unpacked_integers(structure.elements),
        _unpacked_integers(structure.tags_before),
        _unpacked_integers(structure.tags_within),
        _unpacked_integers(structure.links),
        _unpacked_integers(structure.markup),
        list(map(bool, structure.joined)),
        _unpacked_strings(structure.names, structure.name_ends),
        _unpacked_strings(structure.marks, structure.mark_ends),
        _unpacked_integers(structure.parents),
        _unpacked_integers(structure.first),
        _unpacked_integers(structure.end),
        structure.doctype,
    )


def pack(page: Page) -> PackedPage:
    """A page's columns as bytes. Raises UnicodeEncodeError, OverflowError."""
    texts, text_ends = _strings(page.texts)
    tags, tag_ends = _strings(page.tags)
    characters = [*map(len, page.texts)]
    return PackedPage(
        page.title,
        len(page),
        sum(page.words),
        sum(n for text, n in zip(page.texts, page.words, strict=True) if has_unspaced(text)),
        sum(characters),
        texts,
        text_ends,
        _integers(characters),
        _integers(page.words),
        array("d", page.density).tobytes(),
        _integers(page.link_words),
        tags,
        tag_ends,
        pack_structure(page.structure) if page.structure else None,
    )


def pack_structure(structure: PageStructure) -> PackedStructure:
    """A structure's columns as bytes. Raises as `pack`."""
    names, name_ends = _strings(structure.names)
    marks, mark_ends = _strings(structure.marks)
    return PackedStructure(
        len(structure.names),
        _integers(structure.elements),
        _integers(structure.tags_before),
        _integers(structure.tags_within),
        _integers(structure.links),
        _integers(structure.markup),
        bytes(structure.joined),
        names,
        name_ends,
        marks,
        mark_ends,
        _integers(structure.parents),
        _integers(structure.first),
        _integers(structure.end),
        structure.doctype,
    )


def _unpacked_integers(column: bytes) -> list[int]:
    """The integers of a column."""
    return [*memoryview(column).cast("i")]


def _unpacked_strings(strings: bytes, ends: bytes) -> list[str]:
    """The strings of a column."""
    places = [0, *memoryview(ends).cast("i")]
    if strings.isascii():
        text = strings.decode()
        return [text[start:end] for start, end in pairwise(places)]
    return [str(strings[start:end], "utf-8") for start, end in pairwise(places)]


def _integers(values: Sequence[int]) -> bytes:
    return array("i", values).tobytes()


def _strings(values: Sequence[str]) -> tuple[bytes, bytes]:
    encoded = [value.encode() for value in values]
    ends: list[int] = []
    end = 0
    for value in encoded:
        end += len(value)
        ends.append(end)
    return b"".join(encoded), _integers(ends)
