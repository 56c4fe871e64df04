"""Write files and folders whole or not at all, and read files without waiting for a FIFO.

Whatever is written begins under a hidden name beside its final one, is synced, then renamed. Other
people may write to the folders: hidden names cannot be guessed, and no link is followed.
"""

import contextlib
import errno
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

try:
    import fcntl
except ModuleNotFoundError:  # on Windows
    fcntl = None  # type: ignore[assignment]

from boilersweep.errors import BusyError, OutputError, reason_of
from boilersweep.outputs.locations import is_remote

_BINARY = getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_NO_TERMINAL = getattr(os, "O_NOCTTY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""Flags of `os.open`: the first is of Windows, the others of all other systems."""

_MARK = ".partial-"
_DIGITS = 16  # of a digest in a name
_TOKEN_BYTES = 8

MAX_NAME = 255
"""Bytes of a name that file systems take."""

_SYNCS_AT_ONCE = 4

_TERMINALS = ("/dev/tty", "/dev/pts/", "/dev/console")

_HERE = -100
"""AT_FDCWD: relative paths begin at the working directory."""

_EXCHANGE = 2
"""RENAME_EXCHANGE."""

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "FIFO",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFSOCK: "socket",
}
"""What a path may lead to that is no regular file."""


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
    """A hidden name beside `final` that nobody can guess; it says which process made it."""
    end = f"{_MARK}{process_space()}-{os.getpid()}-{secrets.token_hex(_TOKEN_BYTES)}"
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
    except BrokenPipeError:  # whoever read has seen enough
        raise
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
            errno.EINVAL: "choose an --output that is a file, a pipe, or does not exist yet",
            errno.EMFILE: "raise the limit of open files (ulimit -n)",
        }.get(error.errno or 0, "choose another --output")
        raise OutputError(f"cannot write {path}: {reason_of(error)}; {advice}") from error


@contextlib.contextmanager
def whole_file(final: Path, *, synced: bool = True) -> Iterator[Path]:
    """An empty temporary file that becomes `final` when the block ends well, and vanishes if not.

    A link, FIFO or device at `final` is replaced. synced: False for one of many files that count
    only when they are listed; whoever lists them calls `sync_files` first. Raises OutputError.
    """
    temporary = temporary_sibling(final)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
    with output_errors(final):
        os.close(os.open(temporary, flags, 0o666))
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
def scratch_folder(final: Path) -> Iterator[Path]:
    """A hidden folder beside `final` for the time of the block; raises OutputError."""
    temporary = temporary_sibling(final)
    try:
        with output_errors(final):
            temporary.mkdir(parents=True)
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def whole_folder(final: Path) -> Iterator[Path]:
    """As `whole_file`, for a folder; a folder at `final` is replaced.

    On Linux the two change places in one step, so that a whole folder exists at every moment;
    elsewhere, and on file systems that cannot do that (NFS, some of FUSE), the old folder is
    removed before the new one is renamed.
    """
    with scratch_folder(final) as temporary:
        yield temporary
        for path in temporary.rglob("*"):
            _sync(path)
        exists = final.is_dir() and not final.is_symlink()
        if exists:
            shutil.copymode(final, temporary)
        if not (exists and _exchanged(temporary, final)):
            if exists:
                remove_folder(final)
            temporary.replace(final)
        _sync(final.parent)


