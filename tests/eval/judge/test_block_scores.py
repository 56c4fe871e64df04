"""Word-weighted scores of blocks, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.judge.block_scores import block_scores, weighted_auc

CONTENT = np.array([True, True, False, False])
KEEP = np.array([True, False, True, False])
WORDS = np.array([60, 20, 10, 10])


def test_scores_by_hand() -> None:
    # Content has 80 words, boilerplate 20. Kept are 70, of these 60 content.
    # Content: P 60/70, R 60/80, F1 120/150, FPR 10/20.
    # Boilerplate: dropped are 30, of these 10 boilerplate: P 10/30, R 10/20, F1 20/50, FPR 20/80.
    found = block_scores(CONTENT, KEEP, WORDS)
    assert found.content_precision == pytest.approx(60 / 70)
    assert found.content_recall == pytest.approx(0.75)
    assert found.content_f1 == pytest.approx(0.8)
    assert found.content_false_positive_rate == pytest.approx(0.5)
    assert found.precision == pytest.approx(0.8 * 60 / 70 + 0.2 / 3)
    assert found.recall == pytest.approx(0.8 * 0.75 + 0.2 * 0.5)
    assert found.f1 == pytest.approx(0.8 * 0.8 + 0.2 * 0.4)
    assert found.false_positive_rate == pytest.approx(0.8 * 0.5 + 0.2 * 0.25)
    assert found.auc == pytest.approx((0.75 + 0.5) / 2)


def test_a_perfect_mask_and_its_opposite() -> None:
    right, wrong = (block_scores(CONTENT, keep, WORDS) for keep in (CONTENT, ~CONTENT))
    assert (right.precision, right.recall, right.f1, right.auc) == (1, 1, 1, 1)
    assert right.false_positive_rate == 0
    assert (wrong.precision, wrong.recall, wrong.f1, wrong.auc) == (0, 0, 0, 0)
    assert wrong.false_positive_rate == 1


def test_nothing_and_one_class_alone() -> None:
    none = np.zeros(0, dtype=bool)
    assert block_scores(none, none, np.zeros(0, dtype=np.int64)).f1 == 0
    every = np.ones(4, dtype=bool)
    assert block_scores(every, every, WORDS).f1 == 1
    assert weighted_auc(every, np.arange(4.0), WORDS) == 0.5


def test_auc_by_hand() -> None:
    # Pairs of a content and a boilerplate word: 60 * 20 + 20 * 20 = 1600. The block of 60 is above
    # both others (1200), that of 20 level with one of 10 words (half of 200), above none.
    scores = np.array([0.9, 0.5, 0.5, 0.7])
    assert weighted_auc(CONTENT, scores, WORDS) == pytest.approx((1200 + 100) / 1600)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(1, 5)), max_size=12))
def test_auc_counts_pairs_of_words(rows: list[tuple[bool, int, int]]) -> None:
    content = np.array([row[0] for row in rows], dtype=bool)
    scores = np.array([row[1] for row in rows], dtype=float)
    words = np.array([row[2] for row in rows], dtype=np.int64)
    won = total = 0.0
    for mine, score, weight in rows:
        for theirs, other, count in rows:
            if mine and not theirs:
                total += weight * count
                won += weight * count * ((score > other) + (score == other) / 2)
    assert weighted_auc(content, scores, words) == pytest.approx(won / total if total else 0.5)
