"""Batches of pages cleaned by worker processes, in order, in bounded memory.

A process that dies at a batch, or is too long at a page, is replaced, and the batch is done again
page by page: so the page is found, and costs no other.
"""

import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaning.page_cleaner import Html, PageCleaner
from boilersweep.collection.record import Reason
from boilersweep.errors import BoilersweepError, PageError
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.watch import Watch
from boilersweep.segmenting.watched_worker import Worker
from boilersweep.work.processes import preload

Texts = list[str | PageError]

_LOOK_AFTER = 0.2  # seconds between two looks at the workers
_AHEAD = 2  # batches for each worker that are read and not yet given back
_MOST_UNBEGUN = 2  # times a job is given again when its worker died before it read anything


def cleaned_by_workers(
    batches: Iterator[Sequence[Html]], cleaner: Cleaner, limits: Limits, workers: int
) -> Iterator[Texts]:
    """For every batch in order what `PageCleaner.texts` gives of it.

    A page at which a process dies, or that takes longer than it may, is a PageError. The processes
    end with the iterator. Raises BoilersweepError where they cannot be started.
    """
    preload(__name__)
    run = _Run(batches, lambda: _Worker(cleaner, limits), workers, limits.seconds)
    try:
        yield from run
    finally:
        run.end()


@dataclass(slots=True)
class _Job:
    """Some pages of a batch. first: the place of their first one. unbegun: see `_MOST_UNBEGUN`."""

    batch: int
    first: int
    pages: Sequence[Html]
    unbegun: int = 0


class _Worker(Worker):
    """A worker that cleans. job: what it is at, None when idle."""

    def __init__(self, cleaner: Cleaner, limits: Limits) -> None:
        super().__init__(_work, limits.worker_bytes, cleaner, limits)

    def begin(self) -> None:
        self.job: _Job | None = None
        super().begin()

    def give(self, job: _Job) -> None:
        """Hand the worker a job."""
        self.job = job
        self.send(job.pages)


class _Run:
    """The texts of all batches, in order.

    start: starts a worker; a worker starts when a batch waits for it. most: workers. seconds: that
    a page may take.
    """

    def __init__(
        self,
        batches: Iterator[Sequence[Html]],
        start: Callable[[], _Worker],
        most: int,
        seconds: float,
    ) -> None:
        self._batches = batches
        self._start = start
        self._most = most
        self._crew: list[_Worker] = []
        self._seconds = seconds
        self._jobs: deque[_Job] = deque()
        self._texts: deque[list[str | PageError | None]] = deque()  # None: not there yet
        self._given_back = 0
        self._next_look = 0.0

    def __iter__(self) -> Iterator[Texts]:
        while (busy := self._set_to_work()) or self._texts:
            if self._texts and None not in self._texts[0]:
                self._given_back += 1
                yield self._texts.popleft()  # type: ignore[misc]
                continue
            for connection in wait([worker.connection for worker in busy], _LOOK_AFTER):
                self._hear(next(w for w in busy if w.connection is connection))
            if time.monotonic() >= self._next_look:
                self._look()
                self._next_look = time.monotonic() + _LOOK_AFTER

    def _set_to_work(self) -> list[_Worker]:
        """Give idle workers what there is to do, and read more for them; those at work then."""
        idle = [worker for worker in self._crew if not worker.job]
        while (idle or len(self._crew) < self._most) and (job := self._next_job()):
            if not idle:
                idle.append(self._start())
                self._crew += idle
            idle.pop(0).give(job)
        return [worker for worker in self._crew if worker.job]

    def _next_job(self) -> _Job | None:
        if not self._jobs and len(self._texts) < _AHEAD * self._most:
            for pages in islice(self._batches, 1):
                self._jobs.append(_Job(self._given_back + len(self._texts), 0, pages))
                self._texts.append([None] * len(pages))
        return self._jobs.popleft() if self._jobs else None

    def end(self) -> None:
        """End all workers."""
        for worker in self._crew:
            worker.end()

    def _look(self) -> None:
        """End workers that are too long at a page."""
        for worker in self._crew:
            if worker.is_over_time(self._seconds) and worker.job:
                self._lose(worker, worker.job, Reason.OVER_TIME)

    def _hear(self, worker: _Worker) -> None:
        job = worker.job
        if job is None:
            return
        try:
            texts = worker.receive()
        except (EOFError, ConnectionResetError):
            self._lose(worker, job, Reason.CRASHED)
            return
        worker.job = None
        self._keep(job, texts)

    def _keep(self, job: _Job, texts: Texts) -> None:
        of_batch = self._texts[job.batch - self._given_back]
        of_batch[job.first : job.first + len(texts)] = texts

    def _lose(self, worker: _Worker, job: _Job, reason: Reason) -> None:
        """End the worker; have its job done again page by page, or give up its one page."""
        begun = worker.watch.standing().turn > 0
        worker.end()
        detail = worker.exit_reason()
        if reason is Reason.OVER_TIME:
            detail = f"more than {self._seconds:g} s"
        if not begun:
            if job.unbegun == _MOST_UNBEGUN:
                raise BoilersweepError(
                    f"a worker process died before it read anything ({detail}); take fewer "
                    "workers if memory is short. A script that calls this needs "
                    "`if __name__ == '__main__':`"
                )
            job.unbegun += 1
            self._jobs.appendleft(job)
        elif len(job.pages) == 1:
            self._keep(job, [PageError(f"the page cannot be cleaned, {reason}: {detail}")])
        else:
            places = range(len(job.pages) - 1, -1, -1)
            alone = (_Job(job.batch, job.first + n, job.pages[n : n + 1]) for n in places)
            self._jobs.extendleft(alone)
        worker.begin()


def _work(watch: Watch, cleaner: Cleaner, limits: Limits) -> Callable[[Sequence[Html]], Texts]:
    """What a worker process does: one job after the other."""
    page_cleaner = PageCleaner(cleaner, limits, watch)

    def answer(pages: Sequence[Html]) -> Texts:
        try:
            return page_cleaner.texts(pages)
        except BoilersweepError:
            raise
        except Exception:
            # A bug of ours or of a plug-in, of which the traceback does not come by itself.
            raise RuntimeError(traceback.format_exc()) from None

    return answer
