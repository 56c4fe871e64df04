"""Processes of this machine: how many, and no word of theirs when their parent is killed."""

import os
import sys
from pathlib import Path

import pytest

from boilersweep.work import processes
from boilersweep.work.processes import default_workers
from tests.running import python

_KILLED = """
import os, signal
from boilersweep.work.tasks import Work, make_all

sizes = iter([1, 1])

def size(_):
    return next(sizes, None) or os.kill(os.getpid(), signal.SIGKILL)  # when a first task is done

if __name__ == "__main__":
    make_all([-1, -2], abs, Work("test", "numbers", size), 2)
"""


@pytest.mark.parametrize(
    ("limit", "most"),
    [("max 100000", 4), ("150000 100000", 2), ("5000 100000", 1), ("", 4)],
)
def test_workers_are_as_many_as_the_processors_that_may_be_used(
    limit: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu.max").write_text(limit)
    monkeypatch.setattr(processes, "CGROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4), raising=False)
    assert default_workers() == most


def test_a_kill_leaves_no_warnings_of_helper_processes() -> None:
    ended = python("-c", _KILLED, status=-9)
    assert (ended.stdout, ended.stderr) == ("", "")


_METHODS = """
import threading, time
from boilersweep.work.processes import worker_context

def methods():
    return [worker_context(alone=alone).get_start_method() for alone in (True, False)]

if __name__ == "__main__":
    import pyarrow
    alone = methods()
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    print(*alone, *methods())
"""


def test_workers_do_not_run_a_script_without_a_guard_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_UNGUARDED)
    assert python(script).stdout == "once\n[1, 2]\n"


_UNGUARDED = """
from boilersweep.work.tasks import Work, make_all

print("once")
print(make_all([-1, -2], abs, Work("test", "numbers"), 2))
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells how many threads there are"
)
def test_only_a_lone_worker_of_a_process_with_one_thread_is_its_copy() -> None:
    done = python("-c", _METHODS, env={"OPENBLAS_NUM_THREADS": "1"})
    assert done.stdout.split() == ["fork", "forkserver", "forkserver", "forkserver"]
