"""Files and folders that appear whole or not at all."""

import errno
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import OutputError
from boilersweep.outputs import atomic
from boilersweep.outputs.atomic import (
    hidden_file,
    make_folder,
    output_errors,
    process_space,
    remove_folder,
    remove_leftovers,
    remove_made,
    sync_files,
    temporary_sibling,
    whole_file,
    whole_folder,
    write_text,
)


class Interrupted(BaseException):
    """Stands for Ctrl-C."""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail(path: Path, error: type[BaseException]) -> None:
    """Write half of a file, then give up."""
    path.write_text("half")
    raise error


@pytest.fixture(scope="module")
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_files_and_folders_appear_at_the_end_in_the_place_of_those_before(
    tmp_path: Path,
) -> None:
    final, folder = tmp_path / "x.txt", tmp_path / "a" / "index"
    for text in ("old", "new"):
        with whole_file(final) as temporary, whole_folder(folder) as other:
            temporary.write_text(text)
            assert temporary.parent == tmp_path
            assert temporary.name.startswith(".")
            (other / text).mkdir()
            (other / text / "file").write_text(text)
            assert final.exists() == folder.exists() == (text == "new")
    assert names(tmp_path) == ["a", "x.txt"]
    assert names(folder) == ["new"]
    assert final.read_text() == (folder / "new" / "file").read_text() == "new"
    write_text(final, "new é\n")
    assert final.read_bytes() == b"new \xc3\xa9\n"


@pytest.mark.parametrize("error", [ValueError, Interrupted])
def test_an_error_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "index" / "old").mkdir(parents=True)
    (tmp_path / "x.txt").write_text("old")
    for name in ("x.txt", "y.txt"):
        with pytest.raises(error), whole_file(tmp_path / name) as temporary:
            fail(temporary, error)
    with pytest.raises(error), whole_file(tmp_path / "y.txt"):
        raise error
    with pytest.raises(error), whole_folder(tmp_path / "index") as temporary:
        fail(temporary / "file", error)
    assert names(tmp_path) == ["index", "x.txt"]
    assert (tmp_path / "x.txt").read_text() == "old"
    assert names(tmp_path / "index") == ["old"]


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "No space left on device; free some space"),
        (errno.EDQUOT, "free some space"),
        (errno.EACCES, "Permission denied; choose an output you may write to"),
        (errno.EROFS, "Read-only file system; choose an output you may write to"),
        (errno.ENOTDIR, "choose an output that is a folder"),
        (errno.EEXIST, "File exists; choose another output"),
        (errno.EMFILE, "ulimit -n"),
        (errno.EIO, "choose another output"),
        (None, "zstd failed; choose another output"),
    ],
)
def test_errors_say_what_to_do(number: int | None, advice: str) -> None:
    error = OSError(number, os.strerror(number)) if number else OSError("zstd failed")
    with (
        pytest.raises(OutputError, match=f"cannot write out/x: .*{advice}") as caught,
        output_errors(Path("out/x")),
    ):
        raise error
    assert caught.value.__cause__ is error


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_a_disk_that_is_full_or_read_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    fail = mock.Mock(side_effect=OSError(number, os.strerror(number)))
    for name in ("write_text", "mkdir", "unlink"):
        monkeypatch.setattr(Path, name, fail)
    monkeypatch.setattr(os, "open", fail)
    with pytest.raises(OutputError, match=os.strerror(number)):
        write_text(tmp_path / "x", "text")
    with (
        pytest.raises(OutputError, match=os.strerror(number)),
        whole_folder(tmp_path / "y"),
    ):
        pass
    with pytest.raises(OutputError, match=os.strerror(number)):
        make_folder(tmp_path / "z")
    monkeypatch.undo()
    assert names(tmp_path) == []


def test_a_disk_that_fills_up_while_a_file_is_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        os, "fsync", mock.Mock(side_effect=OSError(errno.ENOSPC, "No space left"))
    )
    with pytest.raises(OutputError, match="free some space"):
        write_text(tmp_path / "x", "text")
    assert names(tmp_path) == []


def test_make_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(
        OutputError, match="Permission denied; choose an output you may write to"
    ):
        make_folder(tmp_path)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="cannot write"):
        make_folder(tmp_path / "file")
    with pytest.raises(OutputError, match="that is a folder"):
        make_folder(tmp_path / "file" / "below")
    with pytest.raises(OutputError, match="that is a folder"):
        write_text(tmp_path / "file" / "below", "x")
    with (
        pytest.raises(OutputError, match="that is a folder"),
        whole_folder(tmp_path / "file"),
    ):
        pass
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def left_by(pid: int | str, final: str, space: str | None = None) -> str:
    """Return the name of a temporary file of a process."""
    name = temporary_sibling(Path(final)).name
    return name.replace(
        f"{process_space()}-{os.getpid()}-", f"{space or process_space()}-{pid}-"
    )


