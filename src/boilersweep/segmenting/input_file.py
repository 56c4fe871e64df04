"""The files of the input: how they are read, counted, hashed and known again.

Input that comes through a pipe is copied to a file first, since it cannot be read twice. Then
workers may die of a page and read it again, and another run with the same content takes up what is
there, as with any file.
"""

import contextlib
import hashlib
import io
import itertools
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Format, Record, Skipped
from boilersweep.collection.inputs import Input
from boilersweep.errors import CollectionError, UsageError
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_leftovers,
    scratch_folder,
)
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locations import for_each, is_remote
from boilersweep.outputs.parts import Manifest
from boilersweep.store.shard import SET_ASIDE, InputFile
from boilersweep.work.processes import HERE

_PIPED_NAME = "stdin"


def is_piped(root: Input) -> bool:
    """Return whether the input is `-`, what comes through standard input."""
    return str(root) == "-"


@contextlib.contextmanager
def readable(root: Input, output: Path) -> Iterator[Input]:
    """Yield the input as a path that can be read again; a pipe is copied into `output` meanwhile.

    Raises:
        UsageError: The input is standard input, which is closed or a terminal.
        OutputError: The pipe cannot be copied.
    """
    if not is_piped(root):
        yield root
        return
    if sys.stdin is None or sys.stdin.isatty():
        state = "closed" if sys.stdin is None else "a terminal"
        raise UsageError(f"--input - reads a pipe, but standard input is {state}")
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
        with input_errors(path):
            with HERE.waiting():
                self.stat: os.stat_result = path.stat()
            # Opening a pipe waits for its writer, who may never come: that counts
            waits = is_remote(path) or stat.S_ISREG(self.stat.st_mode)
            self._waiting = HERE.waiting if waits else contextlib.nullcontext
            with self._waiting():
                self._file = path.open("rb", buffering=0)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and digest what was read."""
        with input_errors(self._path), self._waiting():
            count = self._file.readinto(buffer) or 0
        self.count += count
        self._sha256.update(memoryview(buffer)[:count])
        return count

    def records(
        self, format_: Format, number: int, name: str
    ) -> Iterator[tuple[int, Record | Skipped]]:
        """Yield the records of the file, each with its number; `HERE` is told of each.

        Args:
            format_: The format of the file.
            number: The number of the file in its task.
            name: The name of the file in the store.
        """
        items = format_.read(self, name)  # type: ignore[arg-type]
        counted = 0
        for record in itertools.count():
            HERE.begin(number, record)
            item = next(items, None)
            if item is None:
                return
            yield record, item
            HERE.add(1, self.count - counted)
            counted = self.count

    def finish(self) -> str:
        """Read what the reader left over, and return the SHA-256 of the whole file."""
        # Most readers leave nothing, and a larger buffer takes time to make.
        rest = bytearray(2**16)
        while self.readinto(rest):
            pass
        return self._sha256.hexdigest()

    def __exit__(self, *_: object) -> None:
        self._file.close()


def input_size(path: Path) -> int:
    """Return the bytes of an input file without reading it; raises CollectionError."""
    return _size_and_state(path)[0]


def _size_and_state(path: Path) -> tuple[int, str]:
    with input_errors(path), HERE.waiting():
        facts = path.stat()
    return facts.st_size, file_state(facts)


@contextlib.contextmanager
def input_errors(path: Path) -> Iterator[None]:
    """Raise CollectionError for an input file that cannot be read."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # an object store's driver raises what it likes
        reason = getattr(error, "strerror", None) or str(error)
        raise CollectionError(
            f"cannot read {path}: {reason}; check the file and the disk"
        ) from error


def file_state(facts: os.stat_result) -> str:
    """Return what changes with a file's content: times of change in nanoseconds, and the inode.

    The second time and the inode, of files of this machine alone, tell a file from another of its
    size and first time: they change when two files swap names or a time is set back.
    """
    if isinstance(facts, os.stat_result):
        return f"{facts.st_mtime_ns} {facts.st_ctime_ns} {facts.st_ino}"
    # Stores of objects know whole seconds
    nanoseconds = getattr(facts, "st_mtime_ns", None)
    return str(facts.st_mtime if nanoseconds is None else nanoseconds)


@dataclass(frozen=True, slots=True)
class Changes:
    """The names of the input files that are new, changed or gone since a store was made."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def __str__(self) -> str:
        new = f"{len(self.new):,} file{'' if len(self.new) == 1 else 's'} new"
        names = some_of([*self.new, *self.changed, *self.gone])
        return (
            f"{new}, {len(self.changed):,} changed, {len(self.gone):,} gone"
            f"{f' ({names})' if names else ''}"
        )

    def clauses(self) -> list[str]:
        """Return a clause for each file."""
        kinds = {"is gone": self.gone, "is new": self.new, "has changed": self.changed}
        return [
            f"input file {name} {what}"
            for what, names in kinds.items()
            for name in names
        ]


def input_changes(
    read: Iterable[InputFile], digests: Mapping[str, str | None]
) -> Changes:
    """Compare the files that a store was made from with those of the input.

    Args:
        read: The files as the store lists them.
        digests: The SHA-256 of the input's files by their names; None for content that is new.
    """
    then = {file["path"]: file["sha256"] for file in read}
    return Changes(
        tuple(name for name in digests if name not in then),
        tuple(
            name
            for name, digest in digests.items()
            if name in then and digest != then[name]
        ),
        tuple(name for name in then if name not in digests),
    )


def listed_input(manifest: Manifest[Any]) -> Iterator[InputFile]:
    """Yield the input files of a store with their states."""
    for entry in manifest.parts.values():
        yield from entry.facts.get("files", ())


class InputDigests:
    """What is known of the content of input files by their names, sizes and states.

    Nothing depends on it but time: content is read again if its state is another.

    Args:
        known: Files that shards were made from.
        verify: Read all files that shards may have been made from.
    """

    def __init__(self, known: Iterable[InputFile], *, verify: bool = False) -> None:
        files = [
            known_file for known_file in known if known_file["sha256"] != SET_ASIDE
        ]
        self._sizes = {(file["path"], file["bytes"]) for file in files}
        self._facts: dict[Path, tuple[int, str]] = {}
        self._digests: dict[tuple[str, int, str], str] = {}
        for known_file in files if not verify else ():
            if state := known_file.get("state"):
                self._digests[known_file["path"], known_file["bytes"], state] = (
                    known_file["sha256"]
                )

    def look_at(self, paths: Sequence[Path]) -> None:
        """Ask for the sizes and states of files; raises CollectionError for one not to be read."""
        self._facts |= zip(paths, for_each(_size_and_state, paths), strict=True)

    def of(self, path: Path, name: str) -> str | None:
        """Return the SHA-256 of a file; None for one that no shard was made from.

        Raises CollectionError if the file cannot be read.
        """
        size, state = self.facts(path)
        key = (name, size, state)
        if key not in self._digests and (name, size) in self._sizes:
            with DigestedFile(path) as raw:
                self._digests[key] = raw.finish()
        return self._digests.get(key)

    def facts(self, path: Path) -> tuple[int, str]:
        """Return the bytes of a file, and its state."""
        if path not in self._facts:
            self._facts[path] = _size_and_state(path)
        return self._facts[path]
