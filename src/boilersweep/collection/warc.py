"""WARC 1.0 and 1.1, plain, gzip, zstd or in WACZ: HTML pages of `response` and `resource` records.

A `conversion` record of type text/plain, as in Common Crawl's WET files, is a plain text.
"""

import io
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from io import BufferedReader, BytesIO
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, BinaryIO, cast
from zipfile import BadZipFile, ZipFile

import brotli

from boilersweep.collection.fields import charset_of, iso_date, media_type, names_html
from boilersweep.collection.format import MAX_PAGE_BYTES, USUAL, DocidOf, Format, Reading
from boilersweep.collection.gzip_members import GZIP_MAGIC, peekable, pieces
from boilersweep.collection.record import Item, Reason, Record, Skipped, SourceLocation
from boilersweep.collection.warc_records import Loss, WarcRecord, headers_parser, warc_records
from boilersweep.collection.zstd_frames import UndecodableZstdError, unpacked

if TYPE_CHECKING:
    from warcio.statusandheaders import StatusAndHeaders

_STEP = 2**20
_UNSUPPORTED = frozenset({"compress", "x-compress", "dcb", "dcz"})


class UndecodableBodyError(Exception):
    """The body is not what its Content-Encoding says, or that encoding is not supported."""


class BodyTooLargeError(Exception):
    """The body, decoded, is larger than the cap."""


def decoded_body(
    payload: bytes, *, transfer_encoding: str | None, content_encoding: str | None, cap: int
) -> bytes:
    """The page behind an HTTP payload.

    A payload that says it is chunked or gzip but is not is taken as it is, and so is one with an
    encoding that no one knows. cap: in bytes, of the result.

    Raises UndecodableBodyError, BodyTooLargeError.
    """
    if "chunked" in (transfer_encoding or "").lower():
        # It decodes nothing else: its decompressors know no bounds.
        from warcio.bufferedreaders import ChunkedDataReader

        payload = ChunkedDataReader(io.BytesIO(payload)).read()
    names = [name.strip().lower() for name in (content_encoding or "").split(",")]
    for name in reversed(names):
        payload = _undone(payload, name, cap)
    if len(payload) > cap:
        raise BodyTooLargeError(f"{len(payload):,} bytes, the cap is {cap:,}")
    return payload


def _undone(payload: bytes, encoding: str, cap: int) -> bytes:
    if encoding in _UNSUPPORTED:
        raise UndecodableBodyError(f"Content-Encoding {encoding} is not supported")
    if not payload:
        return payload
    if encoding in ("gzip", "x-gzip"):
        return _gunzipped(payload, cap) if payload.startswith(GZIP_MAGIC) else payload
    if encoding not in _DECODERS:
        return payload
    try:
        return _DECODERS[encoding](payload, cap)
    except UndecodableBodyError:
        if payload.lstrip().startswith(b"<"):
            return payload
        raise


def _gunzipped(payload: bytes, cap: int) -> bytes:
    page = bytearray()
    for piece in pieces(io.BytesIO(payload)):
        if piece.is_foreign:
            break
        if piece.damage:
            raise UndecodableBodyError(piece.damage)
        page += piece.data
        if len(page) > cap:
            raise BodyTooLargeError(f"more than {cap:,} bytes when decompressed")
    return bytes(page)


def _inflated(payload: bytes, cap: int) -> bytes:
    try:
        return _zlib_stream(payload, zlib.MAX_WBITS, cap)
    except UndecodableBodyError:  # many servers leave out the zlib header
        return _zlib_stream(payload, -zlib.MAX_WBITS, cap)


def _zlib_stream(payload: bytes, wbits: int, cap: int) -> bytes:
    inflater = zlib.decompressobj(wbits)
    try:
        data = inflater.decompress(payload, cap + 1)
    except zlib.error as error:
        raise UndecodableBodyError(str(error)) from error
    if len(data) > cap:
        raise BodyTooLargeError(f"more than {cap:,} bytes when decompressed")
    if not inflater.eof:
        raise UndecodableBodyError("the compressed body ends too early")
    return data


def _unbrotlied(payload: bytes, cap: int) -> bytes:
    decoder = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    try:
        part = decoder.process(payload, output_buffer_limit=_STEP)
        while part or not decoder.can_accept_more_data():
            parts.append(part)
            size += len(part)
            if size > cap:
                raise BodyTooLargeError(f"more than {cap:,} bytes when decompressed")
            if decoder.is_finished():
                break
            part = decoder.process(b"", output_buffer_limit=_STEP)
    except brotli.error as error:
        raise UndecodableBodyError(f"brotli: {error}") from error
    if not decoder.is_finished():
        raise UndecodableBodyError("the compressed body ends too early")
    return b"".join(parts)


def _unzstd(payload: bytes, cap: int) -> bytes:
    try:
        page = unpacked(payload, cap)
    except UndecodableZstdError as error:
        raise UndecodableBodyError(str(error)) from error
    if len(page) > cap:
        raise BodyTooLargeError(f"more than {cap:,} bytes when decompressed")
    return page


