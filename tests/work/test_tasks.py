"""Work in processes that have arrays in common."""

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep import BoilersweepError, OutputError
from boilersweep.work.processes import CONTEXT
from boilersweep.work.tasks import Work, make_all
from tests.conftest import ended

SECONDS = 300


@dataclass
class Looking:
    """Looks at its array, and does what an item says."""

    numbers: Any = field(default_factory=lambda: np.arange(100_000))
    names: tuple[str, ...] = ("a", "b")

    def __call__(self, item: int | str) -> tuple[int, int, bool]:
        if item == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "fail":
            raise OutputError("cannot write it")
        return (
            os.getpid(),
            int(self.numbers[int(item)]),
            bool(self.numbers.flags.owndata),
        )


def run(
    work: Callable[[Any], Any],
    items: Sequence[Any],
    workers: int,
    folder: Path,
    size: Callable[[Any], int] = lambda _: 1,
) -> list[Any]:
    return make_all(items, work, Work("test", "items", size, arrays=folder), workers)


@pytest.mark.slow
def test_processes_have_the_arrays_in_common(tmp_path: Path) -> None:
    items = list(range(0, 1000, 10))
    found = run(Looking(), items, 2, tmp_path)
    assert [number for _, number, _ in found] == items
    assert os.getpid() not in {process for process, _, _ in found}
    assert not any(owned for _, _, owned in found)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("threads", "items"), [(1, [3, 4]), (2, [3]), (2, [])])
def test_one_at_a_time_needs_no_other_process(
    threads: int, items: list[int], tmp_path: Path
) -> None:
    found = run(Looking(), items, threads, tmp_path)
    assert found == [(os.getpid(), item, True) for item in items]


@pytest.mark.slow
def test_a_worker_that_dies_ends_the_work(tmp_path: Path) -> None:
    dying: list[int | str] = [1, "die", 2, 3]
    with pytest.raises(
        BoilersweepError, match=r"a worker process died.*fewer `threads`"
    ):
        run(Looking(), dying, 2, tmp_path)


@pytest.mark.slow
def test_what_interrupts_the_work_ends_the_workers(tmp_path: Path) -> None:
    sizes = iter([1, 1, 1])

    def interrupt(_: float) -> int:
        # All are known at first; the next call is for a finished task
        size = next(sizes, None)
        if size is None:
            raise KeyboardInterrupt
        return size

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(time.sleep, [0, SECONDS, SECONDS], 2, tmp_path, size=interrupt)
    assert time.monotonic() - began < SECONDS / 2
    assert multiprocessing.active_children() == []


def no_semaphores(*_: object, **__: object) -> None:
    # As of a /dev/shm that nobody may write
    raise OSError(errno.EROFS, "Read-only file system")


@pytest.mark.slow
def test_processes_need_no_semaphores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed process would leave them behind, and the resource tracker would say so."""
    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_semaphores)
    found = run(Looking(), [3, 4], 2, tmp_path)
    assert [number for _, number, _ in found] == [3, 4]


@pytest.mark.slow
def test_what_the_work_raises_is_raised_and_ends_its_own_workers_alone(
    tmp_path: Path,
) -> None:
    # The third is given to a worker that has done one
    items = [1, 2, "fail", *range(100)]
    sizes = iter([1] * len(items))
    mine = CONTEXT.Process(target=time.sleep, args=(SECONDS,))

    def begin(_: object) -> int:
        if next(sizes, None) is None and mine.pid is None:
            mine.start()  # the calling program's own, when a first task is done
        return 1

    try:
        with pytest.raises(OutputError, match="cannot write it"):
            run(Looking(), items, 2, tmp_path, size=begin)
        assert multiprocessing.active_children() == [mine]
    finally:
        mine.kill()
        mine.join()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere"):
        run(Looking(), [1, 2], 2, tmp_path / "nowhere")


_SLOW = """
import sys, time
from pathlib import Path
from boilersweep.work.processes import CONTEXT
from boilersweep.work.tasks import Work, make_all

def work(item):
    Path(sys.argv[1], str(item)).touch()
    time.sleep(1000)

if __name__ == "__main__":
    make_all(range(10), work, Work("test", "items"), 2)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_ends_the_process_ends_its_workers(
    tmp_path: Path, number: signal.Signals
) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SLOW)
    folder = tmp_path / "folder"
    folder.mkdir()
    # A process group of its own, by which its workers are known.
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)],
        stderr=subprocess.DEVNULL,
        process_group=0,
    ) as process:
        deadline = time.monotonic() + SECONDS
        while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, number)
        process.wait(SECONDS)
    while not ended(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ended(process.pid)


@pytest.mark.parametrize(
    "executor",
    [
        pytest.param(lambda: ProcessPoolExecutor(2, CONTEXT), marks=pytest.mark.slow),
        lambda: ThreadPoolExecutor(2),
    ],
)
def test_any_executor_does_the_same(executor: Callable[[], Executor]) -> None:
    done: list[int] = []

    def size(item: int) -> int:
        done.append(item)
        return 1

    with executor() as given:
        found = make_all([7, 3, 5], Looking(), Work("test", "items", size), given)
        assert [number for _, number, _ in found] == [7, 3, 5]
        assert set(done) == {3, 5, 7}
        items: list[int | str] = [1, "fail", 2]
        with pytest.raises(OutputError, match="cannot write it"):
            make_all(items, Looking(), Work("test", "items"), given)
