"""Worker processes that may hang, crash or be killed without harm to the work of the others."""

import contextlib
import os
import pickle
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from boilersweep.errors import BoilersweepError
from boilersweep.outputs.atomic import DISK_ADVICE
from boilersweep.work.processes import (
    Standing,
    Stopwatch,
    Watch,
    begin_worker,
    preload,
    uninterrupted,
    without_script,
    worker_context,
)

Job = TypeVar("Job")

# Given a worker's `Watch` and some arguments, returns the function that does one job.
Work = Callable[..., Callable[[Any], Any]]

# Stops an extractor that takes too long; None on Windows, where the page is lost with it.
_STOP_CALL = getattr(signal, "SIGUSR1", None)  # SIGALRM is left to extractors
# The share of a record's time for extractors: slow ones must not cost the page
_FOR_EXTRACTORS = 0.5
_LOOK_AFTER = 0.2  # seconds between two looks at the workers
# Times a job is given to another worker if one died before it read anything
_MOST_UNBEGUN = 2


@dataclass(frozen=True, slots=True)
class Death:
    """Why a worker process ended.

    Attributes:
        standing: The record it was at.
        over_time: Whether it took too long, and was ended.
        detail: The time, the signal or the exit status.
    """

    standing: Standing
    over_time: bool
    detail: str


def died(when: str, advice: str) -> BoilersweepError:
    """Return the error for workers that die, with advice to the user."""
    return BoilersweepError(
        f"a worker process died{when}; {advice} if memory is short. A script that passes its own "
        "functions needs `if __name__ == '__main__':`"
    )