def _exchanged(one: Path, other: Path) -> bool:
    """Let two paths change places in one step; False where the system cannot, and nothing is done.

    Python has no name for Linux's renameat2.
    """
    import ctypes

    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):  # the last on Windows
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
    path.replace(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def write_text(final: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; raises OutputError."""
    with whole_file(final) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(final: Path, value: Any) -> None:
    """Write a JSON file whole or not at all; raises OutputError."""
    write_text(final, json_text(value))


def json_text(value: Any) -> str:
    """JSON as people read it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """A temporary file for `--output`: as `whole_file`, or copied to a stream when the block ends.

    Streams are FIFOs, terminals, the null device, and descriptors of this process (/dev/stdout,
    /dev/fd/N). Raises OutputError, also for a folder, another device and a socket.
    """
    if not is_stream(path):
        remove_leftovers(path.parent)
        with whole_file(path) as temporary:
            yield temporary
        return
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "output")
        yield temporary
        if sys.stdout is not None:
            sys.stdout.flush()  # what was printed before comes before
        with output_errors(path):
            number = _descriptor(path)
            opened = os.open(path, os.O_WRONLY | _NO_TERMINAL) if number is None else os.dup(number)
            with temporary.open("rb") as source, os.fdopen(opened, "wb") as stream:
                shutil.copyfileobj(source, stream)


def write_output(path: Path, content: str | bytes) -> None:
    """Write what a command's `--output` names; text in UTF-8. Raises as `output_file`."""
    with output_file(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def is_stream(path: Path) -> bool:
    """Whether `--output` names a stream; raises OutputError as `output_file`."""
    with output_errors(path):
        number = _descriptor(path)
        try:
            facts = path.stat() if number is None else os.fstat(number)
        except FileNotFoundError:
            return False
        if stat.S_ISDIR(facts.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if stat.S_ISREG(facts.st_mode):
            return number is not None
        if stat.S_ISCHR(facts.st_mode):
            # By its name: opening a device may already do something.
            device = os.path.realpath(path)
            is_stream = device == os.devnull or device.startswith(_TERMINALS)
        else:
            is_stream = stat.S_ISFIFO(facts.st_mode) or number is not None
        if not is_stream:
            _require_regular(facts)
        return True


def _descriptor(path: Path) -> int | None:
    """The descriptor of this process that a path names, such as /dev/stdout and /dev/fd/63."""
    name = {"/dev/stdout": "1", "/dev/stderr": "2"}.get(str(path), path.name)
    folders = ("/dev", "/dev/fd", f"/proc/{os.getpid()}/fd")
    return int(name) if name.isdecimal() and os.path.realpath(path.parent) in folders else None


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file that can be read again, here or at a URL.

    Raises OSError, at once, for anything but a regular file: opening a FIFO would wait for a
    writer, and a device may have no end.
    """
    if is_remote(path):
        return path.open("rb")
    descriptor = os.open(require_regular(path), os.O_RDONLY | _NO_WAIT | _BINARY)
    file = os.fdopen(descriptor, "rb")
    try:
        _require_regular(os.fstat(descriptor))
    except OSError:
        file.close()
        raise
    return file


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file, opened by `open_regular`; raises ValueError for more than `most`."""
    with open_regular(path) as file:
        if most is not None and (size := os.fstat(file.fileno()).st_size) > most:
            raise ValueError(f"expected a file of at most {most:,} bytes, got {size:,}")
        return file.read()


def require_regular(path: Path) -> Path:
    """The path, for libraries that open files themselves; raises OSError as `open_regular`."""
    _require_regular(path.stat())
    return path


def _require_regular(facts: os.stat_result) -> None:
    kind = _KINDS.get(stat.S_IFMT(facts.st_mode))
    if kind is not None:
        raise OSError(errno.EINVAL, f"expected a regular file, got a {kind}")


def make_folder(path: Path) -> None:
    """Make a folder for output; raises OutputError where it cannot be made or written to."""
    with output_errors(path):
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def make_folder_of(file: Path, *, streams: bool = True) -> None:
    """Make the folder of an output file; raises OutputError where `output_file` would.

    Call it before long work, since the file itself is written last. streams: False for a file
    that is no stream.
    """
    if is_stream(file):
        if not streams:
            with output_errors(file):
                raise OSError(errno.EEXIST, "expected a regular file, got a stream")
        return
    make_folder(file.parent)


@contextlib.contextmanager
def only_writer(folder: Path, lock_name: str = ".lock", *, shared: bool = False) -> Iterator[None]:
    """Hold a folder for output; raises BusyError where another process holds it.

    lock_name: of the lock file, where several outputs of one folder have writers of their own.
    shared: other processes may hold the folder, too, if they also pass `shared`; not on Windows.

    The lock is the kernel's, on a hidden file: it ends with the process, however that ends. What
    is there and is not a file of its own, such as a link, raises OutputError and is left alone.
    """
    make_folder(folder)
    lock = folder / lock_name
    if fcntl is None:
        with _file_lock(lock):
            yield
        return
    with output_errors(lock):
        descriptor = _locked(lock, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
    _held.add(descriptor)
    try:
        with output_errors(folder):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        yield
    finally:
        _held.remove(descriptor)
        with contextlib.suppress(BlockingIOError):  # the last holder removes a shared lock
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock.unlink(missing_ok=True)
        os.close(descriptor)


_held: set[int] = set()
"""Descriptors of the lock files that this process holds."""


def _give_up_locks() -> None:
    """In a copy of the process that holds them, so that they end with that one."""
    while _held:
        os.close(_held.pop())


if fcntl is not None:
    os.register_at_fork(after_in_child=_give_up_locks)


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
            raise _busy(lock, holder) from None
        os.close(descriptor)


@contextlib.contextmanager
def _file_lock(lock: Path) -> Iterator[None]:
    """Hold the lock file on a system without flock; raises BusyError, OutputError."""
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    with output_errors(lock):
        try:
            held.acquire(timeout=0)
        except Timeout:
            raise _busy(lock) from None
    try:
        yield
    finally:
        held.release()


def _busy(lock: Path, holder: str = "") -> BusyError:
    return BusyError(
        f"{lock.parent} is being written by {holder or 'another process'}; wait until it has "
        "finished, or choose another --output"
    )


def _opened(lock: Path) -> int:
    """A descriptor of the lock file; what it says will be overwritten, so it has to be ours."""
    try:
        flags = os.O_RDWR | os.O_CREAT | _NO_FOLLOW | _NO_WAIT
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

    Files of living processes, and files that other users left, stay; on Windows all stay.
    """
    left = re.compile(
        rf"\..*{re.escape(_MARK + process_space())}-([0-9]{{1,9}})-[0-9a-f]{{{2 * _TOKEN_BYTES}}}",
        re.DOTALL,
    )
    for path in folder.glob(f".*{_MARK}*"):
        found = left.fullmatch(path.name)
        if found and not _is_alive(int(found[1])):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()


def _is_alive(pid: int) -> bool:
    if os.name == "nt":  # where os.kill ends the process
        return True
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
    on_windows = os.name == "nt"  # it syncs no folders, and files only if they can be written
    if on_windows and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if on_windows else os.O_RDONLY | _NO_WAIT)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
