"""A page as the segmenter reads it, written anew as HTML that carries the numbers of its parts.

Browsers parse HTML otherwise than libxml2, which cut the page, so a place in one tree is none in
the other. What is drawn is therefore libxml2's tree: every element of the page's structure has its
number in an attribute, every block's text its number in front, between two characters that no page
has; the script that measures takes those out before anything is measured. Where the browser moves
or drops an element, its number goes with it.

What could act or fetch is not written at all: scripts, frames, embedded objects, everything at an
address, and all attributes but those that shape the drawing. The browser forbids the same once
more (`boilersweep.rendering.chromium`).
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from boilersweep.pages.elements import SKIPPED, Role, Roles
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Observer, Segmenter
from boilersweep.pages.structure import VOID, Recorder

# The attribute that has an element's number.
NUMBER = "data-boilersweep"

# Around a block's number, before its text: noncharacters, which the page's own text loses.
OPENS, CLOSES = "\ufdd0", "\ufdd1"

_NAME = re.compile(r"[a-z][^\s/>\x00]*")
_ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_MARKS = str.maketrans("", "", OPENS + CLOSES)
_LEADING = re.compile(r"\s*")

# Attributes that shape a drawing, and fetch nothing but what a style has in `url()`.
_SHAPING = frozenset(
    "align axis bgcolor border cellpadding cellspacing char charoff checked class clear color "
    "cols colspan compact dir disabled face frame headers height hidden hspace id label lang "
    "leftmargin link marginheight marginwidth multiple noshade nowrap open placeholder role rows "
    "rowspan rules scope selected size span start style text topmargin type valign value "
    "viewbox vlink vspace width wrap".split()
)

# Elements without tags here; what they hold stays.
_UNWRITTEN = frozenset(
    "base basefont bgsound embed frame frameset isindex keygen link meta param source track".split()
)

_EMBEDDED = frozenset({"iframe", "object"})
# Elements in which a browser would read no tags.
_AS_WRITTEN = {"plaintext": "pre", "xmp": "pre", "listing": "pre"}

_CONTROLS = frozenset({"select", "option", "textarea"})
# Skipped elements whose tags are written.
_WRITTEN_SKIPPED = _CONTROLS | {"style", "svg"}


@dataclass(slots=True)
class MarkedPage(Page):
    """A page with its marked HTML.

    Attributes:
        html: the marked HTML.
    """

    html: str = ""


@dataclass(slots=True)
class _Tag:
    """A start tag that is written.

    Attributes:
        number: of the element of the structure, -1 for none.
    """

    name: str
    attributes: str
    number: int = -1

    def __str__(self) -> str:
        number = f' {NUMBER}="{self.number}"' if self.number >= 0 else ""
        return f"<{self.name}{self.attributes}{number}>"


@dataclass(slots=True)
class _Text:
    """Character data that is written.

    Attributes:
        block: its number, -1 for none.
    """

    pieces: list[str] = field(default_factory=list)
    block: int = -1

    def __str__(self) -> str:
        text = html.escape("".join(self.pieces), quote=False)
        if self.block < 0:
            return text
        space = _LEADING.match(text)
        at = space.end() if space else 0
        return f"{text[:at]}{OPENS}{self.block}{CLOSES}{text[at:]}"


class MarkingSegmenter(Segmenter):
    """A Segmenter in pure Python, with the same blocks, whose pages are `MarkedPage`."""

    page_type = MarkedPage

    def html(self, utf8: bytes) -> MarkedPage:
        """Return a page with its marked HTML."""
        return cast(MarkedPage, super().html(utf8))

    def plain(self, utf8: bytes) -> MarkedPage:
        """Return a page of plain text, as one preformatted element."""
        page = super().plain(utf8)
        texts = [text.translate(_MARKS) for text in page.texts]
        lines = [str(_Text([text], number)) for number, text in enumerate(texts)]
        written = f"<!DOCTYPE html><pre {NUMBER}=0>\n" + "\n".join(lines)
        return MarkedPage(
            page.title,
            page.texts,
            page.words,
            page.density,
            page.link_words,
            page.tags,
            html=written,
        )

    def _observers(self, roles: Roles) -> Sequence[Observer]:
        return [Recorder(roles, self._most), _Writer(roles)]


class _Writer:
    """Writes the HTML."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._begin_page()

    def _begin_page(self) -> None:
        self._written: list[str | _Tag | _Text] = []
        self._texts: list[_Text] = []  # of the open block
        self._closing: list[str] = []  # the end tag of every open tag, "" for none
        self._elements: list[_Tag | None] = []  # open elements of the structure
        self._borders: list[bool] = []  # whether each open tag is an element of the structure
        self._skipping = 0  # elements open within the outermost skipped one, itself included
        self._outermost = ""
        self._entered = self._blocks = 0

    def block(self, kept: bool) -> None:
        if kept:
            self._entered = self._entered or 1  # the document itself, which has no tag
            for tag in self._elements:
                if tag and tag.number < 0:
                    tag.number = self._entered
                    self._entered += 1
            for text in self._texts:
                text.block = self._blocks
            self._blocks += 1
        self._texts.clear()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping:
            self._skipping += 1
            if self._outermost == "select" and name in _CONTROLS:
                self._written.append(_tag(name, attributes))
        elif name in SKIPPED or name == "title":
            self._skipping, self._outermost = 1, name
            if name in _EMBEDDED:
                size = {"width": "300", "height": "150"}
                self._written.append(_tag("img", size | {**attributes}))
            elif name in _WRITTEN_SKIPPED:
                self._written.append(_tag(name, attributes))
        else:
            self._open(name, attributes)

    def _open(self, name: str, attributes: Mapping[str, str]) -> None:
        tag = _tag(name, attributes)
        is_border = self._roles[name] >= Role.BORDER
        self._borders.append(is_border)
        if is_border:
            # Numbers are counted for every element, and shown where there is a tag.
            self._elements.append(tag)
        is_written = name not in _UNWRITTEN and _NAME.fullmatch(name) is not None
        self._closing.append(f"</{tag.name}>" if is_written and name not in VOID else "")
        if is_written:
            self._written.append(tag)
        elif name == "embed":
            self._written.append(_tag("img", attributes))

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
            if not self._skipping:
                if self._outermost in _WRITTEN_SKIPPED:
                    self._written.append(f"</{self._outermost}>")
            elif self._outermost == "select" and name in _CONTROLS:
                self._written.append(f"</{name}>")
            return
        if self._borders.pop():
            self._elements.pop()
        self._written.append(self._closing.pop())

    def data(self, text: str) -> None:
        text = text.translate(_MARKS)
        if self._skipping:
            if self._outermost == "style":
                self._written.append(text.replace("</", "<\\/"))
            elif self._outermost in _CONTROLS:
                self._written.append(html.escape(text, quote=False))
        elif self._texts and self._written and self._written[-1] is self._texts[-1]:
            self._texts[-1].pieces.append(text)
        else:
            one = _Text([text])
            self._written.append(one)
            if not text.isspace():
                self._texts.append(one)

    def doctype(self, name: str | None, public_id: str | None, system: str | None) -> None:
        self._written.append(_doctype(name, public_id, system))

    def finish(self, page: MarkedPage) -> None:
        page.html = "".join(map(str, self._written))
        self._begin_page()


def _tag(name: str, attributes: Mapping[str, str]) -> _Tag:
    """Return a start tag with those attributes that shape the drawing; links lead nowhere."""
    kept = [
        f' {key}="{html.escape((value or "").translate(_MARKS))}"'
        for key, value in attributes.items()
        if key in _SHAPING
        or (key.startswith(("data-", "aria-")) and key != NUMBER and _ATTRIBUTE_NAME.fullmatch(key))
    ]
    if name == "a" and "href" in attributes:
        kept.append(' href="x:"')  # that a link looks like one
    return _Tag(_AS_WRITTEN.get(name, name), "".join(kept))


def _doctype(name: str | None, public_id: str | None, system: str | None) -> str:
    """Return the declaration, which says in which of its modes a browser draws."""
    if not name or not _NAME.fullmatch(name.lower()):
        return ""
    known = [one.replace('"', "") for one in (public_id, system) if one]
    if not public_id:
        return f"<!DOCTYPE {name}>"
    return f"<!DOCTYPE {name} PUBLIC " + " ".join(f'"{one}"' for one in known) + ">"
