"""Worker processes that may hang, crash or be killed, which costs one record and no other.

A worker says which record of its task it is at. If it dies, or takes too long, another one does the
task again; a record at which two workers died is left out, and a file at which a third one dies.
"""

import contextlib
import math
import pickle
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Self, TypeVar

from boilersweep.errors import BoilersweepError
from boilersweep.outputs.atomic import DISK_ADVICE
from boilersweep.work.processes import (
    Stopwatch,
    Watch,
    begin_worker,
    uninterrupted,
    without_script,
    worker_context,
)

Task = TypeVar("Task")
Result = TypeVar("Result")

_LOOK_AFTER = 0.2  # seconds between two looks at the workers
# Times a task is given to another worker if one died before it read anything
_MOST_UNBEGUN = 2


@dataclass(frozen=True, slots=True)
class DeadRecord:
    """What workers died of, and the next attempt at a task leaves out.

    Attributes:
        file: The number of the file in the task.
        record: The number of the record in the file; None for the whole file.
        over_time: Whether the record took too long; otherwise it crashed the worker.
        detail: The time, the signal or the exit status.
        records: How many records of the file are known.
    """

    file: int
    record: int | None
    over_time: bool
    detail: str
    records: int = 1


ADVICE = "what was finished is kept: run the same command again, with fewer `threads`"

# Does a task without what is left out.
Do = Callable[[Any, Sequence[DeadRecord]], Any]


@dataclass(frozen=True, slots=True)
class PoolOptions:
    """How a pool's processes work.

    Attributes:
        seconds: The time that a record may take, see `Stopwatch`.
        worker_bytes: The address space that a process may use; None for no limit.
        advice: What the user should do if workers die, see `died`.
        script: Whether the work is defined in the script of this process.
    """

    seconds: float = math.inf
    worker_bytes: int | None = None
    advice: str = ADVICE
    script: bool = False


def died(when: str, advice: str) -> BoilersweepError:
    """Return the error for workers that die, with advice to the user."""
    return BoilersweepError(
        f"a worker process died{when}; {advice} if memory is short. A script that passes its own "
        "functions needs `if __name__ == '__main__':`"
    )


@dataclass(frozen=True, slots=True)
class _Attempt(Generic[Task]):
    """A task, the causes of its failed attempts, and what they leave out.

    Attributes:
        unbegun: How many workers died before they read anything.
    """

    task: Task
    deaths: tuple[DeadRecord, ...] = ()
    losses: tuple[DeadRecord, ...] = ()
    unbegun: int = 0

    def after(self, death: DeadRecord) -> "_Attempt[Task]":
        """Return the next attempt.

        A worker may have been killed, or slow, for no fault of the page. After a first death, the
        whole task is tried again. After a second death at the same record, the record is left out;
        after a third, the whole file.
        """
        deaths = (*self.deaths, death)
        place = (death.file, death.record)
        if place in [(loss.file, loss.record) for loss in self.losses]:
            known = [one.record or 0 for one in deaths if one.file == death.file]
            aside = replace(death, record=None, records=1 + max(known))
            kept = [loss for loss in self.losses if loss.file != death.file]
            return replace(self, deaths=deaths, losses=(*kept, aside))
        if place in [(earlier.file, earlier.record) for earlier in self.deaths]:
            return replace(self, deaths=deaths, losses=(*self.losses, death))
        return replace(self, deaths=deaths)


