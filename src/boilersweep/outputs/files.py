"""Write files and folders whole or not at all: beside the final name, synced, then renamed."""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import socket
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from boilersweep.errors import BusyError, OutputError, reason_of

_MARK = ".partial-"
_DIGITS = 16  # of a digest in a name

MAX_NAME = 255
"""Bytes of a name that file systems take."""

_SYNCS_AT_ONCE = 4

_HERE = -100
"""AT_FDCWD: relative paths begin at the working directory."""

_EXCHANGE = 2
"""RENAME_EXCHANGE."""

_OTHERS = {
    "folder": stat.S_ISDIR,
    "FIFO": stat.S_ISFIFO,
    "device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
    "socket": stat.S_ISSOCK,
}
"""What stands at a path and is no regular file."""


def process_space() -> str:
    """Where this process's id is its own: the host and, on Linux, the namespace of process ids.

    Containers may share a host's name, and none sees the processes of the others.
    """
    try:
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        namespace = 0
    return f"{socket.gethostname()}-{namespace}"


def temporary_sibling(final: Path) -> Path:
    """A hidden name beside `final`, unlike that of any other process on any host."""
    end = f"{_MARK}{process_space()}-{os.getpid()}"
    return final.with_name(f".{short_name(final.name, MAX_NAME - len(end) - 1)}{end}")


def short_name(name: str, most: int, text: str | None = None) -> str:
    """A name of at most so many bytes: itself, or its beginning and a digest.

    text: what the name is made of and the digest is of, where that says more than the name.
    """
    encoded = os.fsencode(name)
    if len(encoded) <= most:
        return name
    digest = hashlib.sha256(encoded if text is None else text.encode("utf-8", "surrogateescape"))
    end = f"-{digest.hexdigest()[:_DIGITS]}"
    return encoded[: most - len(end)].decode("utf-8", "ignore") + end


@contextlib.contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of writing below `path` into an OutputError that says what to do."""
    try:
        yield
    except OSError as error:
        advice = {
            errno.ENOSPC: "free some space, or choose an --output on another disk",
            errno.EDQUOT: "free some space, or choose an --output on another disk",
            errno.EACCES: "choose an --output you may write to",
            errno.EPERM: "choose an --output you may write to",
            errno.EROFS: "choose an --output you may write to",
            errno.EEXIST: "choose another --output",
            errno.ENOTDIR: "choose an --output that is a folder or does not exist yet",
            errno.EISDIR: "choose an --output that is a file or does not exist yet",
            errno.EMFILE: "raise the limit of open files (ulimit -n)",
        }.get(error.errno or 0, "choose another --output")
        raise OutputError(f"cannot write {path}: {reason_of(error)}; {advice}") from error


@contextlib.contextmanager
def whole_file(final: Path, *, synced: bool = True) -> Iterator[Path]:
    """A temporary path that becomes `final` when the block ends well, and vanishes when not.

    synced: False for one of many files that count only when they are listed; whoever lists them
    calls `sync_files` first. Raises OutputError where it cannot be written.
    """
    temporary = temporary_sibling(final)
    try:
        with output_errors(final):
            yield temporary
            if synced:
                _sync(temporary)
            temporary.replace(final)
            if synced:
                _sync(final.parent)
    finally:
        with contextlib.suppress(OSError):  # as on a read-only disk; the error above says why
            temporary.unlink()


@contextlib.contextmanager
def whole_folder(final: Path) -> Iterator[Path]:
    """As `whole_file`, for a folder; one that stands at `final` already is replaced.

    On Linux the two change places in one step, so that there is a whole folder at every moment;
    elsewhere, and on file systems that cannot do that (NFS, some of FUSE), the old one is removed
    before the new one is renamed.
    """
    temporary = temporary_sibling(final)
    try:
        with output_errors(final):
            # Of this name is only what a killed run with our process id left.
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
            yield temporary
            for path in temporary.rglob("*"):
                _sync(path)
            is_there = final.is_dir() and not final.is_symlink()
            if is_there:
                shutil.copymode(final, temporary)
            if not (is_there and _exchanged(temporary, final)):
                if is_there:
                    remove_folder(final)
                temporary.replace(final)
            _sync(final.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Let two paths change places in one step; False where the system cannot, and nothing is done.

    Python has no name for Linux's renameat2.
    """
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done: int = rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)
    return done == 0


def link_files(names: Iterable[str], source: Path, target: Path) -> None:
    """Have files of a folder in another, too: as hard links, or as copies where there are none.

    For files that are never changed in place. Raises OSError.
    """
    for name in names:
        try:
            (target / name).hardlink_to(source / name)
        except OSError:
            shutil.copy2(source / name, target / name)


