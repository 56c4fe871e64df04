"""Characters that no text should keep: those that are never shown, and lone surrogates.

Characters that nobody sees hide a word from the query that names it: soft hyphens, marks of
direction, joiners, fillers, selectors of variants. They are Unicode's Default_Ignorable_Code_Point.
Some decide how others are read, beside which they stay: U+200B divides words in Thai, Lao, Khmer
and Burmese; U+200C and U+200D choose the forms of letters in Arabic, Indic and like scripts;
U+200D, the two selectors of emoji, and tags behind a black flag make emoji of several characters.
Letters and their accents written apart (Unicode's form D) are composed, as keyboards do. Lone
surrogates are what JSON can escape and UTF-8 cannot hold.

Source: Unicode Standard 15.1, sections 3.11 and 23.2; DerivedCoreProperties.txt; UTS #51.
"""

import re
from unicodedata import normalize

Ranges = tuple[tuple[int, int], ...]

# First and last characters of Default_Ignorable_Code_Point, but for those below.
NEVER_SHOWN: Ranges = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200E, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0D),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE001F),
    (0xE0080, 0xE0FFF),
)

# Shown beside characters of scripts that divide words by them.
DIVIDERS = "\u200b"
DIVIDED: Ranges = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
)

# Shown beside emoji.
SELECTORS = "\ufe0e\ufe0f"
EMOJI: Ranges = (
    (0x00A9, 0x00A9),
    (0x00AE, 0x00AE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x20E3, 0x20E3),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x24C2, 0x24C2),
    (0x25A0, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3299),
    (0x1F000, 0x1FAFF),
)

# Shown beside emoji, and beside characters of scripts whose letters they join.
JOINERS = "\u200c\u200d"
JOINED: Ranges = (
    *EMOJI,
    (0x0600, 0x109F),
    (0x1700, 0x1CFF),
    (0xA800, 0xA95F),
    (0xA980, 0xABFF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x11FFF),
    (0x1E900, 0x1E95F),
)

# Shown behind a black flag, as in the flag of Scotland.
TAGS: Ranges = ((0xE0020, 0xE007F),)
FLAG = "\U0001f3f4"

# Characters that are composed with a letter before them: accents, Hangul, and Japanese voicing.
COMPOSING: Ranges = (
    (0x0300, 0x036F),
    (0x0653, 0x0655),
    (0x1100, 0x11FF),
    (0x3099, 0x309A),
)


def _class(ranges: Ranges) -> str:
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


_TAG = re.compile(_class(TAGS))
_NEVER = re.compile(f"{_class(NEVER_SHOWN)}+")
_TAGS_ALONE = re.compile(f"(?<!{_TAG.pattern}|{FLAG}){_TAG.pattern}+")
_HELD = re.compile(f"[{DIVIDERS}{JOINERS}{SELECTORS}]")
_AMONG = re.compile(
    "|".join(
        f"(?<!{_class(ranges)})[{characters}](?!{_class(ranges)})"
        for characters, ranges in (
            (DIVIDERS, DIVIDED),
            (JOINERS, JOINED),
            (SELECTORS, EMOJI),
        )
    )
)
_BESIDE = re.compile(_class((*DIVIDED, *JOINED, *TAGS)))
_COMPOSING = re.compile(_class(COMPOSING))


def as_shown(text: str) -> str:
    """Return a text without characters that are never shown (see the module), composed."""
    return text if text.isascii() else composed(Visible().part(text))


def composed(text: str) -> str:
    """Return a text with its accents composed with their letters (NFC), if it has any apart."""
    if not text.isascii() and _COMPOSING.search(text):
        return normalize("NFC", text)
    return text


class Visible:
    """Takes the characters that are never shown out of a text that comes in parts."""

    def __init__(self) -> None:
        # The last character, if it decides on the next one or waits for it
        self._last = ""

    def part(self, text: str) -> str:
        """Return what is visible of the next part; a character may wait for the part behind."""
        if text.isascii():
            if text:
                self._last = ""
            return text
        # The flag of a tag that came before is not repeated
        flag = FLAG if _TAG.match(self._last) else ""
        text = flag + self._last + _NEVER.sub("", text)
        whole = _TAGS_ALONE.sub("", text)[len(flag) :]
        if whole == self._last:
            return ""
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
