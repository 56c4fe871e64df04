"""Run tasks in worker processes that may hang, crash or be killed without harm to the rest.

A worker that is too long at a record is ended, pauses not counted (see `Stopwatch`); one that dies
is replaced, and its task done again: see `_Attempt.after` for what is left out, and counted, when
that happens again.
"""

import gc
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import wait

from tqdm import tqdm

from boilersweep.collection.format import Format
from boilersweep.collection.formats import named_format
from boilersweep.collection.record import Reason
from boilersweep.errors import BoilersweepError
from boilersweep.outputs.files import remove_leftovers
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Loss, SegmentOptions, Task
from boilersweep.segmenting.watch import Watch
from boilersweep.segmenting.watched_worker import Worker
from boilersweep.work.processes import preload
from boilersweep.work.progress import DocumentsBar

_LOOK_AFTER = 0.2  # seconds between two looks at the workers
_MOST_UNBEGUN = 2  # times a task is given again to a new worker when one died before reading


def run_tasks(
    tasks: Sequence[Task],
    options: SegmentOptions,
    workers: int,
) -> None:
    """Run all tasks, with a progress bar.

    Raises what a task raises (finished shards stay), and BoilersweepError where workers die
    whatever they are given.
    """
    preload(__name__)
    what = "extract" if any(task.before for task in tasks) else "segment"
    bar = DocumentsBar(what, sum(task.size for task in tasks))
    crew: list[_Worker] = []
    try:
        crew.extend(_Worker(options) for _ in range(min(workers, len(tasks))))
        _Run(tasks, crew, options.limits.seconds, bar).run()
    finally:
        for worker in crew:
            worker.end()
        bar.close()
        for folder in {task.shard.parent for task in tasks}:
            remove_leftovers(folder)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A task, what earlier attempts at it died of, and what is left out for that.

    alone: to be done when no other worker is at work. unbegun: how many workers died of it, or by
    chance, before they read anything.
    """

    task: Task
    deaths: tuple[Loss, ...] = ()
    losses: tuple[Loss, ...] = ()
    alone: bool = False
    unbegun: int = 0

    def after(self, death: Loss) -> "_Attempt":
        """The next attempt.

        A worker may have been killed, or slow, for no fault of the page: after a first death all is
        tried again, after too long a time alone. After a second at the same record that is left
        out; after one more the whole file.
        """
        deaths = (*self.deaths, death)
        following = replace(self, deaths=deaths, alone=False)
        place = (death.file, death.record)
        if place in [(lost.file, lost.record) for lost in self.losses]:
            known = 1 + max(other.record or 0 for other in deaths if other.file == death.file)
            aside = Loss(death.file, None, Reason.SET_ASIDE, death.detail, known)
            kept = [lost for lost in self.losses if lost.file != death.file]
            return replace(following, losses=(*kept, aside))
        if place in [(earlier.file, earlier.record) for earlier in self.deaths]:
            return replace(following, losses=(*self.losses, death))
        return replace(following, alone=death.reason is Reason.OVER_TIME)


class _Run:
    def __init__(
        self, tasks: Sequence[Task], crew: Sequence["_Worker"], seconds: float, bar: DocumentsBar
    ) -> None:
        self._waiting = deque(_Attempt(task) for task in tasks)
        self._alone: deque[_Attempt] = deque()
        self._crew = crew
        self._seconds = seconds
        self._bar = bar
        self._finished = (0, 0)
        self._next_look = 0.0

    def run(self) -> None:
        while busy := self._set_to_work():
            for connection in wait([worker.connection for worker in busy], _LOOK_AFTER):
                self._hear(next(w for w in busy if w.connection is connection))
            if time.monotonic() >= self._next_look:
                self._look()
                self._next_look = time.monotonic() + _LOOK_AFTER
        self._show()

    def _set_to_work(self) -> list["_Worker"]:
        """Give idle workers what there is to do; those that are at work then."""
        for worker in self._crew:
            if self._waiting and not worker.attempt:
                worker.give(self._waiting.popleft())
        if self._alone and not any(worker.attempt for worker in self._crew):
            self._crew[0].give(self._alone.popleft())
        return [worker for worker in self._crew if worker.attempt]

    def _look(self) -> None:
        """End workers and stop extractors that are too long at something; show the progress."""
        for worker in self._crew:
            if worker.is_over_time(self._seconds) and worker.attempt:
                self._lose(worker, Reason.OVER_TIME)
        self._show()

    def _hear(self, worker: "_Worker") -> None:
        try:
            worker.receive()
        except (EOFError, ConnectionResetError):
            self._lose(worker, Reason.CRASHED)
            return
        worker.attempt = None
        documents, read_bytes = worker.watch.take()
        worker.watch.forget()
        self._finished = self._finished[0] + documents, self._finished[1] + read_bytes

    def _lose(self, worker: "_Worker", reason: Reason) -> None:
        """End the worker, and have its task done again, perhaps without what it died of."""
        attempt = worker.attempt
        standing = worker.watch.standing()
        worker.end()
        begun = standing.turn > 0
        if attempt is None or (not begun and attempt.unbegun == _MOST_UNBEGUN):
            raise BoilersweepError(
                f"a worker process died before it read anything ({worker.exit_reason()}); what "
                "was finished is kept: run the same command again, with fewer --threads if memory "
                "is short. A script that calls this needs `if __name__ == '__main__':`"
            )
        crashed = reason is Reason.CRASHED
        detail = worker.exit_reason() if crashed else f"more than {self._seconds:g} s"
        death = Loss(standing.file, standing.record, reason, detail)
        following = attempt.after(death) if begun else replace(attempt, unbegun=attempt.unbegun + 1)
        (self._alone.append if following.alone else self._waiting.appendleft)(following)
        worker.begin()

    def _show(self) -> None:
        documents, read_bytes = self._finished
        for worker in self._crew:
            at_work = worker.watch.take()
            documents, read_bytes = documents + at_work[0], read_bytes + at_work[1]
        self._bar.show(documents, read_bytes)


class _Worker(Worker):
    """A worker that segments. attempt: what it is at, None when idle."""

    def __init__(self, options: SegmentOptions) -> None:
        super().__init__(_work, options.limits.worker_bytes, options)

    def begin(self) -> None:
        self.attempt: _Attempt | None = None
        super().begin()

    def give(self, attempt: _Attempt) -> None:
        """Hand the worker a task."""
        self.attempt = attempt
        self.send((attempt.task, attempt.losses))


def _work(watch: Watch, options: SegmentOptions) -> Callable[[tuple[Task, Sequence[Loss]]], None]:
    """What a worker process does: one task after the other."""
    gc.freeze()  # what was imported stays
    tqdm.set_lock(threading.RLock())  # its own is a semaphore, left behind by a killed process
    format_: Format | None = None

    def make(given: tuple[Task, Sequence[Loss]]) -> None:
        nonlocal format_
        format_ = format_ or named_format(options.collection, options.reading)
        _make(given[0], format_, watch, given[1])

    return make


def _make(task: Task, format_: Format, watch: Watch, losses: Sequence[Loss]) -> None:
    """Make a shard; an error that is not of ours names the record at which it came."""
    try:
        make_shard(task, format_, watch, losses)
    except BoilersweepError:
        raise
    except Exception as error:
        standing = watch.standing()
        place = f"{task.files[standing.file][1]}, record {standing.record + 1:,}"
        if isinstance(error, MemoryError):
            raise BoilersweepError(
                f"{place}: not enough memory to read it; raise --max-worker-memory"
            ) from None
        # A bug of ours, of which the traceback does not come to the parent by itself.
        raise RuntimeError(f"{place}:\n{traceback.format_exc()}") from None
