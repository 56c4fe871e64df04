"""Opening the files of a collection: gzip recognised by its bytes, damage kept apart from data."""

import gzip
import io
import zlib
from typing import BinaryIO

GZIP_MAGIC = b"\x1f\x8b"
_BUFFER = 64 * 2**10


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

    def __init__(self, file: io.BufferedReader | gzip.GzipFile) -> None:
        self._file = file
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
        buffer[: len(data)] = data
        return len(data)


def peekable(raw: BinaryIO) -> io.BufferedReader:
    """The same bytes with `peek`, whether or not `raw` can seek."""
    if isinstance(raw, io.BufferedReader):
        return raw
    return io.BufferedReader(raw, _BUFFER)  # type: ignore[arg-type]


def decompressed(raw: BinaryIO) -> Stream:
    """The bytes of a file that may be gzip (one member or many), or plain.

    Never raises for damaged gzip: the stream ends there and says what happened in `damage`.
    OSError from `raw` itself passes through.
    """
    file = peekable(raw)
    if file.peek(2)[:2] == GZIP_MAGIC:
        return Stream(_Source(gzip.GzipFile(fileobj=file, mode="rb")))
    return Stream(_Source(file))
