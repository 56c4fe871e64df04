"""Anytime-valid tests and confidence sequences of a bounded mean."""

import itertools

import numpy as np
import pytest

from boilersweep.eval.assess.betting import BettingTest, betting_test, family_e_values

ALPHA = 0.05


def _stopped(values: np.ndarray) -> tuple[bool, bool]:
    """Whether the test ever rejects, and whether an interval ever excludes the mean 0.1."""
    test, rejected = BettingTest(0.5), False
    for value in values:
        test.add(value, value)
        rejected = rejected or test.e_value >= 1 / ALPHA
    low, high = test.interval(ALPHA)
    return rejected, not low <= 0.1 <= high


def test_mistakes_and_coverage_keep_their_promise() -> None:
    chance = np.random.default_rng(7)
    without = [_stopped(chance.choice([-0.4, 0.1, 0.3], 80))[0] for _ in range(200)]
    assert np.mean(without) <= ALPHA
    excluded = [_stopped(chance.choice([-0.3, 0.1, 0.5], 80))[1] for _ in range(200)]
    assert np.mean(excluded) <= ALPHA


def test_clear_difference_becomes_certain() -> None:
    test = betting_test(0.5, [(0.1, 0.1), (0.2, 0.2), (0.0, 0.0)] * 10)
    low, high = test.interval(ALPHA)
    assert test.e_value > 1 / ALPHA
    assert 0 < low < 0.1 < high
    assert test.estimate == pytest.approx(0.1)


def test_certain_answer_stays_certain() -> None:
    values = [(0.2, 0.2)] * 20
    certain = betting_test(0.5, values)
    later = betting_test(0.5, [*values, *[(-0.3, -0.3)] * 8])
    assert later.e_value < 1 / ALPHA < certain.e_value
    assert later.best_e_value >= certain.best_e_value
    assert later.interval(ALPHA)[0] >= certain.interval(ALPHA)[0] >= 0


def test_open_judgement_counts_against_both_sides() -> None:
    known = betting_test(0.5, [(0.1, 0.1)] * 30)
    unsure = betting_test(0.5, [(0.0, 0.2)] * 30)
    assert unsure.e_value < known.e_value
    outer, inner = unsure.interval(ALPHA), known.interval(ALPHA)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_values_beyond_the_bound_count_as_the_bound() -> None:
    assert betting_test(0.5, [(0.9, 0.9)]).e_value == betting_test(0.5, [(0.5, 0.5)]).e_value


def test_no_topic_says_nothing() -> None:
    test = BettingTest(0.5)
    assert test.e_value == 1
    assert test.interval(ALPHA) == (-0.5, 0.5)
    assert test.topics_needed(20) == float("inf")


def test_family_takes_the_least_average_of_all_subsets() -> None:
    values = [30.0, 0.5, 8.0, 100.0, 8.0]
    expected = [
        min(
            np.mean([value, *rest])
            for size in range(len(values))
            for rest in itertools.combinations(values[:n] + values[n + 1 :], size)
        )
        for n, value in enumerate(values)
    ]
    assert family_e_values(values) == pytest.approx(expected)
    assert family_e_values([25.0]) == [25.0]
    assert family_e_values([]) == []
