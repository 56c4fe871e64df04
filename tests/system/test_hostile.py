"""A small budget of scripts/hostile_pages.py."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "scripts" / "hostile_pages.py"


def test_no_page_of_one_element_takes_quadratic_time() -> None:
    limits = ["--bytes", str(2**20), "--seconds", "6", "--only", "title"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *limits],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" of 1,048,576 bytes, 0 over 6 s\n")
