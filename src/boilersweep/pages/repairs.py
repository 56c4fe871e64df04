"""Named repairs of a page between its parser, which does as libxml2 does, and the blocks.

- A title or an object that its page forgot to close is closed (`close_unclosed`), and a skipped
  element ends where the standard ends it (`LEFT_BY`).
- `</br>` is a line break (`with_breaks`).
- The readings of ruby follow the whole base, of neighbouring ruby elements, too. Brackets for
  browsers that draw no ruby are left out.
- What is text for the eye alone is left out: a formula the second time, numbers of lines, buttons
  of code (`told_as`), and a link in a heading that is no more than a sign, such as `#`.
- An image of a formula, `img.latex`, is its alternative text.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol

from boilersweep.pages.elements import (
    BASE,
    BRACKETS,
    FOREIGN,
    FORMULA,
    LEFT_BY,
    LEFT_OUT,
    LINKED_TO,
    OTHER_TITLE,
    READINGS,
    SHELTERS,
    SKIPPED,
    Around,
    Role,
    Roles,
    told_as,
)
from boilersweep.pages.page import switched_by
from boilersweep.pages.stray_characters import SELECTORS

_TITLE_START = re.compile(rb"<title(?=[\s>/])", re.IGNORECASE)
_TITLE_END = re.compile(rb"</title", re.IGNORECASE)
_HEAD_ENDS = re.compile(rb"</head|<body|<link|<meta|<script|<style", re.IGNORECASE)

_OBJECT = re.compile(rb"<object(?=[\s>/])", re.IGNORECASE)
_OBJECTS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea)(?=[\s>/]).*?(?:</\1|\Z)"
    rb"|<(/?)object(?=[\s>/])[^>]*",
    re.IGNORECASE | re.DOTALL,
)

_BREAKS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s>/])"
    rb".*?(?:</\1|\Z)|</br(?=[\s>/])[^>]*>",
    re.IGNORECASE | re.DOTALL,
)
_BREAK = b"</br"

# The text of a link in a heading that only leads to the heading, or to its editor.
SIGNS = frozenset(("#", "##", "\u00b6", "\u00a7", "\u221e", "[edit]", "[link]", "[#]"))
SIGNS |= {f"{sign}{how}" for sign in "\U0001f517\u2693" for how in ("", *SELECTORS)}

# An attribute of cells, and of elements in code, with a number that may be their text, too.
LINE_NUMBER = "data-line-number"
_NUMBERED = frozenset({"a", "div", "span"})

# Yandex's element around text that search engines leave out.
_NOINDEX = "noindex"

_TOLD_AS = frozenset({"template", "script", *LEFT_OUT})
_CODE = frozenset({"pre", "code"})
_FORMULA_TYPE = b"math/tex"


class Observer(Protocol):
    """What is told of a page's tags and texts, each after the target of blocks, and of blocks."""

    def start(self, name: str, attributes: Mapping[str, str], /) -> None:
        """Begin an element."""

    def end(self, name: str, /) -> None:
        """End an element."""

    def data(self, text: str, /) -> None:
        """Add text."""

    def block(self, kept: bool, /) -> None:
        """End a block; it is kept if it has a word."""

    def switch(self, is_off: bool, /) -> None:
        """Switch search engines off or on."""

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None, /
    ) -> None:
        """Note the document type."""

    def finish(self, page: Any, /) -> None:
        """Add to a page what was seen of it, whole or not, and prepare for the next page."""


def close_title(utf8: bytes) -> bytes:
    """Close a title that the page forgot to close, at the next tag: it would swallow the page."""
    start = _TITLE_START.search(utf8)
    # If no tag ends behind the first title, none ends behind another one: one search is enough.
    text = utf8.find(b">", start.end()) + 1 if start else 0
    if not text:
        return utf8
    end = _TITLE_END.search(utf8, text)
    swallowed = _HEAD_ENDS.search(utf8, text, end.start() if end else len(utf8))
    if end is not None and swallowed is None:
        return utf8
    tag = utf8.find(b"<", text)
    if tag < 0:
        tag = len(utf8)
    return utf8[:tag] + b"</title>" + utf8[tag:]


