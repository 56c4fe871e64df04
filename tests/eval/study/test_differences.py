"""Scores of topics to differences, tests and shares of the gap."""

import numpy as np
import pytest

from boilersweep.eval.stats.frames import Result
from boilersweep.eval.study.differences import DEFAULT_TESTS, Group, compare_groups
from boilersweep.pages.columns import FloatArray
from tests.eval.study.conftest import run_scores

# Three topics under a baseline, two cleaners and the gold text.
SCORES = {
    "P@10": np.array(
        [[0.1, 0.3, 0.1, 0.5], [0.5, 0.5, 0.4, 0.5], [0.3, 0.7, 0.3, 0.8]]
    ),
    "AP": np.array([[0.2, 0.3, 0.1, 0.1], [0.2, 0.1, 0.1, 0.1], [0.2, 0.2, 0.1, 0.1]]),
}


def compare(
    scores: dict[str, FloatArray], gold: int | None, tested: list[str], seed: int
) -> tuple[list[dict[str, Result]], int]:
    (results,), comparisons = compare_groups(
        [Group(run_scores(scores), gold)], tested, seed, DEFAULT_TESTS
    )
    return results, comparisons


def outcomes(result: Result) -> tuple[int | None, ...]:
    return result.wins, result.ties, result.losses


def test_by_hand() -> None:
    results, comparisons = compare(SCORES, 3, ["P@10"], seed=1)
    baseline, better, worse, gold = (one["P@10"] for one in results)
    # Means .3, .5, .26667 and .6: the gap is .3, and the cleaners close .2 and -.03333 of it.
    assert baseline.mean == pytest.approx(0.3)
    assert (baseline.difference, baseline.gap_closed) == (None, 0)
    assert better.mean == pytest.approx(0.5)
    assert better.gap_closed == pytest.approx(2 / 3)
    assert worse.gap_closed == pytest.approx(-1 / 9)
    assert gold.gap_closed == pytest.approx(1)
    # Of the four ways to sign .2 and .4 two reach their sum; of the two to sign -.1 both.
    assert better.tests["randomisation"] == 0.5
    assert worse.tests["randomisation"] == 1
    # Two comparisons: .5 times 2, 1 times 1.
    assert comparisons == 2
    assert better.tests["randomisation_holm"] == 1
    assert better.difference == pytest.approx(0.2)
    assert outcomes(better) == (2, 1, 0)
    assert outcomes(worse) == (0, 2, 1)
    assert gold.tests == {}


def test_measures_beside_are_not_tested_and_gold_below_the_baseline_is_no_bound() -> (
    None
):
    beside = compare(SCORES, 3, ["P@10"], seed=1)[0][1]["AP"]
    assert beside.tests == {}
    assert beside.gap_closed is None


def test_one_topic_has_no_interval_and_no_small_p() -> None:
    result = compare({"P@10": np.array([[0.1, 0.9]])}, None, ["P@10"], seed=1)[0][1][
        "P@10"
    ]
    assert result.low is result.high is None
    assert set(result.tests.values()) == {1}
    assert result.difference_low is None


def test_a_cleaner_that_changes_nothing() -> None:
    values = np.repeat(np.random.default_rng(1).random((20, 1)), 3, axis=1)
    result = compare({"AP": values}, 2, ["AP"], seed=1)[0][1]["AP"]
    assert (result.difference, result.difference_low, result.p) == (0, 0, 1)
    assert outcomes(result) == (0, 20, 0)
    assert result.gap_closed is None
