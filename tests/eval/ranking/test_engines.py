"""Two engines, one sweep: the same runs and the same files, byte by byte."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep import (
    BlockStore,
    OutputError,
    UsageError,
    VerificationError,
    collect_variants,
)
from boilersweep.cleaners.syntax.variants import Variant, parse_sweep
from boilersweep.eval import (
    Classic,
    Lucene29,
    QueryLikelihood,
    SearchOptions,
    SweepResult,
    run_sweep,
)
from boilersweep.eval.experiment import verification
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.ranking.search import VariantRun
from boilersweep.indexer import AnalyzerOptions
from boilersweep.topics import Qrels, Topic
from tests.eval.requests import experiment_arguments
from tests.stores import contents_of_sweep

pytestmark = pytest.mark.java

SWEEPS = (parse_sweep("words=1:12,200"), parse_sweep("density=1,4.5"))
THRESHOLDS = collect_variants(SWEEPS)


def sweep(store: BlockStore, output: Path, **options: Any) -> SweepResult:
    topics = [
        Topic("1", "pony"),
        Topic("2", "zebra zebra word7", "otter"),
        Topic("3", "gone"),
    ]
    grades = {topic: {f"d{d:02d}": d % 3 for d in range(20)} for topic in "123"}
    arguments = experiment_arguments(**options)
    return run_sweep(store, SWEEPS, topics, Qrels(grades), output, **arguments)


def facts_of(output: Path) -> dict[str, Any]:
    """Return what the manifest of a sweep says of the whole."""
    facts: dict[str, Any] = json.loads((output / "manifest.json").read_text())["facts"]
    return facts


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(QueryLikelihood(), hits=5, fields=("desc", "title"), threads=2),
        SearchOptions(
            Classic(), analyzer=AnalyzerOptions(stemmer="none", keep_stopwords=True)
        ),
    ],
    ids=lambda options: str(options.model),
)
def test_a_sweep_leaves_the_same_bytes_with_either_engine(
    store: BlockStore, tmp_path: Path, options: SearchOptions
) -> None:
    real = sweep(store, tmp_path / "real", search=options)
    exact = sweep(store, tmp_path / "exact", search=options, engine="exact")
    expected = contents_of_sweep(tmp_path / "real")
    assert {"scores.csv", "topics.csv", "table.txt", "runs/words-012.trec"} <= set(
        expected
    )
    assert contents_of_sweep(tmp_path / "exact") == expected
    assert read_run(tmp_path / "exact" / "runs" / "words-001.trec")["1"]
    assert exact.frame().equals(real.frame())
    assert real.verified is None
    assert exact.verified is not None


def test_the_manifest_says_which_engine_and_what_was_verified(
    store: BlockStore, tmp_path: Path
) -> None:
    sweep(store, tmp_path / "real")
    real = facts_of(tmp_path / "real")
    assert (real["engine"], real["verified"]) == ("indexes", None)

    found = sweep(store, tmp_path / "exact", engine="exact", verified=3)
    exact = facts_of(tmp_path / "exact")
    names = ["words-001", "words-008", "density-04.5"]
    assert exact["engine"] == "exact"
    assert exact["verified"]["variants"] == names
    assert exact["verified"]["model"] == "bm25(k1=0.9,b=0.4)"
    assert exact["verified"]["hits"] > 50
    assert sorted(
        path.name for path in (tmp_path / "exact" / "indexes").iterdir()
    ) == sorted(names)
    assert found.verified is not None
    assert found.verified.variants == tuple(names)
    assert found.verified.hits == exact["verified"]["hits"]
    own = ("engine", "verified")
    assert {k: v for k, v in real.items() if k not in own} == {
        k: v for k, v in exact.items() if k not in own
    }


def test_a_sample_leaves_no_index_and_another_proof_is_another_experiment(
    store: BlockStore, tmp_path: Path, segments: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "SAMPLE", 5)
    found = sweep(store, tmp_path, engine="exact")
    assert found.verified is not None
    assert (found.verified.sampled, found.verified.complete) == (5, False)
    assert not (tmp_path / "indexes").exists()
    assert facts_of(tmp_path)["verified"]["sampled"] == 5
    with pytest.raises(OutputError, match="verify full was false, is true"):
        sweep(store, tmp_path, engine="exact", full=True)
    whole = sweep(store, tmp_path, engine="exact", full=True, overwrite=True)
    assert whole.verified is not None
    assert whole.verified.in_blocks > 2
    assert replace(whole.verified, in_blocks=0) == found.verified
    assert (
        sweep(store, tmp_path, engine="exact", overwrite=True).verified
        == found.verified
    )
    assert not (tmp_path / "indexes").exists()


def test_the_formula_of_2010_runs_on_the_exact_engine_alone(
    store: BlockStore, tmp_path: Path
) -> None:
    options = SearchOptions(Lucene29())
    found = sweep(store, tmp_path / "exact", search=options, engine="exact")
    assert found.verified is not None
    assert found.verified.model == "bm25(k1=0.9,b=0.4)"
    assert facts_of(tmp_path / "exact")["model"] == "lucene-2.9"
    with pytest.raises(UsageError, match="`engine` exact"):
        sweep(store, tmp_path / "real", search=options)


def test_a_sweep_that_is_not_confirmed_is_not_reported(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep(store, tmp_path / "before", engine="exact")
    expected = contents_of_sweep(tmp_path / "before")
    run = ExactEngine.run

    def wrong(
        self: ExactEngine, threshold: Variant, topics: Sequence[str]
    ) -> VariantRun:
        found = run(self, threshold, topics)
        return replace(found, tokens=found.tokens + 1)

    for output in (tmp_path / "before", tmp_path / "new"):
        with monkeypatch.context() as patched:
            patched.setattr(ExactEngine, "run", wrong)
            with pytest.raises(VerificationError, match=r"words-001: .* tokens"):
                sweep(store, output, engine="exact")
        assert not (output / "manifest.json").exists()
        # Runs that proved wrong are not used again.
        sweep(store, output, engine="exact")
        assert contents_of_sweep(output) == expected
