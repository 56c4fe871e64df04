"""Processes that work for this one: how they start and end, and where each is and how long.

A parent must not ask a worker that may hang: `Watch` is memory that the worker writes.
"""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

_HAS_FORKSERVER = "forkserver" in multiprocessing.get_all_start_methods()

# Not by fork: a process with a running JVM, or threads, must not be forked.
CONTEXT: Any = multiprocessing.get_context("forkserver" if _HAS_FORKSERVER else "spawn")
if _HAS_FORKSERVER:
    # Python 3.14 would import the script, which may have no `__main__` guard: see `without_script`.
    CONTEXT.set_forkserver_preload([])

_THREADS = Path("/proc/self/task")
# The thread of pyarrow's allocator, which no copy of the process needs.
_READY_FOR_COPIES = "jemalloc_bg_thd"

CGROUPS = Path("/sys/fs/cgroup")


def default_workers() -> int:
    """Return how many processors this process may use, by affinity and by its cgroup."""
    affinity = hasattr(os, "sched_getaffinity")
    processors = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    return max(1, math.ceil(min(processors, _quota())))


def _quota() -> float:
    """Return the processors' time that Linux's cgroups (version 2) allow, in processors."""
    quota = math.inf
    with contextlib.suppress(OSError):  # another system
        path = Path("/proc/self/cgroup").read_text().rpartition("0::/")[2].strip()
        for group in (CGROUPS / path, *(CGROUPS / path).parents):
            with contextlib.suppress(OSError, ValueError):  # no limit, or "max"
                allowed, period = map(int, (group / "cpu.max").read_text().split())
                quota = min(quota, allowed / period)
    return quota


def preload(module: str) -> None:
    """Let the process that starts the workers import a module, so that they share its memory."""
    if _HAS_FORKSERVER:
        CONTEXT.set_forkserver_preload([module])


def worker_context(*, alone: bool) -> Any:
    """Return the context that makes worker processes, once that is ready.

    Args:
        alone: Whether there is never a second worker. If this process has one thread, such a
            worker is a copy of it, which imports nothing again. Several copies would hold the
            pipes by which older ones see this process end.

    Returns:
        A context of multiprocessing.
    """
    if alone and _has_one_thread():
        return multiprocessing.get_context("fork")
    start_helpers()
    return CONTEXT


def _has_one_thread() -> bool:
    """Return whether this process has one thread; False where that cannot be known."""
    names = []
    for path in _THREADS.glob("*/comm"):
        with contextlib.suppress(OSError):  # it has ended
            names.append(path.read_text().strip())
    return len(names) - names.count(_READY_FOR_COPIES) == 1


