"""Pages to their kept texts, as a store and an index have them: one, or any number in workers.

Workers take batches of pages, in order and in bounded memory. If a process dies at a page, or takes
too long at it, the batch is cleaned again; a page that costs a second process is a `PageError`.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import (
    Cleaner,
    ExtractorBlocks,
    PageText,
    needs_of,
    select,
    text_of_a_page,
    texts_within,
)
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.cleaning.kept_html import kept_html
from boilersweep.cleaning.markdown import markdown
from boilersweep.collection.cutting import CutPage, Cutter, UncutError
from boilersweep.collection.format import Reason
from boilersweep.errors import PageError, UsageError, reason_of
from boilersweep.extractors.registry import Extractor, extracted
from boilersweep.outputs.streams import read_input
from boilersweep.pages.columns import STRUCTURE, BlockColumns, packed_columns
from boilersweep.pages.limits import Deadline, Limits
from boilersweep.pages.page import Page, PageStructure, pack
from boilersweep.pages.stray_characters import utf8
from boilersweep.work.pool import DeadRecord, Pool, PoolOptions
from boilersweep.work.processes import HERE, preload


class ArrowScalar(Protocol):
    """A scalar of an Arrow array."""

    def as_py(self) -> Any:
        """Return it as Python has it."""


# A page's HTML: its original bytes, the text that they encode, or the file that has them.
Html = bytes | bytearray | memoryview | str | Path | ArrowScalar

_LONGEST_NAME = 4096
_ADDRESS = re.compile(r"https?://\S+")

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How kept blocks are written; raises UsageError for an unknown name.

    Attributes:
        name: "text", "markdown" or "html".
        images: Whether to write images into the Markdown.
    """

    name: str = "text"
    images: bool = False

    def __post_init__(self) -> None:
        if self.name not in ("text", "markdown", "html"):
            raise UsageError(
                f"format: expected text, markdown or html, got {self.name!r}"
            )


# Pages, each with the texts that stand for blocks of it, by name.
_CutPages = list[tuple[CutPage, dict[str, str]]]


def text_of(extractor: Extractor, utf8: bytes) -> str:
    """Return what `extracted` takes from a page in UTF-8; "" of a blank page."""
    return extracted(extractor, utf8.decode("utf-8", "replace")) if utf8 else ""


class PageTexts:
    """Takes the texts that stand for blocks in the rules of some cleaners."""

    def __init__(self, cleaners: Iterable[Cleaner]) -> None:
        """Find the extractors; raises UsageError for one that does not exist."""
        self._extractors = [
            find_text_cleaner(name) for name in texts_within(list(cleaners))
        ]
        self.names = [extractor.name for extractor in self._extractors]

    def of(self, utf8: bytes) -> dict[str, str]:
        """Return a page's texts by name; raises PageError if an extractor fails."""
        return {e.name: text_of(e, utf8) for e in self._extractors}

    def beside(
        self, columns: BlockColumns, texts: Sequence[Mapping[str, str]]
    ) -> BlockColumns:
        """Return the columns of some pages with the texts of each."""
        page_texts = {name: [of_page[name] for of_page in texts] for name in self.names}
        return replace(columns, page_texts=page_texts)


