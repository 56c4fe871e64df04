"""Choose a cleaner by judgements, and estimate the choice's worth by other judgements.

The best of many is better on the topics that chose it than on others. So the topics are split into
folds; all other topics choose the best variant for a fold, and only its scores on the fold count:
the choice's worth on unseen topics.

The mean of the held-out scores is unbiased. Their interval is somewhat too narrow if no variant is
much better than the others, because the folds' choices depend on each other (Bengio and Grandvalet,
"No unbiased estimator of the variance of k-fold cross-validation", JMLR 2004); so a gain counts as
statistically significant only if the corrected test of the chosen variant agrees.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from boilersweep.eval.stats.bootstrap import bootstrap_intervals
from boilersweep.eval.stats.statistics import TIE, Interval, differences_to
from boilersweep.pages.columns import FloatArray, IntArray

FOLDS = 5


class Fold(Struct, frozen=True):
    """A fold of topics.

    Attributes:
        topics: Places of the held-out topics.
        chosen: The place of the variant that the other topics choose.
        training: Its mean on the topics that choose it.
        held_out: Its mean on the held-out topics.
    """

    topics: tuple[int, ...]
    chosen: int
    training: float
    held_out: float


class Choice(Struct, frozen=True):
    """The best variant on all topics, and what such a choice is worth on unseen topics.

    Attributes:
        measure: The measure to choose by.
        chosen: The variant's place.
        seen: Its mean on the topics that choose it.
        folds: The folds.
        mean: The mean of the held-out scores, one per topic.
        interval: Its interval.
        gain: The held-out scores less the baseline's.
        gain_interval: The gain's interval.
        votes: The variants that folds chose, and how many folds did, most first.
    """

    measure: str
    chosen: int
    seen: float
    folds: tuple[Fold, ...]
    mean: float
    interval: Interval
    gain: float
    gain_interval: Interval
    votes: tuple[tuple[int, int], ...]


def choose(
    measure: str,
    scores: FloatArray,
    candidates: Sequence[int],
    *,
    seed: int,
    training: FloatArray | None = None,
) -> Choice | None:
    """Cross-validate the choice of the best mean.

    Args:
        measure: The scores' measure.
        scores: (t, v) scores of topics and variants, the baseline first.
        candidates: Places of the variants to choose from, the preferred one of equal means first.
        seed: The seed of folds and resamples.
        training: (folds, v) means on the topics that choose, if these are not the means of their
            scores, as for parameters tuned for each fold.

    Returns:
        The choice; None for a single topic.
    """
    count = len(scores)
    if count < 2:
        return None
    chosen_folds: list[Fold] = []
    held_out = np.empty(count)
    for number, topics in enumerate(split(count, FOLDS, seed)):
        choosing = (
            np.delete(scores, topics, axis=0)
            if training is None
            else training[number][None]
        )
        chosen = best(choosing, candidates)
        held_out[topics] = scores[topics, chosen]
        chosen_folds.append(
            Fold(
                tuple(topics.tolist()),
                chosen,
                float(choosing[:, chosen].mean()),
                float(held_out[topics].mean()),
            )
        )
    gains = differences_to(held_out[:, None], scores[:, 0])
    bounds = bootstrap_intervals(np.column_stack([held_out, gains]), seed=seed).tolist()
    winner = best(scores, candidates)
    return Choice(
        measure=measure,
        chosen=winner,
        seen=float(scores[:, winner].mean()),
        folds=tuple(chosen_folds),
        mean=float(held_out.mean()),
        interval=(bounds[0][0], bounds[0][1]),
        gain=float((held_out - scores[:, 0]).mean()),
        gain_interval=(bounds[1][0], bounds[1][1]),
        votes=tuple(Counter(fold.chosen for fold in chosen_folds).most_common()),
    )


def split(count: int, folds: int, seed: int) -> list[IntArray]:
    """Split places 0 to count - 1 at random into folds whose sizes differ by one at most."""
    shuffled = np.random.default_rng(seed).permutation(count)
    return [np.sort(part) for part in np.array_split(shuffled, min(folds, count))]


def best(scores: FloatArray, candidates: Sequence[int]) -> int:
    """Return the candidate with the highest mean of (t, v) scores; of equal ones the first."""
    means = scores[:, list(candidates)].mean(axis=0)
    return candidates[int(np.argmax(means >= means.max() - TIE))]
