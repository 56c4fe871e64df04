"""Paired significance tests over topics, and Holm's correction of their p-values.

Sources: Smucker, Allan and Carterette, CIKM 2007 (paired randomisation test in retrieval); Pagano
and Tritchler, JASA 1983 (all permutations counted in polynomial time); Phipson and Smyth, 2010
(p-values of drawn permutations are never zero); Wilcoxon, Biometrics Bulletin 1945 (signed ranks);
Holm, Scandinavian Journal of Statistics 1979.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.stats.statistics import (
    EQUAL_DIGITS,
    SEED,
    TIE,
    require_finite,
    row_batches,
)
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

# A difference is significant if its p-value is below after Holm's correction.
SIGNIFICANT = 0.05

# The permutations that are drawn if the ways to swap cannot all be counted.
PERMUTATIONS = 100_000

# The permutations that are drawn if fewer leave open on which side of the level a p-value is.
MORE_PERMUTATIONS = 2_000_000

_ERRORS = 3  # a p-value is uncertain by so many standard errors
_MOST_STEPS = 50_000_000  # of counting, about .1 s
_LARGEST_DENOMINATOR = 1_000

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
    differences: FloatArray, *, seed: int = SEED
) -> tuple[FloatArray, BoolArray]:
    """Compute the paired randomisation test on the mean difference, with two sides.

    Under the null hypothesis the two values of a topic could have been swapped: the p-value is the
    share of all ways to swap that give a mean difference at least as large. All ways are counted
    if they are few, or if the differences are multiples of a step, as with P@10; otherwise
    PERMUTATIONS are drawn. P-values that PERMUTATIONS leave near SIGNIFICANT get MORE_PERMUTATIONS.

    Args:
        differences: (n, k) differences.
        seed: The seed of the permutations.

    Returns:
        (k,) p-values, and (k,) whether each is, after Holm's correction, so near SIGNIFICANT that
        other draws could put it on the other side.
    """
    require_finite(differences)
    ps, errors = _randomisations(differences, PERMUTATIONS, seed)
    near = _near(ps, errors)
    if near.any():
        ps[near], errors[near] = _randomisations(
            differences[:, near], MORE_PERMUTATIONS, seed
        )
    return ps, _near(ps, errors)


def _near(ps: FloatArray, errors: FloatArray) -> BoolArray:
    """Return whether corrected p-values are within the error of their draws from SIGNIFICANT."""
    adjusted = np.array(holm(ps.tolist()))
    near: BoolArray = np.abs(adjusted - SIGNIFICANT) < _ERRORS * errors * adjusted / ps
    return near


def _randomisations(
    differences: FloatArray, permutations: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return (k,) p-values and their standard errors, 0 if all ways to swap are counted."""
    ps = np.ones(differences.shape[1])
    drawn = np.zeros(len(ps), dtype=bool)
    for place, column in enumerate(differences.T):
        # A tie gives the same mean either way
        counted = _counted(column[np.abs(column) >= TIE])
        if counted is None:
            drawn[place] = True
        else:
            ps[place] = counted
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
    for place, column in enumerate(rounded.T):
        untied = column[column != 0]
        counted = _counted(rankdata(np.abs(untied)) * np.sign(untied))
        ps[place] = wilcoxon(untied).pvalue if counted is None else counted
    return ps


def holm(ps: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values in the given order, to be compared with the level itself."""
    values = np.asarray(ps, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise UsageError(f"p-values: expected numbers from 0 to 1, got {list(ps)[:5]}")
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return [float(p) for p in adjusted]


def p_text(p: float | None) -> str:
    """Return a p-value for tables of text; None is empty."""
    if p is None:
        return ""
    return "<.001" if p < 0.001 else f"{p:.3f}"


def _counted(differences: FloatArray) -> float | None:
    """Return the share of all 2^n signs with a sum as far from zero as the actual sum.

    The sums of multiples of a step are few: those of n differences follow from those of n - 1.

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
    if steps is None or len(steps) * (total := int(np.abs(steps).sum())) > _MOST_STEPS:
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
