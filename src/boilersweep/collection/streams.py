"""Opening the files of a collection: gzip recognised by its bytes, damage kept apart from data."""

import gzip
import io
import zlib
from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"
MAX_EXPANSION = 200
"""A gzip file may expand so many times; HTML seldom exceeds 30, a bomb comes near 1,032, the most
that deflate can do."""
FREE_EXPANSION = 64 * 2**20
"""So many bytes are never too many, whatever they expanded from."""

_BUFFER = 64 * 2**10


def is_bomb(stored: int, expanded: int) -> bool:
    """Whether so many bytes stored may not expand to so many."""
    return expanded > FREE_EXPANSION and expanded > MAX_EXPANSION * stored


class Stream(io.BufferedReader):
    """Decompressed bytes that end where the compressed ones cannot be read any further."""

    def __init__(self, source: "_Source") -> None:
        super().__init__(source, _BUFFER)
        self._source = source

    @property
    def damage(self) -> str:
        """What is wrong with the compressed file, once the end is reached; empty if intact."""
        return self._source.damage


class _Source(io.RawIOBase):
    """Turns damage into an end of file: a buffer above it would lose what it holds otherwise."""

    def __init__(self, stored: "_Counted", file: "_Counted | gzip.GzipFile") -> None:
        self._stored = stored
        self._file = file
        self._expanded = 0
        self.damage = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self.damage:
            return 0
        try:
            # One inflated piece at a time: read() would drop the pieces before a damaged one.
            data = self._file.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.damage = str(error) or type(error).__name__
            return 0
        self._expanded += len(data)
        if is_bomb(self._stored.count, self._expanded):
            self.damage = f"expands more than {MAX_EXPANSION}-fold"
            return 0
        buffer[: len(data)] = data
        return len(data)


class _Counted(io.RawIOBase):
    """A file as it is stored, and how many of its bytes have been read."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.count += len(data)
        return data

    def read1(self, size: int = -1) -> bytes:
        """As `read`, at most one piece."""
        data = self._file.read1(size)
        self.count += len(data)
        return data


def peekable(raw: BinaryIO) -> io.BufferedReader:
    """The same bytes with `peek`, whether or not `raw` can seek."""
    if isinstance(raw, io.BufferedReader):
        return raw
    return io.BufferedReader(raw, _BUFFER)  # type: ignore[arg-type]


def decompressed(raw: BinaryIO) -> Stream:
    """The bytes of a file that may be gzip (one member or many), or plain.

    Never raises for damaged gzip: the stream ends there and says what happened in `damage`. So
    does gzip that expands beyond all measure (MAX_EXPANSION).
    OSError from `raw` itself passes through.
    """
    file = peekable(raw)
    stored = _Counted(file)
    if file.peek(2)[:2] == GZIP_MAGIC:
        return Stream(_Source(stored, gzip.GzipFile(fileobj=stored, mode="rb")))
    return Stream(_Source(stored, stored))
