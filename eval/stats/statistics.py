"""Differences of means over topics or pages: intervals, tests, effect sizes, what counts as equal.

Every function takes one value per topic. The same seed gives the same figures; several columns of
values are resampled alike, so that they can be compared.

Sources: Cohen, "Statistical power analysis for the behavioral sciences", 1988 (power, and the
effect size d_z of section 2.3.5), and Sakai, "Statistical reform in information retrieval?", SIGIR
Forum 2014, and "Topic set size design", Information Retrieval Journal 2016, for both over topics.

Intervals: Efron, "Better bootstrap confidence intervals", JASA 1987 (BCa, equations 6.4 to 6.6 as
in Efron and Tibshirani, "An introduction to the bootstrap", 1993, section 14.3), expanded for few
values (Hesterberg, "What teachers should know about the bootstrap", The American Statistician
2015): normal quantiles become sqrt(n / (n - 1)) times those of t with n - 1 degrees of freedom.

Paired tests: Smucker, Allan and Carterette, CIKM 2007 (paired randomisation test in retrieval);
Pagano and Tritchler, JASA 1983 (all permutations counted in polynomial time); Phipson and Smyth,
2010 (p-values of drawn permutations are never zero); Wilcoxon, Biometrics Bulletin 1945 (signed
ranks). Holm, Scandinavian Journal of Statistics 1979, corrects their p-values; so do Benjamini and
Hochberg, Journal of the Royal Statistical Society B 1995, for the false discovery rate.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.outputs.figures import figure
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

SEED = 2010
POWER = 0.8

# Values that differ by less are equal: the rest is rounding.
TIE = 1e-9

# The decimal digits of values that count, for the same reason.
EQUAL_DIGITS = 9

_CELLS_AT_ONCE = 2_000_000

# The lower and the upper end of an interval.
Interval = tuple[float, float]


def effect_sizes(differences: FloatArray) -> FloatArray:
    """Return (k,) effect sizes d_z: the mean of each column in its standard deviations.

    0 if all topics tie; nan if the variation is unknown: for one topic, or if all are alike.

    Args:
        differences: (n, k) differences.
    """
    require_finite(differences)
    means, spread = differences.mean(axis=0), _spread(differences)
    with np.errstate(invalid="ignore"):
        sizes: FloatArray = means / spread
    return np.where(np.abs(differences).max(axis=0) < TIE, 0.0, sizes)


def detectable_differences(differences: FloatArray, *, alpha: float) -> FloatArray:
    """Return (k,) smallest true means that so many topics show with a probability of POWER.

    For each column: delta * s / sqrt(n), with s its standard deviation and delta the noncentrality
    at which Student's two-sided paired test at `alpha` has that power (without its other tail,
    which is far below). nan if the variation is unknown.

    Args:
        differences: (n, k) differences.
        alpha: The level of the test.
    """
    require_finite(differences)
    return _spread(differences) * detectable_effect(len(differences), alpha=alpha)


def detectable_effect(count: int, *, alpha: float) -> float:
    """Return `detectable_differences` of values with a standard deviation of 1; nan for one."""
    from scipy.special import nctdtrinc, stdtrit

    if count == 1:
        return math.nan
    critical = stdtrit(count - 1, 1 - alpha / 2)
    noncentrality = float(nctdtrinc(count - 1, 1 - POWER, critical))
    return noncentrality / math.sqrt(count)


def pairwise_differences(values: FloatArray) -> Iterator[FloatArray]:
    """Yield each of k columns but the last minus each later one: arrays (n, k - 1) to (n, 1).

    Their p = k (k - 1) / 2 columns are in the order of `itertools.combinations`.
    """
    for index in range(values.shape[1] - 1):
        yield 0.0 - differences_to(values[:, index + 1 :], values[:, index])


def differences_to(values: FloatArray, base: FloatArray) -> FloatArray:
    """Subtract (n,) baseline scores from (n, k) values; rounding errors become zero."""
    differences: FloatArray = values - base[:, None]
    differences[np.abs(differences) < TIE] = 0
    return differences


def place_of_best(means: Sequence[float]) -> int:
    """Return the place of the highest mean, the first of equal ones."""
    return max(range(len(means)), key=lambda place: round(means[place], EQUAL_DIGITS))


def require_finite(values: FloatArray) -> None:
    """Raise UsageError for no value, and for a value that is not finite."""
    if not len(values):
        raise UsageError("values: expected at least one, got none")
    if not np.isfinite(values).all():
        raise UsageError(
            "values: expected finite numbers, got nan or infinity among them"
        )


def _spread(differences: FloatArray) -> FloatArray:
    """Return (k,) standard deviations of columns; nan for one row, or without a spread."""
    if len(differences) == 1:
        return np.full(differences.shape[1], np.nan)
    spread: FloatArray = differences.std(axis=0, ddof=1)
    return np.where(spread < TIE, np.nan, spread)


def row_batches(rows: int, width: int) -> Iterator[int]:
    """Divide rows of a width into batches that fit into memory, and yield the size of each."""
    step = max(1, _CELLS_AT_ONCE // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)


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


# A difference is significant if its corrected p-value is below.
SIGNIFICANT = 0.05

# The permutations that are drawn if the ways to swap cannot all be counted.
PERMUTATIONS = 100_000

# The permutations that are drawn if fewer leave open on which side of the level a p-value is.
MORE_PERMUTATIONS = 2_000_000

_ERRORS = 3  # a p-value is uncertain by so many standard errors
_MOST_STEPS = 50_000_000  # of counting, about .1 s
_LARGEST_DENOMINATOR = 1_000
_GRID = 2**16

# The names of the paired tests.
TESTS = ("randomisation", "t", "wilcoxon")


def paired_ts(differences: FloatArray) -> FloatArray:
    """Return (k,) two-sided p-values of Student's paired t-test for (n, k) differences.

    The p-value is 1 for one topic, or if all topics tie.
    """
    from scipy.special import stdtr

    require_finite(differences)
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


def paired_randomisations(
    differences: FloatArray, *, seed: int = SEED, correction: str = "holm"
) -> tuple[FloatArray, BoolArray]:
    """Compute the paired randomisation test on the mean difference, with two sides.

    Under the null hypothesis the two values of a topic could have been swapped: the p-value is the
    share of all ways to swap that give a mean difference at least as large. All ways are counted,
    see `_counted`: draws would move a corrected p-value of 240 comparisons by .05. Only for so many
    topics that the sums are too many, PERMUTATIONS are drawn, and MORE_PERMUTATIONS for p-values
    that these leave near SIGNIFICANT.

    Args:
        differences: (n, k) differences.
        seed: The seed of the permutations.
        correction: The method of `CORRECTIONS` that corrects them.

    Returns:
        (k,) p-values, and (k,) whether each is, after its correction, so near SIGNIFICANT that
        other draws could put it on the other side.
    """
    require_finite(differences)
    ps, errors = _randomisations(differences, PERMUTATIONS, seed)
    near = _near(ps, errors, correction)
    if near.any():
        ps[near], errors[near] = _randomisations(
            differences[:, near], MORE_PERMUTATIONS, seed
        )
    return ps, _near(ps, errors, correction)


def _near(ps: FloatArray, errors: FloatArray, correction: str) -> BoolArray:
    """Return whether corrected p-values are within the error of their draws from SIGNIFICANT."""
    adjusted = np.array(CORRECTIONS[correction](ps.tolist()))
    near: BoolArray = np.abs(adjusted - SIGNIFICANT) < _ERRORS * errors * adjusted / ps
    return near


def _randomisations(
    differences: FloatArray, permutations: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return (k,) p-values and their standard errors, 0 if all ways to swap are counted."""
    ps = np.ones(differences.shape[1])
    drawn = np.zeros(len(ps), dtype=bool)
    for index, column in enumerate(differences.T):
        # A tie gives the same mean either way
        counted = _counted(column[np.abs(column) >= TIE])
        if counted is None:
            drawn[index] = True
        else:
            ps[index] = counted
    if drawn.any():
        ps[drawn] = _drawn_swaps(differences[:, drawn], permutations, seed)
    return ps, np.sqrt(ps * (1 - ps) / permutations) * drawn


