"""Pages to their kept texts, as a store and an index have them: one, or any number in workers.

Workers take batches of pages, in order and in bounded memory. If a process dies at a batch, or
takes too long at a page, the batch is cleaned again page by page: this finds the page, which costs
no other.
"""

import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.rules import STRUCTURE, Rule
from boilersweep.cleaners.selection import (
    Cleaner,
    ExtractorBlocks,
    PageText,
    needs_of,
    select,
    text_of_a_page,
    texts_within,
)
from boilersweep.cleaning.markdown import markdown
from boilersweep.collection.format import Reason
from boilersweep.errors import PageError, UsageError, reason_of
from boilersweep.extractors.registry import Extractor, extracted
from boilersweep.outputs.streams import read_input
from boilersweep.pages.columns import BlockColumns, packed_columns
from boilersweep.pages.limits import Deadline, Limits
from boilersweep.pages.page import Page, PageStructure, pack
from boilersweep.pages.stray_characters import utf8
from boilersweep.segmenting.cutting import CutPage, Cutter, UncutError
from boilersweep.work.processes import Watch
from boilersweep.work.worker_pool import Death, WorkerPool


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
        name: "text" or "markdown".
        images: Whether to write images into the Markdown.
    """

    name: str = "text"
    images: bool = False

    def __post_init__(self) -> None:
        if self.name not in ("text", "markdown"):
            raise UsageError(f"format: expected text or markdown, got {self.name!r}")


# Pages, each with the texts that stand for blocks of it, by name.
_CutPages = list[tuple[CutPage, dict[str, str]]]


def text_of(extractor: Extractor, utf8: bytes, watch: Watch | None = None) -> str:
    """Return what `extracted` takes from a page in UTF-8; "" of a blank page."""
    return extracted(extractor, utf8.decode("utf-8", "replace"), watch) if utf8 else ""


class PageTexts:
    """Takes the texts that stand for blocks in the rules of some cleaners."""

    def __init__(self, cleaners: Iterable[Cleaner]) -> None:
        """Find the extractors; raises UsageError for one that does not exist."""
        self._extractors = [
            find_text_cleaner(name) for name in texts_within(list(cleaners))
        ]
        self.names = [extractor.name for extractor in self._extractors]

    def of(self, utf8: bytes, watch: Watch | None = None) -> dict[str, str]:
        """Return a page's texts by name; raises PageError if an extractor fails."""
        return {e.name: text_of(e, utf8, watch) for e in self._extractors}

    def beside(
        self, columns: BlockColumns, texts: Sequence[Mapping[str, str]]
    ) -> BlockColumns:
        """Return the columns of some pages with the texts of each."""
        page_texts = {name: [of_page[name] for of_page in texts] for name in self.names}
        return replace(columns, page_texts=page_texts)


