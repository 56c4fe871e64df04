"""One person's log: a line of JSON per judgement, with the digest of all lines before it.

A judgement counts once its whole line is on the disk. A line that a full disk or a kill cut off was
never acknowledged, and is removed. The digests show whether a line was changed, removed or added,
and whether the file was renamed; only the removal of the last lines remains unseen.
"""

import errno
import hashlib
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, cast

import msgspec

from boilersweep.errors import InputError, reason_of
from boilersweep.outputs.atomic import output_errors, sync_files
from boilersweep.outputs.locations import NO_FOLLOW, read_regular
from boilersweep.outputs.typed_files import decode_json

_DIGITS = 16  # of a digest


class Line(Protocol):
    """A line of a log, a struct with at least these fields."""

    @property
    def docid(self) -> str:
        """The document."""

    @property
    def text(self) -> str:
        """The digest of the text that was judged."""

    @property
    def time(self) -> str:
        """When the line was written."""

    @property
    def chain(self) -> str:
        """The digest of this line and of all before it in the log; the log sets it."""


Kind = TypeVar("Kind", bound=Line)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat(Generic[Kind]):
    """The declaration of one kind of log.

    Attributes:
        line: The type of its lines.
        what: What a line is, in messages.
        command: The command that writes it.
        rescue: What to do with a damaged log, beside restoring it; {} is the person.
    """

    line: type[Kind]
    what: str
    command: str
    rescue: str


def now() -> str:
    """Return the time of a line, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def digest_of_text(*parts: str) -> str:
    """Return a short digest of some texts and their borders."""
    return hashlib.sha256(
        "\0".join(parts).encode("utf-8", "surrogatepass")
    ).hexdigest()[:_DIGITS]


class AssessorLog(Generic[Kind]):
    """The log of one assessor, read and verified.

    Attributes:
        path: The file, `people/NAME.jsonl` or `programs/NAME.jsonl`.
        judgements: The lines, oldest first.
        torn: Whether the file ends with an incomplete line.
        size: The size of its whole lines, in bytes.
    """

    def __init__(self, path: Path, format_: LogFormat[Kind]) -> None:
        """Read the log, if the file exists.

        Args:
            path: The file.
            format_: The kind of log.

        Raises:
            InputError: The file cannot be read, or a line is not as it was written.
        """
        self.path = path
        self._format = format_
        self.judgements: list[Kind] = []
        self.torn = False
        self.size = 0
        self._chain = f"{path.parent.name}/{path.stem}"
        if os.path.lexists(path):
            self._read()

    def _read(self) -> None:
        try:
            data = read_regular(self.path)
        except OSError as error:
            raise InputError(
                f"cannot read the judgements {self.path}: {reason_of(error)}; expected the log "
                f"that `boilersweep {self._format.command}` wrote"
            ) from error
        self.size = data.rfind(b"\n") + 1
        self.torn = self.size < len(data)
        for number, line in enumerate(data[: self.size].splitlines(), start=1):
            where = f"{self.path}:{number}"
            try:
                judgement = decode_json(line, self._format.line)
            except ValueError as error:
                raise InputError(
                    f"{where}: expected {self._format.what} as `boilersweep "
                    f"{self._format.command}` writes it, got {line[:80]!r} ({error}); "
                    f"{self._advice}"
                ) from error
            if judgement != self._linked(judgement):
                raise InputError(
                    f"{where}: this line or one before it was changed, added or removed, or the "
                    f"file was renamed; {self._advice}"
                )
            self._add(judgement)

    @property
    def _advice(self) -> str:
        rescue = self._format.rescue.format(self.path.stem)
        return f"restore the file from a copy, or move it away {rescue}"

    def append(self, judgement: Kind) -> Kind:
        """Append a judgement, which is on the disk when this returns.

        Returns:
            The judgement as it is in the log.

        Raises:
            OutputError: The disk is full or fails; the log is as before.
        """
        linked = self._linked(judgement)
        self.size = append_line(self.path, msgspec.json.encode(linked), self.size)
        self._add(linked)
        return linked

    def cut(self) -> None:
        """Remove an incomplete last line; raises OutputError."""
        with output_errors(self.path):
            os.truncate(self.path, self.size)
        self.torn = False

    def _linked(self, judgement: Kind) -> Kind:
        """Return the judgement with the digest that it has as the next one of this log."""
        bare = msgspec.structs.replace(cast(Any, judgement), chain="")
        chain = digest_of_text(self._chain, msgspec.json.encode(bare).decode())
        return cast(Kind, msgspec.structs.replace(bare, chain=chain))

    def _add(self, judgement: Kind) -> None:
        self.judgements.append(judgement)
        self._chain = judgement.chain


def append_line(path: Path, content: bytes, start: int) -> int:
    """Append a line to a file, which is on the disk when this returns.

    Args:
        path: The file; it is made if there is none.
        content: The line without its end.
        start: The size of the file's whole lines; what follows them is the rest of a failed write.

    Returns:
        The new size.

    Raises:
        OutputError: The disk is full or fails; the whole lines are as before.
    """
    line = content + b"\n"
    with output_errors(path):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | NO_FOLLOW, 0o666)
        try:
            _write_line(descriptor, line, start)
        finally:
            os.close(descriptor)
        if not start:
            sync_files([path])
    return start + len(line)


def _write_line(descriptor: int, line: bytes, start: int) -> None:
    """Write a line at the end of a file and verify it; on an error leave the file as it was.

    Args:
        descriptor: The open file.
        line: The line with its end.
        start: The size of the file's whole lines; what follows them is the rest of a failed write.

    Raises:
        OSError: The line is not on the disk.
    """
    if os.fstat(descriptor).st_size < start:
        raise OSError(errno.EIO, "the file became shorter since it was read")
    os.ftruncate(descriptor, start)
    try:
        os.lseek(descriptor, start, os.SEEK_SET)
        written = 0
        while written < len(line):
            written += os.write(descriptor, line[written:])
        os.fsync(descriptor)
        _require_line(descriptor, line, start)
    except OSError:
        os.ftruncate(descriptor, start)
        raise


def _require_line(descriptor: int, line: bytes, start: int) -> None:
    os.lseek(descriptor, start, os.SEEK_SET)
    if os.read(descriptor, len(line) + 1) != line:
        raise OSError(errno.EIO, "the file does not contain the line that was written")
