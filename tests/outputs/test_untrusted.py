"""What other people may put where we write and read: links, FIFOs, devices, sockets, folders."""

import errno
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from boilersweep import OutputError
from boilersweep.outputs import atomic
from boilersweep.outputs.atomic import process_space, whole_file, whole_folder
from boilersweep.outputs.locations import open_regular, read_regular, require_regular
from boilersweep.outputs.streams import make_folder_of, output_file, write_output

_PROTECTED_LINKS = Path("/proc/sys/fs/protected_symlinks")
_NOBODY = 65534


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


MAKERS: dict[str, Callable[[Path], object]] = {
    "FIFO": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": socket_at,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_files_of_ours_are_regular(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    MAKERS[kind](path)
    for read in (open_regular, read_regular, require_regular):
        with pytest.raises(OSError, match=f"expected a regular file, got a {kind}"):
            read(path)


@pytest.mark.parametrize("kind", ["FIFO", "folder", "socket"])
def test_only_files_and_links_are_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    MAKERS[kind](path)
    before = path.lstat()
    with pytest.raises(OutputError, match=f"expected a regular file, got a {kind}"):
        atomic.write_text(path, "text")
    assert path.lstat() == before
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("kind", ["folder", "device", "socket"])
def test_output_to_neither_a_file_nor_a_stream(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    MAKERS[kind](path)
    # Without times: reading a link changes when it was last read
    before = path.lstat()[:7]
    said = "directory" if kind == "folder" else kind
    with pytest.raises(
        OutputError, match=rf"cannot write {path}: .*{said}; choose an output"
    ):
        make_folder_of(path)
    with pytest.raises(OutputError, match="choose an output"):
        write_output(path, "text")
    assert path.lstat()[:7] == before
    assert [one.name for one in tmp_path.iterdir()] == ["x"]


def test_output_to_a_fifo(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", list[str]()
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_text()))
    reader.start()
    make_folder_of(path)
    write_output(path, "é\n")
    reader.join()
    assert read == ["é\n"]
    assert path.is_fifo()
    with pytest.raises(
        OutputError, match=r"expected a regular file, got a stream; choose another"
    ):
        make_folder_of(path, streams=False)


def test_output_to_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to(os.devnull)
    write_output(tmp_path / "null", b"bytes")
    assert (tmp_path / "null").is_char_device()
    (tmp_path / "precious").write_text("data")
    for target in ("precious", "nothing"):
        link = tmp_path / f"link to {target}"
        link.symlink_to(tmp_path / target)
        write_output(link, "text")
        assert not link.is_symlink()
    assert (tmp_path / "precious").read_text() == "data"
    assert not (tmp_path / "nothing").exists()


def test_output_that_fails_writes_nothing_to_its_stream(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (
        pytest.raises(ValueError, match="half"),
        output_file(Path(f"/dev/fd/{writing}")) as path,
    ):
        path.write_text(str(int("half")))
    os.close(writing)
    assert os.read(reading, 9) == b""
    os.close(reading)
    with pytest.raises(OutputError, match="cannot write /dev/fd/9999"):
        make_folder_of(Path("/dev/fd/9999"))  # not open


_TWICE = """
import sys
from pathlib import Path
from boilersweep.outputs.streams import write_output
print("before")
write_output(Path(sys.argv[1]), "text\\n")
print("after")
"""


@pytest.mark.parametrize(
    "name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr"]
)
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_output_to_standard_output(tmp_path: Path, name: str, kind: str) -> None:
    if not Path(name).parent.exists():
        pytest.skip(f"needs {name}")
    log = tmp_path / "log"
    log.write_text("first\n")
    with log.open("a") as file:
        ended = subprocess.run(
            [sys.executable, "-c", _TWICE, name],
            stdout=file if kind == "file" else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
    assert (
        ended.stdout or log.read_text().removeprefix("first\n")
    ) == "before\ntext\nafter\n"


def test_temporary_names_cannot_be_guessed_and_what_has_them_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    final, victim = tmp_path / "x", tmp_path / "victim"
    assert atomic.temporary_sibling(final) != atomic.temporary_sibling(final)
    victim.write_text("data")
    hidden = tmp_path / ".hidden"
    hidden.symlink_to(victim)
    monkeypatch.setattr(atomic, "temporary_sibling", lambda _: hidden)
    for whole in (whole_file, whole_folder):
        with pytest.raises(OutputError, match=os.strerror(errno.EEXIST)), whole(final):
            pytest.fail("a link was followed")
    assert victim.read_text() == "data"


@pytest.fixture(params=["as it is", "0", "1"])
def protected_links(request: pytest.FixtureRequest) -> Iterator[None]:
    """Set the kernel's protection of links in shared folders: as it is, off, or on."""
    if request.param == "as it is":
        yield
        return
    if not (_PROTECTED_LINKS.exists() and os.access(_PROTECTED_LINKS, os.W_OK)):
        pytest.skip("needs root and a writable fs.protected_symlinks")
    before = _PROTECTED_LINKS.read_text()
    if before.strip() == request.param:
        pytest.skip("is as it is")
    _PROTECTED_LINKS.write_text(request.param)
    try:
        yield
    finally:
        _PROTECTED_LINKS.write_text(before)


_AS_ANOTHER = """
import os, sys
from pathlib import Path
from boilersweep.outputs import atomic, streams
final, victim = map(Path, sys.argv[1:])
for pid in range(os.getpid(), os.getpid() + 2):
    # The names that temporary files once had.
    final.with_name(f".{final.name}.partial-{atomic.process_space()}-{pid}").symlink_to(victim)
os.setuid(65534)
streams.write_output(final, "text")
with atomic.whole_folder(final.with_name("folder")) as folder:
    (folder / "file").write_text("text")
"""


@pytest.mark.usefixtures("protected_links")
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to be another user")
def test_another_user_in_a_shared_folder_with_links_of_others(tmp_path: Path) -> None:
    shared = Path("/tmp", f"boilersweep-shared-{tmp_path.parent.name}-{os.getpid()}")  # noqa: S108
    shared.mkdir(mode=0o700)
    try:
        shared.chmod(0o1777)
        victim, final = shared / "victim", shared / "out.txt"
        victim.write_text("data")
        os.chown(victim, _NOBODY, -1)
        left = shared / f".a.partial-{process_space()}-{2**22 + 1}-{'0' * 16}"
        left.write_text("somebody else's")
        subprocess.run([sys.executable, "-c", _AS_ANOTHER, final, victim], check=True)
        assert victim.read_text() == "data"
        assert final.read_text() == "text"
        assert final.stat().st_uid == _NOBODY
        assert (shared / "folder" / "file").read_text() == "text"
        assert left.exists()
    finally:
        shutil.rmtree(shared)
