"""Where a page's blocks stand among its elements: what cleaners that read the tree need of it.

The tree is kept as a table of the elements that hold a block, in document order, so parents come
before their children; A and transparent inline tags are no elements of it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

ROOT = "#document"
"""The name of a page's first element, which holds all others and is its own parent."""

VOID = frozenset(
    "area base br col embed frame hr img input isindex keygen link meta param source track "
    "wbr".split()
)
"""Elements without an end tag."""

_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_XHTML = "xhtml"


class TooManyBlocksError(ValueError):
    """A page has more blocks, or more elements that hold them, than it may have."""

    def __init__(self, most: int, what: str = "blocks") -> None:
        super().__init__(f"more than {most:,} {what}")


@dataclass(slots=True)
class PageStructure:
    """One page's blocks and elements as columns, one entry per block or element.

    Of blocks, elements: the number of the innermost element around it. tags_before: tags between
    it and the block before, or the page's start; of skipped elements, too, and end tags that the
    parser implies. tags_within: tags of A and of transparent elements in it. links: A elements
    that begin in it or between it and the block before. markup: characters of all those tags
    without their attributes. joined: between it and the block before stand tags of inline and
    skipped elements only, so people see one paragraph.

    Of elements, names: lower case. marks: its class and id, `role=...`, and `hidden` where it is
    not shown; see `marks_of`. parents: numbers of elements. first, end: it holds the blocks from
    `first` up to, without, `end`.

    doctype: "html5", "html4", "xhtml" or "" for none.
    """

    elements: list[int] = field(default_factory=list)
    tags_before: list[int] = field(default_factory=list)
    tags_within: list[int] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    markup: list[int] = field(default_factory=list)
    joined: list[bool] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    doctype: str = ""


def marks_of(attributes: Mapping[str, str]) -> str:
    """What an element's attributes say of it, as tokens with single spaces between them."""
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


def doctype_of(name: str | None, public_id: str | None, _system: str | None) -> str:
    """The kind of a document type declaration."""
    if name is None or name.lower() != "html":
        return ""
    if not public_id:
        return "html5"
    return "xhtml" if _XHTML in public_id.lower() else "html4"


class Recorder:
    """Follows the parser's tags and gives the structure of the page at its end.

    It is told of every tag after the target, and by the target of every block (`block`).
    transparent: inline elements that are no borders. skipped: elements whose text is not the
    page's. inline: elements, A among them, that do not end a paragraph. most: elements of a page;
    with more, `block` raises TooManyBlocksError, and `close` makes ready for the next page.
    """

    def __init__(
        self,
        transparent: frozenset[str],
        skipped: frozenset[str],
        inline: frozenset[str],
        most: int,
    ) -> None:
        page = PageStructure()
        borders: list[bool] = []  # of every open tag, whether it is an element of the table
        # The open elements; they enter the table with their first block, till then at place -1.
        names: list[str] = []
        attributes_of: list[Mapping[str, str]] = []
        places: list[int] = []
        skipping = 0  # elements open within the outermost skipped one, itself included
        is_open = False  # a block has begun
        joined = False
        before = within = links = markup = 0

        def begin() -> None:
            nonlocal page, skipping, is_open, joined, before, within, links, markup
            page = PageStructure()
            borders.clear()
            names[:] = [ROOT]
            attributes_of[:] = [{}]
            places[:] = [-1]
            skipping = 0
            is_open = joined = False
            before = within = links = markup = 0

        def start(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal skipping, before, within, links, markup, joined
            markup += len(name) + 2
            if skipping:
                skipping += 1
                before += 1
            elif name == "a" or name in transparent:
                borders.append(False)
                links += name == "a"
                if is_open:
                    within += 1
                else:
                    before += 1
            elif name in skipped or name == "title":
                before += 1
                skipping = 1
            else:
                before += 1
                joined = joined and name in inline
                borders.append(True)
                names.append(name)
                attributes_of.append(attributes)
                places.append(-1)

        def end(name: str) -> None:
            nonlocal skipping, before, within, markup, joined
            written = name not in VOID
            if written:
                markup += len(name) + 3
            if skipping:
                skipping -= 1
                before += written
            elif borders.pop():
                before += written
                joined = joined and name in inline
                names.pop()
                attributes_of.pop()
                place = places.pop()
                if place >= 0:
                    page.end[place] = len(page.elements)
            elif is_open:
                within += written
            else:
                before += written

        def data(text: str) -> None:
            nonlocal is_open
            if not (is_open or skipping or text.isspace()):
                is_open = True

        def block(kept: bool) -> None:
            """A block has ended; kept: it has a word."""
            nonlocal is_open, joined, before, within, links, markup
            is_open = False
            if kept:
                enter_elements()
                page.elements.append(places[-1])
                page.tags_before.append(before)
                page.tags_within.append(within)
                page.links.append(links)
                page.markup.append(markup)
                page.joined.append(joined)
                joined = True
                before = within = links = markup = 0
            else:
                before += within
                within = 0

        def enter_elements() -> None:
            entered = len(places)
            while entered and places[entered - 1] < 0:
                entered -= 1
            if len(page.names) + len(places) - entered > most:
                raise TooManyBlocksError(most, "elements")
            for depth in range(entered, len(places)):
                places[depth] = len(page.names)
                page.names.append(names[depth])
                page.marks.append(marks_of(attributes_of[depth]) if attributes_of[depth] else "")
                page.parents.append(places[depth - 1] if depth else 0)
                page.first.append(len(page.elements))
                page.end.append(0)

        def doctype(name: str | None, public_id: str | None, system: str | None) -> None:
            page.doctype = doctype_of(name, public_id, system)

        def close() -> PageStructure:
            for place in places:
                if place >= 0:
                    page.end[place] = len(page.elements)
            recorded = page
            begin()
            return recorded

        begin()
        self.start = start
        self.end = end
        self.data = data
        self.block: Callable[[bool], None] = block
        self.doctype = doctype
        self.close = close
