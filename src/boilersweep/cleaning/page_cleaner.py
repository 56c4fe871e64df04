"""Some pages cleaned together, with the texts that a block store and an index of it would have."""

from collections.abc import Sequence
from contextlib import nullcontext

from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.rules import STRUCTURE, Rule
from boilersweep.cleaners.selection import Cleaner, PageText, needs_of, select
from boilersweep.collection.fields import without_surrogates
from boilersweep.errors import PageError, UsageError
from boilersweep.extractors.registry import Extractor
from boilersweep.pages.columns import columns_of
from boilersweep.pages.page import Page
from boilersweep.pages.structure import PageStructure
from boilersweep.segmenting.cutting import CutPage, Cutter, UncutError
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.watch import Watch

Html = bytes | str
"""A page's HTML: its original bytes, or what they were decoded to."""


class PageCleaner:
    """Cleans pages, some at a time; not safe to share between threads.

    watch: is told of every page that is begun, of the rule's work on all of them as of one more,
    and of every call of an extractor.
    Raises UsageError for an extractor that there is not.
    """

    def __init__(self, cleaner: Cleaner, limits: Limits, watch: Watch | None = None) -> None:
        self._cleaner: Rule | Extractor = (
            find_text_cleaner(cleaner.name) if isinstance(cleaner, PageText) else cleaner
        )
        self._cutter = Cutter(limits, structure=needs_of([cleaner]) >= STRUCTURE)
        self._watch = watch

    def texts(self, pages: Sequence[Html]) -> list[str | PageError]:
        """The kept text of each page, one block per line, or why it has none."""
        if isinstance(self._cleaner, Extractor):
            return [self._extracted(self._cleaner, page) for page in pages]
        found = [self._cut(page) for page in pages]
        cut = [one.page for one in found if isinstance(one, CutPage)]
        self._begin()
        kept = iter(_kept(self._cleaner, cut))
        return [one if isinstance(one, PageError) else next(kept) for one in found]

    def _extracted(self, extractor: Extractor, html: Html) -> str | PageError:
        cut = self._cut(html)
        if isinstance(cut, PageError) or not cut.utf8:
            return cut if isinstance(cut, PageError) else ""
        try:
            with self._watch.call() if self._watch else nullcontext():
                return extractor.text(cut.utf8.decode("utf-8", "replace"))
        except Exception as error:  # foreign code, which raises what it likes
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            return PageError(f"{extractor.name} failed on the page ({said})")

    def _cut(self, html: Html) -> CutPage | PageError:
        self._begin()
        try:
            return cut_page(html, self._cutter)
        except PageError as error:
            return error

    def _begin(self) -> None:
        if self._watch:
            self._watch.begin(0, 0)


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
    body = without_surrogates(html).encode() if isinstance(html, str) else html
    if not body or body.isspace():
        return CutPage(b"", charset or "utf-8", Page(structure=PageStructure()))
    try:
        return cutter.cut(body, charset)
    except UncutError as error:
        raise PageError(f"the page cannot be cut, {error}") from error


def _kept(rule: Rule, pages: Sequence[Page]) -> list[str | PageError]:
    texts: list[str | PageError] = [""] * len(pages)
    try:
        for one in select(columns_of([""] * len(pages), pages), [rule]).kept(0):
            texts[one.document] = one.text
    except MemoryError:
        if len(pages) == 1:
            return [PageError(f"not enough memory for a page of {len(pages[0]):,} blocks")]
        return [text for page in pages for text in _kept(rule, [page])]
    return texts
