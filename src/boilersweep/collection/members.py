"""The bytes of a WARC file with the places where they are stored, and recovery from bad gzip."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import BinaryIO

from boilersweep.collection.streams import GZIP_MAGIC, peekable

_BLOCK = 64 * 2**10
_MEMBER = GZIP_MAGIC + b"\x08"  # deflate, the only method gzip has


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file, in order.

    offset: where they are stored; for gzip, where their member begins.
    damage: set on a piece without data where something cannot be read; what follows is from
        the next gzip member that can.
    """

    offset: int
    data: bytes
    damage: str = ""


def pieces(raw: BinaryIO) -> Iterator[Piece]:
    """The bytes of a plain or gzip file in pieces of bounded size; never raises for damage."""
    file = peekable(raw)
    if file.peek(2)[:2] == GZIP_MAGIC:
        yield from _inflated(file)
        return
    offset = 0
    while data := file.read(_BLOCK):
        yield Piece(offset, data)
        offset += len(data)


def _inflated(file: BufferedReader) -> Iterator[Piece]:
    offset = 0  # of pending in the file
    pending = file.read(_BLOCK)
    while pending:
        junk, pending, found = _to_member(pending, file)
        if junk.strip(b"\0"):  # zeros are padding
            yield Piece(offset, b"", "not a gzip member")
        offset += len(junk)
        if not found:
            continue
        start = offset
        inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        while not inflater.eof:
            if not pending and not (pending := file.read(_BLOCK)):
                yield Piece(start, b"", "the gzip member ends too early")
                return
            try:
                data = inflater.decompress(pending, _BLOCK)
            except zlib.error as error:
                yield Piece(start, b"", str(error))
                # The next member may begin in what is pending; this one's first byte may not.
                pending, offset = pending[1:], offset + 1
                break
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            offset += len(pending) - len(rest)
            pending = rest
            if data:
                yield Piece(start, data)
        pending = pending or file.read(_BLOCK)


def _to_member(pending: bytes, file: BufferedReader) -> tuple[bytes, bytes, bool]:
    """The bytes before the next gzip member, those from there on, and whether one is there."""
    at = pending.find(_MEMBER)
    if at >= 0:
        return pending[:at], pending[at:], True
    more = file.read(_BLOCK)
    kept = len(_MEMBER) - 1 if more else 0  # a member may begin with the last bytes here
    junk = pending[: max(0, len(pending) - kept)]
    return junk, pending[len(junk) :] + more, False