class _PageCleaner:
    """Cleans pages, some at a time; not safe to share between threads."""

    def __init__(self, cleaner: Cleaner, text_format: TextFormat) -> None:
        """Prepare to clean.

        Args:
            cleaner: What to keep. With markup, an extractor keeps the blocks that its text
                contains.
            text_format: How kept blocks are written.

        Raises:
            UsageError: The extractor does not exist, or the cleaner is not one of a single page, or
                counts some text several times.
        """
        page_cleaner = text_of_a_page(cleaner, "clean")
        if isinstance(page_cleaner, PageText) and text_format.name != "text":
            page_cleaner = ExtractorBlocks(page_cleaner.name)
        self._format = text_format
        self._cleaner: Rule | Extractor = (
            find_text_cleaner(page_cleaner.name)
            if isinstance(page_cleaner, PageText)
            else page_cleaner
        )
        self._page_texts = PageTexts([page_cleaner])
        self._cutter = Cutter(Limits(), structure=needs_of([page_cleaner]) >= STRUCTURE)

    def texts(
        self, pages: Sequence[Html | PageError], *, together: bool = True
    ) -> list[str | PageError]:
        """Return the kept text of each page, or the reason why there is none.

        Args:
            pages: The pages. `HERE` is told of each, and of a rule's work on all as of one more.
            together: Whether a rule may work on all pages at once.
        """
        cleaner = self._cleaner
        if isinstance(cleaner, Extractor):
            return [
                self._cut(index, page, lambda cut: text_of(cleaner, cut.utf8))
                for index, page in enumerate(pages)
            ]
        cut_pages = [
            self._cut(index, page, lambda cut: (cut, self._page_texts.of(cut.utf8)))
            for index, page in enumerate(pages)
        ]
        if not together:
            return [
                page
                if isinstance(page, PageError)
                else self._alone(index, cleaner, page)
                for index, page in enumerate(cut_pages)
            ]
        HERE.begin(0, len(pages))
        kept = iter(
            self._kept(cleaner, [p for p in cut_pages if not isinstance(p, PageError)])
        )
        return [
            page if isinstance(page, PageError) else next(kept) for page in cut_pages
        ]

    def _cut(
        self, number: int, html: Html | PageError, use: Callable[[CutPage], _Result]
    ) -> _Result | PageError:
        if isinstance(html, PageError):
            return html
        HERE.begin(0, number)
        try:
            return use(cut_page(html, self._cutter))
        except PageError as error:
            return error

    def _alone(
        self, number: int, rule: Rule, page: tuple[CutPage, dict[str, str]]
    ) -> str | PageError:
        HERE.begin(0, number)
        return self._kept(rule, [page])[0]

    def _kept(self, rule: Rule, pages: _CutPages) -> list[str | PageError]:
        texts: list[str | PageError] = [""] * len(pages)
        packed = [cut.packed for cut, _ in pages]
        try:
            columns = packed_columns([""] * len(pages), packed)
            columns = self._page_texts.beside(
                columns, [page_texts for _, page_texts in pages]
            )
            for kept in select(columns, [rule]).kept(0):
                texts[kept.document] = kept.text
                if self._format.name != "text":
                    start, end = columns.starts[
                        kept.document : kept.document + 2
                    ].tolist()
                    mask = np.isin(np.arange(start, end), kept.blocks).tolist()
                    texts[kept.document] = self._marked_up(
                        pages[kept.document][0], mask
                    )
        except MemoryError:
            if len(pages) == 1:
                return [
                    PageError(
                        f"not enough memory for a page of {packed[0].count:,} blocks"
                    )
                ]
            return [text for page in pages for text in self._kept(rule, [page])]
        return texts

    def _marked_up(self, cut: CutPage, kept: Sequence[bool]) -> str | PageError:
        deadline = Deadline(Limits().seconds)
        try:
            if self._format.name == "html":
                return kept_html(cut.utf8, kept, deadline=deadline)
            return markdown(
                cut.utf8, kept, images=self._format.images, deadline=deadline
            )
        except PageError as error:
            return error


def _as_html(page: object) -> bytes | str | Path:
    """Return a page as bytes, text or a path, the scalar of an Arrow array as what it holds.

    Raises:
        UsageError: The object is no page.
    """
    if as_py := getattr(page, "as_py", None):
        page = as_py()
    if isinstance(page, bytearray | memoryview):
        return bytes(page)
    if not isinstance(page, bytes | str | Path):
        raise UsageError(
            "expected a page's HTML as bytes or text, or its file as a Path, got "
            f"{'None' if page is None else type(page).__name__}"
        )
    return page