def close_unclosed(
    utf8: bytes, has_object: Callable[[bytes], object] = _OBJECT.search
) -> bytes:
    """Close a title and the objects that the page forgot to close: they would swallow the page.

    Args:
        utf8: The page.
        has_object: Whether an object begins in a page, as true or false.
    """
    utf8 = close_title(utf8)
    if not has_object(utf8):
        return utf8
    unclosed: list[int] = []
    for tag in _OBJECTS.finditer(utf8):
        if tag[2] == b"":
            unclosed.append(tag.end() + 1)
        elif tag[2] and unclosed:
            unclosed.pop()
    borders = [0, *unclosed, len(utf8)]
    return b"</object>".join(utf8[start:end] for start, end in pairwise(borders))


def with_breaks(utf8: bytes) -> bytes:
    """Return a page with `<br>` for `</br>`, which browsers take for it and libxml2 drops."""
    if _BREAK not in utf8 and _BREAK.upper() not in utf8:
        return utf8
    return _BREAKS.sub(
        lambda found: b"<br>" if found[0][:4].lower() == _BREAK else found[0], utf8
    )


class Target(Protocol):
    """What cuts blocks."""

    page: Any

    def start(self, name: str, attributes: Mapping[str, str], /) -> None:
        """Begin an element."""

    def end(self, name: str, /) -> None:
        """End an element."""

    def data(self, text: str, /) -> None:
        """Add text."""

    def visible(self, text: str, /) -> str:
        """Return what people see of the next text."""

    def close(self) -> None:
        """End the page."""


