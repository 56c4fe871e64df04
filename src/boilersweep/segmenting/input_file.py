"""The files of the input: how they are read, counted, hashed and known again.

Input that comes through a pipe is copied to a file first, since it cannot be read twice. Then
workers may die of a page and read it again, and another run with the same content takes up what is
there, as with any file.
"""

import contextlib
import hashlib
import io
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.collection.irds import Documents
from boilersweep.errors import CollectionError, UsageError
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_leftovers,
    scratch_folder,
)
from boilersweep.outputs.identity import file_digest

_PIPED_NAME = "stdin"


def is_piped(root: Path) -> bool:
    """Return whether the input is `-`, what comes through standard input."""
    return str(root) == "-"


@contextlib.contextmanager
def readable(root: Path, output: Path) -> Iterator[Path]:
    """Yield the input as a path that can be read again; a pipe is copied into `output` meanwhile.

    Raises:
        UsageError: The input is standard input, which is closed or a terminal.
        OutputError: The pipe cannot be copied.
    """
    if not is_piped(root):
        yield root
        return
    if sys.stdin is None or sys.stdin.isatty():
        found = "closed" if sys.stdin is None else "a terminal"
        raise UsageError(f"--input - reads a pipe, but standard input is {found}")
    make_folder(output)
    remove_leftovers(output)
    with contextlib.ExitStack() as stack:
        with output_errors(output):
            folder = stack.enter_context(scratch_folder(output / _PIPED_NAME))
            with (folder / _PIPED_NAME).open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy, 2**20)
        yield folder / _PIPED_NAME


class DigestedFile(io.RawIOBase):
    """A file that counts and hashes what is read of it, and names itself when reading fails.

    A reader's buffer may call `close` too early: only leaving the context closes the file on disk.

    Attributes:
        count: The number of bytes read so far.
        stat: The facts of the file before anything was read, so that a later change shows.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.count = 0
        self._sha256 = hashlib.sha256()
        with _reading(path):
            self.stat = path.stat()
            self._file = path.open("rb", buffering=0)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and digest what was read."""
        with _reading(self._path):
            count = self._file.readinto(buffer) or 0
        self.count += count
        self._sha256.update(memoryview(buffer)[:count])
        return count

    def finish(self) -> str:
        """Read what the reader left over, and return the SHA-256 of the whole file."""
        # Most readers leave nothing, and a larger buffer takes time to make.
        rest = bytearray(2**16)
        while self.readinto(rest):
            pass
        return self._sha256.hexdigest()

    def __exit__(self, *_: object) -> None:
        self._file.close()


def input_stat(path: Path) -> os.stat_result:
    """Return what is known of an input file without reading it; raises CollectionError."""
    with _reading(path):
        return path.stat()


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # an object store's driver raises what it likes
        reason = getattr(error, "strerror", None) or str(error)
        raise CollectionError(
            f"cannot read {path}: {reason}; check the file and the disk"
        ) from error


def file_state(stat: os.stat_result) -> list[int]:
    """Return what changes with a file's content: times of change in nanoseconds, and the inode.

    The second time and the inode, of files of this machine alone, tell a file from another of its
    size and first time: they change when two files swap names or a time is set back.
    """
    if isinstance(stat, os.stat_result):
        return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
    # Stores of objects know whole seconds
    nanoseconds = getattr(stat, "st_mtime_ns", None)
    return [int(stat.st_mtime * 10**9) if nanoseconds is None else int(nanoseconds)]


@dataclass(frozen=True, slots=True)
class Changes:
    """The names of the input files that are new, changed or gone since shards were made."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def __str__(self) -> str:
        new = f"{len(self.new):,} file{'' if len(self.new) == 1 else 's'} new"
        return f"{new}, {len(self.changed):,} changed, {len(self.gone):,} gone"

    def clauses(self) -> list[str]:
        """Return a clause for each file."""
        kinds = {"is gone": self.gone, "is new": self.new, "has changed": self.changed}
        return [
            f"input file {name} {what}"
            for what, names in kinds.items()
            for name in names
        ]


def input_changes(
    read: Iterable[Mapping[str, Any]], files: Mapping[str, Path], *, verify: bool
) -> Changes:
    """Compare the files that shards were made from with the files of the input.

    Args:
        read: The files as shards list them.
        files: The files of the input by the names by which a store knows them.
        verify: See `is_as_read`.

    Returns:
        What has changed.
    """
    then = {str(one["path"]): one for one in read}
    changed = [
        name
        for name, path in files.items()
        if name in then and not is_as_read(then[name], path, verify=verify)
    ]
    new = [name for name in files if name not in then]
    return Changes(
        tuple(new), tuple(changed), tuple(name for name in then if name not in files)
    )


def is_as_read(read: Mapping[str, Any], path: Path, *, verify: bool) -> bool:
    """Return whether an input file is as a shard says that it was read.

    Size and state (see `file_state`) decide, and the SHA-256 if the state differs or `verify` asks
    for it. Documents of ir_datasets have a state, too, but their size is not compared.
    """
    stat = input_stat(path)
    if not isinstance(path, Documents) and stat.st_size != read["bytes"]:
        return False
    if file_state(stat) == read.get("state") and not verify:
        return True
    return read["sha256"] is not None and file_digest(path) == read["sha256"]