def move_files(names: Iterable[str], source: Path, target: Path) -> None:
    """Have files of a folder take the place of those of the same names in another.

    Both are in one file system. Raises OSError.
    """
    for name in names:
        (source / name).replace(target / name)
    _sync(target)


def remove_folder(path: Path) -> None:
    """Remove a folder of ours: a kill leaves it whole, or a hidden rest for `remove_leftovers`.

    Raises OSError where it cannot be moved out of the way.
    """
    doomed = temporary_sibling(path.with_name(f"{path.name}.old"))
    shutil.rmtree(doomed, ignore_errors=True)  # of a killed run that had our process id
    path.replace(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def write_text(final: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; raises OutputError."""
    with whole_file(final) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(final: Path, value: Any) -> None:
    """Write a JSON file whole or not at all; raises OutputError."""
    write_text(final, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file that can be read again; at most so many.

    Raises OSError, at once, for what is no regular file: a FIFO would be waited for, a device may
    have no end. ValueError for a larger file.
    """
    _require_regular(path.stat())  # before it is opened: to open a device may be an act
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        facts = os.fstat(descriptor)
        _require_regular(facts)
        if most is not None and facts.st_size > most:
            raise ValueError(f"expected a file of at most {most:,} bytes, got {facts.st_size:,}")
        return file.read()


def _require_regular(facts: os.stat_result) -> None:
    for kind, is_kind in _OTHERS.items():
        if is_kind(facts.st_mode):
            raise OSError(errno.EINVAL, f"expected a regular file, got a {kind}")


def make_folder(path: Path) -> None:
    """Make a folder for output; raises OutputError where it cannot be made or written to."""
    with output_errors(path):
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def make_folder_of(file: Path) -> None:
    """Make the folder of a file for output; raises OutputError where that cannot be written.

    To be called before the long work, as the file itself is written last.
    """
    make_folder(file.parent)
    with output_errors(file):
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))


@contextlib.contextmanager
def only_writer(folder: Path, lock_name: str = ".lock", *, shared: bool = False) -> Iterator[None]:
    """Hold a folder for output; raises BusyError where another process holds it.

    lock_name: of the lock file, where several outputs of one folder have writers of their own.
    shared: other processes may hold the folder, too, if they also pass `shared`.

    The lock is the kernel's, on a hidden file: it ends with the process, however that ends. What
    stands there and is not a file of its own, such as a link, raises OutputError and is left alone.
    """
    make_folder(folder)
    lock = folder / lock_name
    with output_errors(lock):
        descriptor = _locked(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    try:
        with output_errors(folder):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        with contextlib.suppress(BlockingIOError):  # the last holder removes a shared lock
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, kind: int) -> int:
    """A descriptor of the lock file, locked; raises BusyError where another process has it."""
    while True:
        descriptor = _opened(lock)
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            # Whoever held it before may have removed the file between our opening and locking.
            if os.fstat(descriptor).st_ino == lock.lstat().st_ino:
                return descriptor
        except FileNotFoundError:
            pass
        except BlockingIOError:
            holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace")
            os.close(descriptor)
            raise BusyError(
                f"{lock.parent} is being written by {holder or 'another process'}; wait until it "
                "has finished, or choose another --output"
            ) from None
        os.close(descriptor)


def _opened(lock: Path) -> int:
    """A descriptor of the lock file; what it says will be overwritten, so it has to be ours."""
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(lock, flags, 0o666)
    except OSError as error:
        if not (lock.is_symlink() or lock.is_dir()):
            raise
        raise _in_the_way(lock) from error
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
        os.close(descriptor)
        raise _in_the_way(lock)
    return descriptor


def _in_the_way(lock: Path) -> OutputError:
    return OutputError(
        f"{lock} is in the way: expected nothing there, or a plain file that is no link; remove "
        "it, or choose another --output"
    )


def remove_leftovers(folder: Path) -> None:
    """Remove what killed runs of this host or container left half written directly in `folder`.

    What another living process writes is left alone.
    """
    here = process_space()
    for path in folder.glob(f".*{_MARK}{here}-*"):
        # The pattern also fits names of which this one's is only the beginning.
        space, _, pid = path.name.rpartition(_MARK)[2].rpartition("-")
        if space == here and pid.isdigit() and not _is_alive(int(pid)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _has_ended(pid)


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, but none has asked how, as in containers without an init."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):  # no such system, or gone meanwhile
        return False
    return state in (b"Z", b"X")


def sync_files(paths: Iterable[Path]) -> None:
    """Have files and their names on the disk, several at a time; raises OSError.

    They wait for one another's disk: 120 files of 600 kB take .1 s so, and 1 s one by one.
    """
    paths = list(paths)
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        for some in (paths, {path.parent for path in paths}):
            list(pool.map(_sync, some))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
