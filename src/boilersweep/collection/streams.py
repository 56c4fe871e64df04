"""Opening the files of a collection: gzip recognised by its bytes, damage kept apart from data."""

import io
from collections.abc import Iterator
from typing import Any, BinaryIO

from boilersweep.collection.gzip_members import BLOCK, Piece, pieces
from boilersweep.collection.record import Reason

# A gzip file may expand so many times; HTML seldom exceeds 30, a bomb comes near 1,032, the most
# that deflate can do.
MAX_EXPANSION = 200
# So many bytes are never too many, whatever they expanded from.
FREE_EXPANSION = 64 * 2**20


def is_bomb(stored: int, expanded: int) -> bool:
    """Whether so many bytes stored may not expand to so many."""
    return expanded > FREE_EXPANSION and expanded > MAX_EXPANSION * stored


class BytesFile(io.RawIOBase):
    """The bytes that an iterator gives, as a file."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._part = memoryview(b"")

    def readable(self) -> bool:
        """Tell that the file can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; returns the number of bytes."""
        while not self._part and (part := next(self._parts, None)) is not None:
            self._part = memoryview(part)
        count = min(len(buffer), len(self._part))
        buffer[:count] = self._part[:count]
        self._part = self._part[count:]
        return count


class Stream(io.BufferedReader):
    """Decompressed bytes that end where the compressed ones cannot be read any further.

    Attributes:
        damage: What is wrong with the compressed file, once the end is reached; "" if it is intact.
        loss: What the damage is: bytes that never were gzip cut no record short.
    """

    def __init__(self, source: Iterator[Piece]) -> None:
        self.damage = ""
        self.loss = Reason.TRUNCATED
        super().__init__(BytesFile(self._intact(source)), BLOCK)

    def _intact(self, source: Iterator[Piece]) -> Iterator[bytes]:
        """Yield the bytes up to the damage: a buffer above would lose what it holds of an error."""
        expanded = 0
        for piece in source:
            expanded += len(piece.data)
            if is_bomb(piece.end, expanded):
                self.damage = f"expands more than {MAX_EXPANSION}-fold"
                return
            self.damage = piece.damage
            if piece.is_foreign:
                self.loss = Reason.NOT_GZIP
                more = next(source, None)
                if more and more.data:
                    self.damage += "; the gzip members behind them are not read"
            yield piece.data
            if piece.damage:
                return


def decompressed(raw: BinaryIO) -> Stream:
    """Return the bytes of a file that may be gzip (one member or many), or plain.

    Never raises for damaged gzip: the stream ends there and says what happened in `damage`. So
    does gzip that expands beyond all measure (MAX_EXPANSION).
    OSError from `raw` itself passes through.
    """
    return Stream(pieces(raw, salvage=True))
