"""Tasks on an executor: its workers compare their versions, and their errors name their hosts.

A worker process does one task at a time, whatever its number of threads: a model and a JVM have one
user. Tasks whose records may hang or crash are done by a child of the worker.
"""

import contextlib
import importlib.util
import os
import pickle
import platform
import queue
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, excerpt
from boilersweep.outputs.identity import (
    __version__,
    differences,
    digest_of,
    file_digest,
    some_of,
)
from boilersweep.work.pool import Pool, PoolOptions
from boilersweep.work.processes import allow_children
from boilersweep.work.progress import say

_LOOK_AFTER = 5.0  # seconds between two looks at an executor that says nothing
_PATIENCE = 60.0  # seconds without a worker, until that is said
_LONGEST = 600.0  # seconds without a worker, until the work ends
_MOST_LOST = 3  # times that a task is given to another worker if its own is lost
_IDLE = 60.0  # seconds for which a worker keeps a child that has nothing to do

_PACKAGES = (
    "boilersweep",
    *(f"boilersweep.{one}" for one in ("eval", "indexer", "topics")),
)

_TRACEBACK = "Traceback (most recent call last):"
_REASON = 400  # characters of a foreign error's message


class RefusedError(BoilersweepError):
    """A worker has other versions than the task wants, or lacks what it needs.

    Args:
        worker: The name of the worker.
        message: What differs.
    """

    def __init__(self, worker: str, message: str) -> None:
        super().__init__(message)
        self.args = worker, message  # from which it is made again in another process
        self.worker = worker


class LostWorkerError(BrokenExecutor):
    """The worker that did a task died, or its node, or there was no memory for it."""


@lru_cache
def package_versions() -> dict[str, str]:
    """Return the versions on which all results depend."""
    names = ("pyarrow", "lxml", "numpy")
    return {
        "boilersweep": f"{__version__} (sources {_sources()})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        **{name: importlib.import_module(name).__version__ for name in names},
    }


def _sources() -> str:
    """Return what tells our code from that of another state of the same version."""
    sources = {}
    for package in _PACKAGES:  # an editable installation has them in several places
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in Path(folder).rglob("*.py"):
                name = f"{package}/{path.relative_to(folder).as_posix()}"
                sources[name.replace(".", "/")] = file_digest(path)
    return digest_of(sources)[:8]


