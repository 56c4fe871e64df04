"""Characters that no text should keep: invisible ones within words, and lone surrogates.

Invisible characters hide a word from the query that names it. A soft hyphen, a word joiner and a
byte order mark are never part of a word. Three others are, by the scripts beside them: U+200B
divides words in Thai, Lao, Khmer and Burmese; U+200C and U+200D choose the forms of letters in
Arabic, Indic and like scripts, and U+200D joins emoji. Letters and their accents written apart
(Unicode's form D) are composed, as keyboards do. Lone surrogates are what JSON can escape and UTF-8
cannot hold.

Source: Unicode Standard 15.1, sections 23.2 and 3.11.
"""

import re
from unicodedata import normalize

# First and last characters of the scripts that write U+200B between words.
DIVIDED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
)

# First and last characters of the scripts whose letters U+200C and U+200D join, and of emoji.
JOINED = (
    (0x0600, 0x109F),
    (0x1700, 0x1CFF),
    (0x20E3, 0x20E3),
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x2600, 0x27BF),
    (0x2B00, 0x2BFF),
    (0xA800, 0xA95F),
    (0xA980, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE0F, 0xFE0F),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x11FFF),
    (0x1E900, 0x1E95F),
    (0x1F000, 0x1FAFF),
    (0xE0020, 0xE007F),
)

NEVER_SHOWN = "\u00ad\u2060\ufeff"
DIVIDERS = "\u200b"
JOINERS = "\u200c\u200d"

# Characters that are composed with a letter before them: accents, Hangul, and Japanese voicing.
COMPOSING = ((0x0300, 0x036F), (0x0653, 0x0655), (0x1100, 0x11FF), (0x3099, 0x309A))


def _class(ranges: tuple[tuple[int, int], ...]) -> str:
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


_NEVER = re.compile(f"[{NEVER_SHOWN}]+")
_HELD = re.compile(f"[{DIVIDERS}{JOINERS}]")
_AMONG = re.compile(
    "|".join(
        f"(?<!{_class(ranges)})[{characters}](?!{_class(ranges)})"
        for characters, ranges in ((DIVIDERS, DIVIDED), (JOINERS, JOINED))
    )
)
_BESIDE = re.compile(_class((*DIVIDED, *JOINED)))
_COMPOSING = re.compile(_class(COMPOSING))


def as_shown(text: str) -> str:
    """Return a text without invisible characters, but for those that its script needs; composed."""
    return text if text.isascii() else composed(Visible().part(text))


def composed(text: str) -> str:
    """Return a text with its accents composed with their letters (NFC), if it has any apart."""
    if not text.isascii() and _COMPOSING.search(text):
        return normalize("NFC", text)
    return text


class Visible:
    """Takes the invisible characters out of a text that comes in parts."""

    def __init__(self) -> None:
        # The last character, if it decides on the next one or waits for it
        self._last = ""

    def part(self, text: str) -> str:
        """Return what is visible of the next part; a character may wait for the part behind."""
        if text.isascii():
            self._last = ""
            return text
        visible = _NEVER.sub("", text)
        if not visible:
            return ""
        whole = self._last + visible
        last = len(whole) - 1
        told = 0 if _HELD.match(whole) else len(self._last)
        waits_or_decides = _AMONG.match(whole, last) or _BESIDE.match(whole, last)
        self._last = whole[last] if waits_or_decides else ""
        return (_AMONG.sub("", whole) if _HELD.search(whole) else whole)[told:]


_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """Replace lone surrogates with U+FFFD."""
    try:
        text.encode()  # quicker than to look for one
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def utf8(text: str) -> bytes:
    """Encode a text as UTF-8, with U+FFFD for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return without_surrogates(text).encode()
