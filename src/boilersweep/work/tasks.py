"""Do tasks: in processes of this machine, or on an executor, such as that of a cluster.

A task is a few names and numbers; pages and blocks go through files.
"""

import contextlib
import functools
import gc
import mmap
import os
import pickle
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any, TypeVar

from boilersweep.errors import OutputError
from boilersweep.outputs.atomic import (
    output_errors,
)
from boilersweep.work.pool import ADVICE, DeadRecord, Pool, PoolOptions, died
from boilersweep.work.processes import HERE, preload, start_helpers
from boilersweep.work.progress import DocumentsBar, steps
from boilersweep.work.workers import Remote, on_executor

Task = TypeVar("Task")
Result = TypeVar("Result")

# The hidden folder in an output of what is kept beside it.
NOTES = ".tasks"

_ALIGNED = 64  # bytes: where arrays begin


def _nothing() -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Work:
    """What some tasks have in common.

    Attributes:
        what: The work, such as "export".
        unit: The unit of its progress, such as "documents".
        size: A function from a task to its number of units.
        watched: How long the records of a task may take and what memory, if they may hang or crash.
            Then a function that does a task gets a second argument, `DeadRecord`s that it leaves
            out; it tells `HERE` of each record, and the unit is bytes of input.
        versions: A function that can be pickled and returns what results depend on where a task is
            done, beside the versions of `package_versions`. An executor's worker compares its own.
        arrays: A folder with room for a file of the arrays of the function that does a task, which
            all processes then map.
    """

    what: str
    unit: str
    size: Callable[[Any], int] = lambda _: 1
    watched: PoolOptions | None = None
    versions: Callable[[], Mapping[str, Any]] = _nothing
    arrays: Path | None = None

    def bar(self, tasks: Sequence[Any]) -> Any:
        """Return the context of a bar that shows how far the tasks are."""
        total = sum(map(self.size, tasks))
        if self.watched:
            return contextlib.closing(DocumentsBar(self.what, total))
        return steps(self.what, total, self.unit)


def make_all(
    tasks: Sequence[Task],
    do: Callable[..., Result],
    work: Work,
    workers: int | Executor = 1,
    done: Callable[[Task, Result], object] = lambda *_: None,
) -> list[Result]:
    """Do tasks. A task's own error is raised; finished tasks stay done.

    Args:
        tasks: The tasks, which can be pickled.
        do: A function that does a task. It can be pickled, and needs no JVM in processes.
        work: What the tasks have in common.
        workers: The number of processes of this machine; this process does all if one is enough,
            unless the work is watched. Or an executor, whose workers see files at the same paths.
        done: Called in this process with each task that is done and its result, at once.

    Returns:
        The results in the order of the tasks.

    Raises:
        OutputError: The arrays cannot be written.
        BoilersweepError: Workers died, whatever they were given, or the executor is lost.
    """
    if not tasks:
        return []
    results: dict[int, Result] = {}
    with (
        work.bar(tasks) as bar,
        contextlib.closing(_done(tasks, do, work, workers, bar)) as finished,
    ):
        for number, result in finished:
            results[number] = result
            done(tasks[number], result)
            if isinstance(bar, DocumentsBar):
                continue
            bar.update(work.size(tasks[number]))
    return [results[number] for number in range(len(tasks))]


def _done(
    tasks: Sequence[Task],
    do: Callable[..., Result],
    work: Work,
    workers: int | Executor,
    bar: Any,
) -> Generator[tuple[int, Result]]:
    """Yield the number and the result of each task as it ends."""
    if isinstance(workers, Executor):
        remote = Remote(do, work.watched, work.versions)
        show = bar.show if work.watched else lambda *_: None
        yield from on_executor(workers, remote, tasks, show)
    elif work.watched or min(workers, len(tasks)) > 1:
        yield from _in_processes(tasks, do, work, min(workers, len(tasks)), bar)
    else:
        yield from ((index, do(task)) for index, task in enumerate(tasks))


def prepare_processes(module: str, workers: int) -> None:
    """Start the process that starts workers, with a module that these need, beside other work."""
    if workers > 1:
        preload(module)
        start_helpers()


def _in_processes(
    tasks: Sequence[Task],
    do: Callable[..., Result],
    work: Work,
    processes: int,
    bar: Any,
) -> Generator[tuple[int, Result]]:
    options = work.watched or PoolOptions(script=_module_of(do) == "__main__")
    jobs = enumerate(tasks)
    if work.watched:
        preload(_module_of(do))
    with (
        _Shared(do, work.arrays)
        if work.arrays
        else contextlib.nullcontext(do) as given,
        Pool[tuple[int, Task], Result](
            _begin, given, bool(work.watched), workers=processes, options=options
        ) as pool,
    ):
        look = (lambda: bar.show(*pool.counted())) if work.watched else lambda: None
        for (number, _), result in pool.run(lambda: next(jobs, None), look):
            yield number, result


def _module_of(do: Any) -> str:
    while isinstance(do, functools.partial):
        do = do.func
    return str(getattr(do, "__module__", ""))


def _begin(given: Any, watched: bool) -> Callable[[Any, Sequence[DeadRecord]], Any]:
    """Begin in a worker process with the function, a `_Mapped` if it has large arrays."""
    do = given.value() if isinstance(given, _Mapped) else given
    gc.freeze()  # what was imported stays

    def answer(job: tuple[int, Any], losses: Sequence[DeadRecord]) -> Any:
        if watched:
            return do(job[1], losses)
        HERE.begin(0, 0)
        if losses:
            raise died(f" ({losses[0].detail})", ADVICE)
        return do(job[1])

    return answer


def require_visible(file: Path) -> None:
    """Raise OutputError for a file of a worker that this process does not see."""
    if not file.exists():
        raise OutputError(
            f"a worker wrote {file}, which this process does not see; workers need `output` in a "
            "folder that all machines share under the same path"
        )


class _Shared:
    """An object with its arrays in a file, to be sent to a process that is being started."""

    def __init__(self, value: Any, folder: Path) -> None:
        self._value = value
        self._folder = folder

    def __enter__(self) -> "_Shared":
        with output_errors(self._folder):
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=self._folder)
            try:
                self._write()
            except OSError:
                with contextlib.suppress(
                    OSError
                ):  # it cannot write what is left, either
                    self._file.close()
                raise
        return self

    def _write(self) -> None:
        self._places: list[tuple[int, int]] = []
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(self._value, protocol=5, buffer_callback=buffers.append)
        for buffer in (
            memoryview(pickled),
            *(raw_buffer.raw() for raw_buffer in buffers),
        ):
            start = -(-self._file.tell() // _ALIGNED) * _ALIGNED
            self._file.seek(start)
            self._file.write(buffer)
            self._places.append((start, buffer.nbytes))
        self._file.flush()

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Mapped, (DupFd(self._file.fileno()), self._places)


class _Mapped:
    """The object in a process that was sent it."""

    def __init__(self, descriptor: Any, places: Sequence[tuple[int, int]]) -> None:
        self._descriptor = descriptor
        self._places = places

    def value(self) -> Any:
        descriptor = self._descriptor.detach()
        try:
            whole = memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
        finally:
            os.close(descriptor)
        pickled, *buffers = (
            whole[start : start + size] for start, size in self._places
        )
        return pickle.loads(pickled, buffers=buffers)  # noqa: S301 - our own, of a moment ago
