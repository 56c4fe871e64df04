"""A worker process that is watched: what it is told, how long it takes, and what it may use."""

import contextlib
import os
import resource
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from boilersweep.errors import BoilersweepError
from boilersweep.segmenting.stopwatch import Stopwatch
from boilersweep.segmenting.watch import Watch
from boilersweep.work.processes import CONTEXT, begin_worker, start_helpers

_STOP_CALL = signal.SIGUSR1  # SIGALRM is left to extractors that stop themselves
_FOR_EXTRACTORS = 0.5  # of the time a record may take: slow extractors must not cost the page

Work = Callable[..., Callable[[Any], Any]]
"""Given its `Watch` and some arguments, what answers the messages of the parent, one by one."""


class Worker:
    """A worker process as its parent sees it.

    work: runs in the process. worker_bytes: of address space that it may use.
    """

    def __init__(self, work: Work, worker_bytes: int, *arguments: Any) -> None:
        self._arguments = (work, worker_bytes, arguments)
        self.begin()

    def begin(self) -> None:
        """Start a process, the first or one in place of a dead one; raises BoilersweepError."""
        try:
            start_helpers()
            self.watch = Watch(CONTEXT)
            self.connection, theirs = CONTEXT.Pipe()
            self._process = CONTEXT.Process(
                target=_serve, args=(theirs, self.watch, *self._arguments), daemon=True
            )
            self._process.start()
            self._stopwatch = Stopwatch(self._process.pid)
        except OSError as error:
            raise BoilersweepError(
                f"cannot start a worker process: {error.strerror or error}; raise the limits of "
                "open files and processes (ulimit -n, -u), or take fewer --threads"
            ) from error
        theirs.close()

    def send(self, message: Any) -> None:
        """Tell the worker what to do; where it is dead already, reading from it will tell."""
        self.watch.forget()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(message)

    def receive(self) -> Any:
        """Its answer; raises what it raised, and EOFError or ConnectionResetError if it died."""
        error, answer = self.connection.recv()
        if error is not None:
            raise error
        return answer

    def is_over_time(self, seconds: float) -> bool:
        """Whether it is at a record for longer; stops an extractor after half of that time."""
        standing = self.watch.standing()
        of_record, of_call = self._stopwatch.look(
            standing.turn, standing.turn if standing.call else 0
        )
        if of_record > seconds:
            return True
        if of_call > _FOR_EXTRACTORS * seconds:
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
        """How the process ended."""
        code = self._process.exitcode or 0
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def _serve(
    connection: Connection, watch: Watch, work: Work, worker_bytes: int, arguments: tuple[Any, ...]
) -> None:
    """What a worker process does: one message after the other, until the parent is gone."""
    begin_worker()
    signal.signal(_STOP_CALL, watch.stop_call)
    _limit_memory(worker_bytes)
    answer = work(watch, *arguments)
    while True:
        try:
            message = connection.recv()
        except EOFError:
            return
        error: Exception | None = None
        found = None
        try:
            found = answer(message)
        except Exception as failure:
            error = failure
        with contextlib.suppress(BrokenPipeError):  # as the parent is gone, so will be this
            connection.send((error, found))


def _limit_memory(worker_bytes: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = worker_bytes if hard == resource.RLIM_INFINITY else min(worker_bytes, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