def one_line(error: BaseException) -> str:
    """Return the kind and the message of a foreign error as one line, without tracebacks."""
    begin, traceback, end = str(error).partition(_TRACEBACK)
    last = end.strip().splitlines()[-1:] if traceback else []
    message = " ".join(" ".join([begin, *last]).split())
    return excerpt(
        f"{type(error).__name__}: {message}".removesuffix(": "), most=_REASON
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """A task's pickled result, and the documents and bytes that were read for it."""

    result: bytes
    documents: int
    read_bytes: int


class Remote:
    """Does tasks in a worker of an executor, to which it is sent.

    A worker whose child does the tasks imports nothing for them: functions, tasks and results are
    bytes to it.

    Args:
        do: The function that does a task.
        watched: See `Work`.
        versions: See `Work`.
    """

    def __init__(
        self,
        do: Callable[..., Any],
        watched: PoolOptions | None,
        versions: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._watched = watched
        wanted = {**package_versions(), **versions()}
        self._packed = pickle.dumps((do, versions, wanted))

    def __call__(self, task: bytes) -> Answer:
        """Do a pickled task; the result is pickled, too.

        Raises:
            RefusedError: This worker has other versions.
            BoilersweepError: The task fails.
        """
        host = socket.gethostname()
        with _one_at_a_time:
            try:
                if self._watched:
                    return _children.do(self._packed, self._watched, task)
                return Answer(_do(self._packed, task), 0, 0)
            except RefusedError as error:
                raise RefusedError(_name(), f"the worker on {host} {error}") from None
            except BoilersweepError as error:
                raise type(error)(f"{error} (on the worker {host})") from None
            except Exception as error:
                raise BoilersweepError(
                    f"the worker on {host} failed: {one_line(error)}"
                ) from None


def _do(packed: bytes, task: bytes, *losses: Any) -> bytes:
    """Compare versions, and do a task with what a `Remote` packed."""
    return pickle.dumps(_fit(packed)(pickle.loads(task), *losses))  # noqa: S301 - our own


def _fit(packed: bytes) -> Callable[..., Any]:
    """Return the function that does tasks; raise RefusedError if this process is not fit for it."""
    try:
        do, versions, wanted = pickle.loads(packed)  # noqa: S301 - our own
        ours = {**package_versions(), **versions()}
    except Exception as error:  # a package is missing, or it fails
        raise RefusedError("", f"is not fit for it: {one_line(error)}") from None
    if changes := differences(ours, wanted):
        raise RefusedError(
            "",
            f"has other versions than this process: {some_of(changes)}; install the same "
            "versions there",
        )
    function: Callable[..., Any] = do
    return function


_one_at_a_time = threading.Lock()


def _name() -> str:
    """Return the name by which the cluster of this worker knows it."""
    if dask := sys.modules.get("distributed"):
        try:
            return str(dask.get_worker().address)
        except ValueError:  # this process is none of its workers
            pass
    if (ray := sys.modules.get("ray")) and ray.is_initialized():
        return str(ray.get_runtime_context().get_node_id())
    return f"{socket.gethostname()} {os.getpid()}"


class _Children:
    """The child of this worker that does tasks; it stays for the next one for a while."""

    def __init__(self) -> None:
        self._pool: Pool[Any, Any] | None = None
        self._made_of: tuple[bytes, PoolOptions] | None = None
        self._begun = 0

    def do(self, packed: bytes, options: PoolOptions, task: bytes) -> Answer:
        """Do a task in the child; another function has another child."""
        self._begun += 1
        if self._pool is None or self._made_of != (packed, options):
            self.end()
            allow_children()
            self._pool = Pool(partial, _do, packed, workers=1, options=options)
            self._made_of = packed, options
        before = self._pool.counted()
        tasks = iter([task])
        try:
            [(_, result)] = self._pool.run(lambda: next(tasks, None))
        except BaseException:
            self.end()
            raise
        documents, read_bytes = self._pool.counted()
        timer = threading.Timer(_IDLE, self._end_idle, [self._begun])
        timer.daemon = True
        timer.start()
        return Answer(result, documents - before[0], read_bytes - before[1])

    def _end_idle(self, begun: int) -> None:
        with _one_at_a_time:
            if begun == self._begun:
                self.end()

    def end(self) -> None:
        """End the child."""
        if self._pool:
            self._pool.__exit__()
            self._pool = None


_children = _Children()


def on_executor(
    executor: Executor,
    remote: Remote,
    tasks: Sequence[Any],
    show: Callable[[int, int], object],
) -> Generator[tuple[int, Any]]:
    """Yield the number and the result of each task that an executor has done, as they end.

    Args:
        executor: The executor; one of `cluster_executor` also knows its workers.
        remote: Does a task.
        tasks: The tasks.
        show: Called with the documents and bytes that were read so far.

    Raises:
        BoilersweepError: A task's own error, or one that says that the executor is lost, or that no
            worker has the versions.
    """
    given = _Given(executor, remote, tasks)
    documents = read_bytes = 0
    try:
        for number in range(len(tasks)):
            given.submit(number)
        while given.running:
            number, answer = given.next()
            if isinstance(answer, Answer):
                documents += answer.documents
                read_bytes += answer.read_bytes
                show(documents, read_bytes)
                yield number, pickle.loads(answer.result)  # noqa: S301 - our own
    except BoilersweepError:
        raise
    except Exception as error:  # executors raise what they like
        raise BoilersweepError(
            f"the executor lost a worker or its connection ({one_line(error)}); what was finished "
            "is kept: run the same command again"
        ) from error
    finally:
        for future in given.running:
            future.cancel()


class _Given:
    """The tasks that an executor was given.

    Attributes:
        running: The numbers of those that have not ended.
    """

    def __init__(self, executor: Any, remote: Remote, tasks: Sequence[Any]) -> None:
        self._executor = executor
        self._remote = remote
        self._tasks = tasks
        self._workers: Callable[[], int] = getattr(executor, "workers", lambda: 1)
        self._absent: Callable[[], str] = getattr(executor, "absent", str)
        self._ended: queue.SimpleQueue[Future[Answer]] = queue.SimpleQueue()
        self._later: list[int] = []
        self._lost: Counter[int] = Counter()
        self.running: dict[Future[Answer], int] = {}

    def submit(self, number: int) -> None:
        """Have a task done."""
        task = pickle.dumps(self._tasks[number])
        future = self._executor.submit(self._remote, task)
        self.running[future] = number
        future.add_done_callback(self._ended.put)

    def next(self) -> tuple[int, Answer | None]:
        """Return the number and the answer of the next task that ends; None if it was refused.

        Raises:
            RefusedError: No other worker is there.
            BoilersweepError: A task's own error, or there has been no worker for long.
        """
        future = self._next()
        number = self.running.pop(future)
        try:
            answer = future.result()
        except RefusedError as error:
            avoid = getattr(self._executor, "avoid", None)
            if not (avoid(error.worker) if avoid else self.running):
                raise
            if avoid:
                self.submit(number)
            else:
                self._later.append(number)
            return number, None
        except LostWorkerError:
            self._lost[number] += 1
            if self._lost[number] > _MOST_LOST:
                raise
            if self.running:  # when another one ends, there may be more memory
                self._later.append(number)
            else:
                self.submit(number)
            return number, None
        while self._later:  # others work: they may take them
            self.submit(self._later.pop())
        return number, answer

    def _next(self) -> Future[Answer]:
        since, has_said = time.monotonic(), False
        while True:
            with contextlib.suppress(queue.Empty):
                return self._ended.get(timeout=_LOOK_AFTER)
            if self._workers():
                since, has_said = time.monotonic(), False
            seconds = time.monotonic() - since
            if seconds > _LONGEST:
                raise BoilersweepError(
                    f"the cluster has had no worker for {_LONGEST:.0f} s{self._absent()}; start "
                    "workers, and run the same command again: what was finished is kept"
                )
            if seconds > _PATIENCE and not has_said:
                has_said = True
                say(
                    f"the cluster has had no worker for {_PATIENCE:.0f} s{self._absent()}; the "
                    f"work goes on with the next one, and ends after {_LONGEST:.0f} s without any"
                )
