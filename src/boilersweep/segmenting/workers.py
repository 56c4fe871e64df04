"""Run tasks in worker processes that may hang, crash or be killed without harm to the rest.

A worker that is too long at a record is ended, pauses not counted (see `Stopwatch`); one that dies
is replaced, and its task done again: see `_Attempt.after` for what is left out, and counted, when
that happens again.
"""

import contextlib
import multiprocessing
import os
import resource
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

from tqdm import tqdm

from boilersweep.collection.format import Format
from boilersweep.collection.formats import named_format
from boilersweep.collection.record import Reason
from boilersweep.errors import BoilersweepError
from boilersweep.files import remove_leftovers
from boilersweep.progress import DocumentsBar
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.stopwatch import Stopwatch
from boilersweep.segmenting.tasks import Loss, SegmentOptions, Task
from boilersweep.segmenting.watch import Watch

_LOOK_AFTER = 0.2  # seconds between two looks at the workers
_FOR_EXTRACTORS = 0.5  # of the time a record may take: slow extractors must not cost the page
_STOP_CALL = signal.SIGUSR1  # SIGALRM is left to extractors that stop themselves
_MOST_UNBEGUN = 2  # times a task is given again to a new worker when one died before reading
_METHODS = multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")


def default_workers() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_tasks(
    tasks: Sequence[Task],
    options: SegmentOptions,
    workers: int,
) -> None:
    """Run all tasks, with a progress bar.

    Raises what a task raises (finished shards stay), and BoilersweepError where workers die
    whatever they are given.
    """
    if "forkserver" in _METHODS:
        _CONTEXT.set_forkserver_preload(["boilersweep.segmenting.workers"])
    bar = DocumentsBar("segment", sum(task.size for task in tasks))
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
            standing = worker.watch.standing()
            of_record, of_calls = worker.stopwatch.look(
                standing.turn, standing.turn if standing.call else 0
            )
            if worker.attempt and of_record > self._seconds:
                self._lose(worker, Reason.OVER_TIME)
            elif of_calls > _FOR_EXTRACTORS * self._seconds:
                worker.stop_call(standing.call)
        self._show()

    def _hear(self, worker: "_Worker") -> None:
        try:
            error = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            self._lose(worker, Reason.CRASHED)
            return
        if error is not None:
            raise error
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


class _Worker:
    """A worker process as the parent sees it. attempt: what it is at, None when idle."""

    def __init__(self, options: SegmentOptions) -> None:
        self._options = options
        self.begin()

    def begin(self) -> None:
        """Start a process, the first or one in place of a dead one."""
        self.attempt: _Attempt | None = None
        try:
            self.watch = Watch(_CONTEXT)
            self.connection, theirs = _CONTEXT.Pipe()
            self._process = _CONTEXT.Process(
                target=_work, args=(theirs, self.watch, self._options), daemon=True
            )
            self._process.start()
            self.stopwatch = Stopwatch(self._process.pid)
        except OSError as error:
            raise BoilersweepError(
                f"cannot start a worker process: {error.strerror or error}; raise the limits of "
                "open files and processes (ulimit -n, -u), or take fewer --threads"
            ) from error
        theirs.close()

    def give(self, attempt: _Attempt) -> None:
        """Hand the worker a task."""
        self.attempt = attempt
        self.watch.forget()
        # Where it is dead already, reading from it will tell.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send((attempt.task, attempt.losses))

    def stop_call(self, call: int) -> None:
        """Have the call of an extractor stopped, if the worker is still at it."""
        self.watch.mark_call(call)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, _STOP_CALL)

    def end(self) -> None:
        """Kill the process; what it was writing stays unfinished and is cleaned up."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def exit_reason(self) -> str:
        """How the process ended."""
        code = self._process.exitcode or 0
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def _work(connection: Connection, watch: Watch, options: SegmentOptions) -> None:
    """What a worker process does: one task after the other, until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    signal.signal(_STOP_CALL, watch.stop_call)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    tqdm.set_lock(threading.RLock())  # its own is a semaphore, left behind by a killed process
    _limit_memory(options.limits.worker_bytes)
    format_: Format | None = None
    while True:
        try:
            task, losses = connection.recv()
        except EOFError:
            return
        error: Exception | None = None
        try:
            format_ = format_ or named_format(options.collection, options.reading)
            _make(task, format_, watch, losses)
        except Exception as failure:
            error = failure
        with contextlib.suppress(BrokenPipeError):  # as the parent is gone, so will be this
            connection.send(error)


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


def _end_with_parent() -> None:
    """End at once when the parent is gone: the run that takes up its work has workers, too."""
    if parent := multiprocessing.parent_process():
        parent.join()
    os._exit(1)


def _limit_memory(worker_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = worker_bytes if hard == resource.RLIM_INFINITY else min(worker_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
