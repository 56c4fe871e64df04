"""Scores of topics to differences, tests and shares of the gap."""

import numpy as np
import pytest
from scipy import stats

from boilersweep.eval.stats.bootstrap import bootstrap_interval
from boilersweep.eval.study.differences import (
    DEFAULT_TESTS,
    Difference,
    Group,
    Result,
    compare_groups,
)
from boilersweep.pages.columns import FloatArray

# Three topics under a baseline, two cleaners and the gold text.
SCORES = {
    "P@10": np.array([[0.1, 0.3, 0.1, 0.5], [0.5, 0.5, 0.4, 0.5], [0.3, 0.7, 0.3, 0.8]]),
    "AP": np.array([[0.2, 0.3, 0.1, 0.1], [0.2, 0.1, 0.1, 0.1], [0.2, 0.2, 0.1, 0.1]]),
}


def compare(
    scores: dict[str, FloatArray], gold: int | None, tested: list[str], seed: int
) -> tuple[list[dict[str, Result]], int]:
    (results,), comparisons = compare_groups([Group(scores, gold)], tested, seed, DEFAULT_TESTS)
    return results, comparisons


def outcomes(difference: Difference) -> tuple[int, int, int]:
    return difference.wins, difference.ties, difference.losses


def test_by_hand() -> None:
    results, comparisons = compare(SCORES, 3, ["P@10"], seed=1)
    baseline, better, worse, gold = (one["P@10"] for one in results)
    # Means .3, .5, .26667 and .6: the gap is .3, and the cleaners close .2 and -.03333 of it.
    assert baseline.mean == pytest.approx(0.3)
    assert (baseline.difference, baseline.closed) == (None, 0)
    assert better.mean == pytest.approx(0.5)
    assert better.closed == pytest.approx(2 / 3)
    assert worse.closed == pytest.approx(-1 / 9)
    assert gold.closed == pytest.approx(1)
    assert better.difference
    assert worse.difference
    assert gold.difference
    assert better.difference.mean == pytest.approx(0.2)
    assert outcomes(better.difference) == (2, 1, 0)
    assert outcomes(worse.difference) == (0, 2, 1)
    # Of the four ways to sign .2 and .4 two reach their sum; of the two to sign -.1 both.
    assert better.difference.tests
    assert worse.difference.tests
    assert better.difference.tests["randomisation"] == 0.5
    assert worse.difference.tests["randomisation"] == 1
    # Two comparisons: .5 times 2, 1 times 1.
    assert comparisons == 2
    assert better.difference.p == 1
    assert gold.difference.tests is None


def test_figures_are_those_of_scipy_and_of_values_one_by_one() -> None:
    random = np.random.default_rng(4)
    scores = {name: random.integers(0, 11, (40, 5)) / 10 for name in ("P@10", "nDCG@10")}
    scores["P@10"][:, 2] = np.minimum(scores["P@10"][:, 0] + 0.2, 1)
    results, comparisons = compare(scores, None, ["P@10", "nDCG@10"], seed=9)
    ps = []
    for measure, values in scores.items():
        for place in range(1, 5):
            result = results[place][measure]
            assert result.difference
            assert result.difference.tests
            expected = stats.ttest_rel(values[:, place], values[:, 0]).pvalue
            assert result.difference.tests["t"] == pytest.approx(expected, rel=1e-6)
            ps.append(expected)
            assert result.interval == pytest.approx(bootstrap_interval(values[:, place], seed=9))
            assert result.difference.interval == pytest.approx(
                bootstrap_interval(np.round(values[:, place] - values[:, 0], 9), seed=9)
            )
            assert result.closed is None
    holm = [p * (8 - sum(other < p for other in ps)) for p in ps]
    smallest = int(np.argmin(ps))
    tests = [
        difference.tests
        for measure in scores
        for place in range(1, 5)
        if (difference := results[place][measure].difference) and difference.tests
    ]
    assert comparisons == 8
    assert tests[smallest]["t_holm"] == pytest.approx(holm[smallest])


def test_measures_beside_are_not_tested_and_gold_below_the_baseline_is_no_bound() -> None:
    beside = compare(SCORES, 3, ["P@10"], seed=1)[0][1]["AP"]
    assert beside.difference
    assert beside.difference.tests is None
    assert beside.closed is None


def test_one_topic_has_no_interval_and_no_small_p() -> None:
    result = compare({"P@10": np.array([[0.1, 0.9]])}, None, ["P@10"], seed=1)[0][1]["P@10"]
    assert result.interval is None
    assert result.difference
    assert result.difference.interval is None
    assert result.difference.tests
    assert set(result.difference.tests.values()) == {1}


def test_a_cleaner_that_changes_nothing() -> None:
    values = np.repeat(np.random.default_rng(1).random((20, 1)), 3, axis=1)
    result = compare({"AP": values}, 2, ["AP"], seed=1)[0][1]["AP"]
    assert result.difference
    assert result.difference.mean == 0
    assert result.difference.interval == (0, 0)
    assert outcomes(result.difference) == (0, 20, 0)
    assert result.difference.tests
    assert result.difference.p == 1
    assert result.closed is None
