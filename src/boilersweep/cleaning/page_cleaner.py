"""Some pages cleaned together, with the texts that a block store and an index of it would have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.extractor_blocks import ExtractorBlocks
from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.rules import STRUCTURE, Rule
from boilersweep.cleaners.selection import Cleaner, PageText, needs_of, select, text_of_a_page
from boilersweep.cleaning.markdown import markdown
from boilersweep.cleaning.page_texts import PageTexts, extracted
from boilersweep.collection.fields import utf8
from boilersweep.errors import PageError, UsageError
from boilersweep.extractors.registry import Extractor
from boilersweep.pages.columns import packed_columns
from boilersweep.pages.packed import PackedPage, pack
from boilersweep.pages.page import Page
from boilersweep.pages.structure import PageStructure
from boilersweep.segmenting.cutting import CutPage, Cutter, UncutError
from boilersweep.segmenting.limits import Limits
from boilersweep.work.watch import Watch

Html = bytes | str
"""A page's HTML: its original bytes, or what they were decoded to."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How kept blocks are written. name: "text" or "markdown". images: in Markdown.

    Raises UsageError for another name.
    """

    name: str = "text"
    images: bool = False

    def __post_init__(self) -> None:
        if self.name not in ("text", "markdown"):
            raise UsageError(f"format: expected text or markdown, got {self.name!r}")


TEXT = TextFormat()
"""One block per line."""


@dataclass(frozen=True, slots=True)
class _ReadPage:
    """A page cut. texts: those that stand for blocks of it, by name. utf8: its HTML."""

    page: PackedPage
    texts: Mapping[str, str]
    utf8: bytes


class PageCleaner:
    """Cleans pages, some at a time; not safe to share between threads.

    watch: is told of every page that is begun, of the rule's work on all of them as of one more,
    and of every call of an extractor. text_format: of an extractor Markdown has the blocks that its
    text contains.
    Raises UsageError for an extractor that there is not, and for what counts some text several
    times.
    """

    def __init__(
        self,
        cleaner: Cleaner,
        limits: Limits,
        watch: Watch | None = None,
        text_format: TextFormat = TEXT,
    ) -> None:
        one = text_of_a_page(cleaner, "clean")
        if isinstance(one, PageText) and text_format.name == "markdown":
            one = ExtractorBlocks(one.name)
        self._format = text_format
        self._cleaner: Rule | Extractor = (
            find_text_cleaner(one.name) if isinstance(one, PageText) else one
        )
        self._page_texts = PageTexts([one])
        self._cutter = Cutter(limits, structure=needs_of([one]) >= STRUCTURE)
        self._watch = watch

    def texts(self, pages: Sequence[Html]) -> list[str | PageError]:
        """The kept text of each page, one block per line, or why it has none."""
        if isinstance(self._cleaner, Extractor):
            return [self._extracted(self._cleaner, page) for page in pages]
        found = [self._read(page) for page in pages]
        read = [one for one in found if not isinstance(one, PageError)]
        self._begin()
        kept = iter(self._kept(self._cleaner, read))
        return [one if isinstance(one, PageError) else next(kept) for one in found]

    def _extracted(self, extractor: Extractor, html: Html) -> str | PageError:
        try:
            return extracted(extractor, self._cut(html).utf8, self._watch)
        except PageError as error:
            return error

    def _read(self, html: Html) -> _ReadPage | PageError:
        try:
            cut = self._cut(html)
            return _ReadPage(cut.packed, self._page_texts.of(cut.utf8, self._watch), cut.utf8)
        except PageError as error:
            return error

    def _cut(self, html: Html) -> CutPage:
        self._begin()
        return cut_page(html, self._cutter)

    def _begin(self) -> None:
        if self._watch:
            self._watch.begin(0, 0)

    def _kept(self, rule: Rule, pages: Sequence[_ReadPage]) -> list[str | PageError]:
        texts: list[str | PageError] = [""] * len(pages)
        cut = [one.page for one in pages]
        try:
            columns = packed_columns([""] * len(cut), cut)
            columns = self._page_texts.beside(columns, [one.texts for one in pages])
            for one in select(columns, [rule]).kept(0):
                texts[one.document] = one.text
                if self._format.name == "markdown":
                    start, end = columns.starts[one.document : one.document + 2].tolist()
                    kept = np.isin(np.arange(start, end), one.blocks).tolist()
                    utf8, images = pages[one.document].utf8, self._format.images
                    texts[one.document] = markdown(utf8, kept, images=images)
        except MemoryError:
            if len(pages) == 1:
                return [PageError(f"not enough memory for a page of {cut[0].count:,} blocks")]
            return [text for page in pages for text in self._kept(rule, [page])]
        return texts


def require_html(page: object) -> None:
    """Raises UsageError for what is no page."""
    if not isinstance(page, Html):
        raise UsageError(f"expected a page's HTML as bytes or str, got {type(page).__name__}")


def cut_page(html: Html, cutter: Cutter | None = None) -> CutPage:
    """A page cut, a blank one into no block; raises PageError, and UsageError for no HTML.

    cutter: None for one with the usual limits that records the structure.
    """
    cutter = cutter or Cutter(Limits())
    require_html(html)
    charset = "utf-8" if isinstance(html, str) else None
    body = utf8(html) if isinstance(html, str) else html
    if not body or body.isspace():
        return CutPage(b"", charset or "utf-8", pack(Page(structure=PageStructure())))
    try:
        return cutter.cut(body, charset)
    except UncutError as error:
        raise PageError(f"the page cannot be cut, {error}") from error
