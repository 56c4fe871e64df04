"""Processes of this machine that work for this one: how they start, and how they end with it."""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from boilersweep.errors import BoilersweepError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

_METHODS = multiprocessing.get_all_start_methods()
HAS_FORKSERVER = "forkserver" in _METHODS

# Not by fork: a process with a running JVM, or threads, must not be forked.
CONTEXT: Any = multiprocessing.get_context("forkserver" if HAS_FORKSERVER else "spawn")


def default_workers() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def preload(module: str) -> None:
    """Have what starts the processes import a module, so that each has it from its start."""
    if HAS_FORKSERVER:
        CONTEXT.set_forkserver_preload([module])


def make_ready(module: str) -> None:
    """Have what starts the processes begin now, and import a module unless it has begun before."""
    preload(module)
    start_helpers()


def start_helpers() -> None:
    """Start Python's own helper processes, which say nothing on standard error if we are ended.

    Without this, Ctrl-C while they start, and a kill of this process, show their tracebacks and
    warnings.
    """
    quiet = f"ignore::UserWarning:{resource_tracker.__name__}"
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    sys.warnoptions.append(quiet)
    try:
        resource_tracker.ensure_running()
        if HAS_FORKSERVER:
            forkserver.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def has_semaphores() -> bool:
    """Whether there is what pools of processes need: not, for example, without /dev/shm."""
    start_helpers()
    try:
        CONTEXT.Lock()
    except (ImportError, OSError):
        return False
    return True


@contextlib.contextmanager
def worker_pool(
    workers: int, advice: str, begin: Callable[..., object] | None = None, *given: object
) -> Iterator["ProcessPoolExecutor"]:
    """A pool of processes that end with this one, and at once when the block raises.

    advice: where a worker dies, what to do; BoilersweepError says it. begin: each process calls it
    first, with what is given. `has_semaphores` says whether there can be such a pool.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    start_helpers()
    theirs, leash = CONTEXT.Pipe(duplex=False)
    with (
        theirs,
        leash,
        ProcessPoolExecutor(
            workers, CONTEXT, initializer=_begin, initargs=(theirs, begin, given)
        ) as pool,
    ):
        try:
            yield pool
        except BrokenProcessPool as error:
            raise BoilersweepError(
                f"a worker process died; {advice}, with fewer --threads if memory is short. A "
                "script that calls this needs `if __name__ == '__main__':`"
            ) from error
        except BaseException:
            # Nobody waits for what is half done. Without its workers the pool gives up all that is
            # left, and its end waits until they are gone.
            leash.close()
            raise


def _begin(
    leash: Connection, begin: Callable[..., object] | None, given: tuple[object, ...]
) -> None:
    begin_worker(leash)
    if begin:
        begin(*given)


def begin_worker(*leashes: Connection) -> None:
    """What a worker process does first; from then on its parent alone ends it.

    It ends at once when the parent is gone, since the run that takes up its work has workers, too,
    and when the parent closes the other end of one of the leashes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # see `start_helpers`
    threading.Thread(target=_end_with, args=leashes, daemon=True).start()


def _end_with(*leashes: Connection) -> None:
    parent = multiprocessing.parent_process()
    wait([*leashes, *([parent.sentinel] if parent else [])])
    os._exit(1)
