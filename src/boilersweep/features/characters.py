"""Counts in blocks, for all of a shard at once: characters, words by their letters, and patterns.

Texts are joined and looked up in one table of character classes; a block's counts are sums over its
piece of the result. Patterns find dates and times, e-mail addresses, URLs and hashtags.
"""

# ruff: noqa: RUF001 (marks of other scripts look like ours)

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import BoolArray, IntArray

ClassArray = NDArray[np.uint16]

SPACE = 1 << 0
LETTER = 1 << 1
UPPER = 1 << 2
LOWER = 1 << 3
DIGIT = 1 << 4
PUNCTUATION = 1 << 5
SENTENCE_END = 1 << 6
FULL_STOP = 1 << 7
COMMA = 1 << 8
BAR = 1 << 9
SEPARATOR = 1 << 10
COPYRIGHT = 1 << 11
CURRENCY = 1 << 12
QUESTION = 1 << 13
AT = 1 << 14
COLON = 1 << 15
WORD = LETTER | DIGIT

_MARKS = {
    SENTENCE_END: ".!?;…。！？；｡؟؛۔।॥",
    FULL_STOP: ".。｡．۔।",
    COMMA: ",，、،",
    BAR: "|｜¦",
    SEPARATOR: "|｜¦·•‣›»‹«>→←/\\–—",
    COPYRIGHT: "©",
    QUESTION: "?？؟",
    AT: "@＠",
    COLON: ":：",
}
_BITS_OF_MARKS = {
    mark: sum(bit for bit, marks in _MARKS.items() if mark in marks)
    for mark in "".join(_MARKS.values())
}
_MARKED = UPPER | DIGIT | PUNCTUATION | CURRENCY | sum(_MARKS)
_BMP = 0x10000
# Characters looked up at a time: their classes stay in the processor's cache
_CHUNK = 1 << 19


