"""Work on many things in processes of this machine that have large arrays in common.

What does the work is pickled once, its arrays into a file without a name that every process maps:
they are in memory once, whatever the number of processes, and gone with the last of these.
"""

import mmap
import os
import pickle
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any, TypeVar

from boilersweep.outputs.files import output_errors
from boilersweep.work.processes import has_semaphores, make_ready, worker_pool

Item = TypeVar("Item")
Found = TypeVar("Found")

_ALIGNED = 64  # bytes: where arrays begin


def prepare_workers(threads: int) -> None:
    """Have what starts the processes import what they need, beside other work of this process."""
    if threads > 1:
        make_ready("boilersweep.eval.scored")


def in_workers(
    work: Callable[[Item], Found],
    items: Sequence[Item],
    threads: int,
    folder: Path,
    done: Callable[[], object],
) -> list[Found]:
    """What the work gives for each item, in their order.

    In this process with one thread, and where the machine lacks what a pool of processes needs.
    work: can be pickled, and needs no JVM. folder: where there is room for a file of its arrays.
    done: called when another item is done. Raises what the work raises, OutputError where the
    arrays cannot be written, and BoilersweepError where a worker dies.
    """
    found = []
    processes = min(threads, len(items))
    if processes < 2 or not has_semaphores():
        for one in map(work, items):
            found.append(one)
            done()
        return found
    with (
        _Shared(work, folder) as shared,
        worker_pool(processes, "run the same command again", _take, shared) as pool,
    ):
        for future in [pool.submit(_work, item) for item in items]:
            found.append(future.result())
            done()
    return found


class _Shared:
    """An object with its arrays in a file, to be sent to a process that is being started."""

    def __init__(self, value: Any, folder: Path) -> None:
        self._value = value
        self._folder = folder

    def __enter__(self) -> "_Shared":
        with output_errors(self._folder):
            self._file: IO[bytes] = tempfile.TemporaryFile(dir=self._folder)
            self._places: list[tuple[int, int]] = []
            buffers: list[pickle.PickleBuffer] = []
            pickled = pickle.dumps(self._value, protocol=5, buffer_callback=buffers.append)
            for buffer in (memoryview(pickled), *(one.raw() for one in buffers)):
                start = -(-self._file.tell() // _ALIGNED) * _ALIGNED
                self._file.seek(start)
                self._file.write(buffer)
                self._places.append((start, buffer.nbytes))
            self._file.flush()
        return self

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
        pickled, *buffers = (whole[start : start + size] for start, size in self._places)
        return pickle.loads(pickled, buffers=buffers)  # noqa: S301 - our own, of a moment ago


_given: Any = None
"""In a worker: what does the work."""


def _take(shared: Any) -> None:
    """shared: sent as `_Shared`, and here as `_Mapped`."""
    global _given
    _given = shared.value()


def _work(item: Any) -> Any:
    return _given(item)
