"""A page's bytes to UTF-8: by byte order mark, a first tag in UTF-16, label, and what is valid.

The labels and their decoders are those of the WHATWG Encoding Standard (through webencodings).
Three departures from it, all for pages whose label is wrong, which a search index should not
inherit: bytes that are valid UTF-8 beyond ASCII are UTF-8 whatever their label says, bytes labelled
UTF-8 that mostly are not are windows-1252, and what begins with a tag in UTF-16 is that.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import webencodings

from boilersweep.pages.compiled import utf8_check

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)
_UTF_16_TAGS = (
    (re.compile(rb"(?:[\t\n\f\r ]\0)*+<\0[a-zA-Z!?]\0[\t-~]\0"), "utf-16le"),
    (re.compile(rb"(?:\0[\t\n\f\r ])*+\0<\0[a-zA-Z!?]\0[\t-~]"), "utf-16be"),
)
_PRESCAN_BYTES = 4096
# Possessive, so that endless white space is tried once and not once for every way to part it.
_META_CHARSET = re.compile(
    rb"<meta\b[^>]*?charset\s*+=\s*+[\"']?+\s*+([^\s\"'/>;]+)", re.IGNORECASE
)
_XML_ENCODING = re.compile(rb"^\s*<\?xml\b[^>]*?encoding\s*=\s*[\"']([^\"'>]+)")
_FEW = 8
# In valid UTF-8 its first byte, where it is not ASCII
_CHARACTER = re.compile(rb"[\xc2-\xf4]")
# Encodings of which fewer than `_FEW` characters may be valid UTF-8 by chance.
#
# Of the characters of gb2312 one in seven is (a first byte of 30 in 72, a second of 31 in 94);
# eight in a row are so once in ten million pages. Alphabets hardly ever are: what follows a first
# byte in UTF-8 is no letter there, or stands for capitals behind small letters.
_BY_CHANCE = frozenset(
    {"big5", "euc-jp", "euc-kr", "gb18030", "shift_jis", "windows-874"}
)
_SUBSTITUTES = {"gbk": "gb18030", "x-user-defined": "windows-1252", "replacement": None}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as UTF-8 without NULs, and the name of the encoding it came in."""

    utf8: bytes
    encoding: str


@lru_cache(maxsize=1024)
def lookup(label: str) -> str | None:
    """Return the encoding that a label of the Encoding Standard names, None for no such label."""
    codec = webencodings.lookup(label)
    return None if codec is None else _SUBSTITUTES.get(codec.name, codec.name)


def declared(body: bytes) -> str | None:
    """Return the encoding that the page names in a meta element, else in an XML declaration."""
    head = body[:_PRESCAN_BYTES]
    for pattern in (_META_CHARSET, _XML_ENCODING):
        if (match := pattern.search(head)) and (
            encoding := lookup(match[1].decode("latin-1"))
        ):
            # The bytes in which this ASCII text was found cannot be UTF-16.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


def _is_mostly_wrong(text: str) -> bool:
    wrong = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return 2 * wrong > beyond_ascii


def to_utf8(body: bytes, charset: str | None = None) -> Decoded:
    """Decode a page.

    Undecodable bytes become U+FFFD; nothing is ever raised.

    Args:
        body: The page's original bytes.
        charset: The label given by the HTTP header, or None.
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _decoded(body[len(bom) :], encoding)
    written_in = (encoding for pattern, encoding in _UTF_16_TAGS if pattern.match(body))
    if encoding := next(written_in, ""):
        return _decoded(body, encoding)
    encoding = (lookup(charset) if charset else None) or declared(body) or "utf-8"
    return _labelled(body, encoding)


def _labelled(body: bytes, encoding: str) -> Decoded:
    """Decode a page by its label, unless its bytes show that the label is wrong."""
    if encoding.startswith("utf-16") and b"\0" not in body:
        encoding = "utf-8"
    if encoding.startswith("utf-16") or (encoding == "iso-2022-jp" and body.isascii()):
        return _decoded(body, encoding)
    if body.isascii():
        return Decoded(body.replace(b"\0", b""), encoding)
    if not utf8_check()(body):
        if encoding == "utf-8" and _is_mostly_wrong(body.decode("utf-8", "replace")):
            encoding = "windows-1252"
        return _decoded(body, encoding)
    if (
        encoding in _BY_CHANCE
        and len(list(islice(_CHARACTER.finditer(body), _FEW))) < _FEW
    ):
        by_label = _decoded(body, encoding)
        if "\ufffd".encode() not in by_label.utf8:
            return by_label
    return Decoded(body.replace(b"\0", b""), "utf-8")


def _decoded(body: bytes, encoding: str) -> Decoded:
    codec = webencodings.lookup(encoding)
    decode = codec.codec_info.decode if codec else codecs.utf_8_decode
    text, _ = decode(body, _ERRORS)
    return Decoded(text.replace("\0", "").encode("utf-8", "replace"), encoding)


def _as_browsers_do(error: UnicodeError) -> tuple[str, int]:
    """Decode what browsers know and Python's decoder does not, else U+FFFD.

    That is the euro sign of Windows' gbk, and of euc-jp the rows of NEC and IBM, which cp932 has.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = error.object[error.start : error.start + 2]
    if error.encoding == "gb18030" and pair.startswith(b"\x80"):
        return "€", error.start + 1
    if error.encoding == "euc_jp" and len(pair) == 2 and min(pair) >= 0xA1:
        # JIS X 0208, two rows to a byte of Shift_JIS
        row, cell = pair[0] - 0xA1, pair[1] - 0xA1
        first = row // 2 + (0x81 if row < 62 else 0xC1)
        second = cell + (0x9F if row % 2 else 0x40 if cell < 63 else 0x41)
        text, _ = codecs.lookup("cp932").decode(bytes([first, second]), "replace")
        if len(text) == 1:
            return text, error.start + 2
    return "\ufffd", error.end


_ERRORS = "boilersweep-as-browsers-do"
codecs.register_error(_ERRORS, _as_browsers_do)
