"""Browsers that draw pages at the same time, one a thread."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate, chain
from typing import Any

import numpy as np

from boilersweep.pages.boxes import Boxes, joined
from boilersweep.pages.elements import Borders
from boilersweep.rendering.browser import Browser, RenderLimits
from boilersweep.rendering.drawing import DrawnPage, draw
from boilersweep.rendering.marking import MarkingSegmenter
from boilersweep.work.processes import default_workers


class OtherBlocksError(Exception):
    """A page has not the blocks that were expected of it."""


class BrowserPool:
    """Draws pages; a context manager, whose browsers start with their first pages.

    workers: browsers, None for one per processor. borders: see `Segmenter`.
    """

    def __init__(
        self,
        workers: int | None = None,
        limits: RenderLimits | None = None,
        *,
        borders: Borders = "block",
    ) -> None:
        self.workers = workers or default_workers()
        self._limits = limits
        self._borders = borders
        self._pool = ThreadPoolExecutor(self.workers, thread_name_prefix="render")
        self._here = threading.local()
        self._browsers: list[Browser] = []

    def __enter__(self) -> "BrowserPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the browsers."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for browser in self._browsers:
            browser.close()
        self._pool.shutdown(wait=True)

    def draw(
        self, utf8: bytes, texts: Sequence[str] | None = None, *, plain: bool = False
    ) -> Future[DrawnPage]:
        """Return a page, given as UTF-8, as it will have been drawn.

        Args:
            utf8: the page.
            texts: its blocks, where they are known; the result raises OtherBlocksError where it has
                others.
            plain: it is plain text.
        """
        return self._pool.submit(self._draw, utf8, texts, plain)

    def boxes(self, pages: Sequence[bytes]) -> tuple[Boxes, list[str]]:
        """Return the boxes of some pages, and of each why it was not drawn, or ""."""
        drawings = [self.draw(utf8) for utf8 in pages]
        found = [drawing.result() for drawing in drawings]
        return boxes_of_pages(found), [page.outcome for page in found]

    def _draw(self, utf8: bytes, texts: Sequence[str] | None, plain: bool) -> DrawnPage:
        segmenter = self._own("segmenter", self._new_segmenter)
        page = segmenter.plain(utf8) if plain else segmenter.html(utf8)
        if texts is not None and page.texts != list(texts):
            raise OtherBlocksError
        return draw(page, self._own("browser", self._new_browser))

    def _own(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what a thread has of its own."""
        if not hasattr(self._here, name):
            setattr(self._here, name, make())
        return getattr(self._here, name)

    def _new_segmenter(self) -> MarkingSegmenter:
        return MarkingSegmenter(borders=self._borders, structure=True)

    def _new_browser(self) -> Browser:
        browser = Browser(self._limits)
        self._browsers.append(browser)
        return browser.__enter__()


def boxes_of_pages(pages: Sequence[DrawnPage]) -> Boxes:
    """Return the boxes of drawn pages as those of as many documents."""
    starts = [0, *accumulate(len(page.elements) for page in pages)]
    rules = [0, *accumulate(len(page.rules) for page in pages)]
    elements = chain.from_iterable(
        (start + number for number in page.rule_elements)
        for start, page in zip(starts, pages, strict=False)
    )
    return Boxes(
        blocks=joined([page.blocks for page in pages]),
        elements=joined([page.elements for page in pages]),
        rules=joined([page.rules for page in pages]),
        rule_starts=np.array(rules, dtype=np.int64),
        rule_elements=np.array(list(elements), dtype=np.int64),
        widths=np.array([page.width for page in pages], dtype=np.int64),
        heights=np.array([page.height for page in pages], dtype=np.int64),
    )
