"""Run tasks in processes of this machine, or on an executor, such as that of a cluster.

A task is a few names and numbers; pages and blocks go through files. Most know their file, which is
named by what it is made of. So a file that exists need not be made again, whoever made it, and
processes that see the same folder divide the work: each does what no other holds.
"""

import contextlib
import mmap
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    as_completed,
)
from dataclasses import dataclass
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

from boilersweep.errors import BoilersweepError, OutputError, reason_of
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_empty,
    remove_leftovers,
    write_text,
)
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.locks import Claims
from boilersweep.outputs.typed_files import json_text, read_json
from boilersweep.work.processes import Watch, preload, start_helpers
from boilersweep.work.progress import steps
from boilersweep.work.worker_pool import Death, WorkerPool, died

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Turns:
    """Which of some tasks this process does, and who hears of it.

    Attributes:
        take: Whether a task is begun; called before, but on an executor.
        done: Called with each task that is done and its result.
    """

    take: Callable[[Any], bool] = lambda _: True
    done: Callable[[Any, Any], object] = lambda *_: None


ALL = Turns()

# The hidden folder in an output in which tasks are locked, and what is known of them is noted.
NOTES = ".tasks"

_REPLACED = "replaced"

_LETTERS = 24  # of a digest in a name
KEY = "[0-9a-f]" * _LETTERS  # a pattern of keys

_WAIT = 0.5  # seconds between two looks at what other processes do

_ALIGNED = 64  # bytes: where arrays begin


def run_tasks(
    do: Callable[[Task], Result],
    tasks: Sequence[Task],
    what: str,
    unit: str,
    *,
    size: Callable[[Task], int] = lambda _: 1,
    workers: int | Executor = 1,
    arrays: Path | None = None,
    turns: Turns = ALL,
) -> list[Result]:
    """Do tasks. A task's own error is raised; finished tasks stay done.

    Args:
        do: A function that does a task. It can be pickled, and needs no JVM in processes.
        tasks: The tasks, which can be pickled.
        what: The work, such as "export".
        unit: The unit of the progress bar, such as "documents".
        size: A function from a task to its number of units.
        workers: The number of processes of this machine; this process does all if one is enough.
            Or an executor, which does the tasks.
        arrays: A folder with room for a file of the arrays of `do`, which all processes then map.
        turns: Which tasks to do.

    Returns:
        The results in the order of the tasks.

    Raises:
        OutputError: The arrays cannot be written.
        BoilersweepError: Workers died.
    """
    if not tasks:
        return []
    with (
        steps(what, sum(map(size, tasks)), unit) as bar,
        contextlib.ExitStack() as stack,
    ):
        results: dict[int, Result] = {}
        mine = (job for job in enumerate(tasks) if turns.take(job[1]))
        if isinstance(workers, Executor):
            found = _on_executor(workers, do, tasks)
        elif (processes := min(workers, len(tasks))) > 1:
            found = _in_processes(do, mine, processes, arrays)
        else:
            found = ((number, do(task)) for number, task in mine)
        for number, result in stack.enter_context(contextlib.closing(found)):
            results[number] = result
            turns.done(tasks[number], result)
            bar.update(size(tasks[number]))
    return [results[number] for number in sorted(results)]


def _on_executor(
    executor: Executor, do: Callable[[Task], Result], tasks: Sequence[Task]
) -> Generator[tuple[int, Result]]:
    """Yield the number and the result of each task that an executor has done, as they end.

    Raises:
        BoilersweepError: A task's own error, or one that says that the executor is lost.
    """
    numbers = {executor.submit(do, task): number for number, task in enumerate(tasks)}
    try:
        for future in as_completed(numbers):
            yield numbers[future], _result(future)
    finally:
        for future in numbers:
            future.cancel()


def _result(future: "Future[Result]") -> Result:
    try:
        return future.result()
    except BoilersweepError:
        raise
    except (BrokenExecutor, CancelledError, OSError) as error:
        reason = reason_of(error) or type(error).__name__
        raise BoilersweepError(
            f"the executor lost a worker or its connection ({reason}); what was finished "
            "is kept: run the same command again"
        ) from error


def prepare_processes(module: str, workers: int) -> None:
    """Start the process that starts workers, with a module that these need, beside other work."""
    if workers > 1:
        preload(module)
        start_helpers()