def wilcoxons(differences: FloatArray) -> FloatArray:
    """Return (k,) two-sided p-values of Wilcoxon's signed-rank test for (n, k) differences.

    Topics that tie are left out; the p-value is 1 if all tie. All ways to sign the ranks are
    counted, which is exact with equal ranks, too; for many hundreds of topics scipy's normal
    approximation is used.
    """
    from scipy.stats import rankdata, wilcoxon

    require_finite(differences)
    # Differences that are the same but for rounding share a rank.
    rounded = np.round(differences, EQUAL_DIGITS)
    ps = np.ones(differences.shape[1])
    for index, column in enumerate(rounded.T):
        untied = column[column != 0]
        counted = _counted(rankdata(np.abs(untied)) * np.sign(untied))
        ps[index] = wilcoxon(untied).pvalue if counted is None else counted
    return ps


def holm(ps: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values in the given order, to be compared with the level itself."""
    values, order = _sorted(ps)
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return [float(p) for p in adjusted]


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Return p-values adjusted for the false discovery rate, in the given order."""
    values, order = _sorted(ps)
    factors = len(values) / np.arange(1, len(values) + 1)
    adjusted = np.empty(len(values))
    least = np.minimum.accumulate((values[order] * factors)[::-1])[::-1]
    adjusted[order] = np.minimum(least, 1)
    return [float(p) for p in adjusted]


def _sorted(ps: Sequence[float]) -> tuple[FloatArray, IntArray]:
    """Return p-values and the order from the least to the greatest; raises UsageError."""
    values = np.asarray(ps, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError(f"p-values: expected numbers from 0 to 1, got {list(ps)[:5]}")
    return values, np.argsort(values, kind="stable")


# How p-values are corrected: for the probability of any false claim, or the share of false ones.
CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}


def p_text(p: float | None) -> str:
    """Return a p-value for tables of text; None is empty."""
    if p is None:
        return ""
    return "<.001" if p < 0.001 else figure(p)


def _counted(differences: FloatArray) -> float | None:
    """Return the share of all 2^n signs with a sum as far from zero as the actual sum.

    The sums of multiples of a step are few: those of n differences follow from those of n - 1.
    Differences without a common step are rounded to 1 / _GRID of the sum of their sizes, which
    changes corrected p-values by about .002.

    Args:
        differences: (n,) differences that are not zero.

    Returns:
        The share; None if the sums are too many to count.
    """
    if not len(differences):
        return 1.0
    if len(differences) <= 16:
        sums = np.zeros(1)
        for difference in differences[1:]:  # the first sign alone only mirrors the sums
            sums = np.concatenate([sums + difference, sums - difference])
        return float(_as_far(sums + differences[0], differences.sum()).mean())
    steps = _steps(differences)
    if steps is None:
        step = np.abs(differences).sum() / _GRID
        steps = np.rint(differences / step).astype(np.int64)
    total = int(np.abs(steps).sum())
    if len(steps) * total > _MOST_STEPS:
        return None
    shares = np.zeros(total + 1)  # by the sum of the differences with a positive sign
    shares[0] = 1
    for step in np.abs(steps).tolist():
        shares[step:] = shares[step:] + shares[: len(shares) - step]
        shares *= 0.5
    far = np.abs(2 * np.arange(total + 1) - total) >= abs(int(steps.sum()))
    return min(1.0, float(shares[far].sum()))


def _steps(differences: FloatArray) -> IntArray | None:
    """Return the differences as multiples of their largest common step; None if none exists."""
    fractions = [
        Fraction(d).limit_denominator(_LARGEST_DENOMINATOR)
        for d in differences.tolist()
    ]
    if np.abs(np.array(fractions, dtype=float) - differences).max() >= TIE:
        return None
    denominator = math.lcm(*{fraction.denominator for fraction in fractions})
    if denominator > _LARGEST_DENOMINATOR:
        return None
    steps = np.array(
        [int(fraction * denominator) for fraction in fractions], dtype=np.int64
    )
    common: IntArray = steps // np.gcd.reduce(steps)
    return common


def _drawn_swaps(differences: FloatArray, permutations: int, seed: int) -> FloatArray:
    totals = differences.sum(axis=0)
    far = np.zeros(differences.shape[1], dtype=np.int64)
    random = np.random.default_rng(seed)
    for rows in row_batches(permutations, max(differences.shape)):
        swapped = random.integers(0, 2, (rows, len(differences)), dtype=np.int8).astype(
            np.float64
        )
        far += _as_far(totals - 2 * (swapped @ differences), totals).sum(axis=0)
    ps: FloatArray = (far + 1) / (permutations + 1)
    return ps


def _as_far(sums: FloatArray, seen: FloatArray | float) -> BoolArray:
    """Return whether sums are at least as far from zero as the actual one, except for rounding."""
    reached: BoolArray = np.abs(sums) >= np.abs(seen) - TIE
    return reached
