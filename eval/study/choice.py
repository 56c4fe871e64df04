"""Choose a cleaner by judgements without judging it by those that chose it.

The best of many is better on the topics it was chosen by than anywhere else. So topics are split
into folds; for each fold the best on all other topics is chosen, and only its scores on the fold
count: what the choice is worth on topics it has not seen.

The mean of the held-out scores is unbiased. Their interval is somewhat too narrow where no variant
is much better than the others, as the folds' choices hang together (Bengio and Grandvalet, "No
unbiased estimator of the variance of k-fold cross-validation", JMLR 2004); so a gain counts
as statistically significant only where the corrected test of the chosen variant agrees.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.bootstrap import bootstrap_intervals
from boilersweep.eval.statistics import TIE, Interval, differences_to
from boilersweep.pages.columns import FloatArray, IntArray

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Fold:
    """topics: places of those held out. chosen: place of the variant. held_out: its mean there.

    training: its mean on the topics that chose it.
    """

    topics: tuple[int, ...]
    chosen: int
    training: float
    held_out: float


@dataclass(frozen=True, slots=True)
class Choice:
    """The best on all topics, and what choosing so is worth on topics that have no say in it.

    chosen: place of the variant. seen: its mean on the topics it was chosen by.
    mean, interval: of the held-out scores, one per topic. gain, gain_interval: the same less the
    baseline's.
    """

    measure: str
    chosen: int
    seen: float
    folds: tuple[Fold, ...]
    mean: float
    interval: Interval
    gain: float
    gain_interval: Interval

    @property
    def votes(self) -> list[tuple[int, int]]:
        """The variants that folds chose and how many did, most first."""
        return Counter(fold.chosen for fold in self.folds).most_common()


def choose(
    measure: str,
    scores: FloatArray,
    baseline: int,
    candidates: Sequence[int],
    *,
    seed: int,
    folds: int = FOLDS,
    training: FloatArray | None = None,
) -> Choice | None:
    """Cross-validate the choice of the best mean; None for a single topic.

    scores: (t, v) of topics and variants. candidates: places of the variants to choose from,
    best first where means are equal. folds: at most; as many as topics at most.
    training: (folds, v) means on the topics that choose, where these are not the means of their
    scores: of variants with parameters that were tuned for each fold.
    """
    if folds < 2:
        raise UsageError(f"folds: expected at least 2, got {folds}")
    count = len(scores)
    if count < 2:
        return None
    found: list[Fold] = []
    held_out = np.empty(count)
    for number, topics in enumerate(split(count, folds, seed)):
        choosing = np.delete(scores, topics, axis=0) if training is None else training[number][None]
        chosen = best(choosing, candidates)
        held_out[topics] = scores[topics, chosen]
        found.append(
            Fold(
                tuple(topics.tolist()),
                chosen,
                float(choosing[:, chosen].mean()),
                float(held_out[topics].mean()),
            )
        )
    gains = differences_to(held_out[:, None], scores[:, baseline])
    bounds = bootstrap_intervals(np.column_stack([held_out, gains]), seed=seed).tolist()
    winner = best(scores, candidates)
    return Choice(
        measure=measure,
        chosen=winner,
        seen=float(scores[:, winner].mean()),
        folds=tuple(found),
        mean=float(held_out.mean()),
        interval=(bounds[0][0], bounds[0][1]),
        gain=float((held_out - scores[:, baseline]).mean()),
        gain_interval=(bounds[1][0], bounds[1][1]),
    )


def split(count: int, folds: int, seed: int) -> list[IntArray]:
    """Places 0 to count - 1 in folds of equal size, give or take one, at random by the seed."""
    shuffled = np.random.default_rng(seed).permutation(count)
    return [np.sort(part) for part in np.array_split(shuffled, min(folds, count))]


def best(scores: FloatArray, candidates: Sequence[int]) -> int:
    """The candidate with the highest mean of (t, v) scores; of equal ones the first."""
    means = scores[:, list(candidates)].mean(axis=0)
    return candidates[int(np.argmax(means >= means.max() - TIE))]
