"""Filters on top of a cleaner: the largest content, and the main content of news.

Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
WSDM 2010, section 4.3.2. "The content block with the highest number of words" is read as
boilerpipe, the authors' code, reads it: adjacent blocks of content are fused first, for a single
block would be one paragraph.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.rules import TEXTS, Filter
from boilersweep.pages.columns import BlockColumns, BoolArray, IntArray
from boilersweep.pages.words import has_unspaced

# Dropped blocks between two fused ones, at most, as boilerpipe's two fusions come to; they stay
# dropped.
BRIDGED = 2

# A block solely of one of these, digits and punctuation aside, begins the comments. The paper has
# 11 such strings and prints one, "User comments:"; the others are common practice.
COMMENTS = frozenset(
    {
        "comments",
        "user comments",
        "reader comments",
        "readers comments",
        "your comments",
        "post a comment",
        "add a comment",
        "leave a comment",
        "leave a reply",
        "have your say",
        "discuss this article",
    }
)

# Kept words above a block of `COMMENTS` for it to count: one at the top is a link to them.
WORDS_BEFORE_COMMENTS = 60

_SEPARATORS = re.compile(r"\s+[-\u2013\u2014:/]+\s+|\s*[|»«·]+\s*|:\s+")
_MOST_COMMENT_WORDS = max(len(marker.split()) for marker in COMMENTS) + 2


@dataclass(frozen=True, slots=True)
class LargestContent(Filter):
    """Keeps, of what a cleaner keeps, the fused block with the most words; the first of equals."""

    name = "largest-content"
    summary = "of what a cleaner keeps the largest piece"
    source = "Kohlschütter et al. 2010, section 4.3.2"

    def mask(self, columns: BlockColumns) -> BoolArray:
        return largest(self.cleaner.mask(columns), columns)


@dataclass(frozen=True, slots=True)
class MainContent(Filter):
    """Keeps the largest content between the page's title and the comments.

    The title is the first block that has the words of the TITLE element, or of its longest part
    between separators such as | and -, if half of the words that the cleaner keeps come below it:
    the name of the site is often a part of the title, too. The comments begin at the first block
    of `COMMENTS` below the title and `WORDS_BEFORE_COMMENTS` kept words.
    """

    name = "main-content"
    summary = "the largest piece, between title and comments"
    source = "Kohlschütter et al. 2010, section 4.3.2"
    own_needs = TEXTS

    def mask(self, columns: BlockColumns) -> BoolArray:
        mask = self.cleaner.mask(columns).copy()
        for title, (begin, end) in zip(
            columns.titles, pairwise(columns.starts.tolist()), strict=True
        ):
            top = _title_place(title, columns, mask, begin, end)
            mask[begin:top] = False
            mask[_comments_place(columns, mask, top, end) : end] = False
        return largest(mask, columns)


def largest(mask: BoolArray, columns: BlockColumns) -> BoolArray:
    """Return (m,) of the blocks in a mask, each document's fused block with the most words."""
    kept = np.flatnonzero(mask)
    owners = columns.owners[kept]
    begins = (np.diff(owners, prepend=-1) > 0) | (
        np.diff(kept, prepend=0) > BRIDGED + 1
    )
    fused = np.cumsum(begins, dtype=np.int64)
    words = np.bincount(fused, columns.words[kept])[fused]
    result = np.zeros_like(mask)
    result[kept[fused == heaviest(fused, words, owners)]] = True
    return result


def heaviest(groups: IntArray, weights: NDArray[Any], owners: IntArray) -> IntArray:
    """Return (k,) the heaviest group of each row's document, the first of equals.

    Args:
        groups: (k,) The group of each row.
        weights: (k,) The weight of that group.
        owners: (k,) The document of each row, ascending.
    """
    order = np.lexsort((-weights, owners))
    _, first, places = np.unique(owners, return_index=True, return_inverse=True)
    return groups[order[first]][places]


def title_parts(title: str) -> set[str]:
    """Return the normalised title, and its longest part (the first of equally long ones)."""
    parts = [_normal(part) for part in _SEPARATORS.split(title)]
    return {_normal(title), max(parts, key=_size)} - {""}


def _size(part: str) -> int:
    """Return a part's length: its words, in a script without spaces its characters."""
    return len(part) if has_unspaced(part) else len(part.split())


def _normal(text: str) -> str:
    """Return the words of a text in lower case, without punctuation around and in them."""
    words = ("".join(filter(str.isalnum, token)) for token in text.casefold().split())
    return " ".join(word for word in words if word)


def _title_place(
    title: str, columns: BlockColumns, mask: BoolArray, begin: int, end: int
) -> int:
    """Return the number of the block that is the page's title; `begin` if none is."""
    wanted = title_parts(title)
    words = columns.words[begin:end]
    kept = words * mask[begin:end]
    below = np.cumsum(kept[::-1])[::-1]
    # A word of a block is a token with a letter or digit, just what `_normal` leaves; in scripts
    # without spaces a word has at least a character of that.
    may_be = np.isin(words, [len(part.split()) for part in wanted])
    may_be |= words <= max(
        (len(part) for part in wanted if has_unspaced(part)), default=0
    )
    for place in (np.flatnonzero(may_be & (2 * below >= kept.sum())) + begin).tolist():
        if _normal(columns.texts[place]) in wanted:
            return place
    return begin


def _comments_place(
    columns: BlockColumns, mask: BoolArray, begin: int, end: int
) -> int:
    """Return the number of the block at which the comments begin; `end` if there are none."""
    words = columns.words[begin:end]
    above = np.cumsum(words * mask[begin:end])
    may_be = (above >= WORDS_BEFORE_COMMENTS) & (words <= _MOST_COMMENT_WORDS)
    for place in (np.flatnonzero(may_be) + begin).tolist():
        tokens = _normal(columns.texts[place]).split()
        if " ".join(token for token in tokens if not token.isdigit()) in COMMENTS:
            return place
    return end
