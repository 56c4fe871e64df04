"""Cut pages into text blocks: character data between the tags of block elements.

Source: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, sections 3 and 4.1; their blocks end at every
tag other than A (`borders="paper"`). lxml's parser calls a target for every tag and text as it
goes, so no tree is built, and text is kept at any depth and behind `</html>`.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, compress, groupby, pairwise
from typing import Any, Protocol, TypeVar, cast

from lxml import etree

from boilersweep.pages.elements import (
    FOREIGN,
    LEFT_BY,
    OTHER_TITLE,
    RUNNING,
    SHELTERS,
    SKIPPED,
    Borders,
    Role,
    Roles,
    roles_of,
    told_as,
)
from boilersweep.pages.page import PackedPage, Page, Recorder, TooManyBlocksError, pack
from boilersweep.pages.stray_characters import Visible, as_shown, composed
from boilersweep.pages.words import has_unspaced, is_word, text_density

_TITLE_START = re.compile(rb"<title(?=[\s>/])", re.IGNORECASE)
_TITLE_END = re.compile(rb"</title", re.IGNORECASE)
_HEAD_ENDS = re.compile(rb"</head|<body|<link|<meta|<script|<style", re.IGNORECASE)

_OBJECT = re.compile(rb"<object(?=[\s>/])", re.IGNORECASE)
_OBJECTS = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea)(?=[\s>/]).*?(?:</\1|\Z)"
    rb"|<(/?)object(?=[\s>/])[^>]*",
    re.IGNORECASE | re.DOTALL,
)

_NOSCRIPT = re.compile(rb"<(/?)noscript(?=[\s>/])", re.IGNORECASE)
# A page of fewer words may have its text in noscript alone, as forums drawn by scripts do.
_FEW_WORDS = 200

_TOKEN = re.compile(r"\S+")
_LINE = re.compile("[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")  # as str.splitlines

# Of the blocks with a script without spaces, as `Page.count_unspaced` takes them.
LinkBorders = dict[int, list[int]]

Cut = TypeVar("Cut")

_LINK, _ITEM, _SPACE, _HIDDEN, _REPLACED, _SKIPPED, _TITLE, _BORDER, _CONTAINER = map(
    int, list(Role)[1:]
)

_LINK_OPENS = "\0a"
_LINK_CLOSES = "\0/a"
_LINK_MARKS = frozenset((_LINK_OPENS, _LINK_CLOSES))


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

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None, /
    ) -> None:
        """Note the document type."""

    def finish(self, page: Any, /) -> None:
        """Add to a page what was seen of it, whole or not, and prepare for the next page."""


class Segmenter:
    """Cuts one page after another; not safe to share between threads.

    Args:
        borders: "block" ends blocks at block elements and line breaks, "paper" at every tag but A.
        structure: Record where the blocks are among the page's elements (`PageStructure`).
        most_blocks: A page with more blocks, or more elements in its structure, is refused as soon
            as that shows; None for any number.
        observers: Are told of the tags, texts and blocks of every page.
        page_type: The class of the pages.
    """

    def __init__(
        self,
        *,
        borders: Borders = "block",
        structure: bool = False,
        most_blocks: int | None = None,
        observers: Sequence[Observer] = (),
        page_type: type[Page] = Page,
    ) -> None:
        self._most = sys.maxsize if most_blocks is None else most_blocks
        self._as_shown = borders == "block"
        roles = roles_of(borders)
        if structure:
            observers = [*observers, Recorder(roles, self._most)]
        self._target = _BlockTarget(roles, self._most, observers, page_type)
        self._parser = etree.HTMLParser(
            encoding="utf-8",
            huge_tree=True,
            collect_ids=False,
            target=cast(Any, _ParserTarget(self._target, observers)),
        )

    def html(self, utf8: bytes) -> Page:
        """Cut an HTML page, given as UTF-8, into blocks; none for a page without a word.

        A page with hardly a word outside noscript is read as browsers without scripts do.

        Raises:
            ValueError: lxml cannot parse the page at all.
            TooManyBlocksError: The page has more blocks than `most_blocks`.
        """
        return read_without_scripts(utf8, self._parsed, lambda page: sum(page.words))

    def packed_html(self, utf8: bytes) -> PackedPage:
        """Cut a page as `html` does, packed as the block store writes it."""
        return pack(self.html(utf8))

    def _parsed(self, utf8: bytes) -> Page:
        try:
            etree.fromstring(close_unclosed(utf8), self._parser)
        except etree.ParseError as error:
            raise ValueError(str(error)) from error
        return self._target.page

    def plain(self, utf8: bytes) -> Page:
        """Cut a plain text, given as UTF-8, into a block per line, within "body".

        Raises:
            TooManyBlocksError: The text has more blocks than `most_blocks`.
        """
        page = Page()
        unspaced: LinkBorders = {}
        text = utf8.decode("utf-8", "replace")
        for line in _LINE.finditer(as_shown(text) if self._as_shown else text):
            _add_block(page, unspaced, line[0], False, "body")
            if len(page) > self._most:
                raise TooManyBlocksError(self._most)
        page.count_unspaced(unspaced)
        return page


def read_without_scripts(
    utf8: bytes, read: Callable[[bytes], Cut], words: Callable[[Cut], int]
) -> Cut:
    """Read a page; one with hardly a word outside noscript as if these were div elements."""
    page = read(utf8)
    count = words(page)
    if count < _FEW_WORDS and _NOSCRIPT.search(utf8):
        without_scripts = read(_NOSCRIPT.sub(rb"<\1div", utf8))
        if words(without_scripts) >= 2 * count + 50:
            return without_scripts
    return page


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
    for found in _OBJECTS.finditer(utf8):
        if found[2] == b"":
            unclosed.append(found.end() + 1)
        elif found[2] and unclosed:
            unclosed.pop()
    borders = [0, *unclosed, len(utf8)]
    return b"</object>".join(utf8[start:end] for start, end in pairwise(borders))


def _add_block(
    page: Page, unspaced: LinkBorders, text: str, linked: bool, tag: str
) -> bool:
    """Add a block whose words are all linked or none, if it has a word; return whether it has."""
    tokens = text.split()
    words = _words(tokens)
    if words:
        if has_unspaced(text):
            unspaced[len(page)] = [0] if linked else []
        _append(page, tokens, words, len(words) if linked else 0, tag)
    return bool(words)


def _add_mixed_block(
    page: Page, unspaced: LinkBorders, pieces: list[str], depth: int, tag: str
) -> bool:
    """Add a block of text pieces with link marks between them, if it has a word.

    A token that runs on across a mark is one token, and linked if a part of it is.

    Args:
        page: The page.
        unspaced: Gets the borders of links in a block with a script without spaces.
        pieces: The text pieces and link marks.
        depth: How many A elements are open where the block begins.
        tag: The block's element.

    Returns:
        Whether the block has a word.
    """
    texts: list[str] = []
    linked: list[str] = []  # of every character "1" or "0"
    changes = [0] if depth else []  # where linked text begins and ends, in characters
    size = 0
    for piece in pieces:
        if piece in _LINK_MARKS:
            opens = piece == _LINK_OPENS
            depth += 1 if opens else -1
            if depth == opens:
                changes.append(size)
        else:
            texts.append(piece)
            linked.append(("1" if depth else "0") * len(piece))
            size += len(piece)
    text, is_linked = "".join(texts), "".join(linked)
    spans = [token.span() for token in _TOKEN.finditer(text)]
    tokens = [text[start:end] for start, end in spans]
    words = _words(tokens)
    if words:
        if any(map(has_unspaced, tokens)):
            unspaced[len(page)] = _folded(changes, spans)
        link_words = _words(compress(tokens, ["1" in is_linked[a:b] for a, b in spans]))
        _append(page, tokens, words, len(link_words), tag)
    return bool(words)


def _composed(pieces: Iterable[str]) -> list[str]:
    """Join the texts between link marks, and compose their accents."""
    found: list[str] = []
    for is_mark, some in groupby(pieces, _LINK_MARKS.__contains__):
        texts = list(some)
        found += texts if is_mark else [composed("".join(texts))]
    return found


def _folded(places: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return where places of a text are when single spaces part its tokens.

    Args:
        places: Where they are in the text.
        spans: Where the tokens begin and end in it.
    """
    starts = [start for start, _ in spans]
    sizes = list(accumulate((end - start + 1 for start, end in spans), initial=-1))
    folded = []
    for place in places:
        number = bisect_left(starts, place)  # tokens that begin before
        behind = max(0, spans[number - 1][1] - place) if number else 0
        folded.append(sizes[number] - behind)
    return folded


