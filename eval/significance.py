"""Paired significance tests over topics, and Holm's correction of their p-values.

Sources: Smucker, Allan and Carterette, CIKM 2007 (paired randomisation test in retrieval); Phipson
and Smyth, 2010 (p-values of drawn permutations are never zero); Wilcoxon, Biometrics Bulletin 1945
(signed ranks); Holm, Scandinavian Journal of Statistics 1979.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from boilersweep.errors import UsageError
from boilersweep.eval.statistics import (
    SEED,
    TIE,
    differences_of,
    differences_to,
    require_finite,
    row_batches,
    vector_of,
)
from boilersweep.pages.columns import BoolArray, FloatArray

PERMUTATIONS = 100_000

TESTS = ("randomisation", "t", "wilcoxon")
"""The paired tests that there are."""

_DIGITS = 9  # beyond which two differences are the same


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    """The two-sided p-value of Student's paired t-test; 1 for one topic, or where all tie."""
    return float(paired_ts(differences_of(a, b)[:, None])[0])


def paired_ts(differences: FloatArray) -> FloatArray:
    """(k,) p-values of `paired_t` for each column of (n, k) differences."""
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


def paired_randomisation(
    a: ArrayLike, b: ArrayLike, *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> float:
    """The two-sided p-value of the paired randomisation test on the mean difference.

    Under the null hypothesis the two values of a topic could have been swapped: the share of all
    ways to swap that give a mean difference at least as large. All ways are counted where there
    are no more than `permutations`, else so many are drawn.
    """
    differences = differences_of(a, b)[:, None]
    return float(paired_randomisations(differences, permutations=permutations, seed=seed)[0])


def paired_randomisations(
    differences: FloatArray, *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> FloatArray:
    """(k,) p-values of `paired_randomisation` for each column of (n, k) differences."""
    if permutations < 1:
        raise UsageError(f"permutations: expected at least 1, got {permutations}")
    require_finite(differences)
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
    require_finite(values)
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

    require_finite(differences)
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
    values = vector_of(ps) if len(ps) else np.empty(0)
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        raise UsageError(f"p-values: expected numbers from 0 to 1, got {list(ps)[:5]}")
    order = np.argsort(values, kind="stable")
    factors = np.arange(len(values), 0, -1)
    adjusted = np.empty(len(values))
    adjusted[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1)
    return [float(p) for p in adjusted]


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
    for rows in row_batches(permutations, width):
        yield random.integers(0, 2, (rows, count), dtype=np.int8).astype(np.float64)


def _as_far(sums: FloatArray, seen: FloatArray | float) -> BoolArray:
    """Whether sums are at least as far from zero as the one seen, but for rounding."""
    reached: BoolArray = np.abs(sums) >= np.abs(seen) - TIE
    return reached