def test_leftovers_of_dead_processes_of_this_host_are_removed(
    tmp_path: Path, dead_pid: int
) -> None:
    here = process_space()
    dead = [left_by(dead_pid, name) for name in ("a.txt", "b.partial-x", "c\nd")]
    kept = [
        left_by(os.getpid(), "a.txt"),  # a living process
        left_by(1, "a.txt"),
        left_by(dead_pid, "a.txt", f"other.{here}"),  # other hosts
        # Another container of this host
        left_by(dead_pid, "a.txt", f"{socket.gethostname()}-1"),
        left_by(dead_pid, "a.txt", f"{here}-2"),
        left_by(dead_pid, "a.txt")[1:],  # not hidden
        left_by("x", "a.txt"),
        left_by("²", "a.txt"),
        left_by("9" * 30, "a.txt"),
        f".a.txt.partial-{here}-{dead_pid}",
        f".{here}-{dead_pid}",
        "a.txt",
    ]
    for name in [*dead, *kept]:
        (tmp_path / name).write_text("")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / dead[0]).write_text("")
    (tmp_path / left_by(dead_pid, "index") / "deep").mkdir(parents=True)
    (tmp_path / left_by(dead_pid, "link")).symlink_to(tmp_path / "below")
    remove_leftovers(tmp_path)
    assert names(tmp_path) == sorted([*kept, "below"])
    assert names(tmp_path / "below") == [dead[0]]
    remove_leftovers(tmp_path / "nowhere")


def test_files_of_tasks_are_removed_whatever_process_wrote_them(tmp_path: Path) -> None:
    for name in ("a.parquet", "x" * 255):
        with hidden_file(tmp_path / name) as (temporary, hidden):
            temporary.write_text("all")
            assert temporary == hidden
    (tmp_path / ".a.made-1").write_text("somebody's")
    (tmp_path / "a.made-0123456789abcdef").write_text("somebody's")
    remove_made(tmp_path)
    assert names(tmp_path) == [".a.made-1", "a.made-0123456789abcdef"]
    remove_made(tmp_path / "nowhere")


def test_old_objects_of_tasks_are_removed_at_a_url(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upath = pytest.importorskip("upath")
    folder = upath.UPath("memory://made/store")
    with hidden_file(folder / "shard-1") as (temporary, hidden):
        temporary.write_text("all")
    (folder / "shard-2").write_text("all")
    remove_made(folder)
    assert hidden.exists()
    monkeypatch.setattr(atomic, "_ABANDONED", -1)
    remove_made(folder)
    assert [one.name for one in folder.iterdir()] == ["shard-2"]


@pytest.mark.parametrize("function", [(os, "kill"), (Path, "unlink")])
def test_leftovers_of_other_users_stay(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    dead_pid: int,
    function: tuple[Any, str],
) -> None:
    leftover = tmp_path / left_by(dead_pid, "a")
    leftover.write_text("")

    monkeypatch.setattr(*function, mock.Mock(side_effect=PermissionError))
    remove_leftovers(tmp_path)
    assert leftover.exists()


def test_what_is_written_is_removed_as_a_leftover_of_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dead_pid: int
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: dead_pid)
    temporary_sibling(tmp_path / "x.parquet").write_text("half")
    monkeypatch.undo()
    remove_leftovers(tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "\udcff" * 255])
def test_a_name_as_long_as_names_can_be_has_a_hidden_one_beside_it(
    tmp_path: Path, name: str
) -> None:
    write_text(tmp_path / name, "new")
    assert names(tmp_path) == [name]
    hidden = temporary_sibling(tmp_path / name)
    assert len(os.fsencode(hidden.name)) <= 255
    assert hidden != temporary_sibling(tmp_path / f"{name[:-1]}y")


def test_a_folder_is_gone_before_its_files_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "parts"
    (folder / "deep").mkdir(parents=True)
    # As if killed where files begin to be deleted.
    monkeypatch.setattr(shutil, "rmtree", mock.Mock(side_effect=Interrupted))
    with pytest.raises(Interrupted):
        remove_folder(folder)
    monkeypatch.undo()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".parts.old.partial-")
    assert names(left) == ["deep"]
    folder.mkdir()
    remove_folder(folder)
    assert names(tmp_path) == [left.name]


@pytest.mark.parametrize("in_one_step", [True, False])
def test_a_folder_that_is_replaced_is_never_there_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_one_step: bool
) -> None:
    final = tmp_path / "index"
    (final / "old").mkdir(parents=True)
    remove = shutil.rmtree

    def deleting(path: Path, **options: Any) -> None:
        if (Path(path) / "old").exists():
            assert names(final) == ["new"] if in_one_step else not final.exists()
            raise Interrupted
        remove(path, **options)

    monkeypatch.setattr(shutil, "rmtree", deleting)
    if not in_one_step:
        monkeypatch.setattr(atomic, "_exchanged", lambda *_: False)
    elif not atomic._exchanged(tmp_path, tmp_path):
        pytest.skip("a system that does not let two folders change places")
    with pytest.raises(Interrupted), whole_folder(final) as temporary:
        (temporary / "new").touch()


def test_files_stand_in_two_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("source", "target", "copies"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "one").write_text("text")
    atomic.link_files(["one"], tmp_path / "source", tmp_path / "target")
    assert (tmp_path / "target" / "one").samefile(tmp_path / "source" / "one")
    no_links = mock.Mock(side_effect=OSError(errno.EPERM, "no hard links here"))
    monkeypatch.setattr(Path, "hardlink_to", no_links)
    atomic.link_files(["one"], tmp_path / "source", tmp_path / "copies")
    assert (tmp_path / "copies" / "one").read_text() == "text"
    assert not (tmp_path / "copies" / "one").samefile(tmp_path / "source" / "one")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_files_that_are_synced_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    for name in "ab":
        with whole_file(tmp_path / name, synced=False) as temporary:
            temporary.write_text(name)
    assert synced == []
    sync_files([tmp_path / "a", tmp_path / "b"])
    assert sorted(synced[:2]) == ["a", "b"]
    assert synced[2:] == [tmp_path.name]
    with pytest.raises(OSError, match="No such file"):
        sync_files([tmp_path / "a", tmp_path / "c"])