def _words(tokens: Iterable[str]) -> list[str]:
    return [token for token in tokens if token[0].isalnum() or is_word(token)]


def _append(
    page: Page, tokens: list[str], words: list[str], link_words: int, tag: str
) -> None:
    text = " ".join(tokens)
    count = len(words)
    wrapped = text if count == len(tokens) else " ".join(words)
    page.texts.append(text)
    page.words.append(count)
    page.density.append(text_density(wrapped, count))
    page.link_words.append(link_words)
    page.tags.append(tag)


class _BlockTarget:
    """The parser's target; `page` is the page parsed last.

    Args:
        most: Blocks of a page; with more, every callback raises TooManyBlocksError, and `close`
            prepares for the next page.
        observers: Are told of the end of every block.
        page_type: The class of the pages.
    """

    def __init__(
        self,
        roles: Roles,
        most: int,
        observers: Sequence[Observer],
        page_type: type[Page],
    ) -> None:
        self._roles = roles
        # Items are parted, and invisible characters left out
        self._as_shown = roles.default == _ITEM
        self._most = most
        self._observers = observers
        self._page_type = page_type
        self.page = page_type()
        self._begin_page()

    def _begin_page(self) -> None:
        self._page = self._page_type()
        self._pieces: list[str] = []
        self._unspaced: LinkBorders = {}
        self._title: list[str] = []
        self._enclosing: list[str | None] = []  # tags to return to; None within a block
        self._tag = "body"
        # Elements open within the outermost skipped one, itself included
        self._skipping = 0
        self._skips: list[int] = []  # `_skipping` around each FOREIGN that is open
        self._in_title = False
        self._last = ""  # the last text of the page
        # Since the last text: an item has ended, and another one has begun behind it
        self._item_ended = self._item_begun = False
        self._mixed = False
        self._link_depth = 0
        self._link_depth_at_start = 0
        self._visible = Visible()

    def _flush(self) -> None:
        pieces = self._pieces
        self._visible = Visible()
        start = self._link_depth_at_start
        if self._mixed:
            parts = _composed(pieces) if self._as_shown else pieces
            kept = _add_mixed_block(self._page, self._unspaced, parts, start, self._tag)
            self._mixed = False
        else:
            text = pieces[0] if len(pieces) == 1 else "".join(pieces)
            text = composed(text) if self._as_shown else text
            kept = _add_block(self._page, self._unspaced, text, start > 0, self._tag)
        pieces.clear()
        self._link_depth_at_start = self._link_depth
        if len(self._page.texts) > self._most:
            raise TooManyBlocksError(self._most)
        for observer in self._observers:
            observer.block(kept)

    def start(self, name: str, _attributes: Any) -> None:
        if name == FOREIGN:
            self._skips.append(self._skipping)
            self._skipping = 0
        if self._skipping:
            self._skipping += 1
            return
        role = self._roles[name]
        self._mark_start(role)
        if role < _HIDDEN:
            self._enclosing.append(None)
            self._item_begun |= self._item_ended and role in (_LINK, _ITEM)
        elif role >= _BORDER:
            self._enclosing.append(self._tag)
            if role == _CONTAINER:
                self._tag = name
        else:
            self._skipping = 1
            if role == _TITLE:
                self._in_title = True
                self._title.append(" ")  # after another title

    def _mark_start(self, role: int) -> None:
        """Note in the open block that an element of that role begins, or end the block."""
        if role == _LINK:
            self._link_depth += 1
            self._mark_link(_LINK_OPENS)
        elif self._pieces:
            if role >= _SKIPPED:
                self._flush()
            elif role in (_SPACE, _REPLACED):
                self._pieces.append(" ")

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
            if not self._skipping:
                self._in_title = False
            return
        outer = self._enclosing.pop()
        if outer is not None:
            if self._pieces:
                self._flush()
            self._tag = outer
            if name == FOREIGN:
                self._skipping = self._skips.pop()
            return
        role = self._roles[name]
        if role == _LINK:
            self._link_depth -= 1
            self._mark_link(_LINK_CLOSES)
        elif role == _SPACE and self._pieces:
            self._pieces.append(" ")
        if role in (_LINK, _ITEM):
            self._item_ended = self._as_shown

    def _mark_link(self, mark: str) -> None:
        if self._pieces:
            self._pieces.append(mark)
            self._mixed = True
        else:
            self._link_depth_at_start = self._link_depth

    def visible(self, text: str) -> str:
        """Return what is visible of the next text."""
        if self._skipping or not self._as_shown:
            return text
        return self._visible.part(text)

    def data(self, text: str) -> None:
        if not self._skipping:
            if self._item_begun and self._pieces:
                self._part_items(text)
            self._last = text
            self._item_ended = self._item_begun = False
            if self._pieces or not text.isspace():
                self._pieces.append(text)
        elif self._in_title:
            self._title.append(text)

    def _part_items(self, text: str) -> None:
        """Separate a text that begins an item from the item before, if both touch by letters."""
        touching = (self._last[-1], text[0])
        if (
            all(c.isalnum() or c > "\x7f" for c in touching)
            and self._tag not in RUNNING
        ):
            self._pieces.append(" ")
            for observer in self._observers:
                observer.data(" ")

    def close(self) -> None:
        page = self._page
        try:
            if self._pieces:
                self._flush()
            page.count_unspaced(self._unspaced)
        finally:
            title = "".join(self._title)
            page.title = " ".join(
                (as_shown(title) if self._as_shown else title).split()
            )
            self._begin_page()
            self.page = page


