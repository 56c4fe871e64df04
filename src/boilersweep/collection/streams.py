"""Opening the files of a collection: gzip recognised by its bytes, damage kept apart from data."""

import io
from collections.abc import Iterator
from typing import BinaryIO

from boilersweep.collection.gzip_members import BLOCK, Piece, pieces
from boilersweep.collection.record import Reason

MAX_EXPANSION = 200
"""A gzip file may expand so many times; HTML seldom exceeds 30, a bomb comes near 1,032, the most
that deflate can do."""
FREE_EXPANSION = 64 * 2**20
"""So many bytes are never too many, whatever they expanded from."""


def is_bomb(stored: int, expanded: int) -> bool:
    """Whether so many bytes stored may not expand to so many."""
    return expanded > FREE_EXPANSION and expanded > MAX_EXPANSION * stored


class Stream(io.BufferedReader):
    """Decompressed bytes that end where the compressed ones cannot be read any further."""

    def __init__(self, source: "_Source") -> None:
        super().__init__(source, BLOCK)
        self._source = source

    @property
    def damage(self) -> str:
        """What is wrong with the compressed file, once the end is reached; empty if intact."""
        return self._source.damage

    @property
    def loss(self) -> Reason:
        """What the damage is: bytes that never were gzip cut no record short."""
        return Reason.NOT_GZIP if self._source.is_foreign else Reason.TRUNCATED


class _Source(io.RawIOBase):
    """Turns damage into an end of file: a buffer above it would lose what it holds otherwise."""

    def __init__(self, source: Iterator[Piece]) -> None:
        self._pieces = source
        self._data = memoryview(b"")
        self._expanded = 0
        self.damage = ""
        self.is_foreign = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._data and not self.damage:
            self._next()
        count = min(len(buffer), len(self._data))
        buffer[:count] = self._data[:count]
        self._data = self._data[count:]
        return count

    def _next(self) -> None:
        piece = next(self._pieces, None)
        if piece is None:
            return
        self._expanded += len(piece.data)
        if is_bomb(piece.end, self._expanded):
            self.damage = f"expands more than {MAX_EXPANSION}-fold"
            return
        self._data = memoryview(piece.data)
        self.damage, self.is_foreign = piece.damage, piece.is_foreign
        more = next(self._pieces, None) if piece.is_foreign else None
        if more and more.data:
            self.damage += "; the gzip members behind them are not read"


def decompressed(raw: BinaryIO) -> Stream:
    """The bytes of a file that may be gzip (one member or many), or plain.

    Never raises for damaged gzip: the stream ends there and says what happened in `damage`. So
    does gzip that expands beyond all measure (MAX_EXPANSION).
    OSError from `raw` itself passes through.
    """
    return Stream(_Source(pieces(raw, salvage=True)))
