"""Batches of pages cleaned by worker processes, in order, in bounded memory.

If a process dies at a batch, or takes too long at a page, the batch is cleaned again page by page:
this finds the page, which costs no other.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.page_cleaner import TEXT, Html, PageCleaner, TextFormat
from boilersweep.collection.record import Reason
from boilersweep.errors import PageError
from boilersweep.segmenting.limits import Limits
from boilersweep.work.watch import Watch
from boilersweep.work.worker_pool import Death, WorkerPool

_AHEAD = 2  # batches for each worker that are read and not yet given back


def cleaned_by_workers(
    batches: Iterator[Sequence[Html]],
    cleaner: Cleaner,
    limits: Limits,
    workers: int,
    text_format: TextFormat = TEXT,
) -> Iterator[str | PageError]:
    """Yield for every page in order what `PageCleaner.texts` gives of it.

    The processes end with the iterator.

    Args:
        batches: The pages, some at a time; a batch is read when a process can take it.
        cleaner: What to keep.
        limits: What one page may cost.
        workers: The most processes.
        text_format: How kept blocks are written.

    Yields:
        The kept text, or a PageError, also for a page at which a process dies or takes too long.

    Raises:
        BoilersweepError: The processes cannot be started.
    """
    with WorkerPool[_Job](
        _work,
        cleaner,
        limits,
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
    pages: Sequence[Html]


class _Queue:
    """The pages that were read and not yet given back, in at most `most` batches."""

    def __init__(self, batches: Iterator[Sequence[Html]], most: int) -> None:
        self._batches = batches
        self._most = most
        self._jobs: deque[_Job] = deque()
        self._ends: deque[int] = deque()  # of each batch in memory, the number behind its last page
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
            self._jobs.extendleft(_Job(job.first + n, job.pages[n : n + 1]) for n in numbers)
            return
        if isinstance(outcome, Death):
            reason = Reason.OVER_TIME if outcome.over_time else Reason.CRASHED
            outcome = [PageError(f"the page cannot be cleaned, {reason}: {outcome.detail}")]
        self._texts.update(enumerate(outcome, job.first))
        while self._given_back in self._texts:
            text = self._texts.pop(self._given_back)
            self._given_back += 1
            if self._ends[0] == self._given_back:
                self._ends.popleft()
            yield text


def _work(
    watch: Watch, cleaner: Cleaner, limits: Limits, text_format: TextFormat
) -> Callable[[_Job], list[str | PageError]]:
    """Return what cleans one job after the other in a worker process."""
    page_cleaner = PageCleaner(cleaner, limits, watch, text_format)
    return lambda job: page_cleaner.texts(job.pages)
