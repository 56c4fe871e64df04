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
    count = next(iter(scores.values())).shape[1]
    candidates = [v for v in range(count) if v not in (baseline, gold)]
    tests = _tests(scores, baseline, candidates, tested, seed)
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
    return Compared(results, len(tests))


def _tests(
    scores: Mapping[str, FloatArray],
    baseline: int,
    candidates: Sequence[int],
    tested: Sequence[str],
    seed: int,
) -> dict[tuple[str, int], PValues]:
    keys = [(measure, variant) for measure in tested for variant in candidates]
    if not keys:
        return {}
    columns = [
        differences_to(scores[measure][:, candidates], scores[measure][:, baseline])
        for measure in tested
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
