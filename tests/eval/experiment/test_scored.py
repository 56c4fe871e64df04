"""Runs that are written and scored some topics at a time are those that were done at once."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from boilersweep import BlockStore, IndexingError, collect_variants
from boilersweep.cleaners.syntax.variants import Variant, parse_sweep
from boilersweep.eval import SearchOptions
from boilersweep.eval.experiment import scored
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.experiment.scored import (
    ScoredRun,
    ScoredTopics,
    Scores,
    ScoringJob,
    batches,
    score_runs,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.runs import as_written, read_run
from boilersweep.eval.ranking.search import Engine, VariantRun
from boilersweep.eval.stats.scoring import RunScores, parse_measures, score
from tests.conftest import known

pytestmark = pytest.mark.java

QUERIES = {
    "1": "pony",
    "2": "zebra word7",
    "3": "nowhereatall",
    "4": "the",
    "5": "word1 😀",
}
GRADES = {topic: {f"d{d:02d}": d % 3 for d in range(30)} for topic in ("2", "4", "5")}
MEASURES = parse_measures(["P@10", "nDCG@10", "AP", "NumQ", "NumRel"])
VARIANT = Variant.at_least("words", 2.0)


@pytest.fixture(scope="module", params=["exact", "indexes"])
def engine(
    request: pytest.FixtureRequest,
    store: BlockStore,
    tmp_path_factory: pytest.TempPathFactory,
) -> Engine:
    if request.param == "exact":
        return ExactEngine(store, [VARIANT], QUERIES, SearchOptions())
    indexes = tmp_path_factory.mktemp("indexes")
    return parallel_engine(store, [VARIANT], QUERIES, indexes, SearchOptions())


@pytest.mark.parametrize("at_once", [1, 2, 5, 500])
def test_parts_give_the_file_and_the_scores_of_the_whole(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(scored, "TOPICS_AT_ONCE", at_once)
    topics = ScoredTopics(list(QUERIES), GRADES, MEASURES)
    runs = [ScoringJob(engine, VARIANT, tmp_path / "run")]
    (scored_run,) = score_runs(runs, topics, tmp_path, 1)
    whole = engine.run(VARIANT)
    expected = score(as_written(whole.run), GRADES, MEASURES)
    assert scored_run.scores == expected
    assert list(scored_run.scores.by_topic) == list(GRADES)
    assert scored_run.variant == VARIANT
    counts = (scored_run.documents, scored_run.empty, scored_run.tokens)
    assert counts == (whole.documents, whole.empty, whole.tokens)
    written = {topic: hits for topic, hits in as_written(whole.run).items() if hits}
    assert read_run(tmp_path / "run") == written
    assert len(written) == 3
    assert list(read_run(tmp_path / "run")) == list(written)


def test_scores_are_variants_by_topics_by_measures() -> None:
    variants = list(collect_variants(["words=1:2"]))
    runs = [
        ScoredRun(one, 9, 1, 99, RunScores({"P@1": mean, "AP": mean / 2}, by_topic))
        for one, mean, by_topic in (
            (
                variants[0],
                0.5,
                {"7": {"P@1": 0, "AP": 0.1}, "8": {"P@1": 1, "AP": 0.4}},
            ),
            (
                variants[1],
                1.0,
                {"7": {"P@1": 1, "AP": 0.2}, "8": {"P@1": 1, "AP": 0.8}},
            ),
        )
    ]
    scores = Scores(runs)
    assert (scores.topics, scores.measures) == (["7", "8"], ["P@1", "AP"])
    assert scores.variants == variants
    assert scores.values("P@1").tolist() == [[0, 1], [1, 1]]
    assert scores.values("AP").tolist() == [[0.1, 0.2], [0.4, 0.8]]
    assert scores.means("AP") == [0.25, 0.5]
    rows = scores.frame([parse_sweep("words=1:2")])
    assert [row.keeps_all for row in rows] == [True, False]
    assert [(row.feature, row.threshold) for row in rows] == [
        ("words", 1),
        ("words", 2),
    ]
    assert [row.results["P@1"].mean for row in rows] == [0.5, 1]
    assert rows[1].scores == {"P@1": [1, 1], "AP": [0.2, 0.8]}
    assert rows[1].results["P@1"].low == rows[1].results["P@1"].high == 1
    assert rows[0].results["P@1"].difference is None
    (first, _) = scores.frame(has_intervals=False)
    assert (first.results["AP"].mean, first.results["AP"].low) == (0.25, None)
    assert repr(scores) == "<Scores: 2 variants, 2 topics, P@1, AP>"
    assert scores.to_pandas().to_dict("list") == {
        "cleaner": ["words>=1", "words>=1", "words>=2", "words>=2"],
        "topic": ["7", "8", "7", "8"],
        "P@1": [0, 1, 1, 1],
        "AP": [0.1, 0.4, 0.2, 0.8],
    }


def test_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scored, "TOPICS_AT_ONCE", 2)
    assert batches(["a", "b", "c"]) == [["a", "b"], ["c"]]
    assert batches(["a", "b"]) == [["a", "b"]]
    assert batches([]) == [[]]


def test_runs_and_scores_of_several_processes_are_those_of_one(
    store: BlockStore, tmp_path: Path
) -> None:
    variants = list(collect_variants(["words=1:6", "density=1:3"], ["bte"]))
    engine = ExactEngine(store, variants, QUERIES, SearchOptions())
    found = []
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        folder.mkdir()
        runs = [
            ScoringJob(engine, variant, folder / f"{variant.name}.trec")
            for variant in variants
        ]
        scored = ScoredTopics(list(QUERIES), GRADES, MEASURES)
        found.append(score_runs(runs, scored, folder, threads))
        assert [scored_run.variant for scored_run in found[-1]] == variants
    assert found[0] == found[1]
    for variant in variants:
        name = f"{variant.name}.trec"
        assert (tmp_path / "1" / name).read_bytes() == (
            tmp_path / "2" / name
        ).read_bytes()
    assert len(list((tmp_path / "2").iterdir())) == len(variants)


TWO = ScoredTopics(["2", "4"], {topic: GRADES[topic] for topic in ("2", "4")}, MEASURES)


class _Searching:
    """Fails at the run of a number; remembers what it was asked."""

    needs_java = True

    def __init__(self, fails_at: int | None = None) -> None:
        self.asked: list[tuple[Variant, tuple[str, ...]]] = []
        self._fails_at = fails_at

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        self.asked.append((variant, tuple(topics or ())))
        if len(self.asked) == self._fails_at:
            raise IndexingError("made to fail")
        run = {topic: [(f"d{len(self.asked):02d}", 1.0)] for topic in topics or ()}
        return VariantRun(variant, len(self.asked), 0, 0, dict(run))


def test_searches_ahead_are_those_of_their_variants(
    tmp_path: Path, java: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scored, "TOPICS_AT_ONCE", 1)
    engine, variants = _Searching(), collect_variants(["words=1:3"])
    runs = [ScoringJob(engine, one, tmp_path / one.name) for one in variants]
    found = score_runs(runs, TWO, tmp_path, 3)
    assert [scored_run.variant for scored_run in found] == list(variants)
    assert engine.asked == [
        (variant, (topic,)) for variant in variants for topic in ("2", "4")
    ]
    for number, one in enumerate(runs):
        first, second = f"d{2 * number + 1:02d}", f"d{2 * number + 2:02d}"
        assert read_run(known(one.path)) == {"2": [(first, 1.0)], "4": [(second, 1.0)]}


def test_no_more_than_one_search_is_ahead_of_what_fails(
    tmp_path: Path, java: None
) -> None:
    engine, variants = _Searching(fails_at=2), collect_variants(["words=1:9"])
    runs = [ScoringJob(engine, one, tmp_path / one.name) for one in variants]
    with pytest.raises(IndexingError, match="made to fail"):
        score_runs(runs, TWO, tmp_path, 1)
    assert len(engine.asked) <= 3
    assert [path.name for path in tmp_path.iterdir()] == ["words-001"]