class Repairs:
    """Tells the target of blocks, and then the observers, of every tag and text of a page.

    The parser reports the ends of elements that were left early (`LEFT_BY`) later; they are not
    told again.

    Args:
        target: What cuts blocks.
        observers: Who else is told.
        roles: What elements do to blocks, with borders as browsers show them; None for the paper's
            borders, under which only skipped elements and formulas are repaired.
    """

    def __init__(
        self, target: Target, observers: Sequence[Observer], roles: Roles | None
    ) -> None:
        self._target = target
        self._observers = observers
        self._roles = roles
        self._told: Sequence[Any] = (target, *observers)
        self.begin_page(b"")

    def begin_page(self, utf8: bytes) -> None:
        """Turn to a new page, given as UTF-8."""
        self._around = Around(has_formulas=_FORMULA_TYPE in utf8)
        self._open: list[str] = []  # "" for an element whose end was told early
        self._skipped = -1  # index of the outermost skipped element
        self._sheltered = -1  # index of the outermost shelter in it
        self._ended = 0  # names ""
        self._foreign: list[int] = []  # index of the svg around each FOREIGN
        self._headings: list[int] = []  # indices of those that are open
        self._codes: list[int] = []
        self._ruby = -1  # index of the ruby element that is open
        self._reading = -1  # index of the reading or brackets that are open in it
        self._readings: list[str] = []
        self._sign = -1  # index of an element that may be no more than a sign
        self._signs: frozenset[str] = frozenset()
        self._held: list[str] = []  # its texts

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        self._tell_held()
        if self._readings and not (self._ruby < 0 and name == "ruby"):
            self._read_before(name)
        index = len(self._open)
        told = self._name_of(name, attributes)
        self._open.append(told if told in (FOREIGN, FORMULA) else name)
        if name in LINKED_TO:
            self._headings.append(index)
            self._around.heading = True
        elif name in _CODE:
            self._codes.append(index)
            self._around.code = True
        elif name == _NOINDEX:
            self._switch(is_off=True)
        for observer in self._told:
            observer.start(told, attributes)
        if self._roles is not None and self._skipped < 0 and told == name:
            self._begin_shown(index, name, attributes)

    def _name_of(self, name: str, attributes: Mapping[str, str]) -> str:
        """Return the name by which an element that begins is told, and note if it is skipped."""
        told = name
        if self._skipped >= 0 and self._sheltered < 0:
            if name == "foreignobject" and self._open[self._skipped] == "svg":
                self._foreign.append(self._skipped)
                self._skipped = -1
                told = FOREIGN
            else:
                self._leave(name)
        if self._skipped < 0:
            self._around.has_math |= name == "math"
            if name in _TOLD_AS:
                told = told_as(name, attributes, self._around)
            if told in SKIPPED:
                self._skipped = len(self._open)
        return OTHER_TITLE if self._ended and name == "title" else told

    def _begin_shown(
        self, index: int, name: str, attributes: Mapping[str, str]
    ) -> None:
        """Begin ruby, its readings, what may be a sign, or an image of a formula."""
        if name == "ruby" and self._ruby < 0:
            self._ruby = index
        elif self._ruby >= 0 and (name in READINGS or name == BRACKETS):
            self._reading = index
            if name != BRACKETS:
                self._readings.append(" ")
        elif name == BASE:
            self._reading = -1
        elif name == "img" and "latex" in attributes.get("class", "").split():
            self._tell(f" {attributes.get('alt', '')} ")
        elif LINE_NUMBER in attributes and (
            name == "td" or (self._around.code and name in _NUMBERED)
        ):
            self._sign, self._signs = index, frozenset({attributes[LINE_NUMBER]})
        elif name == "a" and self._around.heading:
            self._sign, self._signs = index, SIGNS

    def _leave(self, name: str) -> None:
        names = self._open
        outermost = names[self._skipped]
        if name in LEFT_BY.get(outermost, ()):
            for index in range(len(names) - 1, self._skipped - 1, -1):
                for told in self._told:
                    told.end(names[index])
                names[index] = ""
            self._ended += len(names) - self._skipped
            self._skipped = -1
        elif name in SHELTERS.get(outermost, ()):
            self._sheltered = len(names)

    def end(self, ended: str) -> None:
        """End the innermost element."""
        index = len(self._open) - 1
        self._tell_held(ended=index)
        if self._readings and self._ruby < 0:
            self._tell_readings()
        if index == self._reading:
            self._reading = -1
        if index == self._ruby:
            self._ruby = -1
        self._end_around(index)
        if ended == _NOINDEX:
            self._switch(is_off=False)
        name = self._open.pop()
        if not name:
            self._ended -= 1
            return
        if self._skipped == index:
            self._skipped = -1
        elif self._sheltered == index:
            self._sheltered = -1
        if name == FOREIGN:
            self._skipped = self._foreign.pop()
        for told in self._told:
            told.end(name)

    def _end_around(self, index: int) -> None:
        if self._headings and self._headings[-1] == index:
            self._headings.pop()
            self._around.heading = bool(self._headings)
        elif self._codes and self._codes[-1] == index:
            self._codes.pop()
            self._around.code = bool(self._codes)

    def data(self, text: str) -> None:
        """Add a text."""
        if self._skipped >= 0:
            self._tell(text)
        elif self._reading >= 0:
            if self._open[self._reading] != BRACKETS:
                self._readings.append(text)
        elif self._sign >= 0:
            self._held.append(text)
        else:
            if self._readings and self._ruby < 0:
                self._tell_readings()
            self._tell(text)

    def _tell(self, text: str) -> None:
        if text := self._target.visible(text):
            for told in self._told:
                told.data(text)

    def _read_before(self, name: str) -> None:
        """Tell readings before an element that begins, but for what may be within ruby."""
        roles = self._roles
        if self._ruby >= 0 and roles is not None and roles[name] < Role.SKIPPED:
            return
        self._ruby = self._reading = -1
        self._tell_readings()

    def _tell_readings(self) -> None:
        text = "".join(self._readings)
        self._readings.clear()
        self._tell(f"{text} ")

    def _tell_held(self, ended: int = -1) -> None:
        """Tell the text of what may be a sign where it is more; leave out a sign that ends.

        Args:
            ended: The index of the element that ends.
        """
        if self._sign < 0:
            return
        text = "".join(self._held)
        bare = text.strip()
        is_over = ended == self._sign
        if is_over or (bare and bare not in self._signs):
            self._sign = -1
            self._held.clear()
            if text and not (is_over and bare in self._signs):
                self._tell(text)

    def comment(self, text: str) -> None:
        """Take a comment, which may switch search engines off or on."""
        is_off = switched_by(text)
        if is_off is not None:
            self._switch(is_off=is_off)

    def _switch(self, *, is_off: bool) -> None:
        for observer in self._observers:
            observer.switch(is_off)

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None
    ) -> None:
        """Note the document type."""
        for observer in self._observers:
            observer.doctype(name, public_id, system)

    def close(self) -> None:
        """End the page."""
        try:
            self._target.close()
        finally:
            for observer in self._observers:
                observer.finish(self._target.page)
