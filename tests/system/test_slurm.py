"""The recipe for Slurm, with processes in the place of `srun`."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.running import boilersweep
from tests.segmenting.conftest import jsonl
from tests.stores import contents

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl"),
]

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "slurm.sh"
SRUN = """#!/bin/bash
for _ in 1 2; do "$@" & done
trap 'kill $(jobs -p) 2>/dev/null' TERM
wait
"""
SLOW = """
import time
def text(html):
    time.sleep(0.5)
    return html
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    pytest.importorskip("distributed")
    for name in "abcd":
        jsonl(tmp_path / "pages" / f"{name}.jsonl", (name, f"<p>text of {name}"))
    (tmp_path / "slowly.py").write_text(SLOW)
    (tmp_path / "srun").write_text(SRUN)
    (tmp_path / "srun").chmod(0o755)
    return tmp_path


def test_a_job_that_dies_is_continued_and_gives_what_one_process_gives(
    place: Path,
) -> None:
    segment = ["segment", "--input", "pages", "--extractors", "slowly:text", "--output"]
    path = f"{place}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "PYTHONPATH": str(place)}

    def submitted() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(shutil.which("bash")), str(SCRIPT), *segment, "store"],
            cwd=place,
            env=env,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    with submitted() as dying:
        while not any((place / "store").glob("texts-*")):
            assert dying.poll() is None, dying.communicate()
            time.sleep(0.05)
        [job] = place.glob(".boilersweep-*")
        assert (job / "key.pem").stat().st_mode & 0o077 == 0
        assert '"tls://' in (job / "scheduler").read_text()
        os.killpg(dying.pid, signal.SIGKILL)
    with submitted() as running:
        _, said = running.communicate(timeout=600)
    assert running.returncode == 0, said
    boilersweep(*segment, "alone", cwd=place, env={"PYTHONPATH": str(place)})
    assert contents(place / "store") == contents(place / "alone")
    assert [*place.glob(".boilersweep-*")] == [job]  # of the job that was killed
