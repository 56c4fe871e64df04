"""What a word is, in every script, and how words fill the lines of text density.

Where a script has spaces a word is a token of a letter or digit between them. Han, Hiragana,
Katakana, Thai, Lao, Khmer and Burmese have none: their stretches of a text are cut by ICU, with
UAX #29 and its dictionaries, and what is between them is a token as everywhere. So a text
without such a stretch is counted as the paper does.

ICU comes with icu4py, an extra. Without it a stretch has a word for every `WORD_WIDTH` columns.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

# w_max of Equation 1, in columns; a character of a script with spaces takes one.
LINE_WIDTH = 80

# Columns of a word with what is attached to it: an English one, on the average of 1,000 sentences
# of news and encyclopedias, and so one of a script without spaces.
WORD_WIDTH = 5

# What `dictionary` says where there is none.
ESTIMATED = "none, estimated by length"

# Columns that a character takes -> first and last characters of the scripts without spaces.
#
# ICU's words have 1.6 to 1.8 characters in Chinese and Japanese, about 4 in Thai and Lao, 5 in
# Khmer and Burmese: so many of them take the columns of an English word.
_UNSPACED = {
    1.25: ("\u0e01\u0e3a", "\u0e40\u0e4e", "\u0e50\u0e59", "\u0e81\u0eff"),  # Thai, Lao
    1.0: (
        # Burmese
        "\u1000\u1049",
        "\u104c\u109f",
        "\ua9e0\ua9fe",
        "\uaa60\uaa7f",
        # Khmer
        "\u1780\u17d3",
        "\u17d7\u17d7",
        "\u17dc\u17dd",
        "\u17e0\u17e9",
    ),
    3.0: (
        # Hiragana, Katakana
        "\u3041\u309f",
        "\u30a1\u30fa",
        "\u30fc\u30ff",
        "\u31f0\u31ff",
        "\uff66\uff9f",
        "\U0001aff0\U0001b16f",
        # Han
        "\u2e80\u2fd5",
        "\u3005\u3007",
        "\u3021\u3029",
        "\u3038\u303b",
        "\u3400\u4dbf",
        "\u4e00\u9fff",
        "\uf900\ufaff",
        "\U00020000\U0003ffff",
    ),
}

# First and last code points of the characters of scripts without spaces.
UNSPACED = tuple(
    sorted(
        (ord(ends[0]), ord(ends[1])) for ends in chain.from_iterable(_UNSPACED.values())
    )
)

# Han, Hiragana and Katakana: a line break between two of them is no space.
UNBROKEN = tuple((ord(ends[0]), ord(ends[1])) for ends in _UNSPACED[3.0])


def _class(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


# The same characters, as a regular expression has them between brackets.
UNSPACED_CLASS = _class(UNSPACED)
UNBROKEN_CLASS = _class(UNBROKEN)

_ONE = re.compile(f"[{UNSPACED_CLASS}]")
_GAP = re.compile(rf"(?<=[{UNBROKEN_CLASS}])[\t-\r\x1c- ]+(?=[{UNBROKEN_CLASS}])")
_LINE_ENDS = frozenset("\n\r")
# Joiners and variation selectors belong to the character of such a script before them.
_FOLLOWING = ((0x200C, 0x200D), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))

_TOKEN = re.compile(r"\S+")
_LETTERS = re.compile(r"\w+")
_SPACE, _SPACED, _STRETCH = 0, 1, 2  # what a character is part of
_FOLLOWS = 3
_BMP = 0x10000

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
KindArray = NDArray[np.uint8]
WidthArray = NDArray[np.float64]


def is_word(token: str) -> bool:
    """Whether a token without white space has at least one letter or digit."""
    return token.isalnum() or any(map(str.isalnum, token))


def gaps_in_words(text: str) -> list[tuple[int, int]]:
    """Return where white space of ASCII with a line break parts Chinese or Japanese letters.

    Source: CSS Text Module Level 4, section 4.3.1, on segment breaks.
    """
    if text.isascii():
        return []
    return [
        gap.span() for gap in _GAP.finditer(text) if not _LINE_ENDS.isdisjoint(gap[0])
    ]


def has_unspaced(text: str) -> bool:
    """Whether a character of a script without spaces is in a text."""
    return not text.isascii() and _ONE.search(text) is not None


def is_unspaced(codes: NDArray[np.uint32]) -> BoolArray:
    """(c,) whether characters, given as code points, are of a script without spaces."""
    mask: BoolArray = _looked_up(codes)[0] == _STRETCH
    return mask


def mean_columns(text: str) -> float:
    """Columns that a letter or digit of a text takes on the average: 1 in scripts with spaces."""
    if not has_unspaced(text):
        return 1.0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    _, is_alnum, widths = _looked_up(codes)
    return float(widths[is_alnum].mean()) if is_alnum.any() else 1.0


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text begin and end, in its order."""
    if not has_unspaced(text):
        return [token.span() for token in _TOKEN.finditer(text) if is_word(token[0])]
    cut = _cut(text)
    return list(
        zip(
            cut.starts[cut.is_word].tolist(),
            cut.ends[cut.is_word].tolist(),
            strict=True,
        )
    )


