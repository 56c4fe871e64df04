"""The bytes of a zstd file, with the places of its frames, over damage too.

Source: IIPC's draft on WARC files in zstd. Each record is a frame; a dictionary for all frames may
come before them in a skippable frame, itself compressed or not.
"""

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from io import BufferedReader, BytesIO
from typing import Any

from boilersweep.collection.streams import BLOCK, Piece, peekable, whole
from boilersweep.pages.content_kind import ZSTD

_LIBRARY = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
_MISSING = f"reading zstd needs the module {_LIBRARY}: pip install backports.zstd"
_DICTIONARY_FRAME = b"\x5d\x2a\x4d\x18"
_SKIPPABLE = b"\x2a\x4d\x18"  # after a byte from 0x50 to 0x5f
_HEADER = 8  # bytes of a skippable frame before its content
_MOST_DICTIONARY = 32 * 2**20


def installed() -> bool:
    """Whether the library that reads zstd is there."""
    try:
        return find_spec(_LIBRARY) is not None
    except ModuleNotFoundError:  # of the package around it
        return False


def is_zstd(start: bytes) -> bool:
    """Whether the first bytes of a file are those of zstd."""
    return start.startswith(ZSTD) or _is_skippable(start)


def frames(file: BufferedReader) -> Iterator[Piece]:
    """Yield the bytes of a zstd file in pieces of bounded size, as `streams.pieces` does."""
    if installed():
        yield from _Frames(file).pieces()
    else:
        yield Piece(0, b"", 0, _MISSING)


class _Frames:
    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._pending = b""
        self._offset = 0  # of pending in the file
        self._dictionary: Any = None
        self._zstd = import_module(_LIBRARY)

    def pieces(self) -> Iterator[Piece]:
        while self._need(_HEADER):
            start = self._offset
            if self._pending.startswith(ZSTD):
                yield from self._frame()
                continue
            damage = self._skip() if _is_skippable(self._pending) else self._seek()
            if damage:
                yield Piece(start, b"", self._offset, damage)

    def _need(self, count: int) -> int:
        """Read until so many bytes are pending; how many are."""
        while len(self._pending) < count and (more := self._file.read(BLOCK)):
            self._pending += more
        return len(self._pending)

    def _take(self, count: int) -> bytes:
        taken, self._pending = self._pending[:count], self._pending[count:]
        self._offset += len(taken)
        return taken

    def _skip(self) -> str:
        """Pass a skippable frame, and keep the dictionary that the first one holds; the damage."""
        holds_dictionary = self._offset == 0 and self._pending.startswith(
            _DICTIONARY_FRAME
        )
        left = int.from_bytes(self._take(_HEADER)[4:], "little")
        content = bytearray()
        while left and self._need(1):
            part = self._take(min(left, BLOCK))
            left -= len(part)
            if holds_dictionary and len(content) <= _MOST_DICTIONARY:
                content += part
        if left:
            return "the zstd frame ends too early"
        return self._keep_dictionary(bytes(content)) if holds_dictionary else ""

    def _keep_dictionary(self, content: bytes) -> str:
        try:
            if content.startswith(ZSTD):
                content = whole(frames(peekable(BytesIO(content))), _MOST_DICTIONARY)
            if len(content) > _MOST_DICTIONARY:
                return f"a dictionary of more than {_MOST_DICTIONARY:,} bytes"
            self._dictionary = self._zstd.ZstdDict(content)
        except ValueError as error:
            return f"the dictionary cannot be read: {error}"
        return ""

    def _frame(self) -> Iterator[Piece]:
        start = self._offset
        decoder = self._zstd.ZstdDecompressor(self._dictionary)
        while not decoder.eof:
            if decoder.needs_input and not self._need(1):
                yield Piece(start, b"", self._offset, "the zstd frame ends too early")
                return
            given = self._take(BLOCK) if decoder.needs_input else b""
            try:
                data = decoder.decompress(given, BLOCK)
            except self._zstd.ZstdError as error:
                yield Piece(start, b"", self._offset, f"zstd: {error}")
                # The next frame may begin in what was given; this one's first byte may not.
                self._offset -= max(len(given) - 1, 0)
                self._pending = given[1:] + self._pending
                self._seek()
                return
            if data:
                yield Piece(start, data, self._offset)
        self._pending = decoder.unused_data + self._pending
        self._offset -= len(decoder.unused_data)

    def _seek(self) -> str:
        """Skip the bytes before the next frame, and return a sentence about them."""
        start = self._offset
        while self._need(len(ZSTD)) >= len(ZSTD):
            at = self._pending.find(ZSTD)
            self._take(at if at >= 0 else len(self._pending) - len(ZSTD) + 1)
            if at >= 0:
                break
        else:
            self._take(len(self._pending))
        return f"the {self._offset - start:,} bytes stored from byte {start:,} on are no zstd"


def _is_skippable(start: bytes) -> bool:
    return start[1:4] == _SKIPPABLE and start[0] >> 4 == 5