def cut_page(html: Html, cutter: Cutter | None = None) -> CutPage:
    """Cut a page into blocks, a blank page into none.

    Args:
        html: The page.
        cutter: None for one with the usual limits that records the structure.

    Raises:
        PageError: The page exceeds a limit, cannot be parsed, or its file cannot be read.
        UsageError: The object is no page.
    """
    cutter = cutter or Cutter(Limits())
    html = _as_html(html)
    if isinstance(html, Path):
        path = html
        try:
            html = read_input(path)
        except (OSError, ValueError) as error:
            raise PageError(f"cannot read {path}: {reason_of(error)}") from error
    elif isinstance(html, str):
        _warn_of_a_name(html)
    charset = "utf-8" if isinstance(html, str) else None
    body = utf8(html) if isinstance(html, str) else html
    if not body or body.isspace():
        return CutPage(b"", charset or "utf-8", pack(Page(structure=PageStructure())))
    try:
        return cutter.cut(body, charset)
    except UncutError as error:
        raise PageError(f"the page cannot be cut, {error}") from error


def _warn_of_a_name(html: str) -> None:
    """Warn where a page looks like an address, or like the name of a file that exists."""
    name = html.strip()
    if "<" in name or "\n" in name or not 0 < len(name) < _LONGEST_NAME:
        return
    if _ADDRESS.fullmatch(name):
        advice = "is an address; boilersweep fetches nothing: give the page's content"
    elif _is_file(name):
        advice = "is the name of a file; give its content, or pathlib.Path of it"
    else:
        return
    warnings.warn(f"expected a page's HTML, but {name[:200]!r} {advice}", stacklevel=4)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


_PAGES_AT_A_TIME = 100
_BYTES_AT_A_TIME = 8 * 2**20
_AHEAD = 2  # batches for each worker that are read and not yet given back


def clean(
    html: Html,
    cleaner: Cleaner | str = "learned",
    *,
    format: Literal["text", "markdown", "html"] = "text",  # noqa: A002
    images: bool = False,
) -> str:
    """Return the text that a cleaner keeps of a page; "" if it keeps nothing.

    The text is identical, character for character, to what an index stores of the page, but for
    the title. Safe to call from several threads.

    Args:
        html: The original bytes, whose charset is found as in a collection without HTTP headers; or
            text; or the Path of its file. Bytes may also be a bytearray or memoryview, and both the
            scalar of an Arrow array.
        cleaner: A rule such as `words>=11`, a cleaner's name such as `learned`, an extractor's name
            such as `trafilatura`, or what `parse_cleaner` returns.
        format: "text" for one block per line; "markdown" for the same blocks with headings, lists,
            tables, code, quotations, links and emphasis; "html" for them in their elements, without
            scripts, handlers and addresses that load.
        images: Whether to write images into the Markdown.

    Raises:
        PageError: The page exceeds a limit, cannot be parsed, or makes an extractor fail.
        UsageError: The cleaner does not exist.
    """
    text_format = TextFormat(format, images)
    (text,) = _PageCleaner(as_cleaner(cleaner), text_format).texts([html])
    if isinstance(text, PageError):
        raise text
    return text


def clean_many(
    pages: Iterable[Html | None],
    cleaner: Cleaner | str = "learned",
    *,
    format: Literal["text", "markdown", "html"] = "text",  # noqa: A002
    images: bool = False,
    workers: int = 1,
) -> Iterator[str | PageError]:
    """Yield for every page in order what `clean` returns, or the PageError that it raises.

    Pages are read and cleaned by the hundred (of large ones fewer), as `learned` takes up to twice
    as long for a page alone. In memory are the pages that the workers clean, and as many again.

    Args:
        pages: As `clean` takes them; an object that is no page, such as None, is a PageError.
        cleaner: As `clean` takes it.
        format: As `clean` takes it.
        images: As `clean` takes it.
        workers: The most processes; they start when pages wait for them. With more than one, a page
            that crashes its process or takes more than 60 seconds is a PageError, too.

    Raises:
        UsageError: At once, if the cleaner does not exist.
    """
    if isinstance(pages, bytes | bytearray | memoryview | str) or not isinstance(
        pages, Iterable
    ):
        raise UsageError(
            f"expected an iterable of pages, such as a list, got {type(pages).__name__}"
        )
    if not isinstance(workers, Integral) or workers < 1:
        raise UsageError(
            f"workers: expected a whole number of at least 1, got {workers!r}"
        )
    cleaner = as_cleaner(cleaner)
    text_format = TextFormat(format, images)
    here = _PageCleaner(cleaner, text_format)
    if workers == 1:
        return chain.from_iterable(map(here.texts, _batches(pages)))
    return _by_workers(_batches(pages), cleaner, workers, text_format)


