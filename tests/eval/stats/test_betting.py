"""Anytime-valid tests and confidence sequences of a bounded mean."""

from collections.abc import Sequence

import numpy as np
import pytest

from boilersweep.eval.stats.betting import BettingTest

ALPHA = 0.05


def betting_test(bound: float, values: Sequence[tuple[float, float]]) -> BettingTest:
    test = BettingTest(bound)
    test.extend(values)
    return test


def _stopped(values: np.ndarray) -> tuple[bool, bool]:
    """Whether the test ever rejects, and whether an interval ever excludes the mean 0.1."""
    test = betting_test(0.5, tuple((value, value) for value in values))
    low, high = test.interval(ALPHA)
    return test.e_value >= 1 / ALPHA, not low <= 0.1 <= high


def test_mistakes_and_coverage_keep_their_promise() -> None:
    chance = np.random.default_rng(7)
    without = [_stopped(chance.choice([-0.4, 0.1, 0.3], 80))[0] for _ in range(200)]
    assert np.mean(without) <= ALPHA
    excluded = [_stopped(chance.choice([-0.3, 0.1, 0.5], 80))[1] for _ in range(200)]
    assert np.mean(excluded) <= ALPHA


def test_clear_difference_becomes_certain() -> None:
    test = betting_test(0.5, ((0.1, 0.1), (0.2, 0.2), (0.0, 0.0)) * 10)
    low, high = test.interval(ALPHA)
    assert test.e_value > 1 / ALPHA
    assert 0 < low < 0.1 < high
    assert test.estimate == pytest.approx(0.1)


def test_topics_may_come_one_by_one_or_together() -> None:
    values = [(0.1, 0.2), (-0.6, 0.0), (0.3, 0.3)] * 5
    together, one_by_one = betting_test(0.5, values), BettingTest(0.5)
    for value in values:
        one_by_one.topics_needed(20)
        one_by_one.extend([value])
    assert (one_by_one.best == together.best).all()
    assert one_by_one.interval(ALPHA) == together.interval(ALPHA)
    assert one_by_one.topics_needed(20) == together.topics_needed(20)


def test_claims_stay_and_intervals_only_shrink() -> None:
    test = BettingTest(0.5)
    before = (-0.5, 0.5)
    for value in [0.2] * 20 + [-0.3] * 12:
        test.extend([(value, value)])
        now = test.interval(ALPHA)
        assert before[0] <= now[0] <= now[1] <= before[1]
        before = now
    assert test.estimate < 0.02
    assert test.e_value >= 1 / ALPHA
    assert before[0] >= 0


def test_open_judgement_counts_against_both_sides() -> None:
    known = betting_test(0.5, ((0.1, 0.1),) * 30)
    unsure = betting_test(0.5, ((0.0, 0.2),) * 30)
    assert unsure.e_value < known.e_value
    outer, inner = unsure.interval(ALPHA), known.interval(ALPHA)
    assert outer[0] <= inner[0] <= inner[1] <= outer[1]


def test_values_beyond_the_bound_count_as_the_bound() -> None:
    assert (
        betting_test(0.5, ((0.9, 0.9),)).e_value
        == betting_test(0.5, ((0.5, 0.5),)).e_value
    )


def test_no_topic_says_nothing() -> None:
    test = BettingTest(0.5)
    assert test.e_value == 1
    assert test.interval(ALPHA) == (-0.5, 0.5)
    assert test.topics_needed(20) == (float("inf"),) * 3


def test_topics_to_come_are_estimated_from_those_so_far() -> None:
    values = ((0.2, 0.2), (0.0, 0.0), (0.1, 0.1)) * 30
    needed = next(n for n in range(90) if betting_test(0.5, values[:n]).e_value >= 20)
    low, middle, high = betting_test(0.5, values[:6]).topics_needed(20)
    assert low <= needed - 6 <= high
    assert (needed - 6) / 2 <= middle <= 2 * (needed - 6)
    assert betting_test(0.5, values).topics_needed(20) == (0, 0, 0)
    assert betting_test(0.5, ((0.1, 0.1), (-0.1, -0.1)) * 9).topics_needed(20)[
        1
    ] == float("inf")