class WorkerPool(Generic[Job]):
    """Processes that do jobs; a context manager that ends them.

    Args:
        work: Called once in each process; returns the function that does a job, see `Work`.
        arguments: What `work` is called with, after the worker's `Watch`.
        workers: The most processes; each starts with its first job.
        advice: What the user should do if workers die, see `died`.
        seconds: The time that a record may take, pauses not counted (see `Stopwatch`); None for any
            time.
        worker_bytes: The address space that a process may use; None for no limit.
        imported: Import the module of `work` once for all processes.
    """

    def __init__(
        self,
        work: Work,
        *arguments: Any,
        workers: int,
        advice: str,
        seconds: float | None = None,
        worker_bytes: int | None = None,
        imported: bool = False,
    ) -> None:
        if imported:
            preload(work.__module__)
        self._new = partial(_Worker, work, worker_bytes, arguments, alone=workers == 1)
        self._most = workers
        self._advice = advice
        self._seconds = seconds
        self._workers: list[_Worker] = []
        self._again: deque[tuple[Job, int]] = deque()
        self._finished = (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.end()

    def run(
        self,
        next_job: Callable[[int], Job | None],
        on_look: Callable[[], object] = lambda: None,
    ) -> Iterator[tuple[Job, Any]]:
        """Yield each job with its result, or with a `Death` if its worker ended.

        Args:
            next_job: Given the number of busy workers, returns another job, or None for none now.
            on_look: Called some times a second. A worker that ended is replaced.

        Raises what a job raises, and BoilersweepError if processes cannot be started or die before
        they read anything.
        """
        next_look = 0.0
        while busy := self._set_to_work(next_job):
            for connection in wait([worker.connection for worker in busy], _LOOK_AFTER):
                yield from self._hear(
                    next(w for w in busy if w.connection is connection)
                )
            if time.monotonic() >= next_look:
                for worker in busy:
                    if (
                        self._seconds
                        and worker.given
                        and worker.is_over_time(self._seconds)
                    ):
                        yield from self._lose(worker, over_time=True)
                on_look()
                next_look = time.monotonic() + _LOOK_AFTER
        on_look()

    def counted(self) -> tuple[int, int]:
        """Return the documents and bytes that all workers have counted so far."""
        found = [self._finished, *(worker.watch.take() for worker in self._workers)]
        return sum(documents for documents, _ in found), sum(size for _, size in found)

    def _set_to_work(self, next_job: Callable[[int], Job | None]) -> list["_Worker"]:
        """Give jobs to idle and new workers; returns the busy ones."""
        while (
            len(busy := [worker for worker in self._workers if worker.given])
            < self._most
        ):
            if self._again:
                given = self._again.popleft()
            elif (job := next_job(len(busy))) is not None:
                given = job, 0
            else:
                break
            worker = next((one for one in self._workers if not one.given), None)
            if worker is None:
                worker = self._new()
                self._workers.append(worker)
            worker.give(given)
        return busy

    def _hear(self, worker: "_Worker") -> Iterator[tuple[Job, Any]]:
        if not worker.given:
            return
        job = worker.given[0]
        try:
            answer = worker.receive()
        except (EOFError, ConnectionResetError):
            yield from self._lose(worker, over_time=False)
            return
        worker.given = None
        documents, read_bytes = worker.watch.take()
        worker.watch.forget()
        self._finished = self._finished[0] + documents, self._finished[1] + read_bytes
        yield job, answer

    def _lose(
        self, worker: "_Worker", *, over_time: bool
    ) -> Iterator[tuple[Job, Death]]:
        """End the worker and remove it; its job is begun again if the worker had read nothing."""
        job, unbegun = worker.given
        standing = worker.watch.standing()
        worker.end()
        worker.given = None
        self._workers.remove(worker)
        detail = f"more than {self._seconds:g} s" if over_time else worker.exit_reason()
        if standing.turn > 0:
            yield job, Death(standing, over_time, detail)
        elif unbegun < _MOST_UNBEGUN:
            self._again.append((job, unbegun + 1))
        else:
            raise died(f" before it read anything ({detail})", self._advice)


class _Worker:
    """A worker process as its parent sees it.

    Attributes:
        given: The job and how often it was begun before; None if the worker is idle.
    """

    def __init__(
        self,
        work: Work,
        worker_bytes: int | None,
        arguments: tuple[Any, ...],
        *,
        alone: bool,
    ) -> None:
        self.given: Any = None
        try:
            context = worker_context(alone=alone)
            self.watch = Watch(context)
            self.connection, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve,
                args=(theirs, self.watch, work, worker_bytes, arguments),
                daemon=True,
            )
            with uninterrupted(), without_script():
                self._process.start()
            self._stopwatch = Stopwatch(self._process.pid)
        except OSError as error:
            advice = DISK_ADVICE.get(
                error.errno or 0,
                "raise the limits of open files and processes (ulimit -n, -u), or take fewer "
                "--threads",
            )
            raise BoilersweepError(
                f"cannot start a worker process: {error.strerror or error}; {advice}"
            ) from error
        theirs.close()

    def give(self, given: tuple[Any, int]) -> None:
        """Send the worker a job; if it is dead already, reading from it will tell."""
        self.given = given
        self.watch.forget()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(given[0])

    def receive(self) -> Any:
        """Return the job's answer, or raise its error.

        Raises:
            EOFError: The worker died.
            ConnectionResetError: The worker died.
        """
        error, answer = self.connection.recv()
        if error is not None:
            raise error
        return answer

    def is_over_time(self, seconds: float) -> bool:
        """Return whether it has spent more seconds on a record; stop an extractor after half."""
        standing = self.watch.standing()
        of_record, of_call = self._stopwatch.look(
            standing.turn, standing.turn if standing.call else 0
        )
        if of_record > seconds:
            return True
        if _STOP_CALL and of_call > _FOR_EXTRACTORS * seconds:
            self.watch.mark_call(standing.call)
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, _STOP_CALL)
        return False

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
    work: Work,
    worker_bytes: int | None,
    arguments: tuple[Any, ...],
) -> None:
    """Run in a worker process: do one job after the other until the parent is gone."""
    begin_worker()
    if _STOP_CALL:
        signal.signal(_STOP_CALL, watch.stop_call)
    if worker_bytes is not None:
        _limit_memory(worker_bytes)
    do = work(watch, *arguments)
    while True:
        try:
            job = connection.recv()
        except (EOFError, ConnectionResetError):
            return
        error: Exception | None = None
        answer = None
        try:
            answer = do(job)
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