def _in_processes(
    do: Callable[[Task], Result],
    jobs: Iterator[tuple[int, Task]],
    processes: int,
    arrays: Path | None,
) -> Generator[tuple[int, Result]]:
    advice = (
        "what was finished is kept: run the same command again, with fewer --threads"
    )
    with (
        _Shared(do, arrays) if arrays else contextlib.nullcontext(do) as given,
        WorkerPool[tuple[int, Task]](
            _begin, given, workers=processes, advice=advice
        ) as pool,
    ):
        for (number, _), answer in pool.run(lambda _: next(jobs, None)):
            if isinstance(answer, Death):
                raise died(f" ({answer.detail})", advice)
            yield number, answer


def _begin(watch: Watch, given: Any) -> Callable[[tuple[int, Any]], Any]:
    """Begin in a worker process with the function, a `_Mapped` if it has large arrays."""
    do = given.value() if isinstance(given, _Mapped) else given

    def answer(job: tuple[int, Any]) -> Any:
        watch.begin(0, job[0])
        return do(job[1])

    return answer


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
        for buffer in (memoryview(pickled), *(one.raw() for one in buffers)):
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


def key_of(recipe: Any) -> str:
    """Return the key of what is made of a recipe, a JSON-able value."""
    return digest_of(recipe)[:_LETTERS]


class Keyed(Protocol):
    """A task."""

    @property
    def name(self) -> str:
        """What tells the task from the others of its output."""


_Keyed = TypeVar("_Keyed", bound=Keyed)


def make_missing(
    tasks: Sequence[_Keyed],
    has: Callable[[_Keyed], bool],
    make: Callable[[Sequence[_Keyed], Turns], int],
    claims: Claims,
    done: Callable[[_Keyed, Path], object] = lambda *_: None,
) -> None:
    """Make files until none is missing; those that other processes make are waited for.

    Args:
        tasks: The tasks.
        has: Whether a task's file is there.
        make: Does some of the tasks, as `Turns` says, and returns how many it did.
        claims: What this process holds.
        done: Called with each task that this process has done and its file.

    Raises:
        OutputError: This process does not see what a worker has written.
    """
    made: set[str] = set()

    def take(task: _Keyed) -> bool:
        if not claims.take(task.name):
            return False
        if has(task):  # another process has made it meanwhile
            claims.give_up(task.name)
            return False
        return True

    def finish(task: _Keyed, file: Path) -> None:
        if not file.exists():
            raise OutputError(
                f"a worker wrote {file}, which this process does not see; workers need "
                "--output in a folder that all machines share under the same path"
            )
        done(task, file)
        made.add(task.name)
        claims.give_up(task.name)

    while missing := [one for one in tasks if one.name not in made and not has(one)]:
        if make(missing, Turns(take, finish)) == 0:
            time.sleep(_WAIT)


def notes_folder(output: Path) -> Path:
    """Make and return the hidden folder of an output in which its tasks are locked.

    Raises:
        OutputError: It is a link, which is not followed, or cannot be made.
    """
    folder = output / NOTES
    if not is_remote(folder) and folder.is_symlink():
        raise OutputError(
            f"{folder} is in the way: expected a folder that is no link; remove it, or choose "
            "another --output"
        )
    make_folder(folder)
    return folder


@contextlib.contextmanager
def replacing(
    output: Path,
    old: Collection[str],
    new: Collection[str],
    is_own: Callable[[str], bool],
) -> Iterator[None]:
    """Remove files that an output had and no longer has, once its manifest is written in the block.

    If a kill comes first, the next call removes them.

    Args:
        output: The folder, which the caller holds.
        old: The names of the files that it had.
        new: The names of those that it has.
        is_own: Whether a name is one that such an output gives its files; others stay.

    Raises:
        OutputError: Files cannot be removed.
    """
    pending = notes_folder(output) / _REPLACED
    gone = set(old)
    with contextlib.suppress(OSError, ValueError):
        gone.update(read_json(pending, set[str]))
    gone = {name for name in gone.difference(new) if ".." not in name and is_own(name)}
    if gone:
        write_text(pending, json_text(sorted(gone)))
    yield
    with output_errors(output):
        for name in gone:
            (output / name).unlink(missing_ok=True)
            remove_empty((output / name).parent)
        pending.unlink(missing_ok=True)
        # A lock that goes may be another process's, which then makes what another one makes, too.
        for lock in pending.parent.glob("*.lock"):
            lock.unlink(missing_ok=True)
        remove_leftovers(pending.parent)
