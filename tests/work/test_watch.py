"""Where a worker is and how long, as the parent sees it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boilersweep.work import processes as watch_module
from boilersweep.work.processes import Stopwatch, Watch

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc"
)


def test_where_a_worker_stands() -> None:
    watch = Watch()
    assert (watch.place, watch.turn) == ((0, 0), 0)
    watch.begin(0, 7)
    assert (watch.place, watch.turn) == ((0, 7), 1)
    watch.begin(0, 7)  # of another task
    assert (watch.place, watch.turn) == ((0, 7), 2)
    with watch.waiting():
        assert watch.is_waiting
    assert not watch.is_waiting
    watch.add(1, 100)
    watch.add(2, 200)
    assert watch.counted == (3, 300)
    watch.forget()
    assert (watch.counted, watch.place, watch.turn) == ((0, 0), (0, 0), 0)
    watch.begin(1, 0)
    assert (watch.place, watch.turn) == ((1, 0), 3)


def test_a_worker_writes_where_its_parent_looks() -> None:
    mine, seen = Watch(), Watch()
    mine.share(seen)
    mine.begin(2, 3)
    assert seen.place == (2, 3)


WORKS = "print(flush=True)\nwhile True: pass"
SLEEPS = "print(flush=True)\nimport time\ntime.sleep(60)"


@pytest.fixture
def process(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process at work or asleep. Others may run beside it: bounds in time are wide."""
    command = [sys.executable, "-c", request.param]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        yield running
        running.kill()


def at_a_record() -> Watch:
    watch = Watch()
    watch.begin(0, 0)
    return watch


def watched(stopwatch: Stopwatch, seconds: float) -> float:
    """Seconds at the end, after looks every 20th of a second."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.05)
        spent = stopwatch.look()
    return spent


@needs_proc
@pytest.mark.parametrize(
    "process", [WORKS, SLEEPS], indirect=True, ids=["works", "sleeps"]
)
def test_work_and_sleep_count_but_not_stops_nor_where_no_one_looks(
    process: subprocess.Popen[bytes],
) -> None:
    stopwatch = Stopwatch(process.pid, at_a_record())
    assert stopwatch.look() == 0.0
    deadline = time.monotonic() + 30
    while watched(stopwatch, 0.2) < 0.5:
        assert time.monotonic() < deadline
    before = stopwatch.look()
    time.sleep(1.5)
    assert stopwatch.look() <= before + 0.4
    os.kill(process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    before = watched(stopwatch, 0.1)
    assert watched(stopwatch, 1.0) == before


@needs_proc
@pytest.mark.parametrize("process", [SLEEPS], indirect=True, ids=["sleeps"])
def test_each_record_has_a_time_of_its_own(process: subprocess.Popen[bytes]) -> None:
    watch = at_a_record()
    stopwatch = Stopwatch(process.pid, watch)
    assert stopwatch.look() == 0.0
    assert watched(stopwatch, 0.2) >= 0.1
    watch.begin(0, 1)
    assert stopwatch.look() == 0.0
    with watch.waiting():
        assert watched(stopwatch, 0.3) <= 0.1
    assert watched(stopwatch, 0.3) >= 0.2


@pytest.mark.parametrize(
    ("state", "counts"),
    [("R", False), ("D", False), ("T", False), ("t", False), ("S", True), ("", True)],
)
def test_waiting_for_a_processor_or_a_disk_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, counts: bool
) -> None:
    """As of a process of a strange name that gets no processor; without /proc all time counts."""
    if state:
        (tmp_path / "stat").write_text(f"7 (a) b) {state} " + "0 " * 49)
    monkeypatch.setattr(watch_module, "Path", lambda _: tmp_path / "stat")
    stopwatch = Stopwatch(7, at_a_record())
    stopwatch.look()
    spent = watched(stopwatch, 0.3)
    assert spent >= 0.3 if counts else spent == 0
