"""Read files without waiting for a FIFO or reading a device."""

import errno
import io
import os
import stat
from pathlib import Path

from boilersweep.outputs.locations import driver_errors, is_remote

# Flags of `os.open`; the first exists on Windows, the others on all other systems.
BINARY = getattr(os, "O_BINARY", 0)
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)

# What a path may lead to that is no regular file.
_SPECIAL = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "FIFO",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFSOCK: "socket",
}


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file that can be read again, here or at a URL.

    Raises:
        OSError: At once for anything but a regular file: opening a FIFO would wait for a writer,
            and a device may have no end.
    """
    if is_remote(path):
        with driver_errors(f"cannot open {path}"):
            return path.open("rb")
    descriptor = os.open(require_regular(path), os.O_RDONLY | NO_WAIT | BINARY)
    file = os.fdopen(descriptor, "rb")
    try:
        refuse_special(os.fstat(descriptor))
    except OSError:
        file.close()
        raise
    return file


def read_regular(path: Path, most: int | None = None) -> bytes:
    """Return the bytes of a regular file; raise ValueError for more than `most`, and OSError."""
    with open_regular(path) as file:
        if most is not None and (size := os.fstat(file.fileno()).st_size) > most:
            raise ValueError(f"expected a file of at most {most:,} bytes, got {size:,}")
        return file.read()


def require_regular(path: Path) -> Path:
    """Return the path, for a library that opens files; raise OSError as `open_regular`."""
    refuse_special(path.stat())
    return path


def refuse_special(facts: os.stat_result) -> None:
    """Raise OSError for the facts of anything but a regular file."""
    kind = _SPECIAL.get(stat.S_IFMT(facts.st_mode))
    if kind is not None:
        raise OSError(errno.EINVAL, f"expected a regular file, got a {kind}")
