"""Intervals and paired tests over topics (or pages): how sure a mean, or a difference, is.

Every function takes one value per topic. The same seed gives the same figures; several columns of
values are resampled alike, so that they can be compared.

Sources: Efron, "Better bootstrap confidence intervals", JASA 1987 (BCa, equations 6.4 to 6.6 as in
Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 14.3); Smucker, Allan and
Carterette, CIKM 2007 (paired randomisation test in retrieval); Phipson and Smyth, 2010 (p-values
of drawn permutations are never zero); Holm, Scandinavian Journal of Statistics 1979.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from boilersweep.errors import UsageError
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

LEVEL = 0.95
RESAMPLES = 10_000
PERMUTATIONS = 100_000
SEED = 2010

TIE = 1e-9
"""Values that differ by less are equal: what remains is rounding."""

_CELLS_AT_ONCE = 2_000_000

Interval = tuple[float, float]
"""Its lower and its upper end."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Topics on which one system is better than another, as good, and worse."""

    wins: int
    ties: int
    losses: int


def bootstrap_interval(
    values: ArrayLike, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> tuple[float, float]:
    """The BCa bootstrap interval of the mean of some values.

    BCa and not the percentiles, as scores of topics are skewed and few. A single value gives
    (nan, nan): nothing tells how it varies. Values that are all equal give that value twice.
    Raises UsageError for no value, one that is not finite, and a level outside (0, 1).
    """
    low, high = bootstrap_intervals(
        _vector(values)[:, None], level=level, resamples=resamples, seed=seed
    )[0].tolist()
    return low, high


def bootstrap_intervals(
    values: FloatArray, *, level: float = LEVEL, resamples: int = RESAMPLES, seed: int = SEED
) -> FloatArray:
    """(k, 2) `bootstrap_interval` of each of k columns, from the same resamples of the rows.

    values: (n, k).
    """
    if not 0 < level < 1:
        raise UsageError(f"level: expected a share between 0 and 1, such as 0.95, got {level}")
    if resamples < 1:
        raise UsageError(f"resamples: expected at least 1, got {resamples}")
    _check(values)
    count = len(values)
    if count == 1:
        return np.full((values.shape[1], 2), np.nan)
    means = np.empty((resamples, values.shape[1]))
    done = 0
    for weights in _resamples(count, resamples, seed):
        np.matmul(weights, values, out=means[done : done + len(weights)])
        done += len(weights)
    means /= count
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    intervals = np.empty((values.shape[1], 2))
    for column, interval in enumerate(intervals):
        interval[:] = _bca(values[:, column], means[:, column], tails)
    return intervals


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """The two-sided p-value of Student's paired t-test; 1 for one topic, or where all tie."""
    return float(paired_ts(_differences(a, b)[:, None])[0])


def paired_ts(differences: FloatArray) -> FloatArray:
    """(k,) p-values of `paired_t` for each column of (n, k) differences."""
    from scipy.special import stdtr

    _check(differences)
    count = len(differences)
    means = differences.mean(axis=0)
    if count == 1:
        return np.ones(len(means))
    spread = differences.std(axis=0, ddof=1)
    tied = np.abs(differences).max(axis=0) < TIE
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(means) / (spread / np.sqrt(count))
    p: FloatArray = 2 * stdtr(count - 1, -t)
    return np.where(tied, 1.0, p)


def paired_randomisation(
    a: ArrayLike, b: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> float:
    """The two-sided p-value of the paired randomisation test on the mean difference.

    Under the null hypothesis the two values of a topic could have been swapped: the share of all
    ways to swap that give a mean difference at least as large. All ways are counted where there
    are no more than `permutations`, else so many are drawn.
    """
    differences = _differences(a, b)[:, None]
    return float(paired_randomisations(differences, permutations=permutations, seed=seed)[0])


def paired_randomisations(
    differences: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> FloatArray:
    """(k,) p-values of `paired_randomisation` for each column of (n, k) differences."""
    if permutations < 1:
        raise UsageError(f"permutations: expected at least 1, got {permutations}")
    _check(differences)
    ps = np.ones(differences.shape[1])
    drawn = []
    for column in range(differences.shape[1]):
        # A topic that ties gives the same mean either way.
        untied = differences[np.abs(differences[:, column]) >= TIE, column]
        if not len(untied):
            continue
        if len(untied) <= 62 and 2 ** len(untied) <= permutations:
            ps[column] = _all_swaps(untied)
        else:
            drawn.append(column)
    if drawn:
        ps[drawn] = _drawn_swaps(differences[:, drawn], permutations, seed)
    return ps


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: each counts against the level itself."""
    values = _vector(ps) if len(ps) else np.empty(0)
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        raise UsageError(f"p-values: expected numbers from 0 to 1, got {list(ps)[:5]}")
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return [float(p) for p in adjusted]


def outcomes(a: ArrayLike, b: ArrayLike) -> Outcomes:
    """How often a is above b, level with it, and below."""
    signs = np.sign(_differences(a, b))
    return Outcomes(int((signs > 0).sum()), int((signs == 0).sum()), int((signs < 0).sum()))


def differences_to(values: FloatArray, base: FloatArray) -> FloatArray:
    """(n, k) columns of values less (n,) those of a baseline; what is rounding becomes zero."""
    found: FloatArray = values - base[:, None]
    found[np.abs(found) < TIE] = 0
    return found


def _differences(a: ArrayLike, b: ArrayLike) -> FloatArray:
    left, right = _vector(a), _vector(b)
    if len(left) != len(right):
        raise UsageError(
            f"paired values: expected as many of both, got {len(left)} and {len(right)}"
        )
    return differences_to(left[:, None], right)[:, 0]


def _vector(values: ArrayLike) -> FloatArray:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise UsageError(f"values: expected one per topic, got an array of shape {vector.shape}")
    _check(vector)
    return vector


def _check(values: FloatArray) -> None:
    if not len(values):
        raise UsageError("values: expected at least one, got none")
    if not np.isfinite(values).all():
        raise UsageError("values: expected finite numbers, got nan or infinity among them")


def _resamples(count: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each of `count` values is drawn in each of the resamples, some rows at a time."""
    random = np.random.default_rng(seed)
    step = max(1, _CELLS_AT_ONCE // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn: IntArray = random.integers(0, count, (rows, count))
        drawn += np.arange(rows)[:, None] * count
        weights = np.bincount(drawn.ravel(), minlength=rows * count)
        yield weights.reshape(rows, count).astype(np.float64)


def _bca(values: FloatArray, means: FloatArray, tails: FloatArray) -> FloatArray:
    """The quantiles of the resampled means at the tails, corrected for bias and acceleration."""
    from scipy.special import ndtr, ndtri

    mean = values.mean()
    deviations = values - mean
    squares = float((deviations**2).sum())
    if np.abs(deviations).max() < TIE:
        return np.full(2, values[0])
    # Resamples with the mean of the values itself count half; sums differ in their last digits.
    close = TIE * max(1.0, abs(float(mean)))
    below = ((means < mean - close).mean() + (means <= mean + close).mean()) / 2
    bias = ndtri(np.clip(below, 0.5 / len(means), 1 - 0.5 / len(means)))
    # The mean without value i is off by (value - mean) / (n - 1): the jackknife in closed form.
    acceleration = float((deviations**3).sum()) / (6 * squares**1.5)
    shifted = bias + ndtri(tails)
    corrected: FloatArray = ndtr(bias + shifted / (1 - acceleration * shifted))
    return np.quantile(means, corrected)


def _all_swaps(differences: FloatArray) -> float:
    """Over all 2^n signs, the share with a sum as far from zero as the one seen."""
    sums = np.zeros(1)
    for difference in differences[1:]:  # the first sign alone only mirrors the sums
        sums = np.concatenate([sums + difference, sums - difference])
    return float(_as_far(sums + differences[0], differences.sum()).mean())


def _drawn_swaps(differences: FloatArray, permutations: int, seed: int) -> FloatArray:
    random = np.random.default_rng(seed)
    count = len(differences)
    totals = differences.sum(axis=0)
    far = np.zeros(differences.shape[1], dtype=np.int64)
    step = max(1, _CELLS_AT_ONCE // max(differences.shape))
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        swapped = random.integers(0, 2, (rows, count), dtype=np.int8).astype(np.float64)
        far += _as_far(totals - 2 * (swapped @ differences), totals).sum(axis=0)
    ps: FloatArray = (far + 1) / (permutations + 1)
    return ps


def _as_far(sums: FloatArray, seen: FloatArray | float) -> BoolArray:
    """Whether sums are at least as far from zero as the one seen, but for rounding."""
    reached: BoolArray = np.abs(sums) >= np.abs(seen) - TIE
    return reached
