"""A page's bytes to UTF-8: by byte order mark, a first tag in UTF-16, label, and what is valid.

The labels and their decoders are those of the WHATWG Encoding Standard (through webencodings).
Three departures from it, all for pages whose label is wrong, which a search index should not
inherit: bytes that are valid UTF-8 beyond ASCII are UTF-8 whatever their label says, bytes labelled
UTF-8 that mostly are not are read as if they had no label, and what begins with a tag in UTF-16 is
that.

Without a right label, text and language decide where they leave no doubt. Detectors that always
answer take English pages for Central European ones. Here a page stays windows-1252 unless its text,
read in another encoding, has as many of the most frequent characters of that encoding's languages
as their texts have, and one of these is true: the encoding is one of byte sequences, which are
valid; the page declares one of the languages; or more than a third of its letters are beyond ASCII,
as in other alphabets.
"""

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice

import webencodings

from boilersweep.pages.compiled import utf8_check
from boilersweep.pages.language import declared_language
from boilersweep.pages.mhtml import saved_page

_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea)(?=[\s>/]).*?(?:</\1|\Z)|<[^<>]*>?",
    re.IGNORECASE | re.DOTALL,
)
_SAMPLE_BYTES = 2**18
_LETTERS = re.compile(rb"[A-Za-z]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
# No encoding has longer sequences than gb18030: four bytes, of which the first is beyond ASCII.
_SEQUENCES = re.compile(rb"(?:[\x80-\xff][\x00-\x7f]{0,3})+")
_FEWEST = 4  # characters beyond ASCII that can tell anything
_FEWEST_OF_ALPHABET = 16  # that can tell of an alphabet without the page's language
_MOST_WRONG = 0.01  # of them that cannot be decoded

_CHINESE = "的一是不了在人有我他中大上这這来來国國为為会會个個们們\uff0c\u3002\u3001"
_CYRILLIC = "оеаинтсрвліїєў"
_GREEK = "αοιετσνηυρπκμΆ"
_ARABIC = "اليمنتروبدهة"
_CENTRAL = "ąćęłńóśźżáčďéěíňřšťúůýžäľôŕöőüűđăâîşţ"


@dataclass(frozen=True, slots=True)
class _Group:
    """Encodings of some languages.

    Attributes:
        encodings: Their names; of two that fit alike the first is taken.
        languages: Primary tags.
        frequent: Frequent characters beyond ASCII.
        share: The least share of them among all beyond ASCII.
        by: What may tell besides the page's language: valid "sequences" of bytes, the "share" of
            letters beyond ASCII, or nothing.
    """

    encodings: tuple[str, ...]
    languages: str
    frequent: str
    share: float
    by: str = "share"


_GROUPS = (
    _Group(("gb18030",), "zh", _CHINESE, 0.06, "sequences"),
    _Group(("big5",), "zh", _CHINESE, 0.06, "sequences"),
    _Group(
        ("euc-jp", "shift_jis"), "ja", "のにはをたがでとしいる、。", 0.15, "sequences"
    ),
    _Group(("euc-kr",), "ko", "이다는의에가을은고하지로기", 0.1, "sequences"),
    _Group(
        ("windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866"),
        "ru uk be bg mk sr",
        _CYRILLIC,
        0.4,
    ),
    _Group(("windows-1253", "iso-8859-7"), "el", _GREEK, 0.4),
    _Group(("windows-1255",), "he", "יוהלאמרתבשנ", 0.4),
    _Group(("windows-1256", "iso-8859-6"), "ar fa ur", _ARABIC, 0.4),
    _Group(("windows-874",), "th", "านรอกเงสยวมลทตี่", 0.4),
    _Group(
        ("windows-1250", "iso-8859-2"), "pl cs sk hu sl hr bs ro", _CENTRAL, 0.8, ""
    ),
    _Group(("windows-1254",), "tr az", "ıışğçöüİŞâ", 0.8, ""),
    _Group(("windows-1257",), "lt lv et", "ėšžąįųūčęāīēļņģķõäöü", 0.8, ""),
)


def guessed(body: bytes) -> str | None:
    """Return the encoding of a page without a label that is not UTF-8; None for windows-1252."""
    text = _MARKUP.sub(b" ", body)[:_SAMPLE_BYTES]
    beyond = len(_BEYOND_ASCII.findall(text))
    if beyond < _FEWEST:
        return None
    is_other_alphabet = beyond >= _FEWEST_OF_ALPHABET and 2 * beyond > len(
        _LETTERS.findall(text)
    )
    language = declared_language(body, None)
    text = beyond_ascii(text)
    fitting = {
        encoding: count
        for group in _GROUPS
        for encoding in group.encodings
        if (
            language in group.languages.split()
            or group.by == "sequences"
            or (group.by and is_other_alphabet)
        )
        and (count := _frequent(text, encoding, group))
    }
    return max(fitting, key=fitting.__getitem__, default=None)


def beyond_ascii(text: bytes) -> bytes:
    """Return what any encoding may decode to characters beyond ASCII, and some of the rest."""
    return b"".join(_SEQUENCES.findall(text))


def _frequent(text: bytes, encoding: str, group: _Group) -> float:
    """Return the share of frequent characters of all; 0 for a text in another encoding."""
    codec = webencodings.lookup(encoding)
    decoded = codec.codec_info.decode(text, "replace")[0] if codec else ""
    beyond = [character for character in decoded if character > "\x7f"]
    wrong = sum(character == "\ufffd" or character < "\xa0" for character in beyond)
    if wrong > max(1, _MOST_WRONG * len(beyond)):
        return 0.0
    frequent = sum(character in group.frequent for character in beyond)
    letters = sum(map(str.isalpha, beyond))
    fits = frequent >= group.share * max(letters, 1)
    return frequent / len(beyond) / group.share if fits else 0.0


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
# Behind them; not in scripts, as there may be many
_LATE_META_CHARSET = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea|title|xmp)(?=[\s>/]).*?(?:</\1|\Z)"
    rb"|<meta\b[^<>]*?charset\s*+=\s*+[\"']?+\s*+([^\s\"'/>;]+)",
    re.IGNORECASE | re.DOTALL,
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
# Labels of no standard that pages have all the same.
_UTF_8 = re.compile(r"utf[-_ ]?8", re.IGNORECASE)
_CODE_PAGE = re.compile(
    r"\s*(?:cp|dos|ibm|ms|oem|win|windows|x)?[-_ ]*(\d{3,4})\s*", re.IGNORECASE
)
_CODE_PAGES = {"932": "shift_jis", "936": "gbk", "949": "euc-kr", "950": "big5"}
# Behind the name of an encoding that no label named
GUESSED = " (guessed)"
_SUBSTITUTES = {"gbk": "gb18030", "x-user-defined": "windows-1252", "replacement": None}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as UTF-8 without NULs, and the name of the encoding it came in.

    GUESSED follows the name if text and language decided, not a label.
    """

    utf8: bytes
    encoding: str


@lru_cache(maxsize=1024)
def lookup(label: str) -> str | None:
    """Return the encoding that a label names, None for no such label.

    Labels are those of the Encoding Standard, any spelling of UTF-8, and numbers of code pages.
    """
    codec = webencodings.lookup(label)
    if codec is None and (page := _CODE_PAGE.fullmatch(label)):
        codec = webencodings.lookup(_CODE_PAGES.get(page[1], f"cp{page[1]}"))
    if codec is None and _UTF_8.match(label):
        return "utf-8"
    return None if codec is None else _SUBSTITUTES.get(codec.name, codec.name)


def declared(body: bytes) -> str | None:
    """Return the encoding that the page names in a meta element, else in an XML declaration."""
    head = body[:_PRESCAN_BYTES]
    declarations = chain(_META_CHARSET.finditer(head), _XML_ENCODING.finditer(head))
    return _first_of(match[1] for match in declarations)


def _first_of(labels: Iterable[bytes | None]) -> str | None:
    """Return the encoding that the first known label within a page names."""
    named = (lookup(label.decode("latin-1")) for label in labels if label)
    encoding = next(filter(None, named), None)
    # The bytes in which this ASCII text was found cannot be UTF-16.
    return "utf-8" if encoding and encoding.startswith("utf-16") else encoding


def _is_mostly_wrong(text: str) -> bool:
    wrong = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    return 2 * wrong > beyond_ascii


def to_utf8(body: bytes, charset: str | None = None) -> Decoded:
    """Decode a page.

    Undecodable bytes become U+FFFD; nothing is ever raised.

    Args:
        body: The page's original bytes, or the MHTML file of a saved page.
        charset: The label given by the HTTP header, or None.
    """
    if saved := saved_page(body):
        body, charset = saved.body, saved.charset
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
            return _unlabelled(body)
        return _decoded(body, encoding)
    if (
        encoding in _BY_CHANCE
        and len(list(islice(_CHARACTER.finditer(body), _FEW))) < _FEW
    ):
        by_label = _decoded(body, encoding)
        if "\ufffd".encode() not in by_label.utf8:
            return by_label
    return Decoded(body.replace(b"\0", b""), "utf-8")


def _unlabelled(body: bytes) -> Decoded:
    """Decode a page that is not UTF-8, and whose first label says nothing else."""
    late = (match[2] for match in _LATE_META_CHARSET.finditer(body))
    for encoding in (declared(body), _first_of(late)):
        if encoding not in (None, "utf-8"):
            return _decoded(body, encoding)
    encoding = guessed(body)
    if encoding is None:
        return _decoded(body, "windows-1252")
    return replace(_decoded(body, encoding), encoding=encoding + GUESSED)


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