class _PageCleaner:
    """Cleans pages, some at a time; not safe to share between threads."""

    def __init__(
        self,
        cleaner: Cleaner,
        text_format: TextFormat,
        watch: Watch | None = None,
    ) -> None:
        """Prepare to clean.

        Args:
            cleaner: What to keep. With Markdown, an extractor keeps the blocks that its text
                contains.
            text_format: How kept blocks are written.
            watch: Is told of every page, of the rule's work on all pages as of one more, and of
                every call of an extractor.

        Raises:
            UsageError: The extractor does not exist, or the cleaner is not one of a single page, or
                counts some text several times.
        """
        page_cleaner = text_of_a_page(cleaner, "clean")
        if isinstance(page_cleaner, PageText) and text_format.name == "markdown":
            page_cleaner = ExtractorBlocks(page_cleaner.name)
        self._format = text_format
        self._cleaner: Rule | Extractor = (
            find_text_cleaner(page_cleaner.name)
            if isinstance(page_cleaner, PageText)
            else page_cleaner
        )
        self._page_texts = PageTexts([page_cleaner])
        self._cutter = Cutter(Limits(), structure=needs_of([page_cleaner]) >= STRUCTURE)
        self._watch = watch

    def texts(self, pages: Sequence[Html | PageError]) -> list[str | PageError]:
        """Return the kept text of each page, or the reason why there is none."""
        cleaner = self._cleaner
        if isinstance(cleaner, Extractor):
            return [
                self._cut(page, lambda cut: text_of(cleaner, cut.utf8, self._watch))
                for page in pages
            ]
        cut_pages = [
            self._cut(
                page, lambda cut: (cut, self._page_texts.of(cut.utf8, self._watch))
            )
            for page in pages
        ]
        self._begin()
        kept = iter(
            self._kept(cleaner, [p for p in cut_pages if not isinstance(p, PageError)])
        )
        return [
            page if isinstance(page, PageError) else next(kept) for page in cut_pages
        ]

    def _cut(
        self, html: Html | PageError, use: Callable[[CutPage], _Result]
    ) -> _Result | PageError:
        if isinstance(html, PageError):
            return html
        self._begin()
        try:
            return use(cut_page(html, self._cutter))
        except PageError as error:
            return error

    def _begin(self) -> None:
        if self._watch:
            self._watch.begin(0, 0)

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
                if self._format.name == "markdown":
                    start, end = columns.starts[
                        kept.document : kept.document + 2
                    ].tolist()
                    mask = np.isin(np.arange(start, end), kept.blocks).tolist()
                    texts[kept.document] = self._markdown(pages[kept.document][0], mask)
        except MemoryError:
            if len(pages) == 1:
                return [
                    PageError(
                        f"not enough memory for a page of {packed[0].count:,} blocks"
                    )
                ]
            return [text for page in pages for text in self._kept(rule, [page])]
        return texts

    def _markdown(self, cut: CutPage, kept: Sequence[bool]) -> str | PageError:
        deadline = Deadline(Limits().seconds)
        try:
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
    format: Literal["text", "markdown"] = "text",  # noqa: A002
    images: bool = False,
) -> str:
    """Return the text that a cleaner keeps of a page; "" if it keeps nothing.

    The text is identical, character for character, to what an index of the page contains. Safe to
    call from several threads.

    Args:
        html: The original bytes, whose charset is found as in a collection without HTTP headers; or
            text; or the Path of its file. Bytes may also be a bytearray or memoryview, and both the
            scalar of an Arrow array.
        cleaner: A rule such as `words>=11`, a cleaner's name such as `learned`, an extractor's name
            such as `trafilatura`, or what `parse_cleaner` returns.
        format: "text" for one block per line; "markdown" for the same blocks with headings, lists,
            tables, code, quotations, links and emphasis.
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
    format: Literal["text", "markdown"] = "text",  # noqa: A002
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
    with WorkerPool[_Job](
        _work,
        cleaner,
        text_format,
        workers=workers,
        seconds=limits.seconds,
        worker_bytes=limits.worker_bytes,
        advice="take fewer workers",
        imported=True,
    ) as pool:
        queue = _Queue(batches, _AHEAD * workers)
        for job, outcome in pool.run(queue.next):
            yield from queue.take(job, outcome)


@dataclass(slots=True)
class _Job:
    """Some pages; `first` is the number of the first one among all pages."""

    first: int
    pages: Sequence[Html | PageError]


class _Queue:
    """The pages that were read and not yet given back, in at most `most` batches."""

    def __init__(
        self, batches: Iterator[Sequence[Html | PageError]], most: int
    ) -> None:
        self._batches = batches
        self._most = most
        self._jobs: deque[_Job] = deque()
        # Of each batch in memory, the number behind its last page
        self._ends: deque[int] = deque()
        self._texts: dict[int, str | PageError] = {}
        self._read = self._given_back = 0

    def next(self, _busy: int) -> _Job | None:
        """Return the next job; a batch is read for it if there is room."""
        if not self._jobs and len(self._ends) < self._most:
            for pages in islice(self._batches, 1):
                self._jobs.append(_Job(self._read, pages))
                self._read += len(pages)
                self._ends.append(self._read)
        return self._jobs.popleft() if self._jobs else None

    def take(
        self, job: _Job, outcome: Sequence[str | PageError] | Death
    ) -> Iterator[str | PageError]:
        """Keep a job's texts, and yield those that are next in order.

        After a death the job is split into its pages; a single page is given up.
        """
        if isinstance(outcome, Death) and len(job.pages) > 1:
            numbers = range(len(job.pages) - 1, -1, -1)
            self._jobs.extendleft(
                _Job(job.first + n, job.pages[n : n + 1]) for n in numbers
            )
            return
        if isinstance(outcome, Death):
            reason = Reason.OVER_TIME if outcome.over_time else Reason.CRASHED
            outcome = [
                PageError(f"the page cannot be cleaned, {reason}: {outcome.detail}")
            ]
        self._texts.update(enumerate(outcome, job.first))
        while self._given_back in self._texts:
            text = self._texts.pop(self._given_back)
            self._given_back += 1
            if self._ends[0] == self._given_back:
                self._ends.popleft()
            yield text


def _work(
    watch: Watch, cleaner: Cleaner, text_format: TextFormat
) -> Callable[[_Job], list[str | PageError]]:
    """Return what cleans one job after the other in a worker process."""
    page_cleaner = _PageCleaner(cleaner, text_format, watch)
    return lambda job: page_cleaner.texts(job.pages)
