"""Choices by some topics that other topics judge: of a cleaner, and of a formula's parameters.

The best of many is better on the topics that chose it than on others. So the topics are split into
folds; all other topics choose the best variant for a fold, and only its scores on the fold count:
the choice's worth on unseen topics.

The mean of the held-out scores is unbiased. Their interval is somewhat too narrow if no variant is
much better than the others, because the folds' choices depend on each other (Bengio and Grandvalet,
"No unbiased estimator of the variance of k-fold cross-validation", JMLR 2004); so a gain counts as
statistically significant only if the corrected test of the chosen variant agrees.

Parameters of a formula are tuned for every variant by the same folds. The best length normalisation
changes when boilerplate goes: one fixed setting favours the side that it suits. So each side,
including the baseline, chooses its parameters on the topics outside a fold and is scored on the
topics in it. The rankings of all topics, each under the parameters that other topics chose, make a
run.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.scored import (
    ScoredTopics,
    ScoringJob,
    score_runs,
    values_of,
)
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, VariantRun
from boilersweep.eval.stats.statistics import (
    TIE,
    Interval,
    bootstrap_intervals,
    differences_to,
)
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
    for index, topics in enumerate(split(count, FOLDS, seed)):
        choosing = (
            np.delete(scores, topics, axis=0)
            if training is None
            else training[index][None]
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


@dataclass(frozen=True, slots=True, eq=False)
class Tuning:
    """The choices of v variants among some models.

    Attributes:
        models: The models.
        best: (v,) places of the models that all topics choose.
        by_topic: (t, v) places of the models that the topics outside each topic's fold choose.
        by_fold: (f, v) places of the models that the topics outside each fold choose.
        training: (f, v) means of the chosen models on the topics outside each fold.
    """

    models: tuple[RankingModel, ...]
    best: IntArray
    by_topic: IntArray
    by_fold: IntArray
    training: FloatArray

    def of(self, variant: int) -> dict[str, Any]:
        """Return a variant's choices, by its place, as fields of `Row`."""
        folds = tuple(str(self.models[place]) for place in self.by_fold[:, variant])
        return {"tuned": str(self.models[self.best[variant]]), "tuned_folds": folds}


def tune(models: Sequence[RankingModel], scores: FloatArray, *, seed: int) -> Tuning:
    """Choose a model for each variant on the topics outside each fold; of equal ones the first.

    Args:
        models: The models.
        scores: (t, v, m) scores of topics, variants and models.
        seed: The seed of the folds, which are those of `choose`.

    Returns:
        The choices.

    Raises:
        UsageError: There is only one topic.
    """
    count, variants, _ = scores.shape
    if count < 2:
        raise UsageError(
            "parameters are tuned by other topics: expected at least two, got one"
        )
    places = range(len(models))
    folds = split(count, FOLDS, seed)
    by_topic = np.empty((count, variants), dtype=np.int64)
    by_fold = np.empty((len(folds), variants), dtype=np.int64)
    training = np.empty((len(folds), variants))
    for fold, topics in enumerate(folds):
        others = np.delete(scores, topics, axis=0)
        for variant in range(variants):
            chosen = best(others[:, variant], places)
            by_fold[fold, variant] = by_topic[topics, variant] = chosen
            training[fold, variant] = others[:, variant, chosen].mean()
    whole = np.array([best(scores[:, variant], places) for variant in range(variants)])
    return Tuning(tuple(models), whole, by_topic, by_fold, training)


def model_scores(
    engines: Sequence[Engine],
    variants: Sequence[Variant],
    topics: ScoredTopics,
    threads: int,
    folder: Path,
) -> FloatArray:
    """Score topics and variants under each engine's formula.

    Args:
        engines: The engine of each model.
        variants: The variants.
        topics: The topics, all judged, and the measure.
        threads: The number of processes.
        folder: The folder for the file of their arrays.

    Returns:
        (t, v, m) scores of topics, variants and models.
    """
    runs = [ScoringJob(engine, variant) for variant in variants for engine in engines]
    scored = score_runs(runs, topics, folder, threads, ("tune", "runs"))
    [measure] = map(str, topics.measures)
    values = values_of([run.scores for run in scored], measure)
    return values.reshape(-1, len(variants), len(engines))


class TunedEngine:
    """Ranks every topic under the model that the topics outside its fold choose."""

    def __init__(
        self,
        engines: Sequence[Engine],
        variants: Sequence[Variant],
        topics: Sequence[str],
        tuning: Tuning,
    ) -> None:
        """Combine the engines of the tuned models.

        Args:
            engines: The engine of each model.
            variants: The tuned variants.
            topics: The topics of the tuning, in their order; others use the best model for these.
            tuning: The choices.
        """
        self._engines = engines
        self._tuning = tuning
        self._variants = {variant: index for index, variant in enumerate(variants)}
        self._topics = {topic: index for index, topic in enumerate(topics)}

    @property
    def needs_java(self) -> bool:
        """Whether an engine runs Java."""
        return any(engine.needs_java for engine in self._engines)

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Run topics, all by default, under a variant."""
        wanted = list(self._topics if topics is None else topics)
        by_model: dict[int, list[str]] = {}
        for topic in wanted:
            by_model.setdefault(self._model(variant, topic), []).append(topic)
        runs = [
            self._engines[n].run(variant, of_model) for n, of_model in by_model.items()
        ]
        lists = {topic: hits for run in runs for topic, hits in run.run.items()}
        counts = runs[0] if runs else self._engines[0].run(variant, [])
        return replace(counts, run={topic: lists[topic] for topic in wanted})

    def _model(self, variant: Variant, topic: str) -> int:
        """Return the place of a topic's model."""
        place = self._variants[variant]
        if topic not in self._topics:
            return int(self._tuning.best[place])
        return int(self._tuning.by_topic[self._topics[topic], place])
