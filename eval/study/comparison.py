"""From scores of topics to means, intervals, differences and corrected p-values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from boilersweep.eval.statistics import (
    TIE,
    Interval,
    Outcomes,
    bootstrap_intervals,
    differences_to,
    holm,
    paired_randomisations,
    paired_ts,
)
from boilersweep.eval.study.results import Difference, PValues, Result
from boilersweep.pages.columns import FloatArray


@dataclass(frozen=True, slots=True)
class Compared:
    """results: variant -> measure -> result. comparisons: how many p-values Holm corrected.

    The two tests are corrected apart, each over all variants and tested measures.
    """

    results: list[dict[str, Result]]
    comparisons: int


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variants that share a baseline: those under one ranking formula.

    scores: measure -> (t, v) of topics and variants. baseline, gold: places among the variants.
    is_tested: whether its differences are, or only stand beside others.
    """

    scores: Mapping[str, FloatArray]
    baseline: int
    gold: int | None
    is_tested: bool = True

    @property
    def candidates(self) -> list[int]:
        """Places of what is compared with the baseline."""
        count = next(iter(self.scores.values())).shape[1]
        return [v for v in range(count) if v not in (self.baseline, self.gold)]


def compare(
    scores: Mapping[str, FloatArray],
    baseline: int,
    gold: int | None,
    tested: Sequence[str],
    seed: int,
) -> Compared:
    """Compare all variants with the baseline, by every measure.

    scores: measure -> (t, v) of topics and variants. baseline, gold: places among the variants.
    tested: the measures to test; the others only stand beside them, and the gold text is a
    bound, no candidate.
    """
    return compare_groups([Group(scores, baseline, gold)], tested, seed)[0]


def compare_groups(groups: Sequence[Group], tested: Sequence[str], seed: int) -> list[Compared]:
    """Compare the variants of each group with its baseline, and correct over all groups."""
    tests = _tests(groups, tested, seed)
    return [
        Compared(
            _results(group, {key[1:]: ps for key, ps in tests.items() if key[0] == n}, seed),
            len(tests),
        )
        for n, group in enumerate(groups)
    ]


def _results(
    group: Group, tests: Mapping[tuple[str, int], PValues], seed: int
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
        differences = differences_by[measure]
        intervals, difference_intervals = map(_intervals, bounds_by[measure])
        gap = 0.0 if gold is None else float(means[gold] - means[baseline])
        for variant in range(count):
            column = differences[:, variant]
            mean = float(column.mean())
            difference = None
            if variant != baseline:
                difference = Difference(
                    mean,
                    difference_intervals[variant],
                    _outcomes(column),
                    tests.get((measure, variant)),
                )
            closed = mean / gap if gap > TIE else None
            results[variant][measure] = Result(
                float(means[variant]), intervals[variant], difference, closed
            )
    return results


def _tests(
    groups: Sequence[Group], tested: Sequence[str], seed: int
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
    t = paired_ts(differences).tolist()
    randomisation = paired_randomisations(differences, seed=seed).tolist()
    corrected = zip(t, holm(t), randomisation, holm(randomisation), strict=True)
    return {key: PValues(*ps) for key, ps in zip(keys, corrected, strict=True)}


def _intervals(bounds: FloatArray) -> list[Interval | None]:
    return [None if isnan(low) else (low, high) for low, high in bounds.tolist()]


def _outcomes(differences: FloatArray) -> Outcomes:
    return Outcomes(
        int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())
    )