_DECODERS = {"deflate": _inflated, "br": _unbrotlied, "zstd": _unzstd}
_MAX_HTTP_HEAD = 2**20
_NAME = re.compile(r".+(?:\.warc(?:\.wet)?(?:\.gz|\.zst)?|\.wacz)", re.IGNORECASE | re.DOTALL)
_ZIP = b"PK\x03\x04"
_DAMAGED_MEMBER = (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error)
_TEXT = "text/plain"
_NO_PAGES = {
    "warcinfo": Reason.WARCINFO,
    "request": Reason.REQUEST,
    "metadata": Reason.METADATA,
    "revisit": Reason.REVISIT,
    "conversion": Reason.CONVERSION,
    "continuation": Reason.CONTINUATION,
}
"""Types of records that hold no page of their own, by WARC-Type."""
_DOCID_HEADERS: dict[DocidOf | None, tuple[str, ...]] = {
    None: ("WARC-TREC-ID", "WARC-Record-ID"),
    "uri": ("WARC-Target-URI",),
    "record": ("WARC-Record-ID",),
    "trec": ("WARC-TREC-ID",),
}


def is_warc_name(name: str) -> bool:
    """Whether a file of this name is *.warc or *.warc.wet, plain, .gz or .zst, or *.wacz."""
    return _NAME.fullmatch(name) is not None


def read_warc(raw: BinaryIO, source: str, *, reading: Reading = USUAL) -> Iterator[Item]:
    """The records of one WARC file; offsets are those of the stored record, member or frame.

    Of a WACZ file, a ZIP archive, the records of its WARC files, with offsets in these.
    """
    file = peekable(raw)
    if file.peek(4)[:4] == _ZIP:
        yield from _read_wacz(file, source, reading)
    else:
        yield from _read_records(file, source, reading)


def _read_records(file: BufferedReader, source: str, reading: Reading) -> Iterator[Item]:
    named_by = _DOCID_HEADERS[reading.docid]
    for record in warc_records(file, MAX_PAGE_BYTES + _MAX_HTTP_HEAD):
        place = SourceLocation(source, record.offset)
        if isinstance(record, Loss):
            docid = _named(record.headers, named_by) if record.headers else None
            yield Skipped(place, record.reason, docid or None, record.detail)
        else:
            yield _item(record, place, named_by)


def _read_wacz(file: BufferedReader, source: str, reading: Reading) -> Iterator[Item]:
    with TemporaryFile() as copy:  # the directory of a ZIP archive is at its end
        copyfileobj(file, copy)
        try:
            archive = ZipFile(copy)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            detail = f"a WACZ file that is no whole ZIP archive: {error}"
            yield Skipped(SourceLocation(source, 0), Reason.TRUNCATED, detail=detail)
            return
        for name in sorted(archive.namelist()):
            if not name.startswith("archive/") or not is_warc_name(name):
                continue
            inner = f"{source}/{name}"
            try:
                with archive.open(name) as part:
                    yield from _read_records(peekable(cast(BinaryIO, part)), inner, reading)
            except _DAMAGED_MEMBER as error:
                detail = f"a damaged member of a WACZ file: {error}"
                yield Skipped(SourceLocation(inner, 0), Reason.TRUNCATED, detail=detail)


def _named(headers: "StatusAndHeaders", names: Sequence[str]) -> str:
    """The first of some headers that has a value, without its brackets."""
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
    return Skipped(place, reason, docid or None, f"WARC-Type {kind[:40] or 'not given'}")


def _response(record: WarcRecord, place: SourceLocation, docid: str) -> Item:
    if record.content[:5].upper() != b"HTTP/":
        content_type = _text(record.headers, "Content-Type")
        if content_type and media_type(content_type) != "application/http":  # such as text/dns
            detail = f"a response of {content_type[:80]}"
            return Skipped(place, Reason.OTHER_RECORD, docid or None, detail)
        detail = f"expected an HTTP status line, found {record.content[:40]!r}"
        return Skipped(place, Reason.NOT_A_PAGE, docid or None, detail)
    stream = BytesIO(record.content)
    http = headers_parser().parse(stream)
    status = http.get_statuscode()
    if not (status.isdigit() and len(status) == 3 and status.startswith("2")):
        return Skipped(place, Reason.NOT_A_PAGE, docid or None, f"HTTP status {status[:40]}")
    return _page(record, place, docid, http.get_header("Content-Type"), stream.tell(), http)


def _page(
    record: WarcRecord,
    place: SourceLocation,
    docid: str,
    content_type: str | None,
    start: int,
    http: "StatusAndHeaders | None",
) -> Item:
    """The item for what may be a page; `start` is where its payload begins in the content.

    http: its HTTP headers, None for a record that has none of its own.
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
    except BodyTooLargeError as error:
        return Skipped(place, Reason.TOO_LARGE, docid, str(error))
    except UndecodableBodyError as error:
        return Skipped(place, Reason.UNDECODABLE_BODY, docid, str(error))
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


def warc_format(reading: Reading = USUAL) -> Format:
    """The format "warc", read as users say."""
    return Format(
        "warc",
        "WARC 1.0 and 1.1: HTML pages in *.warc, *.warc.gz, *.warc.zst and *.wacz files, texts in "
        "*.warc.wet.gz",
        is_warc_name,
        partial(read_warc, reading=reading),
    )


WARC = warc_format()
