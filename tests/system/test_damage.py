"""A small budget of scripts/damage.py with a fixed seed."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.java, pytest.mark.slow]

SCRIPT = Path(__file__).parents[2] / "scripts" / "damage.py"


def test_damage_is_seen_and_a_rerun_gives_the_same_or_refuses() -> None:
    budget = (
        *("--flips", "20", "--cuts", "8", "--zeros", "6", "--deletes", "8", "--seed", "12"),
        *("--fifos", "10", "--links", "4", "--devices", "4", "--folders", "6", "--strays", "6"),
        *("--twins", "4", "--forges", "8", "--workers", "2"),
    )
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *budget],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("0 reruns wrong, 0 faults\n")
