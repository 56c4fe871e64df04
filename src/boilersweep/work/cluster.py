"""A Dask cluster: connect to one, or start one on this machine, and run tasks on its workers."""

import contextlib
import importlib
import logging
import multiprocessing
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO, TypeVar

from boilersweep.errors import BoilersweepError, BusyError, UsageError
from boilersweep.outputs.identity import __version__, whole_code
from boilersweep.work.progress import Labels, say, steps

Task = TypeVar("Task")
Result = TypeVar("Result")

_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
# Workers are spawned: one forked from a process with a JVM would hang. Each holds one task: another
# that waits with it would be blamed, too, when it dies.
_CONFIGURATION = {
    "distributed.worker.multiprocessing-method": "spawn",
    "distributed.scheduler.worker-saturation": 1.0,
}
_SECONDS_TO_CONNECT = 30
_SECONDS_FOR_A_WORKER = 120
_SECONDS_BETWEEN_LOOKS = 30.0
_SECONDS_FOR_A_LOCK = 120.0
# Times a task that failed is tried again; one whose worker died, Dask gives to another as often
# as its own `distributed.scheduler.allowed-failures` says.
_RETRIES = 2


def dask() -> Any:
    """Dask's package of clusters; raises UsageError where it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise UsageError(
            f"clusters need Dask, which is not installed ({error}); install it with "
            "`pip install 'boilersweep[cluster]'`"
        ) from error


class ClusterPool:
    """The workers of a cluster.

    Args:
        client: Dask's.
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def __len__(self) -> int:
        """Return how many tasks can run at the same time."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def run(
        self,
        do: Callable[[Task], Result],
        tasks: Sequence[Task],
        labels: Labels,
    ) -> list[Result]:
        """Return the results of the tasks, in their order; see `boilersweep.work.tasks.run_tasks`.

        A task that fails does not keep others from being done. Raises BoilersweepError that names
        those that failed in the end.
        """
        futures = self.client.map(
            partial(_on_worker, do), tasks, pure=False, retries=_RETRIES, key=labels.what
        )
        sizes = {future.key: labels.size(task) for future, task in zip(futures, tasks, strict=True)}
        try:
            with steps(labels.what, sum(sizes.values()), labels.unit) as bar, self._watched():
                for future in dask().as_completed(futures):
                    bar.update(sizes[future.key])
            if self.client.status != "running":
                raise BoilersweepError(
                    f"{labels.what}: the scheduler at {self.client.scheduler.address} is gone. "
                    "What was finished is kept: start another and run the same command again"
                )
            failures = [
                (labels.name(task), _reason(future))
                for task, future in zip(tasks, futures, strict=True)
                if future.status != "finished"
            ]
            if failures:
                raise _error(failures, len(tasks), labels.what)
            results: list[Result] = self.client.gather(futures)
            return results
        finally:
            self.client.cancel([future for future in futures if not future.done()])

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Tell the user, once, when no worker is left and the work waits for one."""
        ended = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(ended,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(_SECONDS_BETWEEN_LOOKS):
            if self.client.status == "running" and not self.client.scheduler_info()["workers"]:
                say(
                    f"no worker is left at {self.client.scheduler.address}: waiting for one to "
                    "join; Ctrl-C ends this, and what was finished is kept"
                )
                return


def _reason(future: Any) -> str:
    if future.status != "error":
        return f"the cluster lost it ({future.status})"
    error = future.exception()
    if isinstance(error, dask().KilledWorker):
        return "every worker that took it died; see the workers' logs, and whether memory is short"
    if isinstance(error, BoilersweepError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _error(failures: Sequence[tuple[str, str]], count: int, what: str) -> BoilersweepError:
    shown = "; ".join(f"{name}: {reason}" for name, reason in failures[:5])
    more = f"; and {len(failures) - 5:,} more" if len(failures) > 5 else ""
    return BoilersweepError(
        f"{what}: {len(failures):,} of {count:,} tasks failed: {shown}{more}. Finished "
        "tasks are kept: fix the cause and run the same command again"
    )


def _on_worker(do: Callable[[Task], Result], task: Task) -> Result:
    # Dask's workers are daemons, which may have no children; segmenting needs one to watch over.
    multiprocessing.current_process().daemon = False
    try:
        with contextlib.redirect_stderr(_NoTerminal(sys.stderr)):
            return _patient(do, task)
    finally:
        if "jnius" in sys.modules:
            import jnius

            jnius.detach()  # a thread that ends attached would keep the JVM from ending


def _patient(do: Callable[[Task], Result], task: Task) -> Result:
    """Do a task as soon as no other worker holds its lock.

    A worker that lost its connection to the scheduler lives on for a minute or so.
    """
    deadline = time.monotonic() + _SECONDS_FOR_A_LOCK
    while True:
        try:
            return do(task)
        except BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(1)


class _NoTerminal:
    """A stream without progress bars: those of several workers would mix."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def parse_cluster(text: str) -> int:
    """Parse `local:4`, four worker processes on this machine; raises UsageError."""
    match = _LOCAL.fullmatch(text)
    if match is None:
        raise UsageError(f"cluster {text!r}: expected local:N with N worker processes, as local:4")
    return int(match[1])


@contextlib.contextmanager
def local_cluster(workers: int) -> Iterator[ClusterPool]:
    """Yield a cluster of worker processes on this machine, for as long as the block runs.

    It listens on the loopback interface alone. A worker that dies is replaced.
    """
    distributed = dask()
    with contextlib.ExitStack() as stack:
        stack.enter_context(importlib.import_module("dask").config.set(_CONFIGURATION))
        with _deaf_children():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,
                silence_logs=logging.CRITICAL,
            )
        stack.enter_context(cluster)
        yield ClusterPool(stack.enter_context(distributed.Client(cluster)))


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started meanwhile ignore Ctrl-C; this process ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def connected_cluster(scheduler: str) -> Iterator[ClusterPool]:
    """Yield the workers of a running Dask cluster. scheduler: its address, such as tcp://host:8786.

    Certificates for tls:// are those of Dask's own configuration. Raises BoilersweepError where
    one of these is missing, no scheduler answers, no worker joins it, or a worker has another
    boilersweep.
    """
    distributed = dask()
    # It would show a traceback for every task when the scheduler is lost.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL + 1)
    _check_certificates()
    try:
        client = distributed.Client(scheduler, timeout=_SECONDS_TO_CONNECT)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        raise BoilersweepError(
            f"no Dask scheduler answers at {scheduler} ({error}); start one with `dask scheduler`; "
            "where it wants encryption, name it as tls:// and set Dask's distributed.comm.tls"
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_A_WORKER)
        except TimeoutError as error:
            raise BoilersweepError(
                f"no worker has joined {scheduler} in {_SECONDS_FOR_A_WORKER} seconds; start some "
                f"with `dask worker {scheduler}`"
            ) from error
        _check_versions(client)
        yield ClusterPool(client)


def _check_certificates() -> None:
    """Raise BoilersweepError that names the files of Dask's configuration that are missing."""
    configured = importlib.import_module("dask").config.get
    for key in ("ca-file", "client.cert", "client.key"):
        path = configured(f"distributed.comm.tls.{key}", None)
        if path and not Path(path).is_file():
            raise BoilersweepError(
                f"Dask's distributed.comm.tls.{key} is {path}, which is no file; expected one in "
                "PEM format"
            )


def _check_versions(client: Any) -> None:
    found = client.run(_version, on_error="return")
    for worker, version in found.items():
        if version != _version():
            raise BoilersweepError(
                f"worker {worker} has another boilersweep ({_text(version)}) than this machine "
                f"({_text(_version())}); install the same one, with its extra `cluster`, wherever "
                "workers run"
            )


def _version() -> tuple[str, str]:
    return __version__, whole_code()


def _text(version: object) -> str:
    return f"{version[0]}, code {version[1][:12]}" if isinstance(version, tuple) else str(version)
