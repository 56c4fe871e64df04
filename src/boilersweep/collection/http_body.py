"""Undoing the transfer and content encodings of HTTP with bounded memory."""

import io
import zlib

import brotli
from warcio.bufferedreaders import ChunkedDataReader

from boilersweep.collection.gzip_members import GZIP_MAGIC, pieces

_STEP = 2**20
_UNSUPPORTED = frozenset({"zstd", "compress", "x-compress", "dcb", "dcz"})


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
    if encoding not in ("deflate", "br"):
        return payload
    try:
        return _inflated(payload, cap) if encoding == "deflate" else _unbrotlied(payload, cap)
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