def count_words(text: str) -> int:
    """How many words a text has."""
    return (
        len(word_spans(text)) if has_unspaced(text) else sum(map(is_word, text.split()))
    )


def tokens(text: str) -> list[str]:
    """Return what is between white space; of a token with a script without spaces, its words."""
    if not has_unspaced(text):
        return text.split()
    cut = _cut(text)
    begins_token = np.diff(cut.starts, prepend=-1) != 0
    begins_token[1:] &= cut.starts[1:] != cut.ends[:-1]
    token = np.cumsum(begins_token) - 1
    has_stretch = np.bincount(token[cut.kinds == _STRETCH], minlength=len(token)) > 0
    return cut.texts(cut.is_word | ~has_stretch[token])


def letter_runs(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores; of a script without spaces, its words."""
    if not has_unspaced(text):
        return _LETTERS.findall(text)
    cut = _cut(text, only_letters=True)
    return cut.texts(cut.is_word | (cut.kinds == _SPACED))


def text_density(text: str, words: int) -> float:
    """Text density of a block without such a script (Equation 1 with w_max = 80).

    Words on all lines but the last, divided by the number of those lines; the number of words where
    there is one line. A word longer than a line has a line of its own.

    Args:
        text: The block's words joined by single spaces.
        words: The number of words, at least 1.
    """
    lines = 0
    start = 0
    length = len(text)
    while length - start > LINE_WIDTH:
        end = text.rfind(" ", start, start + LINE_WIDTH + 1)
        if end < 0:
            end = text.find(" ", start + LINE_WIDTH + 1)
            if end < 0:
                break
        lines += 1
        start = end + 1
    if lines == 0:
        return float(words)
    return (words - text.count(" ", start) - 1) / lines


def measured(
    texts: Sequence[str], borders: Sequence[Sequence[int]]
) -> tuple[list[int], list[float], list[int]]:
    """Count words, text density and words in links of blocks with a script without spaces.

    Lines are those of `text_density`, of words that are as wide as their characters.

    Args:
        texts: With a letter or digit, white space folded.
        borders: Of each text, where linked text begins and ends in it, in turn; a word is linked if
            a part of it is.
    """
    lengths = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    starts = np.concatenate([[0], np.cumsum(lengths)])
    cut = _cut("\n".join(texts))
    first, last = cut.starts[cut.is_word], cut.ends[cut.is_word]
    owners = np.searchsorted(starts, first, side="right") - 1
    words = np.bincount(owners, minlength=len(texts))
    columns = np.concatenate([[0.0], np.cumsum(cut.widths)])
    # Every word has a space behind it
    ends = np.cumsum(columns[last] - columns[first] + 1).tolist()
    words_before = np.concatenate([[0], np.cumsum(words)]).tolist()
    density = [_density(ends, here, there) for here, there in pairwise(words_before)]
    if not any(borders):
        return words.tolist(), density, [0] * len(texts)
    linked = _linked_before(starts, borders)
    is_linked = linked[last] > linked[first]
    links = np.bincount(owners[is_linked], minlength=len(texts))
    return words.tolist(), density, links.tolist()


def _density(ends: list[float], first: int, last: int) -> float:
    """Compute the text density of the words from `first` to `last`.

    Args:
        first: The number of the first word.
        last: The number behind the last word.
        ends: Where words end, laid in a row.
    """
    begin = ends[first - 1] if first else 0.0
    lines = 0
    at = first
    while ends[last - 1] - begin > LINE_WIDTH + 1:
        following = max(bisect_right(ends, begin + LINE_WIDTH + 1, at, last), at + 1)
        if following == last:
            break
        lines += 1
        at = following
        begin = ends[at - 1]
    return (at - first) / lines if lines else float(last - first)


def _linked_before(starts: IntArray, borders: Sequence[Sequence[int]]) -> IntArray:
    """Count the linked characters before each character.

    Args:
        borders: Where linked text begins and ends in each text, in turn.
        starts: Of the texts in all characters.
    """
    changes = np.zeros(int(starts[-1]) + 2, dtype=np.int64)
    for start, end, places in zip(starts[:-1], starts[1:], borders, strict=True):
        for index, place in enumerate(
            [*places, end - start] if len(places) % 2 else places
        ):
            changes[start + place + 1] += -1 if index % 2 else 1
    return np.cumsum(np.cumsum(changes))


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """A text of c characters in p pieces: words, what is none, and white space left out.

    Attributes:
        widths: (c,) columns.
        starts, ends: (p,) in characters.
        kinds: (p,) _SPACED or _STRETCH.
        is_word: (p,) with a letter or digit.
    """

    text: str
    widths: WidthArray
    starts: IntArray
    ends: IntArray
    kinds: KindArray
    is_word: BoolArray

    def texts(self, keep: BoolArray) -> list[str]:
        spans = zip(self.starts[keep].tolist(), self.ends[keep].tolist(), strict=True)
        return [self.text[start:end] for start, end in spans]


def _cut(text: str, *, only_letters: bool = False) -> _Cut:
    """Cut a text that is not empty into pieces.

    Args:
        text: The text.
        only_letters: What is between runs of letters, digits and underscores is white space, too.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds, is_alnum, widths = _looked_up(codes)
    for place in np.flatnonzero(kinds == _FOLLOWS).tolist():
        kinds[place] = _STRETCH if place and kinds[place - 1] == _STRETCH else _SPACED
    if only_letters:
        kinds[(kinds == _SPACED) & ~is_alnum & (codes != ord("_"))] = _SPACE
    begins = np.ones(len(codes), dtype=bool)
    begins[1:] = kinds[1:] != kinds[:-1]
    is_stretch = kinds == _STRETCH
    if is_stretch.any():
        cut = (
            _by_width(widths, is_stretch)
            if _breaker() is None
            else _by_icu(codes, is_stretch)
        )
        begins |= cut
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], len(codes))
    is_word = np.logical_or.reduceat(is_alnum, starts)
    shown = kinds[starts] != _SPACE
    starts, ends = starts[shown], ends[shown]
    return _Cut(text, widths, starts, ends, kinds[starts], is_word[shown])