class _ParserTarget:
    """Tells the target of blocks, and then the observers, of every tag and text.

    Ends skipped elements where the standard does and libxml2 does not (`LEFT_BY`): the parser
    reports the ends of these elements later, and they are not told again.
    """

    def __init__(self, target: _BlockTarget, observers: Sequence[Observer]) -> None:
        self._target = target
        self._observers = observers
        self._told: Sequence[Any] = (target, *observers)
        self._begin_page()

    def _begin_page(self) -> None:
        self._open: list[str] = []  # "" for an element whose end was told early
        self._skipped = -1  # index of the outermost skipped element
        self._sheltered = -1  # index of the outermost shelter in it
        self._ended = 0  # names ""
        self._foreign: list[int] = []  # index of the svg around each FOREIGN
        self._has_math = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        names = self._open
        told = name
        if self._skipped >= 0 and self._sheltered < 0:
            if name == "foreignobject" and names[self._skipped] == "svg":
                self._foreign.append(self._skipped)
                self._skipped = -1
                told = FOREIGN
            else:
                self._leave(name)
        if self._skipped < 0:
            self._has_math |= name == "math"
            if name == "template" or (name == "span" and self._has_math):
                told = told_as(name, attributes)
            if told in SKIPPED:
                self._skipped = len(names)
        names.append(told if told == FOREIGN else name)
        if self._ended and name == "title":
            told = OTHER_TITLE
        for observer in self._told:
            observer.start(told, attributes)

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

    def end(self, _name: str) -> None:
        name = self._open.pop()
        if not name:
            self._ended -= 1
            return
        if self._skipped == len(self._open):
            self._skipped = -1
        elif self._sheltered == len(self._open):
            self._sheltered = -1
        if name == FOREIGN:
            self._skipped = self._foreign.pop()
        for told in self._told:
            told.end(name)

    def data(self, text: str) -> None:
        if text := self._target.visible(text):
            for told in self._told:
                told.data(text)

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None
    ) -> None:
        for observer in self._observers:
            observer.doctype(name, public_id, system)

    def close(self) -> None:
        self._begin_page()
        try:
            self._target.close()
        finally:
            for observer in self._observers:
                observer.finish(self._target.page)
