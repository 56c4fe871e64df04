"""Folds, scores and classifiers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers import classifiers as learners
from papers.crossvalidation import class_scores, held_out, scattered_folds

from boilersweep import UsageError
from boilersweep.eval.judge.leaks import folds
from boilersweep.eval.judge.scores import block_scores
from boilersweep.eval.training import learners as product_learners
from boilersweep.pages.columns import FloatArray, IntArray

RNG = np.random.default_rng(1)
COLUMN = np.repeat(np.arange(1.0, 7), 1000)[:, None]  # 1 to 6, of 1,000 rows each
STEP = (COLUMN[:, 0] > 3).astype(np.int64)
ONES = np.ones(6000, dtype=np.int64)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 50)), min_size=1, max_size=80)
)
def test_folds_keep_groups_together(rows: list[tuple[int, int]]) -> None:
    groups, weights = map(np.array, zip(*rows, strict=True))
    names = len(set(groups.tolist()))
    if names < 3:
        with pytest.raises(
            UsageError, match=f"at least 3 groups for 3 folds, got {names}"
        ):
            folds(groups, weights, 3)
        return
    found = folds(groups, weights, 3)
    assert set(found.tolist()) == {0, 1, 2}
    assert all(len(set(found[groups == group].tolist())) == 1 for group in groups)
    sizes = np.bincount(found, weights)
    heaviest = np.bincount(groups, weights).max()
    assert sizes.max() - sizes.min() <= heaviest


def test_scattered_folds_are_even_and_always_the_same() -> None:
    found = scattered_folds(25)
    assert sorted(np.bincount(found).tolist()) == [2] * 5 + [3] * 5
    assert np.array_equal(found, scattered_folds(25))


def test_zero_rule_scores_are_those_of_the_paper() -> None:
    # Table 2: content has .638 of the words, so precision is .638^2, recall .638, the false
    # positive rate .638 and F1 .638 * 2 * .638 / 1.638 = .497.
    classes = np.repeat([1, 0], [638, 362])
    ones = np.ones(1000, dtype=np.int64)
    model = learners.zero_rule(np.zeros((1000, 0)), classes, ones, 2)
    scores = class_scores(classes, model(np.zeros((1000, 0))), ones)
    assert scores.precision == pytest.approx(0.407, abs=5e-4)
    assert scores.recall == pytest.approx(0.638)
    assert scores.f1 == pytest.approx(0.497, abs=5e-4)
    assert scores.false_positive_rate == pytest.approx(0.638)
    assert scores.auc == pytest.approx(0.5)


def test_two_classes_score_as_masks_do() -> None:
    classes, chosen = RNG.integers(0, 2, 50), RNG.integers(0, 2, 50)
    words = RNG.integers(1, 9, 50)
    ours = class_scores(classes, np.eye(2)[chosen], words)
    mask = block_scores(classes == 1, chosen == 1, words)
    for name in ("precision", "recall", "f1", "false_positive_rate", "auc"):
        assert getattr(ours, name) == pytest.approx(getattr(mask, name)), name


def test_three_classes_by_hand() -> None:
    # Words 2, 1, 1. Chosen: the first right, the second right, the third taken for the first.
    scores = class_scores(np.arange(3), np.eye(3)[[0, 1, 0]], np.array([2, 1, 1]))
    assert scores.precision == pytest.approx(0.5 * 2 / 3 + 0.25 * 1 + 0)
    assert scores.recall == pytest.approx(0.75)
    assert scores.f1 == pytest.approx(0.5 * 0.8 + 0.25)
    assert scores.false_positive_rate == pytest.approx(0.5 * 1 / 2)
    assert scores.auc == pytest.approx(0.5 * 0.75 + 0.25 + 0.25 * 0.5)


def test_nothing_is_learnt_from_the_fold_it_is_tested_on() -> None:
    seen: list[set[int]] = []

    def learner(
        features: FloatArray, classes: IntArray, words: IntArray, count: int
    ) -> learners.Model:
        seen.append(set(features[:, 0].astype(int).tolist()))
        return lambda rows: np.array(
            [
                [1.0, 0.0] if int(value) in seen[-1] else [0.0, 1.0]
                for value in rows[:, 0]
            ]
        )

    rows = np.arange(12.0)[:, None]
    fold_of = np.arange(12) % 3
    chances = held_out(learner, rows, fold_of, np.ones(12, dtype=np.int64), fold_of, 2)
    assert (chances[:, 1] == 1).all()
    assert len(seen) == 3


def test_one_rule_takes_the_better_feature_and_joins_ranges() -> None:
    noise = RNG.random(6000)[:, None]
    model = learners.one_rule(np.hstack([noise, COLUMN]), STEP, ONES, 2)
    rows = np.array([[0.9, 3.4], [0.1, 3.6], [0.5, 99.0]])
    assert model(rows).tolist() == [[1, 0], [0, 1], [0, 1]]  # the border is at 3.5
    borders, labels = learners._ranges(COLUMN[:, 0], STEP, ONES, 2)
    assert borders.tolist() == [3.5]
    assert labels.tolist() == [0, 1]


def test_a_range_needs_a_thousand_words() -> None:
    rare = np.where(COLUMN[:, 0] == 2, 1, 0)
    few = np.where(COLUMN[:, 0] == 2, 0, 1)
    # 999 words of 2
    weights = np.where(rare == 1, 0, 1) + (np.arange(6000) < 1999) * (rare == 1)
    borders, _ = learners._ranges(COLUMN[:, 0], rare, weights, 2)
    assert borders.tolist() == []
    borders, labels = learners._ranges(COLUMN[:, 0], few, ONES, 2)
    assert (borders.tolist(), labels.tolist()) == ([1.5, 2.5], [1, 0, 1])


def test_trees_have_leaves_of_a_thousand_words() -> None:
    model = learners.tree(COLUMN, STEP, ONES, 2)
    assert model(np.array([[1.0], [6.0]])).tolist() == [[1, 0], [0, 1]]
    assert learners.tree_leaves(COLUMN, STEP, ONES, 2) == 2
    alternating = (COLUMN[:, 0] % 2).astype(np.int64)
    assert learners.tree_leaves(COLUMN, alternating, ONES, 2) == 6
    assert learners.range_leaves(COLUMN, STEP, ONES, 2) == 2
    assert learners.tree_leaves(COLUMN[:1900], alternating[:1900], ONES[:1900], 2) == 1


@pytest.mark.parametrize(
    "learner",
    [
        learners.tree,
        learners.linear_svm,
        learners.perceptron,
        learners.rbf_svm,
        learners.logistic_regression,
    ],
)
def test_classes_that_training_has_not_have_no_chance(
    learner: learners.Learner,
) -> None:
    features, classes = COLUMN[::10], 2 * STEP[::10]
    model = learner(features, classes, ONES[::10], 3)
    chances = model(np.array([[1.0], [6.0]]))
    assert chances.shape == (2, 3)
    assert chances.argmax(axis=1).tolist() == [0, 2]
    assert (chances[:, 1] == 0).all()


def test_scikit_learn_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_learners, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'scikit-learn>="):
        learners.tree(COLUMN, STEP, ONES, 2)
