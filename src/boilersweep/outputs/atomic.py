"""Write files and folders whole or not at all, with errors that say what to do.

Whatever is written begins under a hidden name beside its final one, is synced, then renamed. Other
people may write to the folders: hidden names cannot be guessed, and no link is followed.
"""

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from boilersweep.errors import OutputError, reason_of
from boilersweep.outputs.locations import (
    NO_FOLLOW,
    NO_WAIT,
    driver_errors,
    is_remote,
    output_path,
    refuse_special,
)

_MARK = ".partial-"
_MADE = ".made-"  # in the name of a hidden file of a task, see `hidden_file`
_ABANDONED = 600.0  # seconds after which nobody gives a hidden object its name
_DIGITS = 16  # of a digest in a name
_TOKEN_BYTES = 8

# Bytes of a name that file systems take.
MAX_NAME = 255

_SYNCS_AT_ONCE = 4

# AT_FDCWD: relative paths begin at the working directory.
_HERE = -100

# RENAME_EXCHANGE.
_EXCHANGE = 2

# Errors of a full disk, or of a limit like it -> what to do.
DISK_ADVICE = {
    errno.ENOSPC: "free some space, or choose an output on another disk",
    errno.EDQUOT: "free some space, or choose an output on another disk",
    errno.EFBIG: "raise the limit of file sizes (ulimit -f)",
}

_ADVICE = {
    **DISK_ADVICE,
    errno.EACCES: "choose an output you may write to",
    errno.EPERM: "choose an output you may write to",
    errno.EROFS: "choose an output you may write to",
    errno.EEXIST: "choose another output",
    errno.ENOTDIR: "choose an output that is a folder or does not exist yet",
    errno.EISDIR: "choose an output that is a file or does not exist yet",
    errno.EINVAL: "choose an output that is a file, a pipe, or does not exist yet",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
}


@contextlib.contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Turn an OSError of writing below `path` into an OutputError that says what to do.

    Raises:
        UsageError: At once, for `-` or the text of an address; see `output_location`.
    """
    if not is_remote(path):
        output_path(path)
    try:
        yield
    except BrokenPipeError:  # the reader has seen enough
        raise
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "choose another output")
        raise OutputError(
            f"cannot write {path}: {reason_of(error)}; {advice}"
        ) from error


def make_folder(path: Path) -> None:
    """Make a folder for output; raises OutputError where it cannot be made or written to."""
    if is_remote(path):  # it is a part of names
        return
    with output_errors(path):
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def process_space() -> str:
    """Return the name of the space in which this process's id is unique.

    That is the host and, on Linux, the namespace of process ids: containers may share a host's
    name, and none sees the processes of the others.
    """
    try:
        namespace = Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        namespace = 0
    return f"{socket.gethostname()}-{namespace}"


def temporary_sibling(final: Path) -> Path:
    """Return a hidden name beside `final` that nobody can guess; it says which process made it."""
    return _hidden_sibling(final, f"{_MARK}{process_space()}-{os.getpid()}-")


def _hidden_sibling(final: Path, mark: str) -> Path:
    end = f"{mark}{secrets.token_hex(_TOKEN_BYTES)}"
    return final.with_name(f".{short_name(final.name, MAX_NAME - len(end) - 1)}{end}")


def short_name(name: str, most: int, text: str | None = None) -> str:
    """Return a name of at most so many bytes: the name itself, or its beginning and a digest.

    Args:
        name: The name.
        most: The number of bytes.
        text: The text to digest, if several texts may give one name; None for the name.
    """
    encoded = os.fsencode(name)
    if len(encoded) <= most:
        return name
    digest = hashlib.sha256(
        encoded if text is None else text.encode("utf-8", "surrogateescape")
    )
    end = f"-{digest.hexdigest()[:_DIGITS]}"
    return encoded[: most - len(end)].decode("utf-8", "ignore") + end


@contextlib.contextmanager
def whole_file(final: Path, *, synced: bool = True) -> Iterator[Path]:
    """Yield an empty temporary file that becomes `final` when the block ends well.

    If the block raises, the temporary file vanishes. A link at `final` is replaced, not followed.

    Args:
        final: The file. Use `streams.output_file` for a path that may be a pipe.
        synced: False for one of many files that count only when they are listed; whoever lists
            them calls `sync_files` first.

    Raises:
        OutputError: The file cannot be written, or something else than a file exists there.
    """
    if is_remote(final):
        with _whole_object(final) as temporary:
            yield temporary
        return
    with _emptied(final, temporary_sibling(final)) as temporary:
        yield temporary
        if synced:
            _sync(temporary)
        temporary.replace(final)
        if synced:
            _sync(final.parent)


@contextlib.contextmanager
def hidden_file(final: Path) -> Iterator[tuple[Path, Path]]:
    """Yield an empty file to write, and a hidden path beside `final` that has it afterwards.

    They are the same, but at a URL. If the block raises, both vanish. `place_file` gives the file a
    name. Any process may write it for the one writer of the folder, who calls `remove_made`.

    Raises:
        OutputError: The file cannot be written.
    """
    hidden = _hidden_sibling(final, _MADE)
    if is_remote(final):
        with _whole_object(hidden) as temporary:
            yield temporary, hidden
        return
    with _emptied(final, hidden, stays=True) as temporary:
        yield temporary, temporary
        _sync(temporary)


def place_file(hidden: Path, final: Path) -> None:
    """Give a hidden file its name; raises OutputError."""
    with output_errors(final), driver_errors("its driver failed"):
        if is_remote(final):
            at: Any = final
            at.fs.mv(str(getattr(hidden, "path", hidden)), at.path)
            return
        _refuse_special_at(final)
        hidden.replace(final)
        _sync(final.parent)


@contextlib.contextmanager
def _emptied(final: Path, temporary: Path, *, stays: bool = False) -> Iterator[Path]:
    """Yield an empty hidden file beside `final`, which is gone after the block unless it stays."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW
    with output_errors(final):
        _refuse_special_at(final)
        os.close(os.open(temporary, flags, 0o666))
    is_kept = False
    try:
        with output_errors(final):
            yield temporary
        is_kept = stays
    finally:
        # It fails on a read-only disk, for which the error above gives the reason.
        with contextlib.suppress(OSError):
            if not is_kept:
                temporary.unlink()


