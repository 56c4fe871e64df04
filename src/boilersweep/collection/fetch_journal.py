"""The fetched members of an unfinished run, in a file that survives a kill."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec

from boilersweep.outputs.atomic import output_errors
from boilersweep.outputs.regular_files import BINARY, NO_FOLLOW
from boilersweep.outputs.typed_files import decode_json

_LONGEST_LINE = 2000  # bytes; a reason is a few words


class _Entry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The line before a member: the number of its index line, its length, and why it is missing."""

    number: int
    length: Annotated[int, msgspec.Meta(ge=0)]
    failure: str


class Journal:
    """Members by the numbers of their index lines, in the order in which they came.

    The file begins with the request that it belongs to. For every index line that is done it has a
    line of JSON, its number, the member's length and why there is none, and then the member. A kill
    leaves at most a part of the last one; a machine that loses power may leave anything, so whoever
    takes up a journal verifies its members.

    Attributes:
        path: The file.
        failures: Number of an index line -> why it has no member.
    """

    def __init__(self, path: Path, file: BinaryIO, request: dict[str, Any]) -> None:
        """Take up a journal; one of another request is emptied."""
        self.path = path
        self.failures: dict[int, str] = {}
        self._file = file
        self._places: dict[int, tuple[int, int]] = {}  # offset and length
        head = json.dumps(request, sort_keys=True).encode() + b"\n"
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if file.readline() != head:
            size = 0
            file.seek(0)
            file.write(head)
        end = file.tell()
        with contextlib.suppress(ValueError):  # damage
            while end < size:
                entry = decode_json(file.readline(_LONGEST_LINE), _Entry)
                if file.tell() + entry.length > size:
                    break
                self._note(entry.number, file.tell(), entry.length, entry.failure)
                end = file.seek(entry.length, os.SEEK_CUR)
        file.truncate(end)

    def __contains__(self, number: int) -> bool:
        """Whether an index line is done."""
        return number in self._places or number in self.failures

    def add(self, number: int, member: bytes, failure: str) -> None:
        """Keep the member of an index line, or record why it has none."""
        self._file.seek(0, os.SEEK_END)
        self._file.write(json.dumps([number, len(member), failure]).encode() + b"\n")
        self._note(number, self._file.tell(), len(member), failure)
        self._file.write(member)
        self._file.flush()

    def _note(self, number: int, offset: int, length: int, failure: str) -> None:
        self.failures.pop(number, None)
        if failure:
            self.failures[number] = failure
        else:
            self._places[number] = (offset, length)

    def member(self, number: int) -> bytes:
        """Read the member of an index line."""
        offset, length = self._places[number]
        self._file.seek(offset)
        return self._file.read(length)


@contextlib.contextmanager
def open_journal(path: Path, request: dict[str, Any]) -> Iterator[Journal]:
    """Open the journal of a request, which is made where there is none.

    Raises:
        OutputError: The file cannot be read or written.
    """
    flags = os.O_RDWR | os.O_CREAT | NO_FOLLOW | BINARY
    with output_errors(path), os.fdopen(os.open(path, flags, 0o666), "r+b") as file:
        yield Journal(path, file, request)
