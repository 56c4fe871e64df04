"""Run tasks on the workers of a cluster, with progress, retries, and names for what fails."""

import contextlib
import importlib
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TextIO, TypeVar

from boilersweep.errors import BoilersweepError, BusyError, UsageError
from boilersweep.work.progress import say, steps

Item = TypeVar("Item")
Result = TypeVar("Result")

_SECONDS_BETWEEN_LOOKS = 30.0
_SECONDS_FOR_A_LOCK = 120.0
_RETRIES = 2
"""Times a task that failed is tried again; one whose worker died, Dask gives to another as often
as its own `distributed.scheduler.allowed-failures` says."""


def dask() -> Any:
    """Dask's package of clusters; raises UsageError where it is not installed."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise UsageError(
            f"clusters need Dask, which is not installed ({error}); install it with "
            "`pip install 'boilersweep[cluster]'`"
        ) from error


class Crew:
    """The workers of a cluster. client: Dask's."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def __len__(self) -> int:
        """How many tasks can run at the same time."""
        return max(1, sum(map(int, self.client.nthreads().values())))

    def run(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        name: Callable[[Item], str],
        what: str,
        unit: str,
    ) -> list[Result]:
        """Call `work` on every item, each on some worker; the results in the items' order.

        work and items travel pickled. name: of an item, for messages. what, unit: for the bar.
        One that fails keeps none of the others from being done. Raises BoilersweepError that
        names those that failed in the end.
        """
        futures = self.client.map(
            partial(_on_worker, work), items, pure=False, retries=_RETRIES, key=what
        )
        try:
            self._wait(futures, what, unit)
            if self.client.status != "running":
                raise BoilersweepError(
                    f"{what}: the scheduler at {self.client.scheduler.address} is gone. What was "
                    "finished is kept: start another, and the same command goes on from there"
                )
            failures = [
                (name(item), _reason(future))
                for item, future in zip(items, futures, strict=True)
                if future.status != "finished"
            ]
            if failures:
                raise _error(failures, len(items), what)
            results: list[Result] = self.client.gather(futures)
            return results
        finally:
            self.client.cancel([future for future in futures if not future.done()])

    def _wait(self, futures: Sequence[Any], what: str, unit: str) -> None:
        with steps(what, len(futures), unit) as bar, self._watched():
            for _ in dask().as_completed(futures):
                bar.update()

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Says so, once, when no worker is left and the work waits for one."""
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
        f"{what}: {len(failures):,} of {count:,} tasks failed: {shown}{more}. What was finished "
        "is kept: mend the cause, and the same command goes on from there"
    )


def _on_worker(work: Callable[[Item], Result], item: Item) -> Result:
    """What a worker runs."""
    # Dask's workers are daemons, which may have no children; segmenting needs one to watch over.
    multiprocessing.current_process().daemon = False
    try:
        with contextlib.redirect_stderr(_NoTerminal(sys.stderr)):
            return _patient(work, item)
    finally:
        if "jnius" in sys.modules:
            import jnius

            jnius.detach()  # a thread that ends attached would keep the JVM from ending


def _patient(work: Callable[[Item], Result], item: Item) -> Result:
    """Do it, as soon as nobody else does.

    A worker that the scheduler gave up, for its network was cut, lives on for a minute or so.
    """
    deadline = time.monotonic() + _SECONDS_FOR_A_LOCK
    while True:
        try:
            return work(item)
        except BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(1)


class _NoTerminal:
    """A stream on which no one draws a bar: those of workers would run into each other."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
