"""Processes that are stopped and go on later, as suspended jobs do: no page is lost to that.

Each is stopped for twice the time that a record may take, while it is at one.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boilersweep import open_store

pytestmark = [
    pytest.mark.java,
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc"),
]

PLUGIN = "stops_at_a_page"
SECONDS = 2.0
DOCUMENTS = 12

MODULE = """
import multiprocessing, os, signal, time
from pathlib import Path

FOLDER = Path(__file__).parent

def text(html):
    if "stop here" in html and not (FOLDER / "stopped").exists():
        whom = (FOLDER / "whom").read_text()
        pid = multiprocessing.parent_process().pid if whom == "parent" else os.getpid()
        (FOLDER / "stopping").write_text(str(pid))
        (FOLDER / "stopping").rename(FOLDER / "stopped")
        if whom == "group":
            os.killpg(0, signal.SIGSTOP)
        else:
            os.kill(pid, signal.SIGSTOP)
        until = time.process_time() + 0.3  # still at this page when the others go on
        while time.process_time() < until:
            pass
    return "text"
"""


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        lines = [
            {
                "id": f"d{number}{n}",
                "contents": f"<p>pony {n}<p>{'stop here' * (number == n == 1)}",
            }
            for n in range(DOCUMENTS // 3)
        ]
        (pages / f"{number}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / f"{PLUGIN}.py").write_text(MODULE)
    return tmp_path


def is_stopped(marker: Path) -> bool:
    """Whether the process is stopped that the marker names, as soon as it is there."""
    if not marker.exists():
        return False
    return (
        Path(f"/proc/{marker.read_text()}/stat")
        .read_text()
        .rpartition(")")[2]
        .split()[0]
        == "T"
    )


def paused(inputs: Path, whom: str, *command: object) -> tuple[int, str]:
    """Run a command whose group, parent or worker is stopped once; status and all it says."""
    (inputs / "whom").write_text(whom)
    limits = [
        "--max-page-seconds",
        1,
        "--threads",
        2,
        "--extractors",
        f"{PLUGIN}:text",
        "--strict",
    ]
    arguments = [sys.executable, "-m", "boilersweep", *command, *limits]
    log = inputs / "log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            list(map(str, arguments)),
            stdout=output,
            stderr=output,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(inputs)},
        )
    try:
        deadline = time.monotonic() + 300
        while not is_stopped(inputs / "stopped"):
            assert time.monotonic() < deadline, log.read_text()
            assert running.poll() is None, log.read_text()
            time.sleep(0.02)
        time.sleep(SECONDS)
        os.killpg(running.pid, signal.SIGCONT)
        return running.wait(300), log.read_text()
    finally:
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()


def assert_all_there(folder: Path, status: int, said: str) -> None:
    assert status == 0, said
    assert "lost" not in said
    store = open_store(folder)
    assert (store.documents, store.skipped) == (DOCUMENTS, {})
    assert store.manifest.failed_extractions == {}


WHOM = [
    *(pytest.param(whom, marks=pytest.mark.exhaustive) for whom in ("group", "parent")),
    "worker",
]


@pytest.mark.parametrize("whom", WHOM)
def test_segment(inputs: Path, whom: str) -> None:
    output = inputs / "out"
    outcome = paused(
        inputs, whom, "segment", "--input", inputs / "pages", "--output", output
    )
    assert_all_there(output, *outcome)
