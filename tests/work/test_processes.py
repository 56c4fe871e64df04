"""Processes of this machine: nothing on standard error when the one that started them is killed."""

import subprocess
import sys

_KILLED = """
import os, signal
from boilersweep.work.tasks import run_tasks

sizes = iter([1, 1])

def size(_):
    return next(sizes, None) or os.kill(os.getpid(), signal.SIGKILL)  # when a first task is done

if __name__ == "__main__":
    run_tasks(abs, [-1, -2], what="test", unit="numbers", size=size, workers=2)
"""


def test_a_kill_leaves_no_warnings_of_helper_processes() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", _KILLED],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (-9, "", "")
