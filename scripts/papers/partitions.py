"""The rules that Table 2 of the 2010 paper prints, as ways to part blocks: which leaf each is in.

A leaf's chances are the shares of the classes, by words, among the blocks it has in training; so
the printed trees have an AUC as any other tree has.
"""

from collections.abc import Callable

import numpy as np

from boilersweep.pages.columns import FloatArray, IntArray
from papers.classifiers import Learner, Model

# (m, k) features in, (m,) numbers of leaves from 0 out.
Partition = Callable[[FloatArray], IntArray]

THIRD = 0.333333
FIVE_NINTHS = 0.555556
# The leaves of `densitometric` that are content.
CONTENT_LEAVES = frozenset({2, 3, 5, 7})
# The leaves of `by_words` that are content.
CONTENT_LEAVES_OF_WORDS = frozenset({2, 3, 4, 6, 7})


def learner(partition: Partition, count_leaves: int) -> Learner:
    """Return a learner of the chances of a partition's leaves, equal ones if it has no words."""

    def learn(
        features: FloatArray, classes: IntArray, words: IntArray, count: int
    ) -> Model:
        weights = np.zeros((count_leaves, count))
        np.add.at(weights, (partition(features), classes), words)
        weights[weights.sum(axis=1) == 0] = 1
        chances = weights / weights.sum(axis=1, keepdims=True)
        return lambda rows: chances[partition(rows)]

    return learn


def at_least(threshold: float) -> Partition:
    """Two leaves of the one feature: below the threshold, and not."""
    return lambda features: (features[:, 0] >= threshold).astype(np.int64)


def densitometric(features: FloatArray) -> IntArray:
    """Return (m,) leaves of Algorithm 1, numbered by its lines, but the last one is 0.

    Args:
        features: (m, 6) text density, then link density, of the previous, current and next block.
    """
    before, own, behind, links_before, links, _ = features.T
    near = links_before <= FIVE_NINTHS
    return np.select(
        [
            links > THIRD,
            near & (own <= 9) & (behind <= 10) & (before <= 4),
            near & (own <= 9) & (behind <= 10),
            near & (own <= 9),
            near & (behind == 0),
            near,
            behind <= 11,
        ],
        range(7),
        7,
    ).astype(np.int64)


def by_words(features: FloatArray) -> IntArray:
    """(m,) leaves of Algorithm 2, numbered as those of `densitometric`.

    Args:
        features: (m, 6) words, then link density, of the previous, current and next block.
    """
    before, own, behind, links_before, links, _ = features.T
    near = links_before <= FIVE_NINTHS
    return np.select(
        [
            links > THIRD,
            near & (own <= 16) & (behind <= 15) & (before <= 4),
            near & (own <= 16) & (behind <= 15),
            near & (own <= 16),
            near,
            (own <= 40) & (behind <= 17),
            own <= 40,
        ],
        range(7),
        7,
    ).astype(np.int64)
