"""Schäfer's Figure 3: correct decisions, precision, recall and F1 over the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass

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
