"""Counts of what a pattern finds in blocks: dates and times, e-mail addresses, URLs, hashtags."""

import re
from collections.abc import Sequence

import numpy as np

from boilersweep.pages.columns import IntArray

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
_MARKS = {EMAIL: ("@",), URL: ("://", "www.", "WWW."), HASHTAG: ("#",)}


def count_matches(pattern: re.Pattern[str], texts: Sequence[str]) -> IntArray:
    """(m,) how often a pattern, one that matches no line break, is found in each text."""
    counts = np.zeros(len(texts), dtype=np.int64)
    rows: Sequence[int] = range(len(texts))
    if marks := _MARKS.get(pattern):
        rows = [
            n for n, text in enumerate(texts) if any(mark in text for mark in marks)
        ]
    chosen = [texts[row] for row in rows]
    ends = np.cumsum(np.fromiter(map(len, chosen), np.int64, len(chosen)) + 1)
    found = pattern.finditer("\n".join(chosen))
    places = np.fromiter((match.start() for match in found), np.int64)
    counts[rows] = np.diff(np.searchsorted(places, ends), prepend=0)
    return counts
