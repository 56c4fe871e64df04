"""From scores of topics to means, intervals, differences and corrected p-values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from boilersweep.eval.bootstrap import bootstrap_intervals, share_intervals
from boilersweep.eval.statistics import TIE, Interval, differences_to
from boilersweep.eval.study.differences import (
    DEFAULT_TESTS,
    PValues,
    as_intervals,
    p_values,
    untested,
)
from boilersweep.eval.study.results import Result
from boilersweep.pages.columns import FloatArray


@dataclass(frozen=True, slots=True)
class Compared:
    """results: variant -> measure -> result. comparisons: how many p-values Holm corrected.

    The tests are corrected apart, each over all variants and tested measures.
    """

    results: list[dict[str, Result]]
    comparisons: int


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variants that share a baseline: those under one ranking formula.

    scores: measure -> (t, v) of topics and variants. baseline, gold: places among the variants.
    is_tested: whether its differences are, or are only beside others.
    """

    scores: Mapping[str, FloatArray]
    baseline: int
    gold: int | None
    is_tested: bool = True

    @property
    def candidates(self) -> list[int]:
        """Columns compared with the baseline: all but the baseline and the gold text."""
        count = next(iter(self.scores.values())).shape[1]
        return [v for v in range(count) if v not in (self.baseline, self.gold)]


def compare(
    scores: Mapping[str, FloatArray],
    baseline: int,
    gold: int | None,
    tested: Sequence[str],
    seed: int,
    tests: Sequence[str] = DEFAULT_TESTS,
) -> Compared:
    """Compare all variants with the baseline, by every measure.

    scores: measure -> (t, v) of topics and variants. baseline, gold: places among the variants.
    tested: the measures to test; the others are only beside them, and the gold text is a
    bound, no candidate. tests: to test with; the first one decides.
    """
    return compare_groups([Group(scores, baseline, gold)], tested, seed, tests)[0]


def compare_groups(
    groups: Sequence[Group],
    tested: Sequence[str],
    seed: int,
    tests: Sequence[str] = DEFAULT_TESTS,
) -> list[Compared]:
    """Compare the variants of each group with its baseline, and correct over all groups."""
    found = _tests(groups, tested, seed, tests)
    return [
        Compared(
            _results(group, {key[1:]: ps for key, ps in found.items() if key[0] == n}, seed),
            len(found),
        )
        for n, group in enumerate(groups)
    ]


def _results(
    group: Group, found: Mapping[tuple[str, int], PValues], seed: int
) -> list[dict[str, Result]]:
    scores, baseline, gold = group.scores, group.baseline, group.gold
    count = next(iter(scores.values())).shape[1]
    results: list[dict[str, Result]] = [{} for _ in range(count)]
    differences_by = {m: differences_to(v, v[:, baseline]) for m, v in scores.items()}
    # All from the same resamples, which cost more than the means of a column.
    columns = [array for m in scores for array in (scores[m], differences_by[m])]
    bounds = bootstrap_intervals(np.concatenate(columns, axis=1), seed=seed)
    bounds_by = dict(zip(scores, bounds.reshape(len(scores), 2, count, 2), strict=True))
    for measure, values in scores.items():
        means = values.mean(axis=0)
        intervals, difference_intervals = as_intervals(bounds_by[measure][0]), bounds_by[measure][1]
        differences = untested(differences_by[measure], difference_intervals)
        gap = 0.0 if gold is None else float(means[gold] - means[baseline])
        closed_intervals: list[Interval | None] = [None] * count
        if gold is not None and gap > TIE:
            gains = differences_by[measure]
            closed_intervals = as_intervals(share_intervals(gains, gains[:, gold], seed=seed))
        for variant, difference in enumerate(differences):
            results[variant][measure] = Result(
                mean=float(means[variant]),
                interval=intervals[variant],
                difference=None
                if variant == baseline
                else replace(difference, tests=found.get((measure, variant))),
                closed=difference.mean / gap if gap > TIE else None,
                closed_interval=closed_intervals[variant],
            )
    return results


def _tests(
    groups: Sequence[Group], tested: Sequence[str], seed: int, tests: Sequence[str]
) -> dict[tuple[int, str, int], PValues]:
    """By the number of the group, measure and variant."""
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
