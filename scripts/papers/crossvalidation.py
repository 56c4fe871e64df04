"""Cross-validation, and the word-weighted scores of Table 2 for any number of classes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from boilersweep.eval.judge.scores import block_scores, weighted_auc
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray
from papers.classifiers import Learner

FOLDS = 10


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Means over the classes, each weighted with its words, from 0 to 1, as Weka has them."""

    precision: float
    recall: float
    f1: float
    false_positive_rate: float
    auc: float


def scattered_folds(rows: int, count: int = FOLDS) -> IntArray:
    """(rows,) folds of rows at random, the same at every call, as Weka and the papers made them.

    Blocks of one page are then on both sides of a split.
    """
    return np.random.default_rng(2010).permutation(rows) % count


def splits(fold_of: IntArray) -> Iterator[tuple[BoolArray, BoolArray]]:
    """For every fold the (m,) rows to train on and the rows to test on."""
    for fold in np.unique(fold_of):
        yield fold_of != fold, fold_of == fold


def held_out(
    learner: Learner,
    features: FloatArray,
    classes: IntArray,
    words: IntArray,
    fold_of: IntArray,
    count: int,
) -> FloatArray:
    """(m, count) the chances that a model gives each row when it has not seen the row's fold."""
    chances = np.zeros((len(features), count))
    for train, test in splits(fold_of):
        model = learner(features[train], classes[train], words[train], count)
        chances[test] = model(features[test])
    return chances


def class_scores(
    classes: IntArray, chances: FloatArray, words: IntArray
) -> ClassScores:
    """Return the scores of (m, c) chances: each row's class is the likeliest one."""
    chosen = chances.argmax(axis=1)
    total = max(int(words.sum()), 1)
    scores = np.zeros(5)
    for number in range(chances.shape[1]):
        wanted = classes == number
        if wanted.any():
            one = block_scores(wanted, chosen == number, words)
            scores += (words[wanted].sum() / total) * np.array(
                [
                    one.content_precision,
                    one.content_recall,
                    one.content_f1,
                    one.content_false_positive_rate,
                    weighted_auc(wanted, chances[:, number], words),
                ]
            )
    return ClassScores(*map(float, scores))
