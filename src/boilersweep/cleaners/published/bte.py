"""Cleaners that keep one run of blocks: where words are many and tags few.

A page is a sequence of tokens, words with a positive and tags with a negative score, and the run
with the highest sum stays. Here runs begin and end with whole blocks, and one block always stays: a
page with a word is never left empty. The scores are as they are commonly cited; we did not have the
papers themselves.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boilersweep.cleaners.rules import STRUCTURE, NamedRule
from boilersweep.pages.columns import BlockColumns, BoolArray, structure_of


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
