"""From scores of topics to means, intervals, differences and corrected p-values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from boilersweep.eval.stats.bootstrap import bootstrap_intervals, share_intervals
from boilersweep.eval.stats.statistics import TIE, Interval, differences_to
from boilersweep.eval.study.differences import PValues, as_intervals, p_values, untested
from boilersweep.eval.study.results import Result
from boilersweep.pages.columns import FloatArray

# Measure and variant -> what `p_values` returns.
_Tests = Mapping[tuple[str, int], tuple[PValues, bool]]


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of variants with a baseline.

    Attributes:
        results: For each variant, measure -> result.
        comparisons: The p-values that Holm's method corrected, for each test, over all variants and
            tested measures.
    """

    results: list[dict[str, Result]]
    comparisons: int


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variants that share a baseline: those under one ranking formula.

    Attributes:
        scores: Measure -> (t, v) scores of topics and variants.
        baseline: The baseline's place among the variants.
        gold: The gold text's place; None without a gold text.
        is_tested: Whether the differences are tested, or only shown.
    """

    scores: Mapping[str, FloatArray]
    baseline: int
    gold: int | None
    is_tested: bool = True

    @property
    def count(self) -> int:
        """The number of variants."""
        return int(next(iter(self.scores.values())).shape[1])

    @property
    def candidates(self) -> list[int]:
        """Columns to compare with the baseline: all but the baseline and the gold text."""
        return [v for v in range(self.count) if v not in (self.baseline, self.gold)]


def compare_groups(
    groups: Sequence[Group], tested: Sequence[str], seed: int, tests: Sequence[str]
) -> list[Compared]:
    """Compare the variants of each group with its baseline, and correct over all groups.

    Args:
        groups: The groups.
        tested: The measures to test; others are only shown, and the gold text is a bound.
        seed: The seed of resamples and permutations.
        tests: The tests; the first one decides.

    Returns:
        A comparison per group.
    """
    found = _tests(groups, tested, seed, tests)
    return [
        Compared(
            _results(group, {key[1:]: ps for key, ps in found.items() if key[0] == n}, seed),
            len(found),
        )
        for n, group in enumerate(groups)
    ]


def _results(group: Group, tests: _Tests, seed: int) -> list[dict[str, Result]]:
    """Return measure -> result for each variant of a group."""
    scores, baseline = group.scores, group.baseline
    results: list[dict[str, Result]] = [{} for _ in range(group.count)]
    differences_by = {m: differences_to(v, v[:, baseline]) for m, v in scores.items()}
    # All from the same resamples, which cost more than the means of a column.
    columns = [array for m in scores for array in (scores[m], differences_by[m])]
    bounds = bootstrap_intervals(np.concatenate(columns, axis=1), seed=seed)
    bounds_by = dict(zip(scores, bounds.reshape(len(scores), 2, group.count, 2), strict=True))
    for measure, values in scores.items():
        means = values.mean(axis=0)
        intervals, difference_bounds = as_intervals(bounds_by[measure][0]), bounds_by[measure][1]
        gap, closed_intervals = _gap(group, means, differences_by[measure], seed)
        differences = untested(differences_by[measure], difference_bounds)
        for variant, difference in enumerate(differences):
            ps, near = tests.get((measure, variant), (None, False))
            results[variant][measure] = Result(
                mean=float(means[variant]),
                interval=intervals[variant],
                closed=difference.mean / gap if gap else None,
                closed_interval=closed_intervals[variant],
                difference=None
                if variant == baseline
                else replace(difference, tests=ps, near=near),
            )
    return results


def _gap(
    group: Group, means: FloatArray, gains: FloatArray, seed: int
) -> tuple[float | None, list[Interval | None]]:
    """Return the gap from the baseline to the gold text, and each variant's interval of its share.

    The gap is None without a gold text, or if the gold text is no better than the baseline.
    """
    if group.gold is not None:
        gap = float(means[group.gold] - means[group.baseline])
        if gap > TIE:
            return gap, as_intervals(share_intervals(gains, gains[:, group.gold], seed=seed))
    return None, [None] * group.count


def _tests(
    groups: Sequence[Group], tested: Sequence[str], seed: int, tests: Sequence[str]
) -> dict[tuple[int, str, int], tuple[PValues, bool]]:
    """Return the p-values by the group's number, measure and variant."""
    compared = [(n, group) for n, group in enumerate(groups) if group.is_tested]
    keys = [
        (n, m, variant) for n, group in compared for m in tested for variant in group.candidates
    ]
    if not keys:
        return {}
    columns = [
        differences_to(group.scores[m][:, group.candidates], group.scores[m][:, group.baseline])
        for _, group in compared
        for m in tested
    ]
    differences = np.concatenate(columns, axis=1)
    return dict(zip(keys, p_values(differences, tests, seed), strict=True))
