"""A page's bytes to UTF-8: byte order mark, label, valid UTF-8, windows-1252, in that order.

The labels and their decoders are those of the WHATWG Encoding Standard (through webencodings).
Two departures from it, both for pages whose label is wrong, which a search index should not
inherit: bytes labelled windows-1252 that are valid UTF-8 beyond ASCII are UTF-8, and bytes
labelled UTF-8 that mostly are not are windows-1252.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache

import webencodings

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_PRESCAN_BYTES = 4096
# Possessive, so that endless white space is tried once and not once for every way to part it.
_META_CHARSET = re.compile(
    rb"<meta\b[^>]*?charset\s*+=\s*+[\"']?+\s*+([^\s\"'/>;]+)", re.IGNORECASE
)
_XML_ENCODING = re.compile(rb"^\s*<\?xml\b[^>]*?encoding\s*=\s*[\"']([^\"'>]+)")
_SUBSTITUTES = {"gbk": "gb18030", "x-user-defined": "windows-1252", "replacement": None}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as UTF-8 without NULs, and the name of the encoding it came in."""

    utf8: bytes
    encoding: str


@lru_cache(maxsize=1024)
def lookup(label: str) -> str | None:
    """The encoding a label of the Encoding Standard names, None for a label it does not know."""
    found = webencodings.lookup(label)
    return None if found is None else _SUBSTITUTES.get(found.name, found.name)


def declared(body: bytes) -> str | None:
    """The encoding the page itself names: in a meta element, or else in an XML declaration."""
    head = body[:_PRESCAN_BYTES]
    for pattern in (_META_CHARSET, _XML_ENCODING):
        if (match := pattern.search(head)) and (encoding := lookup(match[1].decode("latin-1"))):
            # The bytes in which this ASCII text was found cannot be UTF-16.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _is_mostly_wrong(text: str) -> bool:
    wrong = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return 2 * wrong > beyond_ascii


def to_utf8(body: bytes, charset: str | None = None) -> Decoded:
    """Decode a page.

    body: the page's original bytes.
    charset: the label given by the HTTP header, or None.
    Undecodable bytes become U+FFFD; nothing is ever raised.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], encoding)
    encoding = (lookup(charset) if charset else None) or declared(body) or "utf-8"
    if encoding in ("utf-8", "windows-1252"):
        return _utf8_or_windows_1252(body, encoding)
    return _decoded(body, encoding)


def _utf8_or_windows_1252(body: bytes, encoding: str) -> Decoded:
    if body.isascii():
        return Decoded(body.replace(b"\0", b""), encoding)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        if encoding == "utf-8" and not _is_mostly_wrong(body.decode("utf-8", "replace")):
            return _decoded(body, "utf-8")
        return _decoded(body, "windows-1252")
    return Decoded(body.replace(b"\0", b""), "utf-8")


def _decoded(body: bytes, encoding: str) -> Decoded:
    codec = webencodings.lookup(encoding)
    decode = codec.codec_info.decode if codec else codecs.utf_8_decode
    text, _ = decode(body, "replace")
    return Decoded(text.replace("\0", "").encode("utf-8", "replace"), encoding)
