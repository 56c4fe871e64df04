"""WARC 1.0 and 1.1, plain, gzip, zstd or in WACZ: HTML pages of `response` and `resource` records.

ARC, plain, gzip or zstd, is read as WARC is, with its own framing of records.

A `conversion` record of type text/plain, as in Common Crawl's WET files, is a plain text.
"""

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

import brotli

from boilersweep.collection.format import (
    MAX_PAGE_BYTES,
    DocidOf,
    Format,
    Item,
    Reading,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    charset_of,
    iso_date,
    media_type,
    names_html,
)
from boilersweep.collection.streams import (
    DamageError,
    frames,
    peekable,
    pieces,
    read_members,
    whole,
)
from boilersweep.collection.warc_records import (
    WARC_FRAMING,
    DamagedBytes,
    Framing,
    WarcRecord,
    headers_parser,
    warc_records,
)
from boilersweep.pages.content_kind import ZIP

if TYPE_CHECKING:
    from warcio.statusandheaders import StatusAndHeaders

_STEP = 2**20
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r\n")
_TRAILER = re.compile(rb"(?:[^\s:<]+:[^\r\n]*(?:\r\n|\Z))*(?:\r\n)?")
_UNSUPPORTED = frozenset({"compress", "x-compress", "dcb", "dcz"})


class BodyError(Exception):
    """A body that is no page, for a reason.

    Args:
        reason: UNDECODABLE_BODY or TOO_LARGE.
        detail: What came.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def decoded_body(
    payload: bytes,
    *,
    transfer_encoding: str | None,
    content_encoding: str | None,
    cap: int,
) -> bytes:
    """Undo the encodings of an HTTP payload.

    A payload that claims to be chunked or gzip but is not, or has an unknown encoding, stays as it
    is.

    Args:
        payload: The bytes behind the HTTP headers.
        transfer_encoding: The header Transfer-Encoding.
        content_encoding: The header Content-Encoding.
        cap: The most bytes of the result.

    Raises:
        BodyError: The payload is damaged or too large, or its encoding is not supported.
    """
    if "chunked" in (transfer_encoding or "").lower():
        payload = _unchunked(payload)
    names = [name.strip().lower() for name in (content_encoding or "").split(",")]
    for name in reversed(names):
        payload = _undone(payload, name, cap)
    if len(payload) > cap:
        raise BodyError(Reason.TOO_LARGE, f"{len(payload):,} bytes, the cap is {cap:,}")
    return payload


def _unchunked(payload: bytes) -> bytes:
    """Return the data of chunks, without the trailer; what is no chunk stays as it is.

    Source: RFC 9112, section 7.1.
    """
    parts: list[bytes] = []
    at = 0
    while head := _CHUNK.match(payload, at):
        size = int(head[1], 16)
        if not size and _TRAILER.fullmatch(payload, head.end()):
            return b"".join(parts)
        end = head.end() + size
        if not size or not b"\r\n".startswith(payload[end : end + 2]):
            break
        parts.append(payload[head.end() : end])
        at = end + 2
    return b"".join([*parts, payload[at:]])


def _undone(payload: bytes, encoding: str, cap: int) -> bytes:
    if encoding in _UNSUPPORTED:
        raise BodyError(
            Reason.UNDECODABLE_BODY, f"Content-Encoding {encoding} is not supported"
        )
    decode = _DECODERS.get(encoding)
    if not payload or decode is None:
        return payload
    try:
        page = decode(payload, cap)
    except (DamageError, zlib.error, brotli.error) as error:
        if payload.lstrip().startswith(b"<"):
            return payload
        raise BodyError(Reason.UNDECODABLE_BODY, str(error)) from error
    if len(page) > cap:
        raise BodyError(Reason.TOO_LARGE, f"more than {cap:,} bytes when decompressed")
    return page


def _gunzipped(payload: bytes, cap: int) -> bytes:
    return whole(pieces(io.BytesIO(payload)), cap)


def _unzstd(payload: bytes, cap: int) -> bytes:
    return whole(frames(peekable(io.BytesIO(payload))), cap)


def _inflated(payload: bytes, cap: int) -> bytes:
    try:
        return _zlib_stream(payload, zlib.MAX_WBITS, cap)
    except (DamageError, zlib.error):  # many servers leave out the zlib header
        return _zlib_stream(payload, -zlib.MAX_WBITS, cap)


def _zlib_stream(payload: bytes, wbits: int, cap: int) -> bytes:
    inflater = zlib.decompressobj(wbits)
    data = inflater.decompress(payload, cap + 1)
    if len(data) <= cap and not inflater.eof:
        raise DamageError(_TOO_EARLY)
    return data


def _unbrotlied(payload: bytes, cap: int) -> bytes:
    decoder = brotli.Decompressor()
    page = bytearray()
    part = decoder.process(payload, output_buffer_limit=_STEP)
    while part or not decoder.can_accept_more_data():
        page += part
        if len(page) > cap or decoder.is_finished():
            return bytes(page)
        part = decoder.process(b"", output_buffer_limit=_STEP)
    if not decoder.is_finished():
        raise DamageError(_TOO_EARLY)
    return bytes(page)


_TOO_EARLY = "the compressed body ends too early"
# What undoes a Content-Encoding, up to a little more than a number of bytes.
_DECODERS = {
    "gzip": _gunzipped,
    "x-gzip": _gunzipped,
    "deflate": _inflated,
    "br": _unbrotlied,
    "zstd": _unzstd,
}

_MAX_HTTP_HEAD = 2**20
_URN_UUID = "urn:uuid:"
_NAME = re.compile(
    r".+(?:\.warc(?:\.wet)?(?:\.gz|\.zst)?|\.wacz)", re.IGNORECASE | re.DOTALL
)
_MEMBER = re.compile(f"archive/{_NAME.pattern}", _NAME.flags)
_TEXT = "text/plain"
# Types of records that hold no page of their own, by WARC-Type.
_NO_PAGES = {
    "warcinfo": Reason.WARCINFO,
    "request": Reason.REQUEST,
    "metadata": Reason.METADATA,
    "revisit": Reason.REVISIT,
    "conversion": Reason.CONVERSION,
    "continuation": Reason.CONTINUATION,
}
_DOCID_HEADERS: dict[DocidOf | None, tuple[str, ...]] = {
    None: ("WARC-TREC-ID", "WARC-Record-ID"),
    "uri": ("WARC-Target-URI",),
    "record": ("WARC-Record-ID",),
    "uuid": ("WARC-Record-ID",),
    "trec": ("WARC-TREC-ID",),
}


def read_warc(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the records of one WARC file; offsets are those of the stored record, member or frame.

    Of a WACZ file, a ZIP archive, the records of its WARC files, with offsets in these.
    """
    file = peekable(raw)
    if file.peek(4)[:4] == ZIP:
        read = partial(_read_records, reading=reading)
        yield from read_members(file, source, _MEMBER.fullmatch, read, "a WACZ file")
    else:
        yield from _read_records(file, source, reading)


