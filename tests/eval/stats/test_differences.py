"""The documents that decide a difference, and its bounds."""

import random

import pytest

from boilersweep import UsageError
from boilersweep.eval.stats.families import (
    difference_bounds,
    parse_summed_measure,
    weight_differences,
)
from boilersweep.eval.stats.scoring import parse_measures, score

A, B = ["both", "left", "moved"], ["moved", "both", "entered"]


def test_only_documents_in_one_top_decide_precision() -> None:
    measure = parse_summed_measure("P@3")
    weights = weight_differences(A, B, measure)
    assert weights == {"left": pytest.approx(-1 / 3), "entered": pytest.approx(1 / 3)}
    assert difference_bounds(weights, {}, measure) == pytest.approx((-1 / 3, 1 / 3))
    known = {"entered": (2, 2)}
    assert difference_bounds(weights, known, measure) == pytest.approx((0, 1 / 3))


def test_moved_documents_decide_dcg_too() -> None:
    assert weight_differences(A, B, parse_summed_measure("DCG@3")).keys() == {*A, *B}


@pytest.mark.parametrize("name", ["P@5", "DCG@5"])
def test_bounds_of_complete_judgements_are_the_difference_of_scores(name: str) -> None:
    measure = parse_summed_measure(name)
    chance = random.Random(1)  # noqa: S311
    for _ in range(50):
        docids = [f"d{number}" for number in range(9)]
        grades = {docid: chance.randint(0, 3) for docid in docids}
        a, b = chance.sample(docids, 7), chance.sample(docids, 7)
        limits = {docid: (grade, grade) for docid, grade in grades.items()}
        low, high = difference_bounds(
            weight_differences(a, b, measure), limits, measure
        )
        assert low == pytest.approx(high)
        if name == "P@5":
            [parsed] = parse_measures([name])
            expected = [
                score(
                    {"t": [(d, -float(rank)) for rank, d in enumerate(run)]},
                    {"t": grades},
                    [parsed],
                ).mean[name]
                for run in (a, b)
            ]
            assert low == pytest.approx(expected[1] - expected[0])
        some = {docid: limits[docid] for docid in chance.sample(docids, 4)}
        wide = difference_bounds(weight_differences(a, b, measure), some, measure)
        assert wide[0] - 1e-9 <= low <= wide[1] + 1e-9


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "P@0", "P", ""])
def test_other_measures_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="expected the measure P@k or DCG@k"):
        parse_summed_measure(name)