class Pool(Generic[Task, Result]):
    """Processes that do tasks; a context manager that ends them.

    Args:
        work: Called once in each process; returns the function that does a task, see `Do`.
        arguments: What `work` is called with.
        workers: The most processes; each starts with its first task.
        options: How they work.
    """

    def __init__(
        self,
        work: Callable[..., Do],
        *arguments: Any,
        workers: int,
        options: PoolOptions = PoolOptions(),
    ) -> None:
        self._work = (work, arguments)
        self._most = workers
        self._options = options
        self._workers: list[_Worker] = []
        self._again: deque[_Attempt[Task]] = deque()
        self._alone: deque[_Attempt[Task]] = deque()  # when no other worker works
        self._finished = (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()

    def run(
        self,
        next_task: Callable[[], Task | None],
        on_look: Callable[[], object] = lambda: None,
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with its result, in any order.

        Args:
            next_task: Returns another task, or None for none now.
            on_look: Called some times a second.

        Raises what a task raises, and BoilersweepError if processes cannot be started or die before
        they read anything.
        """
        next_look = 0.0
        while busy := self._set_to_work(next_task):
            for connection in wait([worker.connection for worker in busy], _LOOK_AFTER):
                yield from self._hear(
                    next(w for w in busy if w.connection is connection)
                )
            if time.monotonic() >= next_look:
                most = self._options.seconds
                for worker in busy:
                    if worker.given and worker.stopwatch.look() > most:
                        self._lose(worker, over_time=True)
                on_look()
                next_look = time.monotonic() + _LOOK_AFTER
        on_look()

    def counted(self) -> tuple[int, int]:
        """Return the documents and bytes that all workers have counted so far."""
        counts = [self._finished, *(worker.watch.counted for worker in self._workers)]
        return sum(documents for documents, _ in counts), sum(
            size for _, size in counts
        )

    def _set_to_work(self, next_task: Callable[[], Task | None]) -> list["_Worker"]:
        """Give attempts to idle and new workers; returns the busy ones."""
        while (
            len(busy := [worker for worker in self._workers if worker.given])
            < self._most
        ):
            if self._again:
                attempt = self._again.popleft()
            elif (task := next_task()) is not None:
                attempt = _Attempt(task)
            elif self._alone and not busy:
                attempt = self._alone.popleft()
            else:
                break
            worker = next((idle for idle in self._workers if not idle.given), None)
            if worker is None:
                alone = self._most == 1
                worker = _Worker(*self._work, options=self._options, alone=alone)
                self._workers.append(worker)
            worker.give(attempt)
        return busy

    def _hear(self, worker: "_Worker") -> Iterator[tuple[Task, Result]]:
        if not worker.given:
            return
        try:
            answer = worker.receive()
        except (EOFError, ConnectionResetError):
            self._lose(worker, over_time=False)
            return
        documents, read_bytes = worker.watch.counted
        worker.watch.forget()
        self._finished = self._finished[0] + documents, self._finished[1] + read_bytes
        task, worker.given = worker.given.task, None
        yield task, answer

    def _lose(self, worker: "_Worker", *, over_time: bool) -> None:
        """End the worker and remove it; its task is begun again.

        Raises:
            BoilersweepError: Workers died before they read anything, again and again.
        """
        attempt, turn, place = worker.given, worker.watch.turn, worker.watch.place
        worker.end()
        self._workers.remove(worker)
        detail = worker.exit_reason()
        if over_time:
            detail = f"more than {self._options.seconds:g} s"
        if turn:
            following = attempt.after(DeadRecord(*place, over_time, detail))
            is_second_try = over_time and following.losses == attempt.losses
            (self._alone if is_second_try else self._again).append(following)
        elif attempt.unbegun < _MOST_UNBEGUN:
            self._again.append(replace(attempt, unbegun=attempt.unbegun + 1))
        else:
            raise died(f" before it read anything ({detail})", self._options.advice)


class _Worker:
    """A worker process as its parent sees it.

    Attributes:
        given: The attempt that it is at; None if the worker is idle.
    """

    def __init__(
        self,
        work: Callable[..., Do],
        arguments: tuple[Any, ...],
        *,
        options: PoolOptions,
        alone: bool,
    ) -> None:
        self.given: Any = None
        try:
            context = worker_context(alone=alone)
            self.watch = Watch(context)
            self.connection, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve,
                args=(theirs, self.watch, work, arguments, options.worker_bytes),
                daemon=True,
            )
            hidden = contextlib.nullcontext() if options.script else without_script()
            with uninterrupted(), hidden:
                self._process.start()
            self.stopwatch = Stopwatch(self._process.pid, self.watch)
        except OSError as error:
            advice = DISK_ADVICE.get(
                error.errno or 0,
                "raise the limits of open files and processes (ulimit -n, -u), or take fewer "
                "`threads`",
            )
            raise BoilersweepError(
                f"cannot start a worker process: {error.strerror or error}; {advice}"
            ) from error
        theirs.close()

    def give(self, attempt: _Attempt[Any]) -> None:
        """Send the worker a task; if it is dead already, reading from it will tell."""
        self.given = attempt
        self.watch.forget()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send((attempt.task, attempt.losses))

    def receive(self) -> Any:
        """Return the task's result, or raise its error.

        Raises:
            EOFError: The worker died.
            ConnectionResetError: The worker died.
        """
        error, answer = self.connection.recv()
        if error is not None:
            raise error
        return answer

    def end(self) -> None:
        """Kill the process; what it was writing stays unfinished and is cleaned up."""
        self._process.kill()
        self._process.join()
        self.connection.close()

    def exit_reason(self) -> str:
        """Return how the process ended."""
        code = self._process.exitcode or 0
        return (
            f"signal {signal.Signals(-code).name}"
            if code < 0
            else f"exit status {code}"
        )


def _serve(
    connection: Connection,
    watch: Watch,
    work: Callable[..., Do],
    arguments: tuple[Any, ...],
    worker_bytes: int | None,
) -> None:
    """Run in a worker process: do one task after the other until the parent is gone."""
    begin_worker(watch)
    if worker_bytes is not None:
        _limit_memory(worker_bytes)
    do = work(*arguments)
    while True:
        try:
            task, losses = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        error: Exception | None = None
        answer = None
        try:
            answer = do(task, losses)
        except Exception as failure:
            error = _to_send(failure)
        # Without a parent, this process is about to end.
        with contextlib.suppress(BrokenPipeError):
            connection.send((error, answer))


def _to_send(error: Exception) -> Exception:
    """Return the error as another process can raise it; a foreign one brings its traceback."""
    if isinstance(error, BoilersweepError):
        return error
    shown = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(shown)
    error.add_note(shown)
    return error


def _limit_memory(worker_bytes: int) -> None:
    """Limit this process's address space where the system can."""
    if sys.platform == "darwin":  # it has the limit, and rejects most values
        return
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = worker_bytes if hard == resource.RLIM_INFINITY else min(worker_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