def read_arc(raw: BinaryIO, source: str, reading: Reading) -> Iterator[Item]:
    """Yield the records of one ARC file; a page's docid is its address.

    Source: Burner and Kahle, Arc File Format, Internet Archive, 1996.
    """
    yield from _read_records(raw, source, replace(reading, docid="uri"), ARC_FRAMING)


def _arc_headers(head: bytes) -> "StatusAndHeaders":
    """Return WARC's headers for a line of ARC, but for the type, which the content decides."""
    from warcio.statusandheaders import StatusAndHeaders

    url, _, date, kind, *_, length = head.decode("utf-8", "replace").split()
    day = f"{date[:4]}-{date[4:6]}-{date[6:8]}"
    time = f"T{date[8:10]}:{date[10:12]}:{date[12:14]}Z" if date[8:] else ""
    headers = [
        ("WARC-Target-URI", url),
        ("WARC-Date", day + time),
        ("Content-Type", kind),
        ("Content-Length", length),
    ]
    return StatusAndHeaders("", headers, "ARC/1.0")


ARC_FRAMING = Framing(
    name="ARC",
    # Address, IP address, date, media type, (of version 2 five more,) and length
    start=re.compile(
        rb"[a-z][a-z0-9+.-]{0,20}:\S{0,4000} [0-9a-f.:]{1,45} \d{8}(?:\d{6})? "
        rb"\S[^\r\n]{0,999} \d{1,12}[ \t]*\r?\n",
        re.IGNORECASE,
    ),
    longest=6000,
    head_end=re.compile(rb"\r?\n"),
    headers=_arc_headers,
)


def _arc_type(record: WarcRecord) -> str:
    """Return what WARC calls a record of ARC."""
    if _text(record.headers, "WARC-Target-URI").lower().startswith("filedesc:"):
        return "warcinfo"
    return "response" if record.content[:5].upper() == b"HTTP/" else "resource"


def _read_records(
    raw: BinaryIO, source: str, reading: Reading, framing: Framing = WARC_FRAMING
) -> Iterator[Item]:
    file = peekable(raw)
    named_by = _DOCID_HEADERS[reading.docid]
    for record in warc_records(file, MAX_PAGE_BYTES + _MAX_HTTP_HEAD, framing):
        if isinstance(record, WarcRecord) and framing is ARC_FRAMING:
            record.headers.add_header("WARC-Type", _arc_type(record))
        place = SourceLocation(source, record.offset)
        if isinstance(record, DamagedBytes):
            docid = _named(record.headers, named_by) if record.headers else None
            item: Item = Skipped(place, record.reason, docid or None, record.detail)
        else:
            item = _item(record, place, named_by)
        if reading.docid == "uuid" and item.docid:
            item = replace(item, docid=item.docid.removeprefix(_URN_UUID))
        yield item


