"""Runs that are written and scored some topics at a time are those that were done at once."""

from pathlib import Path

import pytest

from boilersweep.cleaners.variants import Variant, collect_variants
from boilersweep.eval import scored
from boilersweep.eval.engines import Engine, ExactEngine, IndexEngine, SearchOptions, VariantRun
from boilersweep.eval.runs import as_written, read_run
from boilersweep.eval.scored import batches, write_scored_runs
from boilersweep.eval.scoring import parse_measures, score
from boilersweep.store.store import BlockStore

pytestmark = pytest.mark.java

QUERIES = {"1": "pony", "2": "zebra word7", "3": "nowhereatall", "4": "the", "5": "word1 😀"}
GRADES = {topic: {f"d{d:02d}": d % 3 for d in range(30)} for topic in ("2", "4", "5")}
MEASURES = parse_measures(["P@10", "nDCG@10", "AP", "NumQ", "NumRel"])
VARIANT = Variant.at_least("words", 2.0)


@pytest.fixture(scope="module", params=["exact", "indexes"])
def engine(
    request: pytest.FixtureRequest, store: BlockStore, tmp_path_factory: pytest.TempPathFactory
) -> Engine:
    if request.param == "exact":
        return ExactEngine(store, [VARIANT], QUERIES, SearchOptions())
    indexes = tmp_path_factory.mktemp("indexes")
    return IndexEngine(store, [VARIANT], QUERIES, indexes, SearchOptions())


@pytest.mark.parametrize("at_once", [1, 2, 5, 500])
def test_parts_give_the_file_and_the_scores_of_the_whole(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(scored, "TOPICS_AT_ONCE", at_once)
    paths = {VARIANT: tmp_path / "run"}
    (one,) = write_scored_runs(engine, paths, list(QUERIES), GRADES, MEASURES, 1)
    whole = engine.run(VARIANT)
    expected = score(as_written(whole.run), GRADES, MEASURES)
    assert one.scores.by_topic == expected.by_topic
    assert list(one.scores.by_topic) == list(GRADES)
    assert one.scores.mean == expected.mean
    assert one.found == VariantRun(VARIANT, whole.documents, whole.empty, whole.tokens, {})
    written = {topic: hits for topic, hits in as_written(whole.run).items() if hits}
    assert read_run(tmp_path / "run") == written
    assert len(written) == 3
    assert list(read_run(tmp_path / "run")) == list(written)


def test_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scored, "TOPICS_AT_ONCE", 2)
    assert batches(["a", "b", "c"]) == [["a", "b"], ["c"]]
    assert batches(["a", "b"]) == [["a", "b"]]
    assert batches([]) == [[]]


def test_runs_and_scores_of_several_processes_are_those_of_one(
    store: BlockStore, tmp_path: Path
) -> None:
    queries = {"1": "pony", "2": "zebra word7", "3": "nowhereatall", "5": "word1 😀"}
    grades = {topic: {f"d{d:02d}": d % 3 for d in range(30)} for topic in ("2", "5")}
    measures = parse_measures(["P@10", "nDCG@10", "AP", "Judged@5"])
    variants = list(collect_variants(["words=1:6", "density=1:3"], ["bte"]))
    engine = ExactEngine(store, variants, queries, SearchOptions())
    found = []
    for threads in (1, 2):
        folder = tmp_path / str(threads)
        folder.mkdir()
        runs = {variant: folder / f"{variant.name}.trec" for variant in variants}
        found.append(write_scored_runs(engine, runs, list(queries), grades, measures, threads))
        assert [one.found.variant for one in found[-1]] == variants
    assert found[0] == found[1]
    for variant in variants:
        name = f"{variant.name}.trec"
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert len(list((tmp_path / "2").iterdir())) == len(variants)
