"""Counts of what a pattern finds in blocks: dates and times, e-mail addresses, URLs, hashtags."""

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from boilersweep.columns import IntArray

_NUMERIC = (
    r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b)?",  # 10:30, 10:30:15, 10:30 pm
    r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}",  # 1/2/2008, 2008-01-02, 1.2.2008
    r"\d{1,2} ?[ap]\.?m\b",  # 5pm, 5 p.m.
    r"(?:19|20)\d\d",  # a year
)
_NAMES = (
    "January February March April May June July August September October November December "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
)
_ZONES = "GMT UTC EST EDT CST CDT MST MDT PST PDT BST CET CEST IST AEST SAST".split()
_WRITTEN = sorted(
    {form for n in [*_NAMES, "Sept"] for form in (n, n[:3], n.upper(), n[:3].upper())} | {*_ZONES},
    key=lambda form: (-len(form), form),
)
DATE_OR_TIME = re.compile(rf"(?<![\w/.:-])(?:{'|'.join(chain(_NUMERIC, _WRITTEN))})(?!\w)")
"""A part of a date or time: a year, a numeric date, a time of day, the English name or
abbreviation of a month, a weekday or a time zone."""

EMAIL = re.compile(r"[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
URL = re.compile(r"\b(?:https?://|ftp://|www\.)[^\s<>\"']+", re.IGNORECASE)
HASHTAG = re.compile(r"(?<![\w&/#])#\w*[^\W\d]\w*")


def count_matches(pattern: re.Pattern[str], texts: Sequence[str]) -> IntArray:
    """(m,) how often a pattern, one that matches no line break, is found in each text."""
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    found = pattern.finditer("\n".join(texts))
    places = np.fromiter((match.start() for match in found), np.int64)
    return np.diff(np.searchsorted(places, ends), prepend=0)
