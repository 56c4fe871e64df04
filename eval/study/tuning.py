"""Parameters of a ranking formula, tuned for every variant by the same folds of topics.

The best length normalisation changes when boilerplate goes: one fixed setting favours the side
that it suits. So each side, including the baseline, chooses its parameters on the topics outside a
fold and is scored on the topics in it. The rankings of all topics, each under the parameters that
other topics chose, make a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from boilersweep.cleaners.language.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.scored import RunToScore, ScoredTopics, score_runs
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, VariantRun
from boilersweep.eval.study.cross_validation import FOLDS, best, split
from boilersweep.eval.study.results import Tuned
from boilersweep.pages.columns import FloatArray, IntArray


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

    def of(self, variant: int) -> Tuned:
        """Return a variant's choices, by its place."""
        return Tuned(
            str(self.models[self.best[variant]]),
            tuple(str(self.models[place]) for place in self.by_fold[:, variant]),
        )


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
    runs = [RunToScore(engine, variant) for variant in variants for engine in engines]
    scored = score_runs(runs, topics, folder, threads, ("tune", "runs"))
    [measure] = map(str, topics.measures)
    found = [
        [run.scores.by_topic[topic][measure] for topic in topics.topics]
        for run in scored
    ]
    return np.array(found).T.reshape(-1, len(variants), len(engines))


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
        self._variants = {variant: place for place, variant in enumerate(variants)}
        self._topics = {topic: place for place, topic in enumerate(topics)}

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
        runs = [self._engines[n].run(variant, some) for n, some in by_model.items()]
        found = {topic: hits for one in runs for topic, hits in one.run.items()}
        counts = runs[0] if runs else self._engines[0].run(variant, [])
        return replace(counts, run={topic: found[topic] for topic in wanted})

    def _model(self, variant: Variant, topic: str) -> int:
        """Return the place of a topic's model."""
        place = self._variants[variant]
        if topic not in self._topics:
            return int(self._tuning.best[place])
        return int(self._tuning.by_topic[self._topics[topic], place])
