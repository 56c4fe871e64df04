"""Filters: largest content, main content of news, ancestor, link quota, recurrence on a site."""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.rules import CLEANER, Filter, NamedRule, Parameter
from boilersweep.errors import UsageError
from boilersweep.pages.columns import (
    RECURRENCE,
    STRUCTURE,
    TEXTS,
    BlockColumns,
    BoolArray,
    IntArray,
    Structure,
    nearest,
    recurrence_of,
    structure_of,
    subtree_ends,
)
from boilersweep.pages.page import ROOT
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
    """Keeps, of what a cleaner keeps, the fused block with the most words; the first of equals.

    Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
    WSDM 2010, section 4.3.2. "The content block with the highest number of words" is read as
    boilerpipe, the authors' code, reads it: adjacent blocks of content are fused first, for a
    single block would be one paragraph.
    """

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


# Elements that may be a paragraph.
PARAGRAPHS = frozenset(
    "div table ul ol p section article h1 h2 h3 h4 h5 h6 header body".split()
)

# The depths of the paper's Table 2; 2, grandparents, is its choice.
DEPTHS = range(1, 6)


@dataclass(frozen=True, slots=True)
class Ancestor(Filter):
    """Keeps the group of paragraphs with the most words that the cleaner kept.

    A paragraph is an element of `PARAGRAPHS` that contains no other of them; a group is all
    paragraphs with the same depth-th parent, which is the document itself if there are fewer
    parents. Of groups with equally many words the first stays. The paper leaves open what happens
    to text outside every paragraph; here the largest element around it without a paragraph counts
    as a paragraph, or the bare text, whose first parent is its own element.

    Source: Viveros-Jiménez et al., Improving the Boilerpipe Algorithm for Boilerplate Removal in
    News Articles Using HTML Tree Structure, Computación y Sistemas 22(2), 2018, section 4.

    Attributes:
        depth: A whole number from 1 to 5; another number raises UsageError.
    """

    name = "ancestor"
    parameters = (CLEANER, Parameter("DEPTH", "a number", optional=True))
    summary = "of what a cleaner keeps the paragraphs under one element"
    source = "Viveros-Jiménez et al. 2018, section 4"
    own_needs = STRUCTURE

    depth: float = 2

    def __post_init__(self) -> None:
        if self.depth not in DEPTHS:
            raise UsageError(
                f"{self.name}: expected a depth of 1, 2, 3, 4 or 5, got {self.depth:g}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        structure = structure_of(columns, self)
        kept = np.flatnonzero(self.cleaner.mask(columns))
        groups = _ancestors(structure, int(self.depth))[structure.elements[kept]]
        weights = np.bincount(groups, columns.words[kept]).astype(np.int64)[groups]
        mask = np.zeros(len(columns.words), dtype=bool)
        mask[kept[groups == heaviest(groups, weights, columns.owners[kept])]] = True
        return mask


def _ancestors(structure: Structure, depth: int) -> IntArray:
    """Return (e,) the group of a block whose innermost element is this one."""
    is_named = np.array(
        [name in PARAGRAPHS for name in structure.name_list], dtype=bool
    )
    named = is_named[structure.names]
    counts = np.concatenate([[0], np.cumsum(named)])
    own = np.arange(len(named))
    below = counts[subtree_ends(structure)] - counts[own + 1] > 0
    holder = nearest(named | below, structure.parents)
    ancestors = np.where(
        below[holder] | ~named[holder], holder, structure.parents[holder]
    )
    for _ in range(depth - 1):
        ancestors = structure.parents[ancestors]
    return ancestors


# The middle one of Gottron's quotas.
QUOTA = 0.5

# Elements that are never dropped: the filter is for lists of links within a page.
WHOLE_PAGE = frozenset({ROOT, "html", "body"})


@dataclass(frozen=True, slots=True)
class LinkQuota(NamedRule):
    """Drops every element, `WHOLE_PAGE` aside, with a larger share of linked words than the quota.

    Sources: Mantratzis, Orgun and Cassidy, Separating XHTML Content from Navigation Clutter using
    DOM-structure Block Analysis, HT 2005; Gottron, Evaluating Content Extraction on HTML Documents,
    ITA 2007, who names the filter and runs it with quotas of .25, .5 and .75. Both as they are
    commonly cited; we did not have the papers themselves.

    Attributes:
        quota: From 0 to 1; another number raises UsageError.
    """

    name = "link-quota"
    parameters = (Parameter("QUOTA", "a number", optional=True),)
    summary = "elements with at most a share of .5 of their words in links"
    source = "Mantratzis et al. 2005"
    needs = STRUCTURE

    quota: float = QUOTA

    def __post_init__(self) -> None:
        if not 0 <= self.quota <= 1:
            raise UsageError(
                f"{self.name}: expected a quota from 0 to 1, got {self.quota}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        structure = structure_of(columns, self)
        words = np.concatenate([[0], np.cumsum(columns.words)])
        links = np.concatenate([[0], np.cumsum(columns.link_words)])
        first, end = structure.first, structure.end
        may_go = np.array(
            [name not in WHOLE_PAGE for name in structure.name_list], dtype=bool
        )
        gone = (links[end] - links[first]) > self.quota * (words[end] - words[first])
        gone &= may_go[structure.names]
        covers = np.bincount(first[gone], minlength=len(words))
        covers -= np.bincount(end[gone], minlength=len(words))
        mask: BoolArray = np.cumsum(covers)[:-1] == 0
        return mask


# The default number of pages: two pages may both quote, or be versions of one.
PAGES = 3


@dataclass(frozen=True, slots=True)
class Site(Filter):
    """Drops, of what a cleaner keeps, the blocks whose text recurs on pages of their host.

    Pages with the same title count once; hosts with fewer than five are left as the cleaner has
    them. Texts must be identical, character for character, after white space is folded.

    Sources: see `boilersweep.features.recurrence`.

    Attributes:
        pages: On how many pages a text must occur to be dropped, a whole number from 2; another
            number raises UsageError.
    """

    name = "site"
    parameters = (CLEANER, Parameter("PAGES", "a number", optional=True))
    summary = (
        "of what a cleaner keeps the blocks that do not recur on 3 pages of their host"
    )
    source = "after Bar-Yossef and Rajagopalan 2002, Gibson et al. 2005"
    own_needs = TEXTS | RECURRENCE

    pages: float = PAGES

    def __post_init__(self) -> None:
        if self.pages < 2 or not float(self.pages).is_integer():
            raise UsageError(
                f"{self.name}: expected a whole number of pages from 2, got {self.pages:g}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        recurs = recurrence_of(columns, self) >= self.pages
        mask: BoolArray = self.cleaner.mask(columns) & ~recurs
        return mask
