"""Processes of this machine that work for this one: how they start, and how they end with it."""

import multiprocessing
import os
import signal
import threading
from multiprocessing import forkserver
from multiprocessing.connection import Connection, wait
from typing import Any

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
    if HAS_FORKSERVER:
        forkserver.ensure_running()


def has_semaphores() -> bool:
    """Whether there is what pools of processes need: not, for example, without /dev/shm."""
    try:
        CONTEXT.Lock()
    except (ImportError, OSError):
        return False
    return True


def begin_worker(*leashes: Connection) -> None:
    """What a worker process does first; from then on its parent alone ends it.

    It ends at once when the parent is gone, since the run that takes up its work has workers, too,
    and when the parent closes the other end of one of the leashes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=leashes, daemon=True).start()


def _end_with(*leashes: Connection) -> None:
    parent = multiprocessing.parent_process()
    wait([*leashes, *([parent.sentinel] if parent else [])])
    os._exit(1)
