"""Batches of pages cleaned by worker processes, in order, in bounded memory.

If a process dies at a batch, or is too long at a page, the batch is cleaned again page by page: so
the page is found, and costs no other.
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

Texts = list[str | PageError]

_AHEAD = 2  # batches for each worker that are read and not yet given back


def cleaned_by_workers(
    batches: Iterator[Sequence[Html]],
    cleaner: Cleaner,
    limits: Limits,
    workers: int,
    text_format: TextFormat = TEXT,
) -> Iterator[Texts]:
    """For every batch in order what `PageCleaner.texts` gives of it.

    A page at which a process dies, or that takes longer than it may, is a PageError. The processes
    end with the iterator. Raises BoilersweepError where they cannot be started.
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
            queue.take(job, outcome)
            yield from queue.finished()


@dataclass(slots=True)
class _Job:
    """Some pages of a batch. first: the number of their first one in the batch."""

    batch: int
    first: int
    pages: Sequence[Html]


class _Queue:
    """The batches from being read to being given back. most: batches in memory."""

    def __init__(self, batches: Iterator[Sequence[Html]], most: int) -> None:
        self._batches = batches
        self._most = most
        self._jobs: deque[_Job] = deque()
        self._texts: deque[list[str | PageError | None]] = deque()  # None: not cleaned yet
        self._given_back = 0

    def next(self, _: int) -> _Job | None:
        """The next job, for which a batch is read if there is room."""
        if not self._jobs and len(self._texts) < self._most:
            for pages in islice(self._batches, 1):
                self._jobs.append(_Job(self._given_back + len(self._texts), 0, pages))
                self._texts.append([None] * len(pages))
        return self._jobs.popleft() if self._jobs else None

    def take(self, job: _Job, outcome: Texts | Death) -> None:
        """Keep a job's texts; after a death split the job into pages, or give up its one page."""
        if isinstance(outcome, Death) and len(job.pages) > 1:
            numbers = range(len(job.pages) - 1, -1, -1)
            pages = (_Job(job.batch, job.first + n, job.pages[n : n + 1]) for n in numbers)
            self._jobs.extendleft(pages)
            return
        if isinstance(outcome, Death):
            reason = Reason.OVER_TIME if outcome.over_time else Reason.CRASHED
            outcome = [PageError(f"the page cannot be cleaned, {reason}: {outcome.detail}")]
        of_batch = self._texts[job.batch - self._given_back]
        of_batch[job.first : job.first + len(outcome)] = outcome

    def finished(self) -> Iterator[Texts]:
        """The texts of the batches that are finished, up to the first one that is not."""
        while self._texts and None not in self._texts[0]:
            self._given_back += 1
            yield self._texts.popleft()  # type: ignore[misc]


def _work(
    watch: Watch, cleaner: Cleaner, limits: Limits, text_format: TextFormat
) -> Callable[[_Job], Texts]:
    """Run in a worker process: clean one job after the other."""
    page_cleaner = PageCleaner(cleaner, limits, watch, text_format)
    return lambda job: page_cleaner.texts(job.pages)
