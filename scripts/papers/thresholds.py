"""Schäfer's Figure 3: correct decisions, precision, recall and F1 over the threshold."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from boilersweep.pages.columns import BoolArray, FloatArray

# In steps of .01, as the paper's; ours are chances, so they begin at 0.
THRESHOLDS = tuple(np.round(np.arange(0, 1.005, 0.01), 2).tolist())


@dataclass(frozen=True, slots=True)
class ThresholdScores:
    """Of deciding for boilerplate from a chance of `threshold` on; every block counts once."""

    threshold: float
    accuracy: float
    precision: float
    recall: float
    f1: float


def threshold_scores(
    boilerplate: BoolArray,
    chances: FloatArray,
    thresholds: Sequence[float] = THRESHOLDS,
) -> list[ThresholdScores]:
    """Return the scores at each threshold.

    Args:
        boilerplate: (m,) what is.
        chances: (m,) that it is. Boilerplate is the positive class: with any other the paper's F1
            of .968 and accuracy of .948 do not go together. A quotient whose denominator is 0 is 0.
        thresholds: probabilities.
    """
    found = []
    for threshold in thresholds:
        chosen = chances >= threshold
        right = int((chosen & boilerplate).sum())
        picked, sought = int(chosen.sum()), int(boilerplate.sum())
        found.append(
            ThresholdScores(
                threshold,
                accuracy=float((chosen == boilerplate).mean()) if len(chances) else 0.0,
                precision=right / picked if picked else 0.0,
                recall=right / sought if sought else 0.0,
                f1=2 * right / (picked + sought) if picked + sought else 0.0,
            )
        )
    return found


def balanced(scores: Sequence[ThresholdScores]) -> ThresholdScores:
    """Where precision and recall are nearest to each other (the paper's Table 1).

    Where nothing right is chosen both are 0 and say nothing, so there the distance is 1.
    """
    return min(
        scores, key=lambda one: abs(one.precision - one.recall) if one.f1 else 1.0
    )


def most_correct(scores: Sequence[ThresholdScores]) -> ThresholdScores:
    """Where most decisions are correct; the lowest of several such thresholds."""
    return max(scores, key=lambda one: one.accuracy)


def mean_scores(by_fold: Sequence[Sequence[ThresholdScores]]) -> list[ThresholdScores]:
    """Return the arithmetic means of the folds' scores at each threshold (Figure 3)."""
    means = np.mean([[astuple(one) for one in fold] for fold in by_fold], axis=0)
    return [ThresholdScores(*row) for row in means.tolist()]


def fold_rows(by_fold: Sequence[Sequence[ThresholdScores]]) -> list[dict[str, object]]:
    """Return Schäfer's Tables 1 and 2: a row per fold, then arithmetic and harmonic means."""
    found = []
    for fold in by_fold:
        even, half = balanced(fold), next(one for one in fold if one.threshold == 0.5)
        row = {"balanced_threshold": even.threshold, "balanced_f1": even.f1}
        row |= {"balanced_accuracy": even.accuracy}
        names = ("precision", "recall", "f1", "accuracy")
        found.append(row | {name: getattr(half, name) for name in names})
    values = np.array([list(row.values()) for row in found])
    harmonic = len(values) / (1 / np.maximum(values, 1e-9)).sum(axis=0)
    heads = [*map(str, range(1, len(found) + 1)), "AM", "HM"]
    return [
        {"fold": head, **dict(zip(found[0], np.round(row, 4).tolist(), strict=True))}
        for head, row in zip(
            heads, [*values, values.mean(axis=0), harmonic], strict=True
        )
    ]
