"""The bytes of a collection's files: plain or compressed as their bytes say, over damage too.

Pieces keep the places where bytes are stored; a `Stream` keeps the damage apart from the data. The
members of a ZIP archive are read without unpacking it.

Source for zstd: IIPC's draft on WARC files. Each record is a frame; a dictionary for all frames may
come before them in a skippable frame, itself compressed or not.
"""

import io
import lzma
import math
import struct
import sys
import zlib
from bz2 import BZ2Decompressor
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from io import BufferedReader, BytesIO
from lzma import LZMADecompressor
from os import SEEK_CUR, SEEK_END
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, cast
from warnings import catch_warnings, filterwarnings
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from zlib_ng import zlib_ng

from boilersweep.collection.format import Item, Reason, Skipped, SourceLocation
from boilersweep.pages.content_kind import BZIP2, GZIP, XZ, ZSTD

# Bytes of a piece, at most.
BLOCK = 64 * 2**10
_INFLATED = 4 * BLOCK  # of gzip
_LARGE_BLOCK = 2**20  # which most pages fill once

_MEMBER = GZIP + b"\x08"  # deflate, the only method gzip has


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file; a file's pieces come in its order.

    Attributes:
        offset: Where the bytes are stored; for gzip, where their member begins.
        data: The bytes.
        end: How far the file was read for this piece and all before it.
        damage: What cannot be read, in words, or "". Such a piece has no data, or what could be
            salvaged; the next one is from the next gzip member that can be read.
        is_foreign: Whether the unreadable bytes are something else than gzip, so that no member is
            cut short.
    """

    offset: int
    data: bytes
    end: int
    damage: str = ""
    is_foreign: bool = False


class DamageError(ValueError):
    """Compressed bytes cannot be read whole."""


def whole(source: Iterator[Piece], most: int) -> bytes:
    """Join pieces up to bytes that are no gzip, or to a little more than `most` bytes.

    Raises:
        DamageError: A piece cannot be read.
    """
    content = bytearray()
    for piece in source:
        if piece.is_foreign or len(content) > most:
            break
        if piece.damage:
            raise DamageError(piece.damage)
        content += piece.data
    return bytes(content)


def peekable(raw: BinaryIO) -> BufferedReader:
    """Return the same bytes with `peek`, whether or not `raw` can seek."""
    if isinstance(raw, BufferedReader):
        return raw
    return BufferedReader(raw, BLOCK)  # type: ignore[arg-type]


def is_gzip(file: BufferedReader) -> bool:
    """Whether what comes next is gzip, by its first bytes."""
    return file.peek(2)[:2] == GZIP


def pieces(raw: BinaryIO, *, salvage: bool = False) -> Iterator[Piece]:
    """Yield the bytes of a plain or gzip file in pieces of bounded size; damage raises nothing.

    OSError from `raw` itself passes through.

    Args:
        raw: The file, opened for reading bytes.
        salvage: Give the last bytes of a damaged member, too, up to its damage.
    """
    file = peekable(raw)
    yield from _inflated(file, salvage) if is_gzip(file) else _plain(file)


def _plain(file: BufferedReader, most: int = BLOCK) -> Iterator[Piece]:
    offset = 0
    while data := file.read(most):
        yield Piece(offset, data, offset + len(data))
        offset += len(data)


def _inflated(file: BufferedReader, salvage: bool) -> Iterator[Piece]:
    offset = 0  # of pending in the file
    pending = file.read(BLOCK)
    is_whole = False  # the member before this place
    while pending:
        start, is_member = offset, False
        is_foreign = False  # zeros are padding
        while pending and not is_member:
            junk, pending, is_member = _to_member(pending, file)
            is_foreign = is_foreign or bool(junk.strip(b"\0"))
            offset += len(junk)
        if is_foreign and is_whole:
            damage = f"the {offset - start:,} bytes stored from byte {start:,} on are no gzip"
            yield Piece(start, b"", offset, damage, is_foreign=True)
        elif is_foreign:
            yield Piece(start, b"", offset, "not a gzip member")
        if not is_member:
            return
        start = offset
        is_whole = False
        inflater = zlib_ng.decompressobj(zlib_ng.MAX_WBITS | 16)
        while not inflater.eof:
            if not pending and not (pending := file.read(BLOCK)):
                yield Piece(start, b"", offset, "the gzip member ends too early")
                return
            before = inflater.copy() if salvage else None
            try:
                data = inflater.decompress(pending, _INFLATED)
            except zlib_ng.error as error:
                data = _salvaged(before, pending) if before else b""
                yield Piece(start, data, offset, str(error))
                # The next member may begin in what is pending; this one's first byte may not.
                pending, offset = pending[1:], offset + 1
                break
            rest = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
            offset += len(pending) - len(rest)
            pending = rest
            if data:
                yield Piece(start, data, offset)
        is_whole = inflater.eof
        pending = pending or file.read(BLOCK)


def _salvaged(inflater: Any, pending: bytes) -> bytes:
    """Inflate some bytes, fewer than BLOCK, up to the damaged one."""
    content = b""
    step = BLOCK
    while step:
        attempt = inflater.copy()
        try:
            content += attempt.decompress(pending[:step])
            inflater, pending = attempt, pending[step:]
        except zlib_ng.error:
            pass
        step //= 2
    return content


def _to_member(pending: bytes, file: BufferedReader) -> tuple[bytes, bytes, bool]:
    """Return the bytes before the next gzip member, the rest, and whether there is a member."""
    at = pending.find(_MEMBER)
    if at >= 0:
        return pending[:at], pending[at:], True
    more = file.read(BLOCK)
    # A member may begin with the last bytes here
    kept = len(_MEMBER) - 1 if more else 0
    junk = pending[: max(0, len(pending) - kept)]
    return junk, pending[len(junk) :] + more, False


# A gzip file may expand so many times; HTML seldom exceeds 30, a bomb comes near 1,032, the most
# that deflate can do.
MAX_EXPANSION = 200
# So many bytes are never too many, whatever they expanded from.
FREE_EXPANSION = 64 * 2**20


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

    def __init__(self, source: Iterator[Piece], most: float = math.inf) -> None:
        """Make a stream of pieces that are `most` bytes together by what their file states."""
        self.damage = ""
        self.loss = Reason.TRUNCATED
        super().__init__(BytesFile(self._intact(source, most)), BLOCK)

    def _intact(self, source: Iterator[Piece], most: float) -> Iterator[bytes]:
        """Yield the bytes up to the damage: a buffer above would lose what it holds of an error."""
        expanded = 0
        for piece in source:
            expanded += len(piece.data)
            if expanded > max(FREE_EXPANSION, MAX_EXPANSION * piece.end):
                self.damage = f"expands more than {MAX_EXPANSION}-fold"
                return
            if expanded > most:
                self.damage = f"has more than the stated {most:,} bytes"
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
    """Return the bytes of a file: plain, or of gzip, zstd, xz or bzip2 (one member or many).

    At damage, or where a file expands beyond all measure (MAX_EXPANSION), the stream ends and says
    why in `damage`; an OSError of `raw` itself is raised.
    """
    file = peekable(raw)
    start = file.peek(len(XZ))[: len(XZ)]  # once: it copies all that the buffer holds
    if start.startswith(GZIP):
        return Stream(_inflated(file, salvage=True))
    if is_zstd(start):
        return Stream(frames(file))
    if start.startswith(XZ):
        return Stream(_unpacked(file, partial(LZMADecompressor, memlimit=_MOST_XZ)))
    if start.startswith(BZIP2):
        return Stream(_unpacked(file, BZ2Decompressor))
    return Stream(_plain(file, _LARGE_BLOCK))


def read_whole(stream: Stream, most: int) -> bytes:
    """Read all bytes, or the first `most`; `stream.read(most)` would make room for so many."""
    parts = []
    while most > 0 and (part := stream.read1(min(most, _LARGE_BLOCK))):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


_MOST_XZ = 2**29  # bytes of memory; `xz -9` needs an eighth


def _unpacked(file: BufferedReader, new_decoder: Callable[[], Any]) -> Iterator[Piece]:
    """Yield the bytes of an xz or bzip2 file, one stream or many, in pieces of bounded size."""
    data = file.read(BLOCK)
    end = len(data)
    while data:
        decoder = new_decoder()
        while not decoder.eof:
            if decoder.needs_input and not data:
                yield Piece(0, b"", end, "the compressed file ends too early")
                return
            try:
                piece = decoder.decompress(data, BLOCK)
            except (lzma.LZMAError, OSError, EOFError) as error:
                yield Piece(0, b"", end, f"xz or bzip2: {error}")
                return
            yield Piece(0, piece, end)
            data = b""
            if decoder.needs_input and not decoder.eof:
                data = file.read(BLOCK)
                end += len(data)
        data = decoder.unused_data.lstrip(b"\0")  # padding
        if not data:
            data = file.read(BLOCK).lstrip(b"\0")
            end += len(data)


_LOCAL_LENGTHS = 26  # in a local header, where the lengths of its last two fields are

_DAMAGED = (
    BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    OSError,  # bz2's
)


def read_members(
    file: BinaryIO,
    source: str,
    wants: Callable[[str], object],
    read: Callable[[BinaryIO, str], Iterator[Item]],
    what: str,
) -> Iterator[Item]:
    """Yield the items of an archive's members, in the order of their names.

    Args:
        file: The archive, which may be a pipe: it is copied, compressed as it is.
        source: The archive's name; a member's is this name, a slash and its own.
        wants: True or a match for the name of a member to read.
        read: Gives the items of a member and its name.
        what: The archive, for messages, such as "a WACZ file".
    """
    with TemporaryFile() as copy:  # the directory of a ZIP archive is at its end
        copyfileobj(file, copy)
        try:
            archive = ZipFile(copy)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            yield Skipped(
                SourceLocation(source, 0),
                Reason.TRUNCATED,
                detail=f"{what} that is no whole ZIP archive: {error}",
            )
            return
        members = [one for one in archive.infolist() if wants(one.filename)]
        # Of all members together: their data may overlap
        left = max(FREE_EXPANSION, MAX_EXPANSION * copy.seek(0, SEEK_END))
        for member in sorted(members, key=lambda member: member.filename):
            inner = f"{source}/{member.filename}"
            try:
                left = _left_after(member, left)
                yield from _read_member(archive, copy, member, inner, read)
            except _DAMAGED as error:
                if isinstance(error, OSError) and error.errno:  # of the disk
                    raise
                yield Skipped(
                    SourceLocation(inner, 0),
                    Reason.TRUNCATED,
                    detail=f"a damaged member of {what}: {error}",
                )
        if not members:
            yield Skipped(
                SourceLocation(source, 0),
                Reason.MALFORMED,
                detail=f"{what} without a file of this format",
            )


def _left_after(member: ZipInfo, left: int) -> int:
    """Return how many more bytes an archive may have after a member.

    No more is read of a member than its size in the directory.

    Raises:
        BadZipFile: The member, or the archive with it, is too large.
    """
    if member.file_size > max(FREE_EXPANSION, MAX_EXPANSION * member.compress_size):
        raise BadZipFile(f"it expands more than {MAX_EXPANSION}-fold")
    if member.file_size > left:
        raise BadZipFile(f"the archive expands more than {MAX_EXPANSION}-fold")
    return left - member.file_size


def _read_member(
    archive: ZipFile,
    copy: BinaryIO,
    member: ZipInfo,
    name: str,
    read: Callable[[BinaryIO, str], Iterator[Item]],
) -> Iterator[Item]:
    """Yield the items of a member; raises one of _DAMAGED behind what could be read."""
    with catch_warnings():
        # Newer Pythons warn of members that share bytes, which `_left_after` bounds.
        filterwarnings("ignore", "Overlapped entries")
        # By its name alone, which opens the last of that name
        part = archive.open(member)
    with part:
        if member.compress_type != ZIP_DEFLATED:
            yield from read(cast(BinaryIO, part), name)
            return
    as_gzip = cast(BinaryIO, BytesFile(_as_gzip(copy, member)))
    inflated = Stream(pieces(as_gzip, salvage=True), member.file_size)
    yield from read(inflated, name)
    if inflated.damage:
        raise BadZipFile(inflated.damage)


def _as_gzip(archive: BinaryIO, member: ZipInfo) -> Iterator[bytes]:
    """Yield a deflated member as gzip, which is inflated twice as fast.

    Source: RFC 1952, section 2.3, and APPNOTE.TXT of the ZIP format, section 4.3.7.
    """
    yield GZIP + b"\x08" + bytes(7)
    archive.seek(member.header_offset + _LOCAL_LENGTHS)
    archive.seek(sum(struct.unpack("<HH", archive.read(4))), SEEK_CUR)
    left = member.compress_size
    while left and (data := archive.read(min(left, BLOCK))):
        left -= len(data)
        yield data
    yield struct.pack("<LL", member.CRC, member.file_size & 0xFFFFFFFF)


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
