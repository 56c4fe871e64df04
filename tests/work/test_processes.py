"""Processes of this machine: nothing on standard error when the one that started them is killed."""

import subprocess
import sys

import pytest

_KILLED = """
import os, signal
from boilersweep.work import processes

if __name__ == "__main__":
    assert {first}
    with processes.worker_pool(1, "try again") as pool:
        pool.submit(abs, -1).result()
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("first", ["processes.has_semaphores()", "True"])
def test_a_kill_leaves_no_warnings_of_helper_processes(first: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED.format(first=first)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-9, "", "")
