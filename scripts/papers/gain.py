"""Information gain of each feature: Figure 1 of the 2010 paper.

As Weka has it, numbers are first cut into ranges by the minimum description length principle:
Fayyad and Irani, Multi-interval discretization of continuous-valued attributes, IJCAI 1993. Rows
are weighted with the words of their blocks.
"""

import math

import numpy as np

from boilersweep.features.table import FeatureTable
from boilersweep.pages.columns import FloatArray, IntArray

_MAX_CUTS = 500  # a feature with more ranges than that is cut no further


def information_gains(
    table: FeatureTable, classes: IntArray, words: IntArray
) -> dict[str, float]:
    """Feature -> H(C) - H(C|A) in bits, the highest gain first.

    Args:
        table: (b, k) features.
        classes: (m,) from 0.
        words: (m,) weights. 0 for a feature that is not worth a cut.
    """
    gains = {
        name: information_gain(column, classes, words)
        for name, column in zip(table.names, table.values.T, strict=True)
    }
    return dict(sorted(gains.items(), key=lambda item: -item[1]))


def information_gain(column: FloatArray, classes: IntArray, words: IntArray) -> float:
    """H(C) - H(C|A) of one feature, in bits."""
    values, places = np.unique(column, return_inverse=True)
    weights = np.zeros((len(values), int(classes.max(initial=0)) + 1))
    np.add.at(weights, (places, classes), words)
    total = weights.sum()
    if not total:
        return 0.0
    borders = [0, *_cuts(weights), len(values)]
    ranges = np.add.reduceat(weights, borders[:-1], axis=0)
    shares = ranges.sum(axis=1) / total
    return max(float(entropy(weights.sum(axis=0)) - shares @ entropy(ranges)), 0.0)


def entropy(weights: FloatArray) -> FloatArray:
    """(...,) bits of (..., c) weights of classes; 0 where there is no weight."""
    total = weights.sum(axis=-1, keepdims=True)
    shares = np.divide(
        weights, total, out=np.zeros_like(weights, dtype=float), where=total > 0
    )
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=-1))


def _cuts(weights: FloatArray) -> list[int]:
    """Ascending places in the (v, c) weights of ascending values before which a range begins."""
    sums = np.vstack([np.zeros(weights.shape[1]), np.cumsum(weights, axis=0)])
    found: list[int] = []
    waiting = [(0, len(weights))]
    while waiting and len(found) < _MAX_CUTS:
        low, high = waiting.pop()
        cut = _best_cut(sums, low, high)
        if cut is not None:
            found.append(cut)
            waiting += [(low, cut), (cut, high)]
    return sorted(found)


def _best_cut(sums: FloatArray, low: int, high: int) -> int | None:
    """Return the best cut between low and high, or None if it is not worth its length."""
    if high - low < 2:
        return None
    whole = sums[high] - sums[low]
    left = sums[low + 1 : high] - sums[low]
    right = whole - left
    total = float(whole.sum())
    if total <= 1:
        return None
    shares = left.sum(axis=1) / total
    rests = shares * entropy(left) + (1 - shares) * entropy(right)
    best = int(np.argmin(rests))
    gain = float(entropy(whole) - rests[best])
    kinds, left_kinds, right_kinds = (
        int(np.count_nonzero(part)) for part in (whole, left[best], right[best])
    )
    change = math.log2(3**kinds - 2) - float(
        kinds * entropy(whole)
        - left_kinds * entropy(left[best])
        - right_kinds * entropy(right[best])
    )
    if gain <= (math.log2(total - 1) + change) / total:
        return None
    return low + 1 + best
