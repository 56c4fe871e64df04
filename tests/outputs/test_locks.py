"""A folder has one writer at a time."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import OutputError
from boilersweep.outputs.locks import only_writer


def test_a_folder_has_one_writer_at_a_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from boilersweep.outputs.atomic import whole_file\n"
        "from boilersweep.outputs.locks import only_writer\n"
        "folder = Path(sys.argv[1])\n"
        "with only_writer(folder), whole_file(folder / 'file'):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        held = f"being written by process {other.pid} on"
        with pytest.raises(OutputError, match=held), only_writer(tmp_path):
            pass
        # The lock ends with its process, and what it has half written is removed
        other.kill()
        other.wait()
        with only_writer(tmp_path):
            assert [path.name for path in tmp_path.iterdir()] == [".lock"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied")
def test_a_copy_of_the_writer_does_not_hold_the_folder(tmp_path: Path) -> None:
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from boilersweep.outputs.locks import only_writer\n"
        "with only_writer(Path(sys.argv[1])):\n"
        "    begun, begins = os.pipe()\n"
        "    if copy := os.fork():\n"
        "        os.read(begun, 1); print(copy, flush=True); os._exit(0)\n"
        "    os.write(begins, b'x'); time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        copy = int(other.stdout.readline())
        other.wait()
        try:
            with only_writer(tmp_path):
                pass
        finally:
            os.kill(copy, signal.SIGKILL)


@pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "fifo", "folder"])
def test_what_stands_at_the_lock_and_is_no_file_of_ours_stays_as_it_is(
    tmp_path: Path, kind: str
) -> None:
    target, lock = tmp_path / "precious", tmp_path / "out" / ".lock"
    target.write_text("data")
    lock.parent.mkdir()
    make: dict[str, Callable[[], object]] = {
        "link": lambda: lock.symlink_to(target),
        "dangling": lambda: lock.symlink_to(tmp_path / "nothing"),
        "hard link": lambda: lock.hardlink_to(target),
        "fifo": lambda: os.mkfifo(lock),
        "folder": lock.mkdir,
    }
    make[kind]()
    before = lock.lstat()
    with (
        pytest.raises(
            OutputError, match=r"\.lock is in the way: .*remove it, or choose another"
        ),
        only_writer(lock.parent),
    ):
        pytest.fail("the folder is held")
    assert lock.lstat() == before  # before we read, which the file notes
    assert target.read_text() == "data"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "precious"]
