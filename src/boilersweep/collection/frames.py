"""Where the documents of a file begin and end that marks frames in its text, as in TREC web.

Works on large blocks: the only search over all bytes is one for what may be a mark.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from boilersweep.collection.format import Item, Reason, Skipped, SourceLocation
from boilersweep.collection.streams import decompressed

_BLOCK = 2**20
_AHEAD = 4096  # a mark is judged once so many bytes that follow it are there
_BEHIND = 256  # so many bytes before a mark tell whether it begins its line
_SAMPLE = 40
_BOM = b"\xef\xbb\xbf"

# open: begins a document outside of one. anew: begins a document wherever it is. maybe close: ends
# a document if no other end follows before the next document or the end of the stream.
Mark = Literal["text", "open", "anew", "close", "maybe close"]


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a format.

    Attributes:
        begin: The mark at the beginning of a document, for messages.
        finder: From some bytes to a function that finds, from a position on, the next place where
            `judge` should look, or -1.
        judge: Tells what is at such a place, and where it begins and ends. It gets some bytes of
            the stream, 4,096 beyond the place if there are so many, the place, and whether the
            bytes begin where the stream does.
    """

    begin: str
    finder: Callable[[bytes], Callable[[int], int]]
    judge: Callable[[bytes, int, bool], tuple[Mark, int, int]]


@dataclass(frozen=True, slots=True)
class Document:
    """What comes after one mark that begins a document.

    Attributes:
        text: Its bytes, or only the first of them (up to 1 MiB) if they are more than the limit.
        size: The number of its bytes.
        offset, end: Where it begins and ends in the stream.
        closed: Its end or the next document follows; else the stream ended.
        ended: Its end follows.
    """

    offset: int
    end: int
    text: bytes
    size: int
    closed: bool
    ended: bool


@dataclass(frozen=True, slots=True)
class Stray:
    """Bytes outside any document that are not white space; `sample` is how they begin."""

    offset: int
    end: int
    sample: bytes


@dataclass(slots=True)
class _Open:
    offset: int
    limit: int
    size: int = 0
    parts: list[bytes] = field(default_factory=list)
    # A possible end: the number of parts before it, their bytes, and its offset in the stream
    maybe: tuple[int, int, int] | None = None

    def add(self, mark: Mark, offset: int, data: bytes) -> None:
        if mark == "maybe close" and self.size <= self.limit:
            self.maybe = (len(self.parts), self.size, offset)
        self.size += len(data)
        if self.size > self.limit and self.parts:
            del self.parts[self.maybe[0] if self.maybe else 1 :]
        else:
            self.parts.append(data)

    def finished(self, end: int, mark: Mark) -> Iterator[Document | Stray]:
        """Yield the document that a mark ends, or the end of the stream ("text").

        Without an end it ends at the last possible one, and the rest is a Stray.
        """
        if mark == "close" or not self.maybe:
            closed, text = mark != "text", b"".join(self.parts)
            yield Document(self.offset, end, text, self.size, closed, mark == "close")
            return
        count, size, offset = self.maybe
        text = b"".join(self.parts[:count])
        yield Document(self.offset, offset, text, size, closed=True, ended=True)
        begin = offset + sum(map(len, self.parts[count : count + 1]))
        rest = b"".join(self.parts[count + 1 : count + 2])
        yield Stray(begin, end, rest.lstrip()[:_SAMPLE])


def read_framed(
    raw: BinaryIO,
    source: str,
    marks: Marks,
    limit: int,
    item: Callable[[Document, SourceLocation], Item],
) -> Iterator[Item]:
    """Yield the documents of one file; offsets are those of marks in the decompressed bytes.

    Args:
        raw: The file.
        source: The file's name.
        marks: What frames its documents.
        limit: See `frames`.
        item: Makes the item of a document.
    """
    stream = decompressed(raw)
    end = 0
    for frame in frames(stream, limit, marks):
        end = frame.end
        place = SourceLocation(source, frame.offset)
        if isinstance(frame, Stray):
            detail = f"expected {marks.begin}, found {frame.sample!r}"
            yield Skipped(place, Reason.MALFORMED, detail=detail)
        elif stream.damage and not frame.closed:
            yield Skipped(
                place, Reason.TRUNCATED, item(frame, place).docid, stream.damage
            )
            if stream.loss is Reason.TRUNCATED:
                return
        else:
            yield item(frame, place)
    if stream.damage:
        yield Skipped(SourceLocation(source, end), stream.loss, detail=stream.damage)


def frames(stream: BinaryIO, limit: int, marks: Marks) -> Iterator[Document | Stray]:
    """Yield the documents of a stream, and a Stray for every stretch outside of them.

    Args:
        stream: The decompressed file.
        limit: The most bytes of a document; of a larger document only the beginning is kept.
        marks: What frames its documents.
    """
    document: _Open | None = None
    in_stray = False
    end = 0
    for mark, offset, data in _tokens(stream, marks):
        end = offset + len(data)
        if document and mark in ("close", "anew"):
            yield from document.finished(offset, mark)
            document = None
            if mark == "close":
                continue
        if document:
            document.add(mark, offset, data)
        elif mark in ("open", "anew"):
            document = _Open(offset, limit)
            in_stray = False
        elif in_stray:
            in_stray = mark not in (
                "close",
                "maybe close",
            )  # each without a beginning is reported
        else:
            outside = data.removeprefix(_BOM) if offset == 0 else data
            if sample := outside.lstrip():
                in_stray = True
                yield Stray(end - len(sample), end, sample[:_SAMPLE])
    if document:
        yield from document.finished(end, "text")


def _tokens(stream: BinaryIO, marks: Marks) -> Iterator[tuple[Mark, int, bytes]]:
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
        find = marks.finder(data)
        limit = len(data) if final else len(data) - _AHEAD
        at = find(done)
        while 0 <= at < limit:
            mark, begin, end = marks.judge(data, at, origin == 0)
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


def begins_line(
    data: bytes, at: int, *, at_start: bool, after: tuple[bytes, ...] = ()
) -> bool:
    """Return whether a mark is the first of its line, but for blanks.

    Args:
        data: Some bytes of the stream.
        at: Where the mark is in them.
        at_start: Whether the bytes begin where the stream does.
        after: What may stand before the mark on its line, in lower case.
    """
    line = data[max(0, at - _BEHIND) : at].lower().rstrip(b" \t")
    return line.endswith((b"\n", *after)) or (
        at_start and at <= _BEHIND and line in (b"", _BOM)
    )