def start_helpers() -> None:
    """Start Python's own helper processes, which say nothing on standard error if we are ended.

    Without this, Ctrl-C while they start, and a kill of this process, show their tracebacks and
    warnings.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows starts no such processes
        return
    quiet = f"ignore::UserWarning:{resource_tracker.__name__}"
    sys.warnoptions.append(quiet)
    try:
        with uninterrupted():
            resource_tracker.ensure_running()
        with uninterrupted():  # again, as that ends it
            if _HAS_FORKSERVER:
                forkserver.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)


@contextlib.contextmanager
def without_script() -> Iterator[None]:
    """Start processes that do not import the script of this one.

    They would run it again if it has no `__main__` guard, and take its time to import.
    """
    script = sys.modules["__main__"]
    path, spec = getattr(script, "__file__", None), script.__spec__
    if path is None:
        yield
        return
    script.__spec__ = None
    del script.__file__
    try:
        yield
    finally:
        script.__file__, script.__spec__ = path, spec


def allow_children() -> None:
    """Let this process start others, even as a daemon of multiprocessing, such as Dask's workers.

    That rule is to keep daemons from leaving children behind; ours end with their parent.
    """
    multiprocessing.process.current_process()._config["daemon"] = False  # type: ignore[attr-defined]


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait; a process that is started meanwhile sees none until `begin_worker`."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker(watch: "Watch") -> None:
    """Let this worker process end with its parent, and only then: Ctrl-C goes to the parent.

    It ends at once, since the run that continues the work has workers of its own.

    Args:
        watch: Where this process is, which the parent looks at.
    """
    HERE.share(watch)
    sys.stdout = sys.stderr  # what foreign code prints is no result
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a copy has its parent's
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    wait([parent.sentinel] if parent else [])
    os._exit(1)


_DOCUMENTS, _BYTES, _FILE, _RECORD, _TURN, _WAITING, _FIELDS = range(7)

# Of the seconds between two looks, at most so many count: beyond, the observer was stopped itself.
_MOST_BETWEEN_LOOKS = 0.4

# What no other process looks at.
_OWN = multiprocessing.get_context("spawn")


class _Waiting:
    """The context of `Watch.waiting`: of every read, so it is no generator, which takes longer."""

    __slots__ = ("_before", "_values")

    def __init__(self, values: Any) -> None:
        self._values = values

    def __enter__(self) -> None:
        self._before = self._values[_WAITING]
        self._values[_WAITING] = 1

    def __exit__(self, *_: object) -> None:
        self._values[_WAITING] = self._before


class Watch:
    """Where a worker process is in its task; the worker writes, its parent reads.

    Args:
        context: Of the processes that share it.
    """

    def __init__(self, context: BaseContext = _OWN) -> None:
        self._values: Any = context.RawArray("d", _FIELDS)
        self._turns = 0

    def share(self, other: "Watch") -> None:
        """Be the same as another one, which a parent looks at."""
        self._values = other._values

    def begin(self, file: int, record: int) -> None:
        """Note in the worker that it turns to a record of a file of its task, by their numbers."""
        self._values[_FILE], self._values[_RECORD] = file, record
        self._turns += 1
        self._values[_TURN] = self._turns

    def add(self, documents: int, read_bytes: int) -> None:
        """Note in the worker that it has done some records and read some bytes."""
        self._values[_DOCUMENTS] += documents
        self._values[_BYTES] += read_bytes

    def waiting(self) -> "_Waiting":
        """Note in the worker that the block waits for a drive or a socket."""
        return _Waiting(self._values)

    def forget(self) -> None:
        """Forget a task that is done, or whose worker is gone."""
        self._values[:] = [0] * _FIELDS

    @property
    def counted(self) -> tuple[int, int]:
        """Documents and bytes counted so far."""
        return int(self._values[_DOCUMENTS]), int(self._values[_BYTES])

    @property
    def place(self) -> tuple[int, int]:
        """The numbers of the file and of the record."""
        return int(self._values[_FILE]), int(self._values[_RECORD])

    @property
    def turn(self) -> int:
        """How many records the worker has turned to, this one included; 0 before the first."""
        return int(self._values[_TURN])

    @property
    def is_waiting(self) -> bool:
        """Whether the worker waits for a drive or a socket."""
        return bool(self._values[_WAITING])


# Where this process is: it does one task at a time. In a worker, the parent looks at it, too.
HERE = Watch()


class Stopwatch:
    """The time that a process spends working or asleep, as another sees it from look to look.

    Left out is time for which the process was stopped, or waited for a processor, a drive or a
    socket; and where no one looked for long, as both were stopped or their machine was, all but a
    moment.
    Where there is no /proc to tell these apart, only the latter two are left out.

    Args:
        pid: The process.
        watch: Where it is.
    """

    def __init__(self, pid: int, watch: Watch) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._watch = watch
        self._turn = 0
        self._seconds = 0.0
        self._looked = time.monotonic()
        self._cpu = self._read()[1]

    def look(self) -> float:
        """Return the seconds that the process has spent on its record so far."""
        now = time.monotonic()
        elapsed = min(now - self._looked, _MOST_BETWEEN_LOOKS)
        state, cpu = self._read()
        sleeps = state in ("S", "") and not self._watch.is_waiting
        self._seconds += elapsed if sleeps else min(cpu - self._cpu, elapsed)
        self._looked, self._cpu = now, cpu
        if self._watch.turn != self._turn:
            self._turn, self._seconds = self._watch.turn, 0.0
        return self._seconds

    def _read(self) -> tuple[str, float]:
        """State and seconds of CPU time of the process; "" where that cannot be known."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:  # no such system, or the process is gone
            return "", 0.0
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
