"""Cross-validation over topics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.study.choice import choose, split
from tests.conftest import known

CANDIDATES = (0, 1, 2)


def test_by_hand_with_two_topics() -> None:
    # Variant 1 is best on topic 0, variant 2 on topic 1: chosen by the one, each fails on the
    # other, though on both together 1 looks as good as .55.
    scores = np.array([[0.5, 0.9, 0.1], [0.5, 0.2, 0.8]])
    choice = known(choose("P@10", scores, CANDIDATES, seed=1))
    assert {fold.topics: fold.chosen for fold in choice.folds} == {(0,): 2, (1,): 1}
    assert sorted(fold.held_out for fold in choice.folds) == [0.1, 0.2]
    assert sorted(fold.training for fold in choice.folds) == [0.8, 0.9]
    assert choice.mean == pytest.approx(0.15)
    assert choice.gain == pytest.approx(-0.35)
    assert choice.chosen == 1
    assert choice.seen == pytest.approx(0.55)


def test_what_is_best_everywhere_is_chosen_by_all_folds() -> None:
    base = np.random.default_rng(1).random(50) / 2
    scores = np.stack([base, base + 0.2, base - 0.1], axis=1)
    choice = known(choose("P@10", scores, CANDIDATES, seed=1))
    assert choice.votes == ((1, 5),)
    assert choice.mean == pytest.approx(choice.seen)
    assert choice.gain == pytest.approx(0.2)
    assert choice.gain_interval == pytest.approx((0.2, 0.2))


def test_the_best_of_many_that_differ_by_chance_gains_nothing_on_unseen_topics() -> (
    None
):
    # The best of 50 means of 40 numbers around .5 is about 2.2 of their deviations above.
    choices = [
        choose("P@10", np.random.default_rng(n).random((40, 50)), range(50), seed=n)
        for n in range(60)
    ]
    assert np.mean([choice.seen for choice in choices if choice]) > 0.59
    assert abs(np.mean([choice.mean for choice in choices if choice]) - 0.5) < 0.02


@pytest.mark.slow
def test_without_any_difference_the_interval_alone_claims_as_often_as_the_manual_says() -> (
    None
):
    claims = []
    for run in range(200):
        random = np.random.default_rng(run)
        topics = random.normal(0.6, 0.2, (50, 1))
        scores = topics + random.normal(0, 0.1, (50, 121))
        choice = known(choose("P@10", scores, range(121), seed=run))
        claims.append(choice.gain_interval[0] > 0)
    assert 0.03 <= np.mean(claims) <= 0.13


def test_of_equal_ones_the_first_candidate_is_chosen() -> None:
    scores = np.full((10, 3), 0.1) + np.array([0.1, 0.2 - 1e-17, 0.2])
    choice = known(choose("P@10", scores, (0, 2, 1), seed=1))
    assert choice.chosen == 2
    choice = known(choose("P@10", scores * 0, CANDIDATES, seed=1))
    assert choice.votes == ((0, 5),)
    assert (choice.mean, choice.gain) == (0, 0)


def test_one_topic_chooses_nothing() -> None:
    assert choose("P@10", np.array([[0.1, 0.9]]), (0, 1), seed=1) is None


@given(st.integers(2, 300), st.integers(2, 20), st.integers(0, 5))
def test_folds_hold_every_topic_once(count: int, folds: int, seed: int) -> None:
    parts = split(count, folds, seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(count))
    sizes = {len(part) for part in parts}
    assert max(sizes) - min(sizes) <= 1
    assert len(parts) == min(count, folds)
    assert [part.tolist() for part in split(count, folds, seed)] == [
        p.tolist() for p in parts
    ]
