"""A page as columns: text blocks, what is counted on them, and where they are among its elements.

Every column is declared once, as a field of `Page` or `PageStructure`: how a page is packed, joined
with others, selected and stored follows from the declarations.

Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
WSDM 2010, section 3; Equation 1 for the text density. As in the authors' own boilerpipe, the
tokens that are wrapped into lines are the words: a bare "|" between two links is none. What a word
is in scripts without spaces says `boilersweep.pages.words`.

What cleaners that read the tree need of it is kept as a table of the elements that hold a block, in
document order, so parents come before their children; A and the elements that blocks run on across
are not in it.

Packed, as the block store writes a page, its columns are bytes: no object per block. Numbers are
32-bit integers and 64-bit floats of this machine. Strings are all in one, as UTF-8, beside where
each ends.
"""

import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from itertools import accumulate, pairwise
from typing import Any, Literal, get_args

import numpy as np

from boilersweep.pages.elements import FOREIGN, PARAGRAPH, Role, Roles
from boilersweep.pages.words import has_unspaced, measured

Thing = Literal["block", "element"]

_DTYPES: dict[type, type] = {int: np.int32, float: np.float64, bool: np.bool_}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a page, with a value for every block or element.

    Attributes:
        name: The field's name.
        kind: The type of a value: int, float, bool or str.
        of: What has a value.
        to: What the values are numbers of, counted from 0 on each page; "" for other values.
    """

    name: str
    kind: type
    of: Thing
    to: Thing | Literal[""]

    @property
    def dtype(self) -> type:
        """The type of the packed values of a column without strings."""
        return _DTYPES[self.kind]


def column(of: Thing, to: Thing | Literal[""] = "") -> Any:
    """Declare a field of a dataclass as a column, which is empty by default; see `Column`."""
    return field(default_factory=list, metadata={"of": of, "to": to})


def columns_in(table: type) -> tuple[Column, ...]:
    """Return the columns that a dataclass declares, in their order."""
    return tuple(
        Column(declared.name, get_args(declared.type)[0], **declared.metadata)
        for declared in fields(table)
        if declared.metadata
    )


# The name of a page's first element, which holds all others and is its own parent.
ROOT = "#document"

# Elements without an end tag.
VOID = frozenset(
    "area base br col embed frame hr img input isindex keygen link meta param source track "
    "wbr".split()
)

_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_XHTML = "xhtml"

_LINK, _HIDDEN, _BORDER = int(Role.LINK), int(Role.HIDDEN), int(Role.BORDER)


class TooManyBlocksError(ValueError):
    """A page has more blocks, or more elements that hold them, than it may have."""

    def __init__(self, most: int, what: str = "blocks") -> None:
        super().__init__(f"more than {most:,} {what}")


@dataclass(slots=True)
class PageStructure:
    """One page's blocks and elements as columns, one entry per block or element.

    Attributes:
        elements: The number of the innermost element around a block.
        tags_before: Tags between it and the block before, or the page's start; of skipped elements,
            too, and end tags that the parser implies.
        tags_within: Tags in it, of A and of what blocks run on across.
        links: A elements that begin in it or between it and the block before.
        markup: Characters of all those tags without their attributes.
        joined: Between it and the block before stand tags of inline and skipped elements only, so
            people see one paragraph.
        unindexed: It begins where its page switches search engines off; see `switched_by`.
        names: Names of elements in lower case.
        marks: An element's class and id, `role=...`, and `hidden` if it is not shown; see
            `marks_of`.
        classes, ids: So many of the first marks are its classes, and so many of the next its id.
        attributes: Its attributes among KEPT, as HTML.
        parents: The number of the element around an element.
        first, end: An element holds the blocks from `first` up to, without, `end`.
        doctype: "html5", "html4", "xhtml" or "" for none.
    """

    elements: list[int] = column("block", to="element")
    tags_before: list[int] = column("block")
    tags_within: list[int] = column("block")
    links: list[int] = column("block")
    markup: list[int] = column("block")
    joined: list[bool] = column("block")
    unindexed: list[bool] = column("block")
    names: list[str] = column("element")
    marks: list[str] = column("element")
    classes: list[int] = column("element")
    ids: list[int] = column("element")
    attributes: list[str] = column("element")
    parents: list[int] = column("element", to="element")
    first: list[int] = column("element", to="block")
    end: list[int] = column("element", to="block")
    doctype: str = ""


STRUCTURE_COLUMNS = columns_in(PageStructure)


def marks_of(attributes: Mapping[str, str]) -> str:
    """Describe an element by its attributes, as tokens with single spaces between them."""
    marks = attributes.get("class", "").split()
    marks += attributes.get("id", "").split()
    marks += (f"role={role.lower()}" for role in attributes.get("role", "").split())
    if (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or ("style" in attributes and _HIDING.search(attributes["style"]))
    ):
        marks.append("hidden")
    return " ".join(marks)


# Attributes that a page's structure keeps beside class, id and role: those that selectors can name.
KEPT = (
    *"hidden aria-hidden aria-label itemprop itemtype lang data-nosnippet".split(),
    *"data-pagefind-ignore data-elastic-exclude data-search-exclude".split(),
    "data-swiftype-index",
)

_SWITCH = re.compile(
    r"\s*(?:google(?P<google>off|on):\s*(?:index|snippet|all)|(?P<yandex>/?)noindex)\s*",
    re.ASCII | re.IGNORECASE,
)


def kept_attributes(attributes: Mapping[str, str]) -> str:
    """Return an element's attributes among KEPT, as HTML."""
    return " ".join(
        f'{name}="{escape(value)}"'
        for name, value in attributes.items()
        if name in KEPT
    )