@contextlib.contextmanager
def _whole_object(final: Any) -> Iterator[Path]:
    """Yield a file of this machine, which becomes an object when the block ends well."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, "object")
        with output_errors(temporary):
            temporary.touch()
            yield temporary
        with output_errors(final), driver_errors("its driver failed"):
            final.fs.put_file(str(temporary), final.path)


def _refuse_special_at(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        refuse_special(path.lstat())


@contextlib.contextmanager
def scratch_folder(final: Path) -> Iterator[Path]:
    """Yield a hidden folder beside `final` for the time of the block; raises OutputError."""
    output_path(final)
    temporary = temporary_sibling(final)
    try:
        with output_errors(final):
            temporary.mkdir(parents=True)
            yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def whole_folder(final: Path) -> Iterator[Path]:
    """Yield as `whole_file`, for a folder; a folder at `final` is replaced.

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
    """Link files of a folder into another one, or copy them where hard links are impossible.

    The files must never be changed in place.

    Raises:
        OSError: A file can be neither linked nor copied.
    """
    for name in names:
        try:
            (target / name).hardlink_to(source / name)
        except OSError:
            shutil.copy2(source / name, target / name)


def remove_folder(path: Path) -> None:
    """Remove a folder of ours: a kill leaves it whole, or a hidden rest for `remove_leftovers`.

    Raises:
        OSError: It cannot be moved out of the way.
    """
    doomed = temporary_sibling(path.with_name(f"{path.name}.old"))
    path.replace(doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def remove_empty(folder: Path) -> None:
    """Remove a folder that holds nothing; one with somebody else's files stays."""
    # A URL has no folders, and its `rmdir` would remove all that is below it.
    if not is_remote(folder):
        with contextlib.suppress(OSError):
            folder.rmdir()


def write_text(final: Path, text: str) -> None:
    """Write a UTF-8 text file whole or not at all; raises OutputError."""
    with whole_file(final) as temporary:
        temporary.write_text(text, encoding="utf-8")


def remove_leftovers(folder: Path) -> None:
    """Remove what killed runs of this host or container left half written directly in `folder`.

    Files of living processes, and files that other users left, stay; on Windows all stay.
    """
    if is_remote(folder):
        return
    left = re.compile(
        rf"\..*{re.escape(_MARK + process_space())}-([0-9]{{1,9}})-[0-9a-f]{{{2 * _TOKEN_BYTES}}}",
        re.DOTALL,
    )
    for path in folder.glob(f".*{_MARK}*"):
        leftover = left.fullmatch(path.name)
        if leftover and not _is_alive(int(leftover[1])):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()


def remove_made(folder: Path) -> None:
    """Remove the hidden files of tasks (`hidden_file`) that nobody gives their names.

    The one writer of a folder calls this at its end: those of a killed client's workers go, and of
    workers that died. A URL has no one writer: there, only old objects go.
    """
    made = re.compile(
        rf"\..*{re.escape(_MADE)}[0-9a-f]{{{2 * _TOKEN_BYTES}}}", re.DOTALL
    )
    if is_remote(folder):
        _remove_abandoned(folder, made)
        return
    for path in folder.glob(f".*{_MADE}*"):
        if made.fullmatch(path.name):
            with contextlib.suppress(OSError):
                path.unlink()


def _remove_abandoned(folder: Any, made: re.Pattern[str]) -> None:
    with contextlib.suppress(OSError), driver_errors(f"cannot list {folder}"):
        for name in folder.fs.glob(f"{str(folder.path).rstrip('/')}/.*{_MADE}*"):
            if made.fullmatch(name.rpartition("/")[2]):
                with contextlib.suppress(FileNotFoundError, NotImplementedError):
                    if time.time() - folder.fs.modified(name).timestamp() > _ABANDONED:
                        folder.fs.rm_file(name)


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
    """Return whether a process has ended unnoticed, as in containers without an init."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except (OSError, IndexError):  # no such system, or gone meanwhile
        return False
    return state in (b"Z", b"X")


def sync_files(paths: Iterable[Path]) -> None:
    """Wait until files and their names are on the disk; raise OSError where that fails.

    Many files are synced at a time: 120 files of 600 kB take .1 s, and 1 s one by one.
    """
    paths = list(paths)
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        for some in (paths, {path.parent for path in paths}):
            list(pool.map(_sync, some))


def _sync(path: Path) -> None:
    # Windows syncs no folders, and only files that are opened for writing.
    on_windows = os.name == "nt"
    if on_windows and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if on_windows else os.O_RDONLY | NO_WAIT)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
