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
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

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
from boilersweep.collection.frames import (
    Document,
    Mark,
    Marks,
    begins_line,
    read_framed,
)

_CLOSE = re.compile(rb"</doc>[ \t\r\f\v]*(?:\n|\Z|(?=<doc>\s*<docno>))", re.IGNORECASE)
_OPEN_DOCNO = re.compile(rb"<doc>\s*<docno>", re.IGNORECASE)

_LEADING_NAMES = rb"DOCNO|DOCOLDNO|DATE_XML|FEEDNO|FEEDURL|BLOGHPNO|BLOGHPURL|PERMALINK"
_LEADING = re.compile(_LEADING_NAMES, re.IGNORECASE)
_ENDING = re.compile(
    rb"(?im)</([A-Za-z][\w.-]*)\s*>|^[ \t]*<(?:" + _LEADING_NAMES + rb"|DOCHDR)>"
)
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
    while opening := _OPENING.match(text, at, _MAX_HEAD):
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
    first_bytes=b"<DOC>",
    named=False,
)


BLOGS06 = Format(
    name="blogs06",
    summary="TREC Blogs06: the permalinks-* files; feeds and home pages are left out",
    files="permalinks-*",
    reader=read_trec_web,
    wants=re.compile("permalinks-.*", re.DOTALL).fullmatch,
)
