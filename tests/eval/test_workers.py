"""Work in processes that have arrays in common."""

import errno
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep.cleaners.variants import collect_variants
from boilersweep.errors import BoilersweepError, OutputError
from boilersweep.eval.engines import ExactEngine, SearchOptions
from boilersweep.eval.exact.docids import PackedDocids
from boilersweep.eval.scored import write_scored_runs
from boilersweep.eval.scoring import parse_measures
from boilersweep.eval.workers import in_workers
from boilersweep.store.store import BlockStore
from tests.conftest import ended

SECONDS = 60


@dataclass
class Work:
    """Looks at its array, and does what an item says."""

    numbers: Any = field(default_factory=lambda: np.arange(100_000))
    names: tuple[str, ...] = ("a", "b")

    def __call__(self, item: int | str) -> tuple[int, int, bool]:
        if item == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if item == "fail":
            raise OutputError("cannot write it")
        return os.getpid(), int(self.numbers[int(item)]), bool(self.numbers.flags.owndata)


@pytest.mark.slow
def test_processes_have_the_arrays_in_common(tmp_path: Path) -> None:
    items, told = list(range(0, 1000, 10)), []
    found = in_workers(Work(), items, 2, tmp_path, lambda: told.append(1))
    assert [number for _, number, _ in found] == items
    assert len(told) == len(items)
    assert os.getpid() not in {process for process, _, _ in found}
    assert not any(owned for _, _, owned in found)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("threads", "items"), [(1, [3, 4]), (2, [3]), (2, [])])
def test_one_at_a_time_needs_no_other_process(
    threads: int, items: list[int], tmp_path: Path
) -> None:
    found = in_workers(Work(), items, threads, tmp_path, lambda: None)
    assert found == [(os.getpid(), item, True) for item in items]


@pytest.mark.slow
def test_a_worker_that_dies_ends_the_work(tmp_path: Path) -> None:
    dying: list[int | str] = [1, "die", 2, 3]
    with pytest.raises(BoilersweepError, match=r"a worker process died.*fewer --threads"):
        in_workers(Work(), dying, 2, tmp_path, lambda: None)


def test_a_worker_that_dies_while_work_is_given_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def submit(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    with pytest.raises(BoilersweepError, match="a worker process died"):
        in_workers(Work(), [1, 2], 2, tmp_path, lambda: None)


def test_what_interrupts_the_giving_out_ends_the_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    submit = ProcessPoolExecutor.submit

    def interrupted(pool: ProcessPoolExecutor, *work: Any) -> Any:
        given.append(work)
        if len(given) == 3:
            raise KeyboardInterrupt
        return submit(pool, *work)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        in_workers(time.sleep, [SECONDS] * 3, 2, tmp_path, lambda: None)
    assert time.monotonic() - began < SECONDS / 2


def no_semaphores(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")  # as of a /dev/shm that nobody may write


def test_without_semaphores_one_process_does_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", no_semaphores)
    found = in_workers(Work(), [3, 4], 2, tmp_path, lambda: None)
    assert found == [(os.getpid(), item, True) for item in (3, 4)]


@pytest.mark.slow
def test_what_the_work_raises_is_raised(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write it"):
        in_workers(Work(), [1, "fail", *range(100)], 2, tmp_path, lambda: None)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="nowhere"):
        in_workers(Work(), [1, 2], 2, tmp_path / "nowhere", lambda: None)


@pytest.mark.parametrize("docids", [[], ["d1"], ["a", "", "zürich", "\ufeffx", "😀"]])
def test_packed_docids_are_the_docids(docids: list[str]) -> None:
    packed = PackedDocids(docids)
    assert len(packed) == len(docids)
    assert list(packed) == docids == packed[:]
    assert [packed[n] for n in range(len(docids))] == docids
    for beyond in (-1, len(docids)):
        with pytest.raises(IndexError):
            packed[beyond]


@pytest.mark.java
def test_runs_and_scores_of_several_processes_are_those_of_one(
    store: BlockStore, tmp_path: Path
) -> None:
    queries = {"1": "pony", "2": "zebra word7", "3": "nowhereatall", "5": "word1 😀"}
    grades = {topic: {f"d{d:02d}": d % 3 for d in range(30)} for topic in ("2", "5")}
    measures = parse_measures(["P@10", "nDCG@10", "AP", "Judged@5"])
    variants = list(collect_variants(["words=1:6", "density=1:3"], ["bte"]))
    engine = ExactEngine(store, variants, queries, SearchOptions())
    found = []
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        folder.mkdir()
        runs = {variant: folder / f"{variant.name}.trec" for variant in variants}
        found.append(write_scored_runs(engine, runs, list(queries), grades, measures, threads))
        assert [one.found.variant for one in found[-1]] == variants
    assert found[0] == found[1]
    for variant in variants:
        name = f"{variant.name}.trec"
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert len(list((tmp_path / "2").iterdir())) == len(variants)


_SLOW = """
import sys, time
from pathlib import Path
from boilersweep.eval.workers import in_workers
from tests.conftest import ended

def work(item):
    Path(sys.argv[1], str(item)).touch()
    time.sleep(60)

if __name__ == "__main__":
    in_workers(work, range(10), 2, Path(sys.argv[1]), lambda: None)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_ends_the_process_ends_its_workers(tmp_path: Path, number: signal.Signals) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SLOW)
    folder = tmp_path / "folder"
    folder.mkdir()
    # A process group of its own, by which its workers are known.
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)], stderr=subprocess.DEVNULL, process_group=0
    ) as process:
        deadline = time.monotonic() + SECONDS
        while len(list(folder.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, number)
        process.wait(SECONDS)
    while not ended(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ended(process.pid)
