"""Parameters tuned for every variant by the same folds of topics."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from boilersweep import UsageError
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import BM25
from boilersweep.eval.experiment.scored import ScoredTopics
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.runs import Run
from boilersweep.eval.ranking.search import VariantRun
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.eval.study.choice import TunedEngine, choose, model_scores, split, tune
from tests.conftest import known

MODELS = (BM25(0.6, 0.2), BM25(0.9, 0.4), BM25(1.2, 0.8))
ONE, FIVE = Variant.at_least("words", 1), Variant.at_least("words", 5)
TOPICS = [f"t{number}" for number in range(10)]


class FakeEngine:
    needs_java = False

    """Ranks one document, named for its model, the variant and the topic; `good` where it is
    relevant.
    """

    def __init__(self, model: RankingModel, good: dict[Variant, set[str]]) -> None:
        self._model, self._good = model, good

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        found: Run = {}
        for topic in TOPICS if topics is None else topics:
            name = "good" if topic in self._good.get(variant, ()) else "bad"
            found[topic] = [(name, 1.0), (f"{self._model} {variant} {topic}", 0.5)]
        return VariantRun(variant, 7, 3, 70, found)


def test_each_side_is_scored_under_what_the_other_topics_chose() -> None:
    random = np.random.default_rng(3)
    scores = random.random((23, 4, 3))
    tuning = tune(MODELS, scores, seed=5)
    for fold, topics in enumerate(split(23, 5, 5)):
        others = [n for n in range(23) if n not in topics]
        for variant in range(4):
            means = scores[others, variant].mean(axis=0)
            chosen = int(np.argmax(means))
            assert tuning.by_fold[fold, variant] == chosen
            assert set(tuning.by_topic[topics, variant]) == {chosen}
            assert tuning.training[fold, variant] == pytest.approx(means[chosen])
    assert tuning.best.tolist() == scores.mean(axis=0).argmax(axis=1).tolist()
    assert tuning.of(2)["tuned"] == str(MODELS[tuning.best[2]])
    assert len(tuning.of(2)["tuned_folds"]) == 5


def test_what_differs_by_chance_alone_is_worth_no_more_when_tuned() -> None:
    scores = np.random.default_rng(1).random((400, 30, 9))
    tuning = tune([BM25(0.1 * n, 0.4) for n in range(1, 10)], scores, seed=1)
    held_out = np.take_along_axis(scores, tuning.by_topic[:, :, None], axis=2)
    assert abs(held_out.mean() - 0.5) < 0.01
    assert scores.mean(axis=0).max(axis=1).mean() > 0.515


def test_of_equal_settings_the_first_is_chosen_and_one_topic_tunes_nothing() -> None:
    tuning = tune(MODELS, np.full((6, 2, 3), 0.5), seed=1)
    assert (tuning.best == 0).all()
    assert (tuning.by_topic == 0).all()
    with pytest.raises(UsageError, match="at least two, got one"):
        tune(MODELS, np.zeros((1, 2, 3)), seed=1)


def test_the_choice_between_tuned_cleaners_sees_no_topic_of_the_fold() -> None:
    # By their held-out scores the second is best everywhere; by the means that the training
    # topics gave, it is the first, and that is what a fold may know.
    scores = np.tile([0.1, 0.2, 0.9], (10, 1))
    training = np.tile([0.1, 0.8, 0.3], (5, 1))
    choice = known(choose("P@10", scores, (0, 1, 2), seed=1, training=training))
    assert {fold.chosen for fold in choice.folds} == {1}
    assert {fold.training for fold in choice.folds} == {0.8}
    assert choice.mean == pytest.approx(0.2)
    assert choice.chosen == 2


def test_a_topic_is_ranked_under_the_model_that_it_had_no_say_in(
    tmp_path: Path,
) -> None:
    good = [
        {ONE: set(TOPICS[:4])},
        {ONE: set(TOPICS), FIVE: set()},
        {FIVE: set(TOPICS[5:])},
    ]
    engines = [
        FakeEngine(model, wins) for model, wins in zip(MODELS, good, strict=True)
    ]
    grades = {topic: {"good": 1} for topic in TOPICS}
    topics = ScoredTopics(TOPICS, grades, parse_measures(["P@1"]))
    scores = model_scores(engines, [ONE, FIVE], topics, 1, tmp_path)
    assert scores[:, 0].tolist() == [[1, 1, 0]] * 4 + [[0, 1, 0]] * 6
    tuning = tune(MODELS, scores, seed=2)
    assert tuning.best.tolist() == [1, 2]
    engine = TunedEngine(engines, [ONE, FIVE], TOPICS, tuning)
    found = engine.run(ONE, [*TOPICS, "unjudged"])
    assert (found.documents, found.empty, found.tokens) == (7, 3, 70)
    assert list(found.run) == [*TOPICS, "unjudged"]
    for place, topic in enumerate(TOPICS):
        model = MODELS[tuning.by_topic[place, 0]]
        assert found.run[topic][1][0] == f"{model} words>=1 {topic}"
    assert found.run["unjudged"][1][0] == f"{MODELS[1]} words>=1 unjudged"
    assert engine.run(FIVE).run.keys() == set(TOPICS)
    assert engine.run(FIVE, []).run == {}
