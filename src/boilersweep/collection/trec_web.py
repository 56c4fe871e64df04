"""TREC web format: WT10g, GOV, GOV2, and BLOGS06, which adds tags of its own.

    <DOC>
    <DOCNO>..</DOCNO>
    (other tags)
    <DOCHDR>
    url
    HTTP headers
    </DOCHDR>
    the page
    </DOC>

The line break before `</DOC>` belongs to the frame, not to the page.

`read_framed` finds where documents begin and end in the text of any file that marks frames so, by
large blocks: the only search over all bytes is one for what may be a mark.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Literal

from boilersweep.collection.compiled import mark_finder
from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    Format,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    charset_of,
    decoded,
    iso_date,
    names_html,
)
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


_CLOSE = re.compile(rb"</doc>[ \t\r\f\v]*(?:\n|\Z|(?=<doc>\s*<docno>))", re.IGNORECASE)
_OPEN_DOCNO = re.compile(rb"<doc>\s*<docno>", re.IGNORECASE)

_LEADING_NAMES = rb"DOCNO|DOCOLDNO|DATE_XML|FEEDNO|FEEDURL|BLOGHPNO|BLOGHPURL|PERMALINK"
_LEADING = re.compile(_LEADING_NAMES, re.IGNORECASE)
_ENDING = re.compile(
    rb"(?im)</([A-Za-z][\w.-]*)\s*>|^[ \t]*<(?:" + _LEADING_NAMES + rb"|DOCHDR)>"
)
# As most records have them; what it does not match may be one of these all the same
_FIELD = re.compile(rb"\s*<(" + _LEADING_NAMES + rb")>([^<]*)</\1\s*>", re.IGNORECASE)
_OPENING = re.compile(rb"\s*<([A-Za-z][\w.-]*)>")
_HEADER_END = re.compile(rb"</DOCHDR\s*>", re.IGNORECASE)
_MAX_HEAD = 2**20
_MAX_TAG = 4096
_MAX_INDENT = 256

_STATUS = re.compile(r"^HTTP/\d\S*[ \t]+(\d{3})", re.IGNORECASE | re.MULTILINE)
_CONTENT_TYPE = re.compile(r"^content-type[ \t]*:(.*)", re.IGNORECASE | re.MULTILINE)
_LANGUAGE = re.compile(r"^content-language[ \t]*:(.*)", re.IGNORECASE | re.MULTILINE)
_MODIFIED = re.compile(r"^last-modified[ \t]*:(.*)", re.IGNORECASE | re.MULTILINE)
_STAMP = re.compile(r"(?<=\s)\d{14}(?=\s|$)")
_NO_URL = re.compile(r"HTTP/\d|[\w-]+:$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Head:
    """What precedes a page; `page` is where the page starts."""

    docid: str
    permalink: str
    date: str
    header: str
    page: int


def read_trec_web(raw: BinaryIO, source: str, _reading: Reading) -> Iterator[Item]:
    """Yield the documents of one file; offsets are those of `<DOC>` in the decompressed bytes."""
    return read_framed(raw, source, _MARKS, MAX_PAGE_BYTES + _MAX_HEAD, _item)


def _judge(data: bytes, at: int, at_start: bool) -> tuple[Mark, int, int]:
    """Tell what the `doc>` at a position is: `<DOC>` at the start of a line opens a document."""
    end = at + len(b"doc>")
    if at >= 2 and (close := _CLOSE.match(data, at - 2)):
        return "close", at - 2, close.end()
    begin = at - 1
    if data[max(0, begin) : at] != b"<":
        return "text", at, end
    if not begins_line(data, begin, at_start=at_start, after=(b"</doc>",)):
        return "text", at, end
    return "anew" if _OPEN_DOCNO.match(data, begin) else "open", begin, end


_MARKS = Marks("<DOC>", mark_finder, _judge)


def _item(document: Document, place: SourceLocation) -> Item:
    head = _head(document.text)
    docid = head.docid
    if not docid:
        return Skipped(
            place, Reason.NO_DOCID, detail="expected <DOCNO> with a value after <DOC>"
        )
    if head.page < 0:
        return Skipped(place, Reason.MALFORMED, docid, "<DOCHDR> without </DOCHDR>")
    # After a redirect there may be several sets of headers: the last one is the page's.
    statuses = list(_STATUS.finditer(head.header))
    if statuses and not statuses[-1][1].startswith("2"):
        return Skipped(
            place, Reason.NOT_A_PAGE, docid, f"HTTP status {statuses[-1][1]}"
        )
    headers = statuses[-1].end() if statuses else 0
    match = _CONTENT_TYPE.search(head.header, headers)
    content_type = match[1].strip() if match else None
    if not names_html(content_type):
        return Skipped(place, Reason.NOT_HTML, docid, f"Content-Type {content_type}")
    end = _page_end(document) if document.size == len(document.text) else document.size
    if end - head.page > MAX_PAGE_BYTES:
        detail = f"{end - head.page:,} bytes, the cap is {MAX_PAGE_BYTES:,}"
        return Skipped(place, Reason.TOO_LARGE, docid, detail)
    body = document.text[head.page : end]
    if not body or body.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    url = head.permalink or _header_url(head.header)
    date = iso_date(head.date) or _header_date(head.header, headers)
    language = _LANGUAGE.search(head.header, headers)
    return Record(
        docid,
        body,
        place,
        url=url,
        charset=charset_of(content_type),
        date=date,
        language=language[1].strip() if language else None,
    )


def _head(text: bytes) -> _Head:
    """Read the tags between `<DOC>` and the page; `page` is -1 if a `<DOCHDR>` never ends.

    Tags of unknown names are dropped only where a known one follows: else they are the page's.
    """
    values: dict[bytes, str] = {}
    header = ""
    at = page = 0
    while True:
        if field := _FIELD.match(text, at, min(at + _MAX_TAG, _MAX_HEAD)):
            values.setdefault(field[1].upper(), decoded(field[2]))
            at = page = field.end()
            continue
        if not (opening := _OPENING.match(text, at, _MAX_HEAD)):
            break
        name = opening[1].upper()
        start = opening.end()
        if name == b"DOCHDR":
            closing = _HEADER_END.search(text, start, _MAX_HEAD)
            header = decoded(text[start : closing.start()]) if closing else ""
            page = closing.end() if closing else -1
            break
        endings = _ENDING.finditer(text, start, start + _MAX_TAG)
        match = next(
            (end for end in endings if not end[1] or end[1].upper() == name), None
        )
        known = _LEADING.fullmatch(name)
        if match:
            stop, at = match.start(), match.end() if match[1] else match.start()
        elif known:  # never closed: its line is its value
            line_end = text.find(b"\n", start)
            stop = at = line_end if line_end >= 0 else len(text)
        else:
            break
        if known:
            values.setdefault(name, decoded(text[start:stop]))
            page = at
    for line_break in (b"\r\n", b"\n"):
        if page >= 0 and text.startswith(line_break, page):
            page += len(line_break)
            break
    docid, permalink, date = (
        values.get(n, "") for n in (b"DOCNO", b"PERMALINK", b"DATE_XML")
    )
    return _Head(docid, permalink, date, header, page)


def _page_end(document: Document) -> int:
    """Where the page ends: before the line break and the indent of `</DOC>`, if it has a line."""
    text = document.text
    if not document.closed:
        return len(text)
    tail = text[-_MAX_INDENT:]
    line = tail.rstrip(b" \t")
    if not line.endswith(b"\n"):
        return len(text)
    end = len(text) - len(tail) + len(line) - 1
    # Only where the frame itself has CRLF: a page's own CR before a frame's LF is the page's.
    in_crlf = text.startswith(b"\r\n") and text[end - 1 : end] == b"\r"
    return end - 1 if in_crlf else end


def _header_url(header: str) -> str | None:
    words = header.split("\n", 1)[0].split()
    return words[0] if words and not _NO_URL.match(words[0]) else None


def _header_date(header: str, headers: int) -> str | None:
    """Read the date of the first line, as WT10g has it, or Last-Modified.

    Args:
        header: The text of `<DOCHDR>`.
        headers: Where the page's headers begin.
    """
    stamp = _STAMP.search(header.split("\n", 1)[0])
    modified = _MODIFIED.search(header, headers)
    return (iso_date(stamp[0]) if stamp else None) or (
        iso_date(modified[1]) if modified else None
    )


TREC_WEB = Format(
    name="trecweb",
    summary="TREC web format (WT10g, GOV, GOV2): every file below the folder, gzip or plain",
    files="any file",
    reader=read_trec_web,
    first_bytes=re.compile(rb"<DOC>", re.IGNORECASE),
    named=False,
)


BLOGS06 = Format(
    name="blogs06",
    summary="TREC Blogs06: the permalinks-* files; feeds and home pages are left out",
    files="permalinks-*",
    reader=read_trec_web,
    wants=re.compile("permalinks-.*", re.DOTALL).fullmatch,
)
