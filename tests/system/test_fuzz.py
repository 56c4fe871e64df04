"""A small budget of scripts/fuzz.py with a fixed seed."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "fuzz.py"


def test_mutated_inputs_neither_crash_hang_nor_get_lost() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "readers", "--inputs", "2000", "--seed", "1"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "2,000 inputs, 0 failures"