def _by_icu(codes: NDArray[np.uint32], is_stretch: BoolArray) -> BoolArray:
    """(c,) True where ICU has a piece begin within the stretches, and elsewhere as it comes."""
    behind = np.zeros(len(codes), dtype=bool)
    behind[1:] = is_stretch[:-1] & ~is_stretch[1:]
    places = np.flatnonzero(is_stretch | behind)
    shown = np.where(is_stretch[places], codes[places], ord("\n"))
    breaker = _breaker()(shown.astype("<u4").tobytes().decode("utf-32-le"), "root")
    borders = np.fromiter(chain.from_iterable(breaker.segments()), np.int64)[::2]
    if shown.max() >= _BMP:  # two units of UTF-16
        units = np.cumsum(1 + (shown >= _BMP)) - 1 - (shown >= _BMP)
        borders = np.searchsorted(units, borders)
    begins = np.zeros(len(codes), dtype=bool)
    begins[places[borders]] = True
    return begins & is_stretch


def _by_width(columns: WidthArray, is_stretch: BoolArray) -> BoolArray:
    """(c,) True where a stretch begins or is as wide as some more words of `WORD_WIDTH`."""
    widths = columns * is_stretch
    first = np.flatnonzero(is_stretch & ~np.concatenate([[False], is_stretch[:-1]]))
    before = np.cumsum(widths) - widths
    stretch = np.maximum(
        np.searchsorted(first, np.arange(len(widths)), side="right") - 1, 0
    )
    whole = np.add.reduceat(widths, first)
    words = np.maximum(np.round(whole / WORD_WIDTH), 1)
    number = (before - before[first][stretch]) * words[stretch] // whole[stretch]
    begins = np.ones(len(widths), dtype=bool)
    begins[1:] = (number[1:] != number[:-1]) | (stretch[1:] != stretch[:-1])
    return begins & is_stretch


def _looked_up(codes: NDArray[np.uint32]) -> tuple[KindArray, BoolArray, WidthArray]:
    """(c,) each: kinds, whether it is a letter or digit, and columns of some characters."""
    if codes.max() < _BMP:
        kinds, is_alnum, widths = _table()
        return kinds[codes], is_alnum[codes], widths[codes]
    distinct, places = np.unique(codes, return_inverse=True)
    kinds, is_alnum, widths = _described(distinct)
    return kinds[places], is_alnum[places], widths[places]


@cache
def _table() -> tuple[KindArray, BoolArray, WidthArray]:
    return _described(np.arange(_BMP, dtype=np.uint32))


def _described(codes: NDArray[np.uint32]) -> tuple[KindArray, BoolArray, WidthArray]:
    characters = list(map(chr, codes.tolist()))
    is_alnum = np.fromiter(map(str.isalnum, characters), bool, len(codes))
    is_space = np.fromiter(map(str.isspace, characters), bool, len(codes))
    kinds = np.where(is_space, _SPACE, _SPACED).astype(np.uint8)
    widths = np.ones(len(codes))
    for first, last in _FOLLOWING:
        kinds[(codes >= first) & (codes <= last)] = _FOLLOWS
    for columns, ranges in _UNSPACED.items():
        for ends in ranges:
            within = (codes >= ord(ends[0])) & (codes <= ord(ends[1]))
            kinds[within] = _STRETCH
            widths[within] = columns
    return kinds, is_alnum, widths


@cache
def _breaker() -> Any:
    """ICU's breaker of words, None where icu4py is not installed."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return WordBreaker


def dictionary() -> str:
    """Name what cuts scripts without spaces into words, with its version."""
    if _breaker() is None:
        return ESTIMATED
    from importlib.metadata import version

    from icu4py import icu_version

    return f"ICU {icu_version} in icu4py {version('icu4py')}"