def count_characters(texts: Sequence[str]) -> dict[str, IntArray]:
    """Count the characters of some texts, which may contain lone surrogates.

    Returns:
        Name -> (m,) what is in each text, a count unless it says otherwise.

        characters: Code points, white space included.
        letters: Alphabetic characters.
        uppercase: Letters of that case.
        digits: Digits and other numerals.
        punctuation: Unicode's punctuation and symbols (categories P and S).
        full_stops, bars, copyright: Marks of that kind.
        word_characters: Characters of words, white-space tokens with a letter or digit.
        capitalised: Words whose first character is uppercase.
        all_caps: Words with an uppercase and without a lowercase letter.
        sentences: Pieces with a word that sentence ends cut a block into: runs of .!?; (or of
            another script's) with no letter or digit behind them.
        last: The classes, as an or of this module's bits, of the last character that is no white
            space; 0 where there is none.
    """
    if not len(texts):
        return {name: counts[:0] for name, counts in count_characters([""]).items()}
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    parts = [
        _count(texts[begin:end], lengths[begin:end])
        for begin, end in _chunks(lengths, _CHUNK)
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def class_of(character: str) -> int:
    """Return the classes of a character, as an or of this module's bits."""
    if character.isspace():
        return SPACE
    category = unicodedata.category(character)
    bits = 0
    if character.isalpha():
        bits |= LETTER
        bits |= UPPER if character.isupper() else LOWER if character.islower() else 0
    elif character.isalnum():
        bits |= DIGIT
    elif category[0] in "PS":
        bits |= PUNCTUATION
    if category == "Sc":
        bits |= CURRENCY
    return bits | _BITS_OF_MARKS.get(character, 0)


@cache
def bmp_classes() -> ClassArray:
    """Return the classes of the characters up to U+FFFF."""
    return np.fromiter(map(class_of, map(chr, range(_BMP))), np.uint16, _BMP)


def classes_of(text: str) -> ClassArray:
    """Return the classes of every character of a text."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    table = bmp_classes()
    if not len(points) or points.max() < _BMP:
        return table[points]
    classes = table[np.minimum(points, _BMP - 1)]
    beyond = points >= _BMP
    distinct, places = np.unique(points[beyond], return_inverse=True)
    found = np.array(
        [class_of(chr(point)) for point in distinct.tolist()], dtype=np.uint16
    )
    classes[beyond] = found[places]
    return classes


def _chunks(lengths: IntArray, size: int) -> list[tuple[int, int]]:
    """Ranges of texts, of which there is one, with about `size` characters each."""
    ends = np.cumsum(lengths)
    cuts = np.searchsorted(ends, np.arange(size, int(ends[-1]), size)) + 1
    borders = np.unique(np.concatenate([[0], cuts, [len(lengths)]])).tolist()
    return list(pairwise(borders))


def _count(texts: Sequence[str], lengths: IntArray) -> dict[str, IntArray]:
    # A space behind every text: no piece is empty, and every word ends within its own.
    classes = classes_of(" ".join(chain(texts, ("",))))
    ends = np.cumsum(lengths + 1)
    starts = ends - lengths - 1

    def total(mask: BoolArray) -> IntArray:
        return np.add.reduceat(mask, starts, dtype=np.int64)

    marked = np.flatnonzero(classes & _MARKED)
    marks = classes[marked]

    def rare(bit: int) -> IntArray:
        places = marked[(marks & bit) != 0]
        return np.diff(np.searchsorted(places, ends), prepend=0)

    end_places = marked[(marks & SENTENCE_END) != 0]
    end_places = end_places[(classes[end_places + 1] & (WORD | SENTENCE_END)) == 0]
    return {
        "characters": lengths,
        "letters": total((classes & LETTER) != 0),
        "uppercase": rare(UPPER),
        "digits": rare(DIGIT),
        "punctuation": rare(PUNCTUATION),
        "full_stops": rare(FULL_STOP),
        "bars": rare(BAR),
        "copyright": rare(COPYRIGHT),
        **_token_columns(classes, starts, ends, end_places),
    }


def _token_columns(
    classes: ClassArray, starts: IntArray, ends: IntArray, sentence_ends: IntArray
) -> dict[str, IntArray]:
    """Count tokens, in texts with a space behind each.

    Args:
        classes: (c,) The classes of the characters of all texts.
        starts: (n,) Where the texts begin.
        ends: (n,) Where they end, behind the space.
        sentence_ends: Where sentences end.

    Returns:
        (n,) counts by their names, as `count_characters` has them.
    """
    is_space = (classes & SPACE) != 0
    token_starts = np.flatnonzero(~is_space & np.concatenate([[True], is_space[:-1]]))
    if len(token_starts):
        token_ends = np.flatnonzero(
            is_space & np.concatenate([[False], ~is_space[:-1]])
        )
        within = np.bitwise_or.reduceat(classes, token_starts)
    else:
        token_ends, within = token_starts, np.zeros(0, dtype=np.uint16)
    owners = np.searchsorted(ends, token_starts, side="right")
    first_token = np.searchsorted(token_starts, starts)
    last_token = np.searchsorted(token_starts, ends) - 1
    has_token = last_token >= first_token
    count = len(starts)

    def tokens(mask: BoolArray) -> IntArray:
        return np.bincount(owners[mask], minlength=count)

    is_word = (within & WORD) != 0
    sizes = (token_ends - token_starts)[is_word]
    last = np.zeros(count, dtype=np.int64)
    last[has_token] = classes[token_ends[last_token[has_token]] - 1]
    characters = np.bincount(owners[is_word], weights=sizes, minlength=count)
    return {
        "word_characters": characters.astype(np.int64),
        "capitalised": tokens(is_word & ((classes[token_starts] & UPPER) != 0)),
        "all_caps": tokens((within & (UPPER | LOWER)) == UPPER),
        "sentences": _sentences(
            token_starts[is_word], owners[is_word], sentence_ends, count
        ),
        "last": last,
    }


def _sentences(
    words: IntArray, owners: IntArray, ends: IntArray, count: int
) -> IntArray:
    """(count,) sentences with a word: a word opens one that is not in the one before it.

    Args:
        count: The number of texts.
        words: Places where words begin.
        owners: Their texts.
        ends: Places of the sentence ends.
    """
    sentence = np.searchsorted(ends, words)
    opens = np.ones(len(words), dtype=bool)
    opens[1:] = (np.diff(sentence) != 0) | (np.diff(owners) != 0)
    return np.bincount(owners[opens], minlength=count)


_NUMERIC = (  # what follows the first digit
    r"[0-9]?:[0-9]{2}(?::[0-9]{2})?(?: ?[ap]\.?m\b)?",  # 10:30, 10:30:15, 10:30 pm
    r"[0-9]{0,3}([/.-])[0-9]{1,2}\1[0-9]{1,4}",  # 1/2/2008, 2008-01-02, 1.2.2008
    r"[0-9]? ?[ap]\.?m\b",  # 5pm, 5 p.m.
    r"(?:(?<=1)9|(?<=2)0)[0-9]{2}",  # a year
)
_NAMES = (
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_ZONES = "GMT UTC EST EDT CST CDT MST MDT PST PDT BST CET CEST IST AEST SAST".split()
_WRITTEN = sorted(
    {form for n in [*_NAMES, "Sept"] for form in (n, n[:3], n.upper(), n[:3].upper())}
    | {*_ZONES},
    key=lambda form: (-len(form), form),
)
# A set of first characters at the very beginning lets the search skip over all others.
_FIRST = "".join(sorted({form[0] for form in _WRITTEN}))
_REST = "|".join(
    (
        rf"(?<=[0-9])(?:{'|'.join(_NUMERIC)})",
        *(f"(?<={form[0]}){form[1:]}" for form in _WRITTEN),
    )
)
# A part of a date or time: a year, a numeric date, a time of day, the English name or
# abbreviation of a month, a weekday or a time zone.
DATE_OR_TIME = re.compile(rf"[0-9{_FIRST}](?<![\w/.:-].)(?:{_REST})(?!\w)")

EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
URL = re.compile(
    r"\b(?:(?:[Hh][Tt][Tt][Pp][Ss]?|[Ff][Tt][Pp])://|www\.|WWW\.)[^\s<>\"']+"
)
HASHTAG = re.compile(r"(?<![\w&/#])#\w*[^\W\d]\w*")
# No match without one of these
_SIGNS = {EMAIL: ("@",), URL: ("://", "www.", "WWW."), HASHTAG: ("#",)}


def count_matches(pattern: re.Pattern[str], texts: Sequence[str]) -> IntArray:
    """(m,) how often a pattern, one that matches no line break, is found in each text."""
    counts = np.zeros(len(texts), dtype=np.int64)
    rows: Sequence[int] = range(len(texts))
    if marks := _SIGNS.get(pattern):
        rows = [
            n for n, text in enumerate(texts) if any(mark in text for mark in marks)
        ]
    chosen = [texts[row] for row in rows]
    ends = np.cumsum(np.fromiter(map(len, chosen), np.int64, len(chosen)) + 1)
    matches = pattern.finditer("\n".join(chosen))
    places = np.fromiter((match.start() for match in matches), np.int64)
    counts[rows] = np.diff(np.searchsorted(places, ends), prepend=0)
    return counts
