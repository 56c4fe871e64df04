"""Hold a folder as its one writer."""

import contextlib
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ModuleNotFoundError:  # on Windows
    fcntl = None  # type: ignore[assignment]

from boilersweep.errors import BusyError, OutputError
from boilersweep.outputs.atomic import make_folder, output_errors, remove_leftovers
from boilersweep.outputs.locations import NO_FOLLOW, NO_WAIT, is_remote

LOCK = ".lock"


@contextlib.contextmanager
def only_writer(
    folder: Path,
    lock_name: str = LOCK,
    *,
    output: Path | None = None,
) -> Iterator[None]:
    """Hold a folder for output, and remove what killed runs left half written in it.

    The lock is the kernel's, on a hidden file: it ends with the process, however that ends. At a
    URL there is none: two processes may make the same files, which are equal.

    Args:
        folder: The folder.
        lock_name: The name of the lock file, if several outputs of one folder have their own
            writers.
        output: The path that the BusyError names; None for the folder.

    Raises:
        BusyError: Another process holds the folder.
        OutputError: The folder cannot be written to, or something else than a lock file, such as a
            link, has its name; it is left alone.
    """
    if is_remote(folder):
        yield
        return
    make_folder(folder)
    lock, output = folder / lock_name, output or folder
    if fcntl is None:
        with _file_lock(lock, output):
            yield
        return
    with output_errors(lock):
        descriptor = _locked(lock, output)
    _held.add(descriptor)
    try:
        with output_errors(folder):
            os.ftruncate(descriptor, 0)
            os.pwrite(
                descriptor,
                f"process {os.getpid()} on {socket.gethostname()}".encode(),
                0,
            )
        remove_leftovers(folder)
        yield
    finally:
        _held.remove(descriptor)
        lock.unlink(missing_ok=True)
        os.close(descriptor)


# Descriptors of the lock files that this process holds.
_held: set[int] = set()


def _give_up_locks() -> None:
    """In a copy of the process that holds them, so that they end with that one."""
    while _held:
        os.close(_held.pop())


if fcntl is not None:
    os.register_at_fork(after_in_child=_give_up_locks)


def _locked(lock: Path, output: Path) -> int:
    """Return a descriptor of the locked lock file; raise BusyError if another process has it."""
    while True:
        descriptor = _opened(lock)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it before may have removed the file between our opening and locking.
            if os.fstat(descriptor).st_ino == lock.lstat().st_ino:
                return descriptor
        except FileNotFoundError:
            pass
        except BlockingIOError:
            holder = os.pread(descriptor, 200, 0).decode("utf-8", "replace")
            os.close(descriptor)
            raise _busy(output, holder) from None
        os.close(descriptor)


@contextlib.contextmanager
def _file_lock(lock: Path, output: Path) -> Iterator[None]:
    """Hold the lock file on a system without flock; raises BusyError, OutputError."""
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    with output_errors(lock):
        try:
            held.acquire(timeout=0)
        except Timeout:
            raise _busy(output) from None
    try:
        yield
    finally:
        held.release()


def _busy(output: Path, holder: str = "") -> BusyError:
    return BusyError(
        f"{output} is being written by {holder or 'another process'}; wait until it has "
        "finished, or choose another `output`"
    )


def _opened(lock: Path) -> int:
    """Return a descriptor of the lock file; raise OutputError for a file that is not ours.

    Whoever holds the lock overwrites the file.
    """
    try:
        flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW | NO_WAIT
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
        "it, or choose another `output`"
    )