def _batches(pages: Iterable[Html | None]) -> Iterator[list[Html | PageError]]:
    batch: list[Html | PageError] = []
    size = 0
    for page in pages:
        try:
            html = _as_html(page)
        except UsageError as error:  # of one of perhaps a million pages
            batch.append(PageError(str(error)))
        else:
            batch.append(html)
            size += 0 if isinstance(html, Path) else len(html)
        if len(batch) == _PAGES_AT_A_TIME or size >= _BYTES_AT_A_TIME:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _by_workers(
    batches: Iterator[Sequence[Html | PageError]],
    cleaner: Cleaner,
    workers: int,
    text_format: TextFormat,
) -> Iterator[str | PageError]:
    """Yield what `_PageCleaner.texts` gives of every page; the processes end with the iterator.

    A page at which a process dies or takes too long is a PageError.
    """
    limits = Limits()
    options = PoolOptions(
        seconds=limits.seconds,
        worker_bytes=limits.worker_bytes,
        advice="take fewer workers",
    )
    preload(__name__)
    reading = _Reading(batches, _AHEAD * workers)
    with Pool[_Batch, list[str | PageError]](
        _work, cleaner, text_format, workers=workers, options=options
    ) as pool:
        for (number, _), texts in pool.run(reading.next):
            yield from reading.take(number, texts)


# The number of some pages that are next to each other, and they.
_Batch = tuple[int, Sequence[Html | PageError]]


class _Reading:
    """The batches that were read and not yet given back, `most` at most."""

    def __init__(
        self, batches: Iterator[Sequence[Html | PageError]], most: int
    ) -> None:
        self._batches = enumerate(batches)
        self._most = most
        self._texts: dict[int, Sequence[str | PageError]] = {}
        self._read = self._given_back = 0

    def next(self) -> _Batch | None:
        """Return the next batch if there is room and more to read."""
        if self._read - self._given_back == self._most:
            return None
        batch = next(self._batches, None)
        self._read += batch is not None
        return batch

    def take(
        self, number: int, texts: Sequence[str | PageError]
    ) -> Iterator[str | PageError]:
        """Keep a batch's texts, and yield those that are next in order."""
        self._texts[number] = texts
        while self._given_back in self._texts:
            yield from self._texts.pop(self._given_back)
            self._given_back += 1


def _work(
    cleaner: Cleaner, text_format: TextFormat
) -> Callable[[_Batch, Sequence[DeadRecord]], list[str | PageError]]:
    """Return what cleans one batch after the other in a worker process."""
    page_cleaner = _PageCleaner(cleaner, text_format)

    def texts(batch: _Batch, losses: Sequence[DeadRecord]) -> list[str | PageError]:
        pages = list(batch[1])
        together = len(pages)  # the place of a rule's work on all pages
        for loss in losses:
            reason = Reason.OVER_TIME if loss.over_time else Reason.CRASHED
            error = PageError(f"the page cannot be cleaned, {reason}: {loss.detail}")
            if loss.record is None:
                return [error] * len(pages)
            if loss.record < together:
                pages[loss.record] = error
        at_once = together not in [loss.record for loss in losses]
        return page_cleaner.texts(pages, together=at_once)

    return texts
