"""Processes of this machine that work for this one: how they start, and how they end with it."""

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import wait
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
    """Start processes that do not import the script of this one if it has no `__main__` guard.

    They would run it again. They cannot be given what such a script defines itself.
    """
    script = sys.modules["__main__"]
    path = getattr(script, "__file__", None)
    if path is None or (
        Path(path).is_file() and b"__main__" in Path(path).read_bytes()
    ):
        yield
        return
    spec = script.__spec__
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


def begin_worker() -> None:
    """Let this worker process end with its parent, and only then: Ctrl-C goes to the parent.

    It ends at once, since the run that continues the work has workers of its own.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a copy has its parent's
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    wait([parent.sentinel] if parent else [])
    os._exit(1)
