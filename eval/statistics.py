"""Intervals and paired tests over topics (or pages): how sure a mean, or a difference, is.

Every function takes one value per topic. The same seed gives the same figures; several columns of
values are resampled alike, so that they can be compared.

Sources: Efron, "Better bootstrap confidence intervals", JASA 1987 (BCa, equations 6.4 to 6.6 as in
Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 14.3); Smucker, Allan and
Carterette, CIKM 2007 (paired randomisation test in retrieval); Phipson and Smyth, 2010 (p-values
of drawn permutations are never zero); Wilcoxon, Biometrics Bulletin 1945 (signed ranks); Holm,
Scandinavian Journal of Statistics 1979; Cohen, "Statistical power analysis for the behavioral
sciences", 1988 (power, and the effect size d_z of section 2.3.5), and Sakai, "Statistical reform in
information retrieval?", SIGIR Forum 2014, and "Topic set size design", Information Retrieval
Journal 2016, for both of them over topics.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from boilersweep.errors import UsageError
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

LEVEL = 0.95
RESAMPLES = 10_000
PERMUTATIONS = 100_000
SEED = 2010
POWER = 0.8

TESTS = ("randomisation", "t", "wilcoxon")
"""The paired tests that there are."""

TIE = 1e-9
"""Values that differ by less are equal: what remains is rounding."""

_DIGITS = 9  # beyond which two differences are the same
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
    _check(gains)
    _check(whole)
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
        if _can_be_counted(untied, permutations):
            ps[column] = _all_swaps(untied)
        else:
            drawn.append(column)
    if drawn:
        ps[drawn] = _drawn_swaps(differences[:, drawn], permutations, seed)
    return ps


def pairwise_randomisations(
    values: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> FloatArray:
    """(p,) p-values of `paired_randomisation` for each of `pairwise_differences`.

    values: (n, k). All ways to swap are counted where there are no more than PERMUTATIONS; what is
    drawn swaps the values of a topic for all pairs alike, so that many pairs cost little more.
    """
    if permutations < 1:
        raise UsageError(f"permutations: expected at least 1, got {permutations}")
    _check(values)
    pairs = list(combinations(range(values.shape[1]), 2))
    ps = np.ones(len(pairs))
    drawn = np.zeros(len(pairs), dtype=bool)
    for place, (i, j) in enumerate(pairs):
        differences = differences_to(values[:, i : i + 1], values[:, j])[:, 0]
        untied = differences[differences != 0]
        if _can_be_counted(untied, min(permutations, PERMUTATIONS)):
            ps[place] = _all_swaps(untied) if len(untied) else 1.0
        else:
            drawn[place] = True
    if drawn.any():
        ps[drawn] = _drawn_swaps_of_pairs(values, permutations, seed)[drawn]
    return ps


def wilcoxons(differences: FloatArray) -> FloatArray:
    """(k,) two-sided p-values of Wilcoxon's signed-rank test for columns of (n, k) differences.

    Topics that tie are left out; 1 where all do. All ways to sign the ranks are counted where
    there are no more than PERMUTATIONS, which is exact with equal ranks, too. Else as scipy has it:
    exact for few topics without equal ranks, from the normal distribution for all others.
    """
    from scipy.stats import rankdata, wilcoxon

    _check(differences)
    # Differences that are the same but for rounding share a rank.
    rounded = np.round(differences, _DIGITS)
    ps = np.ones(differences.shape[1])
    for place, column in enumerate(rounded.T):
        untied = column[column != 0]
        if not len(untied):
            continue
        if _can_be_counted(untied, PERMUTATIONS):
            ps[place] = _all_swaps(rankdata(np.abs(untied)) * np.sign(untied))
        else:
            ps[place] = wilcoxon(untied).pvalue
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


def effect_sizes(differences: FloatArray) -> FloatArray:
    """(k,) the mean of each column of (n, k) differences in standard deviations of it: d_z.

    0 where all topics tie; nan where nothing tells how they vary: one topic, or all alike.
    """
    _check(differences)
    means, spread = differences.mean(axis=0), _spread(differences)
    with np.errstate(invalid="ignore"):
        sizes: FloatArray = means / spread
    return np.where(np.abs(differences).max(axis=0) < TIE, 0.0, sizes)


def detectable_differences(
    differences: FloatArray, *, alpha: float, power: float = POWER
) -> FloatArray:
    """(k,) the smallest true mean that so many topics show with a probability of `power`.

    Of each column of (n, k) differences: delta * s / sqrt(n), with s their standard deviation and
    delta the noncentrality at which Student's two-sided paired test at `alpha` has that power (its
    other tail left out, which is far below). nan where nothing tells how they vary.
    """
    from scipy.special import nctdtrinc, stdtrit

    _check(differences)
    count = len(differences)
    if count == 1:
        return np.full(differences.shape[1], np.nan)
    critical = stdtrit(count - 1, 1 - alpha / 2)
    noncentrality = float(nctdtrinc(count - 1, 1 - power, critical))
    found: FloatArray = noncentrality * _spread(differences) / np.sqrt(count)
    return found


def outcomes(a: ArrayLike, b: ArrayLike) -> Outcomes:
    """How often a is above b, level with it, and below."""
    return outcomes_of(_differences(a, b))


def outcomes_of(differences: FloatArray) -> Outcomes:
    """The same of (n,) differences in which what is rounding is zero."""
    signs = np.sign(differences)
    return Outcomes(int((signs > 0).sum()), int((signs == 0).sum()), int((signs < 0).sum()))


def pairwise_differences(values: FloatArray) -> Iterator[FloatArray]:
    """Of (n, k) columns each but the last less each later one: k - 1 arrays (n, k - 1) to (n, 1).

    So their p = k (k - 1) / 2 columns stand in the order of `itertools.combinations`.
    """
    for place in range(values.shape[1] - 1):
        yield 0.0 - differences_to(values[:, place + 1 :], values[:, place])


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


def _spread(differences: FloatArray) -> FloatArray:
    """(k,) standard deviations of columns; nan where there is one row, or no spread."""
    if len(differences) == 1:
        return np.full(differences.shape[1], np.nan)
    spread: FloatArray = differences.std(axis=0, ddof=1)
    return np.where(spread < TIE, np.nan, spread)


def _tails(level: float) -> FloatArray:
    if not 0 < level < 1:
        raise UsageError(f"level: expected a share between 0 and 1, such as 0.95, got {level}")
    return np.array([(1 - level) / 2, (1 + level) / 2])


def _resampled_means(values: FloatArray, resamples: int, seed: int) -> FloatArray:
    """(resamples, k) means of (n, k) values, the rows drawn with replacement."""
    if resamples < 1:
        raise UsageError(f"resamples: expected at least 1, got {resamples}")
    _check(values)
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
    step = max(1, _CELLS_AT_ONCE // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
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


def _can_be_counted(untied: FloatArray, most: int) -> bool:
    """Whether there are no more than so many ways to swap these."""
    return len(untied) <= 62 and 2 ** len(untied) <= most


def _all_swaps(differences: FloatArray) -> float:
    """Over all 2^n signs, the share with a sum as far from zero as the one seen."""
    sums = np.zeros(1)
    for difference in differences[1:]:  # the first sign alone only mirrors the sums
        sums = np.concatenate([sums + difference, sums - difference])
    return float(_as_far(sums + differences[0], differences.sum()).mean())


def _drawn_swaps(differences: FloatArray, permutations: int, seed: int) -> FloatArray:
    totals = differences.sum(axis=0)
    far = np.zeros(differences.shape[1], dtype=np.int64)
    for swapped in _swaps(len(differences), permutations, max(differences.shape), seed):
        far += _as_far(totals - 2 * (swapped @ differences), totals).sum(axis=0)
    ps: FloatArray = (far + 1) / (permutations + 1)
    return ps


def _drawn_swaps_of_pairs(values: FloatArray, permutations: int, seed: int) -> FloatArray:
    """The same for each of `pairwise_differences`: a sum of them is a difference of sums."""
    count, size = values.shape
    totals = values.sum(axis=0)
    seen = [np.abs(totals[i] - totals[i + 1 :]) for i in range(size - 1)]
    far = [np.zeros(size - 1 - i, dtype=np.int64) for i in range(size - 1)]
    for swapped in _swaps(count, permutations, max(count, size), seed):
        sums = totals[:, None] - 2 * (values.T @ swapped.T)
        for i in range(size - 1):
            far[i] += _as_far(sums[i] - sums[i + 1 :], seen[i][:, None]).sum(axis=1)
    ps: FloatArray = (np.concatenate(far) + 1) / (permutations + 1)
    return ps


def _swaps(count: int, permutations: int, width: int, seed: int) -> Iterator[FloatArray]:
    """For each of the permutations 1 at the topics to swap and 0 elsewhere, some rows at a time.

    width: numbers that a row takes while it is worked on.
    """
    random = np.random.default_rng(seed)
    step = max(1, _CELLS_AT_ONCE // width)
    for start in range(0, permutations, step):
        rows = min(step, permutations - start)
        yield random.integers(0, 2, (rows, count), dtype=np.int8).astype(np.float64)


def _as_far(sums: FloatArray, seen: FloatArray | float) -> BoolArray:
    """Whether sums are at least as far from zero as the one seen, but for rounding."""
    reached: BoolArray = np.abs(sums) >= np.abs(seen) - TIE
    return reached
