"""One page to its kept text, or any number of them, in worker processes if wanted.

Workers take batches of pages, in order and in bounded memory. If a process dies at a batch, or
takes too long at a page, the batch is cleaned again page by page: this finds the page, which costs
no other.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from typing import Literal

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.page_cleaner import (
    Html,
    PageCleaner,
    TextFormat,
    as_html,
)
from boilersweep.collection.format import Reason
from boilersweep.errors import PageError, UsageError
from boilersweep.pages.limits import Limits
from boilersweep.work.processes import Watch
from boilersweep.work.worker_pool import Death, WorkerPool

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
    (text,) = PageCleaner(as_cleaner(cleaner), text_format).texts([html])
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
    here = PageCleaner(cleaner, text_format)
    if workers == 1:
        return chain.from_iterable(map(here.texts, _batches(pages)))
    return _by_workers(_batches(pages), cleaner, workers, text_format)


def _batches(pages: Iterable[Html | None]) -> Iterator[list[Html | PageError]]:
    batch: list[Html | PageError] = []
    size = 0
    for page in pages:
        try:
            html = as_html(page)
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
    """Yield what `PageCleaner.texts` gives of every page; the processes end with the iterator.

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
    page_cleaner = PageCleaner(cleaner, text_format, watch)
    return lambda job: page_cleaner.texts(job.pages)
