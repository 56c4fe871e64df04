"""Bootstrap confidence intervals of means over topics (or pages), and of their differences.

Source: Efron, "Better bootstrap confidence intervals", JASA 1987 (BCa, equations 6.4 to 6.6 as in
Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 14.3), expanded for few
values (Hesterberg, "What teachers should know about the bootstrap", The American Statistician
2015): normal quantiles become sqrt(n / (n - 1)) times those of t with n - 1 degrees of freedom.
"""

import math
from itertools import combinations

import numpy as np

from boilersweep.eval.stats.statistics import (
    SEED,
    TIE,
    differences_to,
    require_finite,
    row_batches,
)
from boilersweep.pages.columns import FloatArray, IntArray

LEVEL = 0.95
RESAMPLES = 10_000

# The probabilities below the two ends of an interval.
_TAILS = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])


def bootstrap_intervals(values: FloatArray, *, seed: int = SEED) -> FloatArray:
    """Compute the BCa bootstrap interval of the mean of each of k columns.

    BCa and not the percentiles, because scores of topics are skewed and few. All columns use the
    same resamples of the rows.

    Args:
        values: (n, k) values, one row per topic.
        seed: The seed of the resamples.

    Returns:
        (k, 2) the lower and the upper ends. A single row gives nan, as its variation is unknown;
        values that are all equal give that value twice.

    Raises:
        UsageError: There is no row, or a value is not finite.
    """
    means = _resampled_means(values, seed)
    intervals = np.full((values.shape[1], 2), np.nan)
    if len(values) > 1:
        for column, interval in enumerate(intervals):
            interval[:] = _bca(values[:, column], means[:, column])
    return intervals


def pairwise_intervals(values: FloatArray, *, seed: int = SEED) -> FloatArray:
    """Compute the interval of the mean difference of each of `pairwise_differences`.

    All use the same resamples of the rows as `bootstrap_intervals`.

    Args:
        values: (n, k) values.
        seed: The seed of the resamples.

    Returns:
        (p, 2) intervals of p pairs.
    """
    means = _resampled_means(values, seed)
    pairs = list(combinations(range(values.shape[1]), 2))
    intervals = np.full((len(pairs), 2), np.nan)
    if len(values) > 1:
        for (i, j), interval in zip(pairs, intervals, strict=True):
            differences = differences_to(values[:, i : i + 1], values[:, j])[:, 0]
            interval[:] = _bca(differences, means[:, i] - means[:, j])
    return intervals


def share_intervals(
    gains: FloatArray,
    whole: FloatArray,
    *,
    seed: int = SEED,
) -> FloatArray:
    """Compute BCa bootstrap intervals of the share that each mean gain has of a whole.

    If a resample's mean whole is not above zero, a gain counts as an infinite share of it, and a
    loss as a negative infinite share. If such resamples reach an end of the interval, or if a
    single row decides whether the whole is above zero, the interval is (nan, nan).

    Args:
        gains: (n, k) gains.
        whole: (n,) what they are shares of; the same rows are drawn of both.
        seed: The seed of the resamples.

    Returns:
        (k, 2) intervals.
    """
    require_finite(gains)
    require_finite(whole)
    intervals = np.full((gains.shape[1], 2), np.nan)
    count = len(whole)
    rest = whole.sum() - whole  # without each row in turn
    if count == 1 or min(whole.sum(), rest.min()) < TIE * count:
        return intervals
    means = _resampled_means(np.column_stack([whole, gains]), seed)
    shared = means[:, 0] > TIE
    for column, interval in enumerate(intervals):
        values = gains[:, column]
        resampled = means[:, column + 1]
        shares = np.where(np.abs(resampled) < TIE, 0.0, np.copysign(np.inf, resampled))
        np.divide(resampled, means[:, 0], out=shares, where=shared)
        without = (values.sum() - values) / rest
        corrected = _corrected(
            values.sum() / whole.sum(), shares, without.mean() - without
        )
        if np.isfinite(corrected).all():
            interval[:] = corrected
    return intervals


def _resampled_means(values: FloatArray, seed: int) -> FloatArray:
    """Return (RESAMPLES, k) means of (n, k) values whose rows are drawn with replacement."""
    require_finite(values)
    count = len(values)
    means = np.empty((RESAMPLES, values.shape[1]))
    random = np.random.default_rng(seed)
    done = 0
    for rows in row_batches(RESAMPLES, count):
        drawn: IntArray = random.integers(0, count, (rows, count))
        drawn += np.arange(rows)[:, None] * count
        # How often each value is drawn in each resample.
        weights = np.bincount(drawn.ravel(), minlength=rows * count).reshape(
            rows, count
        )
        np.matmul(weights.astype(np.float64), values, out=means[done : done + rows])
        done += rows
    means /= count
    return means


def _bca(values: FloatArray, means: FloatArray) -> FloatArray:
    """Return the ends of the interval, corrected for bias and acceleration."""
    mean = values.mean()
    # The mean without value i is off by (value - mean) / (n - 1): the jackknife in closed form.
    deviations = values - mean
    if np.abs(deviations).max() < TIE:
        return np.full(2, values[0])
    return _corrected(float(mean), means, deviations)


def _corrected(
    seen: float, resampled: FloatArray, deviations: FloatArray
) -> FloatArray:
    """Return quantiles of resampled statistics by BCa; not finite if these statistics are not.

    Args:
        seen: The statistic of the values themselves.
        resampled: (r,) the statistic of each resample.
        deviations: (n,) by how much the statistic falls without each row, times any positive
            number.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    # Resamples with the statistic itself count half; sums differ in their last digits.
    close = TIE * max(1.0, abs(seen))
    below = ((resampled < seen - close).mean() + (resampled <= seen + close).mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    squares = float((deviations**2).sum())
    acceleration = float((deviations**3).sum()) / (6 * squares**1.5) if squares else 0.0
    others = len(deviations) - 1
    shifted = bias + stdtrit(others, _TAILS) * math.sqrt(len(deviations) / others)
    corrected: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
    with np.errstate(invalid="ignore"):
        return np.quantile(resampled, corrected)
