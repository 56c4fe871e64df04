"""Where input is read from, a path of this machine or a URL of an object store; and output paths.

URLs are those of fsspec (s3://bucket/pages, gs://, abfs://, hdfs://, memory://); its drivers are
optional. What they give behaves as a pathlib.Path, and is typed as one. Of the outputs, stores and
exports may be at URLs: an object is there whole or not at all. Files are read without waiting for a
FIFO or reading a device.
"""

import contextlib
import errno
import importlib
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from os.path import realpath
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from boilersweep.errors import UsageError
from boilersweep.extras import install_command
from boilersweep.redaction import without_secrets

_MARK = "://"

_REQUESTS = 16  # at a time

Found = TypeVar("Found")

# As a Path has it: pathlib makes s3:/bucket of s3://bucket. A letter and a colon are a drive.
_NO_OUTPUT = re.compile(r"-([/\\]|$)|[\w+.:-]{2,}:[/\\]")


def location(text: str, *, cached: bool = True) -> Path:
    """Return a path, or a path-like object for a URL.

    Args:
        text: The path or URL.
        cached: Whether a listing of a URL may be remembered: nothing changes there.

    Raises:
        UsageError: The URL's driver is not installed, or it cannot be reached, or names nothing.
    """
    if _MARK not in text:
        return Path(text)
    if not text.partition(_MARK)[2].strip("/"):
        raise UsageError(
            f"expected a URL with a name behind {_MARK}, such as s3://bucket/pages, got {text}"
        )
    try:
        path: Any = importlib.import_module("upath").UPath(
            text, use_listings_cache=cached
        )
        if not path.exists():  # for some drivers also without credentials
            with contextlib.suppress(FileNotFoundError):
                path.stat()
    except ImportError as error:
        raise UsageError(
            f"{text}: URLs need a driver that is not installed ({error}); install it with "
            f"`{install_command('remote')}` for s3://, for other stores with that and what "
            "fsspec names"
        ) from error
    except Exception as error:  # foreign code: drivers raise what they like
        raise UsageError(
            f"{text} cannot be reached ({type(error).__name__}: {error}); check its name, "
            "credentials and endpoint"
        ) from error
    return path  # type: ignore[no-any-return]


def as_location(path: Path | str) -> Path:
    """Return a path that may be given as text; raises UsageError as `location`."""
    return location(path) if isinstance(path, str) else path


def is_path(value: object) -> TypeGuard[Path | str]:
    """Return whether a value names a file: a text, a path, or a URL's path."""
    upath = sys.modules.get("upath")  # without it, there are no paths of URLs
    kinds = (str, os.PathLike, *([upath.UPath] if upath else []))
    return isinstance(value, kinds)


def recorded_path(path: Path) -> str:
    """Return a path as a manifest records it: absolute, or a URL without secrets."""
    return without_secrets(path) if is_remote(path) else str(path.resolve())


def output_path(path: Path | str) -> Path:
    """Return the path of an output; raise UsageError for what cannot be written: a URL, or `-`."""
    is_path = isinstance(path, str | Path)
    if not is_path or _NO_OUTPUT.match(str(Path(path))):
        raise UsageError(
            f"expected a path of this machine for the output, got {path}; copy finished files to "
            "an address yourself, and give /dev/stdout for standard output, where a command "
            "writes one file"
        )
    return Path(path)


def output_location(path: Path | str) -> Path:
    """Return the path of an output that may also be at a URL.

    Raises:
        UsageError: See `location`, and `output_path`.
    """
    if isinstance(path, str) and _MARK in path:
        return location(path, cached=False)
    if isinstance(path, str) or not is_remote(path):
        return output_path(path)
    return path


def is_remote(path: Path) -> bool:
    """Return whether a path is a URL's, as `location` returns it."""
    return not isinstance(path, Path | str)


def refuse_inputs(
    folder: Path,
    names: Iterable[str] = (),
    *,
    inputs: Iterable[Path] = (),
    closed: Iterable[Path] = (),
) -> None:
    """Raise UsageError if an output would replace what it is made from, or lie in it.

    Args:
        folder: The folder of the output.
        names: The names of the files and folders that are written there.
        inputs: Files and folders that are read.
        closed: Those of them in which all files count, such as collections and stores.
    """
    root = _real(folder)
    names, closed = [*names], [*closed]
    written = {root / name for name in names}
    output = folder / names[0] if len(names) == 1 else folder
    for path in (*inputs, *closed):
        if is_remote(path) != is_remote(folder):
            continue
        real = _real(path)
        if hit := written.intersection((real, *real.parents)):
            raise UsageError(
                f"output {output}: expected a place where results do not replace the input "
                f"{path}, but {min(hit)} would be written; choose another `output`"
            )
        if path in closed and real in (root, *root.parents):
            raise UsageError(
                f"output {output}: expected a place outside of the input {path}, whose files its "
                "own would join; choose another `output`"
            )


def _real(path: Path) -> Path:
    return path if is_remote(path) else Path(realpath(path))


def remote_names(root: Path) -> list[str]:
    """Return the names of all objects below a URL, from one listing; raises OSError."""
    remote: Any = root
    base = str(remote.path).rstrip("/") + "/"
    with driver_errors(f"cannot list {root}"):
        return [
            name[name.index(base) + len(base) :] for name in remote.fs.find(remote.path)
        ]


def in_threads(
    work: Callable[[Any], Found], items: Iterable[Any], threads: int
) -> list[Found]:
    """Return what a function gives for each item; raises what it raises for the first of them."""
    items = list(items)
    if len(items) < 2:
        return list(map(work, items))
    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        return list(pool.map(work, items))


def for_each(
    work: Callable[[Any], Found], places: Collection[Path | str]
) -> list[Found]:
    """Return what a function gives for each path or URL; some URLs are asked at a time."""
    if any(_MARK in str(place) for place in places):
        return in_threads(work, places, _REQUESTS)
    return list(map(work, places))


# HTTP's statuses for what is not there.
_MISSING = (404, 410)


@contextlib.contextmanager
def driver_errors(failed: str) -> Iterator[None]:
    """Turn an error of a URL's driver into an OSError whose message begins with what failed.

    For any failure of a server, the driver of https:// says that the file is missing.
    """
    try:
        yield
    except FileNotFoundError as error:
        cause = error.__cause__
        if cause is None or getattr(cause, "status", None) in _MISSING:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
        raise OSError(f"{failed}: {cause}") from error
    except OSError:
        raise
    except Exception as error:  # foreign code: drivers raise what they like
        raise OSError(f"{failed}: {error}") from error


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


class _RemoteFile(io.RawIOBase):
    """A file at a URL; what its driver raises is an OSError.

    Args:
        file: The driver's open file.
        failed: What an error's message begins with.
    """

    def __init__(self, file: Any, failed: str) -> None:
        self._file = file
        self._failed = failed

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer."""
        with driver_errors(self._failed):
            return int(self._file.readinto(buffer))

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def open_regular(path: Path) -> io.BufferedReader:
    """Open a file that can be read again, here or at a URL.

    Raises:
        OSError: At once for anything but a regular file: opening a FIFO would wait for a writer,
            and a device may have no end.
    """
    if is_remote(path):
        failed = f"cannot read {path}"
        with driver_errors(failed):
            return io.BufferedReader(_RemoteFile(path.open("rb"), failed))
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
