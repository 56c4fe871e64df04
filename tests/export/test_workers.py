"""Worker processes of an export: killed with their parent, and what is finished is kept."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boilersweep.store.store import BlockStore
from tests.conftest import ended

pytestmark = pytest.mark.slow

SECONDS = 60


def command(store: BlockStore, output: Path, threads: int) -> list[str]:
    asked = ("--store", store.path, "--keep", "learned,words>=1", "--output", output)
    return [
        sys.executable,
        "-m",
        "boilersweep",
        "export",
        *map(str, (*asked, "--threads", threads)),
    ]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(
    "number",
    [signal.SIGKILL, signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)],
)
def test_what_ends_the_command_ends_its_workers(
    store: BlockStore, tmp_path: Path, number: signal.Signals
) -> None:
    output = tmp_path / "out"
    # A process group of its own, by which its workers are known.
    with subprocess.Popen(
        command(store, output, 2), stderr=subprocess.PIPE, text=True, process_group=0
    ) as process:
        while process.poll() is None and not (output / "unfinished" / "plan.json").exists():
            time.sleep(0.01)
        time.sleep(0.5)  # its workers are being started
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=SECONDS)
    assert "Traceback" not in said
    deadline = time.monotonic() + SECONDS
    while not ended(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert ended(process.pid)
    subprocess.run(command(store, output, 1), check=True, capture_output=True)
    subprocess.run(command(store, tmp_path / "whole", 1), check=True, capture_output=True)
    for name in ("manifest.json", "learned/00001.jsonl.gz", "words-001/00000.jsonl.gz"):
        assert (output / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert (
        sorted(path.name for path in output.iterdir()) == "learned manifest.json words-001".split()
    )
