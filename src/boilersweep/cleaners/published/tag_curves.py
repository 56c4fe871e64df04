"""Cleaners that keep stretches of a page where words are many and tags few.

A page is a sequence of tokens, words and tags. BTE and maximum subsequence segmentation give words
a positive and tags a negative score and keep the run with the highest sum. Here runs begin and end
with whole blocks, and one block always stays: a page with a word is never left empty. The scores
are as they are commonly cited; we did not have the papers themselves.

Document slope curves keep where the count of tags grows slowly with the count of tokens. Sources:
Pinto et al., QuASM: A System for Question Answering Using Semi-structured Data, JCDL 2002, who look
through a window for sections of the curve with less than half the slope of the whole page; Gottron,
Evaluating Content Extraction on HTML Documents, ITA 2007, for the advanced form. We had neither
paper, and papers that compare with them say no more. These choices are ours: the window has 25
tokens, is centred on one, and ends at the page's borders; the page's slope is that of all before
its last word; of the tags of A in a block the half, rounded up, comes before its words; a block
stays if more than half of its words lie in windows of low slope; and what `AdvancedSlopeCurve`
adds.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import (
    STRUCTURE,
    BlockColumns,
    BoolArray,
    IntArray,
    structure_of,
)


@dataclass(frozen=True, slots=True)
class BodyTextExtraction(NamedRule):
    """BTE: the run that maximises the words in it and the tags outside, so +1 a word, -1 a tag.

    Source: Finn, Kushmerick and Smyth, Fact or Fiction: Content Classification for Digital
    Libraries, DELOS workshop 2001. In linear time.
    """

    name = "bte"
    summary = "the run with most words and fewest tags"
    source = "Finn et al. 2001"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        return best_runs(columns, 1.0, self)


@dataclass(frozen=True, slots=True)
class MaximumSubsequence(NamedRule):
    """Maximum subsequence segmentation without a classifier: +1 a word, -3.25 a tag.

    Source: Pasternack and Roth, Extracting Article Text from the Web with Maximum Subsequence
    Segmentation, WWW 2009: the baseline with fixed scores, whose -3.25 they found on their
    training pages. The form they recommend needs a trained classifier.
    """

    name = "mss"
    summary = "the same, a tag at the cost of 3.25 words"
    source = "Pasternack and Roth 2009"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        return best_runs(columns, 3.25, self)


def best_runs(columns: BlockColumns, cost: float, cleaner: object) -> BoolArray:
    """Find each document's run of blocks with the highest sum: a word counts 1, a tag -cost.

    Of runs with the same sum the one that ends first stays, and of those the longest.

    Args:
        columns: The blocks of some documents, with their structure.
        cost: A multiple of 1/4 or so, for which sums of doubles are exact.
        cleaner: The cleaner that messages name.

    Returns:
        (m,) True for every block in a run.
    """
    structure = structure_of(columns, cleaner)
    own = columns.words - cost * structure.tags_within
    # Behind block j the sum is sums[j]; a run from i to j has sums[j] - (sums[i] - own[i]).
    sums = np.cumsum(own - cost * structure.tags_before)
    starts = sums - own
    mask = np.zeros(len(own), dtype=bool)
    for begin, end in pairwise(columns.starts.tolist()):
        if begin < end:
            before = np.minimum.accumulate(starts[begin:end])
            last = int(np.argmax(sums[begin:end] - before))
            first = int(np.argmin(starts[begin : begin + last + 1]))
            mask[begin + first : begin + last + 1] = True
    return mask


# Tokens, words and tags, that a window spans: a token and 12 to each side.
WINDOW = 25

# A slope is low below this share of the page's.
LOW = 0.5

# A section with a larger share of linked words is a list of links.
LINKS = 0.5


@dataclass(frozen=True, slots=True)
class DocumentSlopeCurve(NamedRule):
    """DSC: the sections of low slope stay."""

    name = "dsc"
    summary = "where tags are few on a window"
    source = "Pinto et al. 2002"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        return _mostly_low(columns, self)[0]


@dataclass(frozen=True, slots=True)
class AdvancedSlopeCurve(NamedRule):
    """ADSC: sections of low slope less than a window apart are joined; lists of links go.

    Sections are runs of the blocks that DSC keeps; the distance is of tokens. A section goes if
    more than `LINKS` of its words are linked, or if it has fewer words than half a window.
    """

    name = "adsc"
    summary = "the same, joined, without lists of links"
    source = "Gottron 2007"
    needs = STRUCTURE

    def mask(self, columns: BlockColumns) -> BoolArray:
        low, tokens = _mostly_low(columns, self)
        kept = np.flatnonzero(low)
        mask = np.zeros(len(columns.words), dtype=bool)
        if not len(kept):
            return mask
        gaps = tokens[kept[1:], 0] - tokens[kept[:-1], 1]
        owners = columns.owners[kept]
        heads = np.flatnonzero(
            np.concatenate([[True], (np.diff(owners) > 0) | (gaps >= WINDOW)])
        )
        first, last = kept[heads], kept[np.append(heads[1:], len(kept)) - 1]
        words = np.concatenate([[0], np.cumsum(columns.words)])
        links = np.concatenate([[0], np.cumsum(columns.link_words)])
        words_in = words[last + 1] - words[first]
        stays = (links[last + 1] - links[first] <= LINKS * words_in) & (
            words_in >= WINDOW // 2
        )
        for begin, end in zip(first[stays].tolist(), last[stays].tolist(), strict=True):
            mask[begin : end + 1] = True
        return mask


def _mostly_low(columns: BlockColumns, cleaner: object) -> tuple[BoolArray, IntArray]:
    """Find the blocks with more than half of their words in windows of low slope.

    The tokens of a shard, tags and words, are in the order of the pages.

    Returns:
        (m,) True for these blocks, and (m, 2) where the tokens of a block begin and end.
    """
    structure = structure_of(columns, cleaner)
    within = structure.tags_within
    opening = (within + 1) // 2
    kinds = [structure.tags_before, opening, columns.words, within - opening]
    counts = np.stack(kinds, axis=1)
    is_tag = np.repeat(np.tile([True, True, False, True], len(within)), counts.ravel())
    ends = np.cumsum(counts).reshape(-1, 4)
    borders = np.concatenate([[0], ends[:, 3]])[columns.starts]
    sizes = counts.sum(axis=1)
    page_starts = np.repeat(borders[columns.owners], sizes)
    page_ends = np.repeat(borders[columns.owners + 1], sizes)
    tags = np.concatenate([[0], np.cumsum(is_tag)])
    places = np.arange(len(is_tag))
    first = np.maximum(places - WINDOW // 2, page_starts)
    end = np.minimum(places + WINDOW // 2 + 1, page_ends)
    slopes = (tags[end] - tags[first]) / (end - first)
    page_slopes = (tags[page_ends] - tags[page_starts]) / (page_ends - page_starts)
    low = ~is_tag & ((slopes < LOW * page_slopes) | (page_slopes == 0))
    low_words = np.concatenate([[0], np.cumsum(low)])[ends[:, [0, 3]]]
    return 2 * np.diff(low_words).ravel() > columns.words, ends[:, [0, 3]]
