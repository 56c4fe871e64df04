"""Word-weighted scores of a mask against the blocks' classes.

Source: Kohlschütter et al. 2010, section 4.2 and Table 2: every block counts with its number of
words, and precision, recall, F1 and false positive rate are means over the two classes, weighted
by the words of each, as Weka computes them.
"""

from dataclasses import dataclass

import numpy as np

from boilersweep.pages.columns import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class BlockScores:
    """Scores over content and boilerplate together, and over content alone; all from 0 to 1.

    `auc` is the area under the curve of recall over false positive rate, of the mask alone: the
    mean of its recall and of the share of boilerplate that it drops.
    """

    precision: float
    recall: float
    f1: float
    false_positive_rate: float
    auc: float
    content_precision: float
    content_recall: float
    content_f1: float
    content_false_positive_rate: float


def block_scores(content: BoolArray, keep: BoolArray, words: IntArray) -> BlockScores:
    """Score a mask; a quotient whose denominator is 0 is 0.

    Args:
        content: (m,) Whether a block is content.
        keep: (m,) Whether it is kept.
        words: (m,) The weights.
    """
    whole = _class_scores(content, keep, words)
    rest = _class_scores(~content, ~keep, words)
    share = _quotient(words[content].sum(), words.sum())
    mean = share * whole + (1 - share) * rest
    precision, recall, f1, false_positive_rate = map(float, mean)
    return BlockScores(
        precision,
        recall,
        f1,
        false_positive_rate,
        weighted_auc(content, keep.astype(np.float64), words),
        *map(float, whole),
    )


def weighted_auc(content: BoolArray, scores: FloatArray, words: IntArray) -> float:
    """Return the area under the curve of recall over false positive rate, weighted by words.

    It is 0.5 if one class has no words.

    Args:
        content: (m,) Whether a block is content.
        scores: (m,) Higher for likelier content; blocks of equal score count half.
        words: (m,) The weights.
    """
    wanted, unwanted = words * content, words * ~content
    if not wanted.sum() or not unwanted.sum():
        return 0.5
    values, places = np.unique(scores, return_inverse=True)
    above = np.bincount(places, wanted, minlength=len(values))
    beside = np.bincount(places, unwanted, minlength=len(values))
    below = np.cumsum(beside) - beside / 2
    return float((above * below).sum() / (wanted.sum() * unwanted.sum()))


def _class_scores(wanted: BoolArray, chosen: BoolArray, words: IntArray) -> FloatArray:
    """Return (4,) precision, recall, F1 and false positive rate of one class."""
    right = words[wanted & chosen].sum()
    found, sought = words[chosen].sum(), words[wanted].sum()
    return np.array(
        [
            _quotient(right, found),
            _quotient(right, sought),
            _quotient(2 * right, found + sought),
            _quotient(found - right, words.sum() - sought),
        ]
    )


def _quotient(above: float, below: float) -> float:
    return float(above / below) if below else 0.0
