"""The encoding of a page that names none, where its bytes or its language leave no doubt.

Detectors that always answer take English pages for Central European ones. Here a page stays
windows-1252 unless its text, read in another encoding, has as many of the most frequent characters
of that encoding's languages as their texts have, and one of these is true: the encoding is one of
byte sequences, which are valid; the page declares one of the languages; or more than a third of its
letters are beyond ASCII, as in other alphabets.
"""

import re
from dataclasses import dataclass

import webencodings

from boilersweep.pages.language import declared_language

_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style|textarea)(?=[\s>/]).*?(?:</\1|\Z)|<[^<>]*>?",
    re.IGNORECASE | re.DOTALL,
)
_SAMPLE_BYTES = 2**18
_LETTERS = re.compile(rb"[A-Za-z]")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
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


def _frequent(text: bytes, encoding: str, group: _Group) -> float:
    """Return the share of frequent characters of all; 0 for a text in another encoding."""
    codec = webencodings.lookup(encoding)
    decoded = codec.codec_info.decode(text, "replace")[0] if codec else ""
    beyond = [one for one in decoded if one > "\x7f"]
    wrong = sum(one == "\ufffd" or one < "\xa0" for one in beyond)
    if wrong > max(1, _MOST_WRONG * len(beyond)):
        return 0.0
    frequent = sum(one in group.frequent for one in beyond)
    letters = sum(map(str.isalpha, beyond))
    fits = frequent >= group.share * max(letters, 1)
    return frequent / len(beyond) / group.share if fits else 0.0
