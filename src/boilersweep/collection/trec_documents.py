"""Where the documents of a TREC web file begin and end.

Works on large blocks: the only search over all bytes is one for `doc>`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from boilersweep.collection.compiled import mark_finder

_BLOCK = 2**20
_AHEAD = 4096  # a mark is judged once so many bytes that follow it are there
_BEHIND = 256  # so many bytes before a mark tell whether it begins its line
_SAMPLE = 40
_BOM = b"\xef\xbb\xbf"

_CLOSE = re.compile(rb"</doc>[ \t\r\f\v]*(?:\n|\Z|(?=<doc>\s*<docno>))", re.IGNORECASE)
_OPEN_DOCNO = re.compile(rb"<doc>\s*<docno>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Document:
    """What comes after one `<DOC>`.

    Attributes:
        text: Its bytes, or only the first of them (up to 1 MiB) if they are more than the limit.
        size: The number of its bytes.
        offset, end: Where it begins and ends in the stream.
        closed: A `</DOC>` or the next document follows; else the stream ended.
    """

    offset: int
    end: int
    text: bytes
    size: int
    closed: bool


@dataclass(frozen=True, slots=True)
class Stray:
    """Bytes outside any document that are not white space; `sample` is how they begin."""

    offset: int
    end: int
    sample: bytes


# open: <DOC> at the start of a line, begins a document outside of one. open docno: the same with
# <DOCNO> next, begins a document wherever it is.
_Mark = Literal["text", "open", "open docno", "close"]


@dataclass(slots=True)
class _Open:
    offset: int
    limit: int
    size: int = 0
    parts: list[bytes] = field(default_factory=list)

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > self.limit and self.parts:
            del self.parts[1:]
        else:
            self.parts.append(data)

    def document(self, end: int, *, closed: bool) -> Document:
        return Document(self.offset, end, b"".join(self.parts), self.size, closed)


def frames(stream: BinaryIO, limit: int) -> Iterator[Document | Stray]:
    """Yield the documents of a stream, and a Stray for every stretch outside of them.

    Args:
        stream: The decompressed file.
        limit: The most bytes of a document; of a larger document only the beginning is kept.
    """
    document: _Open | None = None
    in_stray = False
    end = 0
    for mark, offset, data in _tokens(stream):
        end = offset + len(data)
        if document and mark in ("close", "open docno"):
            yield document.document(offset, closed=True)
            document = None
            if mark == "close":
                continue
        if document:
            document.add(data)
        elif mark in ("open", "open docno"):
            document = _Open(offset, limit)
            in_stray = False
        elif not in_stray:
            outside = data.removeprefix(_BOM) if offset == 0 else data
            if sample := outside.lstrip():
                in_stray = True
                yield Stray(end - len(sample), end, sample[:_SAMPLE])
    if document:
        yield document.document(end, closed=False)


def _tokens(stream: BinaryIO) -> Iterator[tuple[_Mark, int, bytes]]:
    """Cut a stream at its marks; yield these and texts of bounded size with their offsets."""
    data = b""
    origin = 0  # of data in the stream
    done = 0  # so many bytes of data have been handed out
    final = False
    while not final:
        block = stream.read(_BLOCK)
        final = len(block) < _BLOCK
        cut = max(0, done - _BEHIND)
        data = data[cut:] + block
        origin += cut
        done -= cut
        find = mark_finder(data)
        limit = len(data) if final else len(data) - _AHEAD
        at = find(done)
        while 0 <= at < limit:
            mark, begin, end = _judge(data, at, at_start=origin == 0)
            if mark != "text" and begin >= done:
                if begin > done:
                    yield "text", origin + done, data[done:begin]
                yield mark, origin + begin, data[begin:end]
                done = end
            at = find(end)
        # Where the next mark may begin
        stop = len(data) if final else limit - len(b"</")
        if stop > done:
            yield "text", origin + done, data[done:stop]
            done = stop


def _judge(data: bytes, at: int, *, at_start: bool) -> tuple[_Mark, int, int]:
    """Tell what the `doc>` at a position is, and where it begins and ends.

    Args:
        data: Some bytes of the stream.
        at: Where `doc>` is in them.
        at_start: Whether the bytes begin where the stream does.
    """
    end = at + len(b"doc>")
    if at >= 2 and (close := _CLOSE.match(data, at - 2)):
        return "close", at - 2, close.end()
    begin = at - 1
    if data[max(0, begin) : at] != b"<":
        return "text", at, end
    line = data[max(0, begin - _BEHIND) : begin].lower().rstrip(b" \t")
    is_first = at_start and begin <= _BEHIND and line in (b"", _BOM)
    if not is_first and not line.endswith((b"\n", b"</doc>")):
        return "text", at, end
    return "open docno" if _OPEN_DOCNO.match(data, begin) else "open", begin, end
