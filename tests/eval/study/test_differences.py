"""Scores of topics to differences, tests and shares of the gap."""

import numpy as np
import pytest

from boilersweep.eval.stats.frames import Result
from boilersweep.eval.study.differences import (
    DEFAULT_TESTS,
    Group,
    compare_groups,
    not_worse,
)
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


@pytest.mark.parametrize("test", ["randomisation", "t", "wilcoxon"])
def test_a_margin_is_certain_only_where_it_is_kept(test: str) -> None:
    # About level, worse by about .1, better by about .1
    chance = np.random.default_rng(3)
    columns = np.array([0.0, -0.1, 0.1]) + chance.normal(0, 0.05, (40, 3))
    tight, wide = (not_worse(columns, margin, test, 1) for margin in (0.04, 0.2))
    assert tight[0] < 0.05
    assert tight[1] > 0.95
    assert tight[2] < 0.001
    assert max(wide) < 0.001


def test_a_margin_by_hand() -> None:
    from scipy.stats import ttest_1samp

    columns = np.array([[0.1, -0.1], [0.0, 0.1], [-0.1, -0.2], [0.1, 0.0]])
    one_sided = ttest_1samp(columns, -0.05, alternative="greater").pvalue
    holm = [2 * one_sided[0], max(2 * one_sided[0], one_sided[1])]
    assert not_worse(columns, 0.05, "t", 1) == pytest.approx(holm, abs=1e-6)


def test_a_margin_is_false_as_rarely_as_promised() -> None:
    # Worse by exactly the margin
    chance = np.random.default_rng(5)
    draws = chance.choice([-0.2, -0.1, 0.1], (30, 1000), p=[0.25, 0.25, 0.5])
    columns = draws - draws.mean() - 0.05
    false = [not_worse(columns[:, [i]], 0.05, "t", 1)[0] < 0.05 for i in range(1000)]
    assert np.mean(false) < 0.07


def test_corrections_and_the_margin_of_a_study() -> None:
    group = Group(run_scores(SCORES), 3)
    (results,), _ = compare_groups(
        [group], ["P@10"], 1, ("t",), correction="bh", margin=0.05
    )
    better = results[1]["P@10"]
    assert set(better.tests) == {"t", "t_bh"}
    assert better.p == better.tests["t_bh"] <= 2 * better.tests["t"]
    assert better.not_worse is not None
    assert results[0]["P@10"].not_worse is None
    assert results[3]["P@10"].not_worse is None
    assert results[1]["AP"].not_worse is None
