"""Bootstrap confidence intervals of means over topics (or pages), and of their differences.

Source: Efron, "Better bootstrap confidence intervals", JASA 1987 (BCa, equations 6.4 to 6.6 as in
Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 14.3).
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from boilersweep.errors import UsageError
from boilersweep.eval.statistics import (
    SEED,
    TIE,
    differences_to,
    require_finite,
    row_batches,
    vector_of,
)
from boilersweep.pages.columns import FloatArray, IntArray

LEVEL = 0.95
RESAMPLES = 10_000


def bootstrap_interval(
    values: ArrayLike, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """The BCa bootstrap interval of the mean of some values.

    BCa and not the percentiles, as scores of topics are skewed and few. A single value gives
    (nan, nan): nothing tells how it varies. Values that are all equal give that value twice.
    Raises UsageError for no value, one that is not finite, and a level outside (0, 1).
    """
    low, high = bootstrap_intervals(
        vector_of(values)[:, None], level=level, resamples=resamples, seed=seed
    )[0].tolist()
    return low, high


def bootstrap_intervals(
    values: FloatArray, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> FloatArray:
    """(k, 2) `bootstrap_interval` of each of k columns, from the same resamples of the rows.

    values: (n, k).
    """
    tails = _tails(level)
    means = _resampled_means(values, resamples, seed)
    intervals = np.full((values.shape[1], 2), np.nan)
    if len(values) > 1:
        for column, interval in enumerate(intervals):
            interval[:] = _bca(values[:, column], means[:, column], tails)
    return intervals


def pairwise_intervals(
    values: FloatArray, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> FloatArray:
    """(p, 2) `bootstrap_interval` of the mean difference of each of `pairwise_differences`.

    values: (n, k). All from the same resamples of the rows, those of `bootstrap_intervals`.
    """
    tails = _tails(level)
    means = _resampled_means(values, resamples, seed)
    pairs = list(combinations(range(values.shape[1]), 2))
    intervals = np.full((len(pairs), 2), np.nan)
    if len(values) > 1:
        for (i, j), interval in zip(pairs, intervals, strict=True):
            differences = differences_to(values[:, i : i + 1], values[:, j])[:, 0]
            interval[:] = _bca(differences, means[:, i] - means[:, j], tails)
    return intervals


def share_intervals(
    gains: FloatArray,
    whole: FloatArray,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> FloatArray:
    """(k, 2) BCa bootstrap intervals of the mean of each of k columns over the mean of one more.

    gains: (n, k), and whole: (n,) what they are a share of; both are drawn together. In a resample
    in which the whole is not above zero a gain is a share beyond all bounds, and a loss one below
    them. Where such resamples reach an end of the interval, or a single row decides whether there
    is anything to share, the interval is (nan, nan).
    """
    tails = _tails(level)
    require_finite(gains)
    require_finite(whole)
    intervals = np.full((gains.shape[1], 2), np.nan)
    count = len(whole)
    rest = whole.sum() - whole  # without each row in turn
    if count == 1 or min(whole.sum(), rest.min()) < TIE * count:
        return intervals
    means = _resampled_means(np.column_stack([whole, gains]), resamples, seed)
    shared = means[:, 0] > TIE
    for column, interval in enumerate(intervals):
        values = gains[:, column]
        resampled = means[:, column + 1]
        shares = np.where(np.abs(resampled) < TIE, 0.0, np.copysign(np.inf, resampled))
        np.divide(resampled, means[:, 0], out=shares, where=shared)
        without = (values.sum() - values) / rest
        found = _corrected(values.sum() / whole.sum(), shares, without.mean() - without, tails)
        if np.isfinite(found).all():
            interval[:] = found
    return intervals


def _tails(level: float) -> FloatArray:
    if not 0 < level < 1:
        raise UsageError(f"level: expected a share between 0 and 1, such as 0.95, got {level}")
    return np.array([(1 - level) / 2, (1 + level) / 2])


def _resampled_means(values: FloatArray, resamples: int, seed: int) -> FloatArray:
    """(resamples, k) means of (n, k) values, the rows drawn with replacement."""
    if resamples < 1:
        raise UsageError(f"resamples: expected at least 1, got {resamples}")
    require_finite(values)
    means = np.empty((resamples, values.shape[1]))
    done = 0
    for weights in _resamples(len(values), resamples, seed):
        np.matmul(weights, values, out=means[done : done + len(weights)])
        done += len(weights)
    means /= len(values)
    return means


def _resamples(count: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of `count` values is drawn in each of the resamples, some rows at a time."""
    random = np.random.default_rng(seed)
    for rows in row_batches(resamples, count):
        drawn: IntArray = random.integers(0, count, (rows, count))
        drawn += np.arange(rows)[:, None] * count
        weights = np.bincount(drawn.ravel(), minlength=rows * count)
        yield weights.reshape(rows, count).astype(np.float64)


def _bca(values: FloatArray, means: FloatArray, tails: FloatArray) -> FloatArray:
    """The quantiles of the resampled means at the tails, corrected for bias and acceleration."""
    mean = values.mean()
    # The mean without value i is off by (value - mean) / (n - 1): the jackknife in closed form.
    deviations = values - mean
    if np.abs(deviations).max() < TIE:
        return np.full(2, values[0])
    return _corrected(float(mean), means, deviations, tails)


def _corrected(
    seen: float, resampled: FloatArray, deviations: FloatArray, tails: FloatArray
) -> FloatArray:
    """Quantiles of resampled statistics by BCa; infinite or nan ones where these are not finite.

    deviations: by how much the statistic falls without each row, times any positive number.
    """
    from scipy.special import ndtr, ndtri

    # Resamples with the statistic itself count half; sums differ in their last digits.
    close = TIE * max(1.0, abs(seen))
    below = ((resampled < seen - close).mean() + (resampled <= seen + close).mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    squares = float((deviations**2).sum())
    acceleration = float((deviations**3).sum()) / (6 * squares**1.5) if squares else 0.0
    shifted = bias + ndtri(tails)
    corrected: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
    with np.errstate(invalid="ignore"):
        return np.quantile(resampled, corrected)
