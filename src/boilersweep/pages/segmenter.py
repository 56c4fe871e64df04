"""Cut pages into text blocks: character data between the tags of block elements.

Source: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, sections 3 and 4.1; their blocks end at every
tag other than A (`borders="paper"`). lxml's parser calls a target for every tag and text as it
goes, so no tree is built, and text is kept at any depth and behind `</html>`.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate, compress, groupby
from typing import Any, TypeVar, cast

from lxml import etree

from boilersweep.pages.elements import (
    FOREIGN,
    HEADINGS,
    RUNNING,
    Borders,
    Role,
    Roles,
    roles_of,
)
from boilersweep.pages.page import PackedPage, Page, Recorder, TooManyBlocksError, pack
from boilersweep.pages.repairs import Observer, Repairs, close_unclosed, with_breaks
from boilersweep.pages.stray_characters import Visible, as_shown, composed
from boilersweep.pages.words import (
    gaps_in_words,
    has_unspaced,
    is_word,
    text_density,
)

_NOSCRIPT = re.compile(rb"<(/?)noscript(?=[\s>/])", re.IGNORECASE)
# A page of fewer words may have its text in noscript alone, as forums drawn by scripts do.
_FEW_WORDS = 200

_TOKEN = re.compile(r"\S+")
_CODE = "pre"
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
        self._borders = borders
        self._structure = structure
        self._observers = observers
        self._page_type = page_type

    @cached_property
    def _reader(self) -> tuple["_BlockTarget", Repairs, etree.HTMLParser]:
        """What reads pages: made for the first, which the compiled segmenter seldom leaves."""
        roles = roles_of(self._borders)
        observers = [*self._observers]
        if self._structure:
            observers.append(Recorder(roles, self._most))
        target = _BlockTarget(roles, self._most, observers, self._page_type)
        repairs = Repairs(target, observers, roles if self._as_shown else None)
        parser = etree.HTMLParser(
            encoding="utf-8",
            huge_tree=True,
            collect_ids=False,
            target=cast(Any, repairs),
        )
        return target, repairs, parser

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
        target, repairs, parser = self._reader
        repairs.begin_page(utf8)
        try:
            etree.fromstring(with_breaks(close_unclosed(utf8)), parser)
        except etree.ParseError as error:
            raise ValueError(str(error)) from error
        page: Page = target.page
        return page

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
    texts_of_block: list[str] = []
    for is_mark, some in groupby(pieces, _LINK_MARKS.__contains__):
        texts = list(some)
        texts_of_block += texts if is_mark else [composed("".join(texts))]
    return texts_of_block


def unbroken(pieces: list[str]) -> list[str]:
    """Return text pieces and link marks without line breaks within words (`gaps_in_words`)."""
    whole = "".join(piece for piece in pieces if piece not in _LINK_MARKS)
    gaps = gaps_in_words(whole)
    if not gaps:
        return pieces
    kept = bytearray(b"\1") * len(whole)
    for start, end in gaps:
        kept[start:end] = bytes(end - start)
    unbroken: list[str] = []
    place = 0
    for piece in pieces:
        if piece in _LINK_MARKS:
            unbroken.append(piece)
        else:
            end = place + len(piece)
            unbroken.append("".join(compress(piece, kept[place:end])))
            place = end
    return unbroken


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
        # Since the last text: an item has ended, another one has begun behind it, and a link has
        # begun or ended
        self._item_ended = self._item_begun = self._passed_link = False
        self._mixed = False
        self._link_depth = 0
        self._link_depth_at_start = 0
        self._visible = Visible()

    def _flush(self) -> None:
        pieces = self._pieces
        self._visible = Visible()
        start = self._link_depth_at_start
        if self._mixed:
            parts = self._shown(_composed(pieces)) if self._as_shown else pieces
            kept = _add_mixed_block(self._page, self._unspaced, parts, start, self._tag)
            self._mixed = False
        else:
            text = pieces[0] if len(pieces) == 1 else "".join(pieces)
            text = self._shown([composed(text)])[0] if self._as_shown else text
            kept = _add_block(self._page, self._unspaced, text, start > 0, self._tag)
        pieces.clear()
        self._link_depth_at_start = self._link_depth
        if len(self._page.texts) > self._most:
            raise TooManyBlocksError(self._most)
        for observer in self._observers:
            observer.block(kept)

    def _shown(self, pieces: list[str]) -> list[str]:
        """Leave out line breaks within words of scripts without spaces, but in code."""
        return pieces if self._tag == _CODE else unbroken(pieces)

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
        self._passed_link = True
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
            self._item_ended = self._item_begun = self._passed_link = False
            if self._pieces or not text.isspace():
                self._pieces.append(text)
        elif self._in_title:
            self._title.append(text)

    def _part_items(self, text: str) -> None:
        """Separate a text that begins an item from the item before, if both touch by letters."""
        touching = (self._last[-1], text[0])
        if self._is_spelt(text):
            return
        if (
            all(c.isalnum() or c > "\x7f" for c in touching)
            and self._tag not in RUNNING
        ):
            self._pieces.append(" ")
            for observer in self._observers:
                observer.data(" ")

    def _is_spelt(self, text: str) -> bool:
        """Return whether a heading is spelt by elements of one letter each, as a decoration."""
        is_letter = len(self._last) == len(text) == 1
        return is_letter and self._tag in HEADINGS and not self._passed_link

    def close(self) -> None:
        page = self._page
        try:
            if self._pieces:
                self._flush()
            page.count_unspaced(self._unspaced)
        finally:
            title = "".join(self._title)
            if self._as_shown:
                [title] = unbroken([as_shown(title)])
            page.title = " ".join(title.split())
            self._begin_page()
            self.page = page