def switched_by(comment: str) -> bool | None:
    """Return whether a comment switches search engines off for what follows; None for no switch.

    Sources: Google Search Appliance, Administering Crawl, "Excluding Unwanted Text from the Index"
    (`googleoff: index`); Yandex, "The noindex tag" (`noindex`, `/noindex`).
    """
    switch = _SWITCH.fullmatch(comment)
    if switch is None:
        return None
    if switch["google"]:
        return switch["google"].lower() == "off"
    return not switch["yandex"]


def doctype_of(name: str | None, public_id: str | None, _system: str | None) -> str:
    """Return the kind of a document type declaration."""
    if name is None or name.lower() != "html":
        return ""
    if not public_id:
        return "html5"
    return "xhtml" if _XHTML in public_id.lower() else "html4"


class Recorder:
    """Follows the parser's tags and gives the structure of the page at its end.

    It is told of every tag after the target, and by the target of every block (`block`).

    Args:
        most: Elements of a page; with more, `block` raises TooManyBlocksError; `finish` prepares
            for the next page.
    """

    def __init__(self, roles: Roles, most: int) -> None:
        self._roles = roles
        self._most = most
        self._begin_page()

    def _begin_page(self) -> None:
        self._page = PageStructure()
        # Of every open tag, whether it is an element of the table
        self._borders: list[bool] = []
        # The open elements; they enter the table with their first block, till then at place -1.
        self._names = [ROOT]
        self._attributes: list[Mapping[str, str]] = [{}]
        self._places = [-1]
        # Elements open within the outermost skipped one, itself included
        self._skipping = 0
        self._skips: list[int] = []  # `_skipping` around each FOREIGN that is open
        self._is_open = False  # a block has begun
        self._joined = False
        self._is_off = self._is_unindexed = False  # now, and where the block begins
        self._before = self._within = self._links = self._markup = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Count a start tag."""
        self._count_tag(len(name) + 2)
        if name == FOREIGN:
            self._skips.append(self._skipping)
            self._skipping = 0
        if self._skipping:
            self._skipping += 1
            return
        role = self._roles[name]
        if role < _HIDDEN:
            self._borders.append(False)
            self._links += role == _LINK
        elif role >= _BORDER:
            self._joined = self._joined and name in PARAGRAPH
            self._borders.append(True)
            self._names.append(name)
            self._attributes.append(attributes)
            self._places.append(-1)
        else:
            self._skipping = 1

    def end(self, name: str) -> None:
        """Count an end tag, and close its element."""
        if name not in VOID:
            self._count_tag(len(name) + 3)
        if self._skipping:
            self._skipping -= 1
        elif self._borders.pop():
            self._joined = self._joined and name in PARAGRAPH
            self._names.pop()
            self._attributes.pop()
            place = self._places.pop()
            if place >= 0:
                self._page.end[place] = len(self._page.elements)
            if name == FOREIGN:
                self._skipping = self._skips.pop()

    def _count_tag(self, characters: int) -> None:
        self._markup += characters
        if self._is_open:
            self._within += 1
        else:
            self._before += 1

    def switch(self, is_off: bool) -> None:
        """Switch search engines off or on for the blocks that begin from here."""
        self._is_off = is_off
        if not self._is_open:
            self._is_unindexed = is_off

    def data(self, text: str) -> None:
        """Begin a block if this is its first text."""
        if not (self._is_open or self._skipping or text.isspace()):
            self._is_open = True

    def block(self, kept: bool) -> None:
        """End a block; it is kept if it has a word."""
        self._is_open = False
        if kept:
            self._enter_elements()
            page = self._page
            page.elements.append(self._places[-1])
            page.tags_before.append(self._before)
            page.tags_within.append(self._within)
            page.links.append(self._links)
            page.markup.append(self._markup)
            page.joined.append(self._joined)
            page.unindexed.append(self._is_unindexed)
            self._joined = True
            self._before = self._within = self._links = self._markup = 0
        else:
            self._before += self._within
            self._within = 0
        self._is_unindexed = self._is_off

    def _enter_elements(self) -> None:
        page, places = self._page, self._places
        entered = len(places)
        while entered and places[entered - 1] < 0:
            entered -= 1
        if len(page.names) + len(places) - entered > self._most:
            raise TooManyBlocksError(self._most, "elements")
        for depth in range(entered, len(places)):
            attributes = self._attributes[depth]
            places[depth] = len(page.names)
            page.names.append(self._names[depth])
            page.marks.append(marks_of(attributes) if attributes else "")
            page.classes.append(len(attributes.get("class", "").split()))
            page.ids.append(len(attributes.get("id", "").split()))
            page.attributes.append(kept_attributes(attributes) if attributes else "")
            page.parents.append(places[depth - 1] if depth else 0)
            page.first.append(len(page.elements))
            page.end.append(0)

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None
    ) -> None:
        """Note the document type."""
        self._page.doctype = doctype_of(name, public_id, system)

    def finish(self, page: Any) -> None:
        """Give a page its structure, and begin the next page."""
        for place in self._places:
            if place >= 0:
                self._page.end[place] = len(self._page.elements)
        page.structure = self._page
        self._begin_page()


@dataclass(slots=True)
class Page:
    """One page as columns, one entry per block, in the order of the page.

    Attributes:
        title: The text of the title element, folded; it is no block.
        texts: The blocks' texts, white space folded to single spaces.
        words: What `boilersweep.pages.words` takes for words, at least 1.
        density: Text density, words per line (Equation 1), at least 1.
        link_words: The words that stand, if only in part, within an A element.
        tags: The nearest enclosing container element's name (`CONTAINERS`), "body" if there is
            none.
        structure: Where the blocks are among the page's elements, if that was asked for.
    """

    title: str = ""
    texts: list[str] = column("block")
    words: list[int] = column("block")
    density: list[float] = column("block")
    link_words: list[int] = column("block")
    tags: list[str] = column("block")
    structure: PageStructure | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def count_unspaced(self, borders: Mapping[int, list[int]]) -> None:
        """Fill in what is counted on the blocks with a script without spaces, all of them at once.

        Args:
            borders: Number of the block -> where linked text begins and ends in it, as `measured`
                takes them.
        """
        if borders:
            counts = measured(
                [self.texts[number] for number in borders], list(borders.values())
            )
            for number, words, density, links in zip(borders, *counts, strict=True):
                self.words[number], self.density[number] = words, density
                self.link_words[number] = links


PAGE_COLUMNS = columns_in(Page)


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
        index = lengths.index(max(lengths))
        ends = memoryview(self.ends["texts"]).cast("i")
        start = ends[index - 1] if index else 0
        return str(self.columns["texts"][start : ends[index]], "utf-8")

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
