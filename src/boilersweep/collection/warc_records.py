"""Where the records of a WARC or ARC file begin and end, whatever its members and lengths say.

The Content-Length of a record is believed if a line break, another record or the end follows. If
not, the record is given up and reading goes on at the next thing that looks like one.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from boilersweep.collection.format import Reason
from boilersweep.collection.streams import (
    Piece,
    frames,
    is_gzip,
    is_zstd,
    peekable,
    pieces,
)

if TYPE_CHECKING:
    from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParser

_MAX_HEAD = 64 * 2**10
_STEP = 2**20
_WARC_START = re.compile(rb"WARC/\d\.\d+[ \t]*\r?\n(?=[\w-]+[ \t]*:)", re.IGNORECASE)
_BLANK = re.compile(rb"\s*")
_SAMPLE = 40


@cache
def headers_parser() -> "StatusAndHeadersParser":
    """Return the parser of a record's headers, and of HTTP's within.

    Importing warcio takes a tenth of the start of a worker, which often reads other files.
    """
    from warcio.statusandheaders import StatusAndHeadersParser

    return StatusAndHeadersParser([], verify=False)


@dataclass(frozen=True, slots=True)
class Framing:
    """How the records of a kind of file begin.

    Attributes:
        name: The kind's.
        start: What a record begins with.
        longest: The number of bytes in which a start can be seen.
        head_end: What its head ends with.
        headers: A function from its head to headers, WARC's, with Content-Length.
    """

    name: str
    start: re.Pattern[bytes]
    longest: int
    head_end: re.Pattern[bytes]
    headers: Callable[[bytes], "StatusAndHeaders"]


WARC_FRAMING = Framing(
    name="WARC",
    start=_WARC_START,
    longest=64,
    head_end=re.compile(rb"\r?\n[ \t]*\r?\n"),
    headers=lambda head: headers_parser().parse(BytesIO(head)),
)


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """One record: its WARC headers and its content block.

    Attributes:
        content: Its bytes, or only the first of them if they are more than are held.
        size: The number of its bytes.
    """

    offset: int
    headers: "StatusAndHeaders"
    content: bytes
    size: int


@dataclass(frozen=True, slots=True)
class DamagedBytes:
    """Bytes that are no whole record; headers are given if its head could be read."""

    offset: int
    reason: Reason
    detail: str
    headers: "StatusAndHeaders | None" = None


class _Window:
    """A run of undamaged bytes, seen from the first one not yet used."""

    def __init__(
        self, source: Iterator[Piece], framing: Framing, *, linear: bool
    ) -> None:
        self._source = source
        self.framing = framing
        self._linear = linear
        self._marks: list[tuple[int, int]] = []  # (how far in the run, where stored)
        self.position = 0
        self._ended = False
        self.buffer = bytearray()
        self.damage = ""
        self.is_foreign = False  # what ended this run, see Piece

    def need(self, count: int) -> int:
        """Read until the buffer has so many bytes, and return the number it has."""
        while len(self.buffer) < count and not self._ended:
            piece = next(self._source, None)
            if piece is None or piece.damage:
                self._ended = True
                if piece:
                    self.damage, self.is_foreign = piece.damage, piece.is_foreign
                    self._note(piece.offset)
            else:
                self._note(piece.offset)
                self.buffer += piece.data
        return len(self.buffer)

    def _note(self, stored: int) -> None:
        if not self._marks or self._marks[-1][1] != stored:
            self._marks.append((self.position + len(self.buffer), stored))

    def drop(self, count: int) -> None:
        count = min(count, len(self.buffer))
        del self.buffer[:count]
        self.position += count
        while len(self._marks) > 1 and self._marks[1][0] <= self.position:
            del self._marks[0]

    @property
    def offset(self) -> int:
        """Where the first byte of the buffer is stored; for gzip, where its member begins."""
        if not self._marks:
            return 0
        position, stored = self._marks[0]
        return stored + (self.position - position if self._linear else 0)

    def resume(self) -> bool:
        """Goes on behind the damage that ended this run, if there was any."""
        resumed = bool(self.damage)
        self._ended, self.damage, self.is_foreign = False, "", False
        self.drop(len(self.buffer))
        return resumed

    def drop_to_start(self, begin: int) -> bool:
        """Drop all up to the first record that starts at or after `begin`; False if none does."""
        while True:
            if match := self.framing.start.search(self.buffer, begin):
                self.drop(match.start())
                return True
            seen = len(self.buffer)
            if self.need(seen + _STEP) == seen:
                self.drop(seen)
                return False
            keep = max(begin, seen - self.framing.longest)
            self.drop(keep)
            begin = 0


def warc_records(
    raw: BinaryIO, held: int, framing: Framing = WARC_FRAMING
) -> Iterator[WarcRecord | DamagedBytes]:
    """Yield the records of a WARC file, and DamagedBytes for each stretch that is no whole record.

    Args:
        raw: The file, opened for reading bytes.
        held: The most bytes of a record; of a longer one only its beginning is kept.
        framing: How its records begin.
    """
    file = peekable(raw)
    if is_zstd(file.peek(4)[:4]):
        window = _Window(frames(file), framing, linear=False)
    else:
        window = _Window(pieces(file), framing, linear=not is_gzip(file))
    yield from _run(window, held)
    while window.resume():
        # One bad stretch of gzip or zstd may hold several things that look like members: one loss.
        if window.need(1):
            yield from _run(window, held)


def _run(window: _Window, held: int) -> Iterator[WarcRecord | DamagedBytes]:
    framing = window.framing
    told = False
    searched = 0  # so far in the run no head ends
    while _skip_blank(window):
        told = False
        window.need(_MAX_HEAD)
        offset = window.offset
        if not framing.start.match(window.buffer):
            sample = bytes(window.buffer[:_SAMPLE])
            detail = f"expected a record of {framing.name}, found {sample!r}"
            window.drop_to_start(0)
            yield DamagedBytes(offset, Reason.MALFORMED, detail)
            continue
        head = framing.head_end.search(
            window.buffer, max(0, searched - window.position), _MAX_HEAD
        )
        if not head:
            # From the last line break on, which may be followed by the next: a file of starts alone
            # would else be searched again and again.
            searched = window.position + max(
                0, window.buffer.rfind(b"\n", 0, _MAX_HEAD) - 1
            )
            told = not window.drop_to_start(1)
            reason = Reason.TRUNCATED if told else Reason.MALFORMED
            detail = window.damage or "no blank line after the WARC headers"
            yield DamagedBytes(offset, reason, detail)
            continue
        begin = head.end()
        headers = framing.headers(bytes(window.buffer[:begin]))
        length = _length(headers)
        if length is None:
            window.drop_to_start(begin)
            length_given = headers.get_header("Content-Length")
            detail = f"expected Content-Length to be a number of bytes, found {length_given!r}"
            yield DamagedBytes(offset, Reason.MALFORMED, detail, headers)
            continue
        end = begin + length
        have = window.need(min(end, begin + held) + framing.longest)
        is_long = min(end, have) > begin + held
        if is_long and not framing.start.search(window.buffer, begin):
            first = bytes(window.buffer[begin : begin + held])
            yield WarcRecord(offset, headers, first, length)
            _drop(window, end)
        elif have >= end and _is_end(window, end):
            yield WarcRecord(offset, headers, bytes(window.buffer[begin:end]), length)
            window.drop(end)
        else:
            wrong_length = f"Content-Length {length:,} is not where the record ends"
            detail = window.damage or wrong_length
            told = not window.drop_to_start(begin) and have < end
            reason = Reason.TRUNCATED if told else Reason.MALFORMED
            yield DamagedBytes(offset, reason, detail, headers)
    if window.is_foreign:
        yield DamagedBytes(window.offset, Reason.NOT_GZIP, window.damage)
    elif window.damage and not told:
        yield DamagedBytes(window.offset, Reason.TRUNCATED, window.damage)


def _skip_blank(window: _Window) -> bool:
    """Drop white space; False if nothing follows in this run."""
    while window.need(1):
        blank = _BLANK.match(window.buffer)
        if not blank or not blank.end():
            return True
        window.drop(blank.end())
    return False


def _length(headers: "StatusAndHeaders") -> int | None:
    value = (headers.get_header("Content-Length") or "").strip()
    return (
        int(value) if value.isascii() and value.isdigit() and len(value) < 20 else None
    )


def _is_end(window: _Window, at: int) -> bool:
    """Return whether a record may end here: a line break, a record or nothing follows."""
    return (
        bytes(window.buffer[at : at + 1]) in (b"", b"\r", b"\n")
        or window.framing.start.match(window.buffer, at) is not None
    )


def _drop(window: _Window, count: int) -> None:
    while count and (there := window.need(min(count, _STEP))):
        window.drop(min(count, there))
        count -= min(count, there)
