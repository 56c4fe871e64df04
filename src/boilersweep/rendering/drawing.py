"""From pages to where their blocks and elements were drawn, in several browsers at a time."""

import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import accumulate, chain
from typing import Any

import numpy as np

from boilersweep.pages.boxes import COLUMNS, TYPES, Boxes, Drawn, joined, nothing
from boilersweep.pages.elements import Borders
from boilersweep.rendering.browser import Browser, RenderLimits, UndrawnError
from boilersweep.rendering.marking import MarkedPage, MarkingSegmenter
from boilersweep.work.processes import default_workers

_MATCHED = "matched"
# What the script says of a thing behind its number.
_MEASURED = tuple(name for name in COLUMNS if name != _MATCHED)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPage:
    """How one page was drawn; see `boilersweep.pages.boxes.Boxes`.

    Attributes:
        outcome: why it was not, "" where it was; then everything is unmatched and 0.
    """

    blocks: Drawn
    elements: Drawn
    rules: Drawn = field(default_factory=lambda: nothing(0))
    rule_elements: Sequence[int] = ()
    width: int = 0
    height: int = 0
    outcome: str = ""


def draw(page: MarkedPage, browser: Browser) -> DrawnPage:
    """Have a page drawn; what the browser ends on is tried once more, in a new one."""
    blocks = len(page)
    # Of a plain text the document alone.
    elements = len(page.structure.names) if page.structure else min(blocks, 1)
    try:
        try:
            answer = browser.measure(page.html, collecting())
        except UndrawnError:
            answer = browser.measure(page.html, collecting())
    except UndrawnError as error:
        return DrawnPage(nothing(blocks), nothing(elements), outcome=error.reason)
    width, height = answer["width"], answer["height"]
    drawn = _numbered(answer["elements"], elements)
    if elements:
        _set_document(drawn, width, height)
    return DrawnPage(
        blocks=_numbered(answer["blocks"], blocks),
        elements=drawn,
        rules=_things(answer["rules"]),
        rule_elements=[row[0] for row in answer["rules"]],
        width=width,
        height=height,
    )


@cache
def collecting() -> str:
    """Return the script that measures a page."""
    return (files(__package__) / "collect.js").read_text(encoding="utf-8")


def _numbered(rows: Sequence[Sequence[Any]], count: int) -> Drawn:
    """Things by their numbers; of two with one number the first of the page."""
    found = nothing(count)
    first = {row[0]: row for row in reversed(rows) if 0 <= row[0] < count}
    places = np.array(list(first), dtype=np.int64)
    some = _things(list(first.values()))
    for name in COLUMNS:
        getattr(found, name)[places] = getattr(some, name)
    return found


def _things(rows: Sequence[Sequence[Any]]) -> Drawn:
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(COLUMNS))
    table[:, 0] = 1  # in the place of the number, what is matched
    numbers = dict(zip((_MATCHED, *_MEASURED), table.T, strict=True))
    return Drawn(**{name: numbers[name].astype(TYPES[name]) for name in COLUMNS})


def _set_document(elements: Drawn, width: int, height: int) -> None:
    """Return the drawing of the document, which has no tag: as large as the page, white, shown."""
    elements.right[0], elements.bottom[0] = width, height
    elements.size[0], elements.weight[0] = 16, 400
    elements.background[0] = 0xFFFFFF
    elements.shown[0] = elements.matched[0] = True


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
        self._own = threading.local()  # of each thread: its segmenter and browser
        self._browsers: list[Browser] = []

    def __enter__(self) -> "BrowserPool":
        return self

    def __exit__(self, *_: object) -> None:
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
        return _boxes(found), [page.outcome for page in found]

    def _draw(self, utf8: bytes, texts: Sequence[str] | None, plain: bool) -> DrawnPage:
        own = self._own
        if not hasattr(own, "segmenter"):
            own.segmenter = MarkingSegmenter(borders=self._borders, structure=True)
        page = own.segmenter.plain(utf8) if plain else own.segmenter.html(utf8)
        if texts is not None and page.texts != list(texts):
            raise OtherBlocksError
        if not hasattr(own, "browser"):
            own.browser = Browser(self._limits)
            self._browsers.append(own.browser)
            own.browser.__enter__()
        return draw(page, own.browser)


def _boxes(pages: Sequence[DrawnPage]) -> Boxes:
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