def _named(headers: "StatusAndHeaders", names: Sequence[str]) -> str:
    """Return the value of the first header that has one, without brackets."""
    for name in names:
        value = _text(headers, name).removeprefix("<").removesuffix(">").strip()
        if value:
            return value
    return ""


def _text(headers: "StatusAndHeaders", name: str) -> str:
    return str(headers.get_header(name) or "").strip()


def _item(record: WarcRecord, place: SourceLocation, named_by: Sequence[str]) -> Item:
    docid = _named(record.headers, named_by)
    kind = _text(record.headers, "WARC-Type").lower()
    content_type = record.headers.get_header("Content-Type")
    is_text = kind == "conversion" and media_type(content_type or "") == _TEXT
    if not docid and (is_text or kind in ("response", "resource")):
        detail = f"expected {' or '.join(named_by)}, found {'neither' if named_by[1:] else 'none'}"
        return Skipped(place, Reason.NO_DOCID, detail=detail)
    if kind == "response":
        return _response(record, place, docid)
    if is_text or kind == "resource":
        return _page(record, place, docid, content_type, 0, None)
    reason = _NO_PAGES.get(kind, Reason.OTHER_RECORD)
    return Skipped(
        place, reason, docid or None, f"WARC-Type {kind[:40] or 'not given'}"
    )


def _response(record: WarcRecord, place: SourceLocation, docid: str) -> Item:
    if record.content[:5].upper() != b"HTTP/":
        content_type = _text(record.headers, "Content-Type")
        # Such as text/dns
        if content_type and media_type(content_type) != "application/http":
            detail = f"a response of {content_type[:80]}"
            return Skipped(place, Reason.OTHER_RECORD, docid or None, detail)
        detail = f"expected an HTTP status line, found {record.content[:40]!r}"
        return Skipped(place, Reason.NOT_A_PAGE, docid or None, detail)
    stream = BytesIO(record.content)
    http = headers_parser().parse(stream)
    status = http.get_statuscode()
    if not (status.isdigit() and len(status) == 3 and status.startswith("2")):
        return Skipped(
            place, Reason.NOT_A_PAGE, docid or None, f"HTTP status {status[:40]}"
        )
    return _page(
        record, place, docid, http.get_header("Content-Type"), stream.tell(), http
    )


def _page(
    record: WarcRecord,
    place: SourceLocation,
    docid: str,
    content_type: str | None,
    start: int,
    http: "StatusAndHeaders | None",
) -> Item:
    """Make the item for what may be a page; `start` is where its payload begins in the content.

    Args:
        record: The WARC record.
        place: Where the record is.
        docid: The docid.
        content_type: The payload's Content-Type.
        start: Where the payload begins in the content.
        http: Its HTTP headers, None for a record that has none of its own.
    """
    plain = _text(record.headers, "WARC-Type").lower() == "conversion"
    if not plain and not names_html(content_type):
        return Skipped(place, Reason.NOT_HTML, docid, f"Content-Type {content_type}")
    if len(record.content) < record.size:
        detail = f"{record.size:,} bytes, the cap is {MAX_PAGE_BYTES:,}"
        return Skipped(place, Reason.TOO_LARGE, docid, detail)
    try:
        body = decoded_body(
            record.content[start:],
            transfer_encoding=http.get_header("Transfer-Encoding") if http else None,
            content_encoding=http.get_header("Content-Encoding") if http else None,
            cap=MAX_PAGE_BYTES,
        )
    except BodyError as error:
        return Skipped(place, error.reason, docid, str(error))
    if not body or body.isspace():
        return Skipped(place, Reason.EMPTY_PAGE, docid)
    url = _text(record.headers, "WARC-Target-URI").removeprefix("<").removesuffix(">")
    date = iso_date(_text(record.headers, "WARC-Date"))
    if date is None and http:
        date = iso_date(_text(http, "Last-Modified"))
    charset = charset_of(content_type) or ("utf-8" if plain else None)
    return Record(
        docid,
        body,
        place,
        url=url or None,
        charset=charset,
        plain=plain,
        date=date,
        language=http.get_header("Content-Language") if http else None,
    )


WARC = Format(
    name="warc",
    summary="WARC 1.0 and 1.1: HTML pages in *.warc, *.warc.gz, *.warc.zst and *.wacz files, texts "
    "in *.warc.wet.gz",
    files="*.warc, *.warc.wet, the same with .gz or .zst, *.wacz",
    reader=read_warc,
    wants=_NAME.fullmatch,
    first_bytes=re.compile(rb"WARC/", re.IGNORECASE),
    docids=("uri", "record", "uuid", "trec"),
)

ARC = Format(
    name="arc",
    summary="ARC 1 and 2, the Internet Archive's format before WARC: HTML pages in *.arc and "
    "*.arc.gz files",
    files="*.arc, the same with .gz or .zst",
    reader=read_arc,
    wants=re.compile(r".+\.arc(?:\.gz|\.zst)?", re.IGNORECASE).fullmatch,
    first_bytes=re.compile(rb"filedesc:", re.IGNORECASE),
)
