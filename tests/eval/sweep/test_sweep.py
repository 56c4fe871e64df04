"""run_sweep: everything in one folder, the second time from what is there."""

import csv
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, QrelsError, UsageError
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval import (
    ExperimentOptions,
    QueryLikelihood,
    SearchOptions,
    SweepResult,
    run_sweep,
    search_index,
)
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.stats.scoring import DEFAULT_MEASURES, parse_measures, score
from boilersweep.topics import Qrels, Topic

pytestmark = pytest.mark.java

SWEEPS = (parse_sweep("words=1,5,200"), parse_sweep("density=1,4.5"))
NAMES = ["words-001", "words-005", "words-200", "density-01", "density-04.5"]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sweep")


@pytest.fixture(scope="module")
def result(
    store: BlockStore, topics: Sequence[Topic], qrels: Qrels, output: Path
) -> SweepResult:
    return run_sweep(store, SWEEPS, topics, qrels, output)


def test_the_files_are_those_of_the_documentation(
    result: SweepResult, output: Path
) -> None:
    files = {
        "scores.csv",
        "topics.csv",
        "table.txt",
        "curve.svg",
        "curve.png",
        "manifest.json",
    }
    assert {path.name for path in output.iterdir()} == files | {"indexes", "runs"}
    assert sorted(path.name for path in (output / "runs").iterdir()) == sorted(
        f"{name}.trec" for name in NAMES
    )
    assert sorted(path.name for path in output.glob("indexes/*")) == sorted(NAMES)
    assert all(path.is_file() for path in result.files)
    assert (output / "table.txt").read_text() == result.table + "\n"


def test_scores_are_those_of_the_run_files(
    result: SweepResult, output: Path, qrels: Qrels
) -> None:
    with (output / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == [
        "sweep",
        "threshold",
        "documents",
        "empty",
        "tokens",
        *DEFAULT_MEASURES,
    ]
    for name, row in zip(NAMES, rows, strict=True):
        run = read_run(output / "runs" / f"{name}.trec")
        scores = score(run, qrels.grades, parse_measures(DEFAULT_MEASURES))
        assert {m: row[m] for m in DEFAULT_MEASURES} == {
            measure: f"{value:.4f}" for measure, value in scores.mean.items()
        }


def test_topics_csv_averages_to_scores_csv(result: SweepResult, output: Path) -> None:
    with (output / "topics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(NAMES) * 5
    for row in result.rows:
        own = [
            float(line["nDCG@10"])
            for line in rows
            if row.variant.point
            == Comparison(line["sweep"], ">=", float(line["threshold"]))
        ]
        assert sum(own) / 5 == pytest.approx(row.results["nDCG@10"].mean, abs=1e-4)


def test_the_manifest_says_what_was_run(
    result: SweepResult, output: Path, store: BlockStore
) -> None:
    manifest = json.loads((output / "manifest.json").read_text("utf-8"))["facts"]
    expected = {
        "store_fingerprint": store.fingerprint,
        "sweeps": ["words=1,5,200", "density=1,4.5"],
        "model": "bm25(k1=0.9,b=0.4)",
        "hits": 1000,
        "fields": ["title"],
        "documents": store.documents,
    }
    assert expected.items() <= manifest.items()
    assert manifest["topics"]["evaluated"] == ["1", "2", "3", "4", "5"]
    assert manifest["analyzer"]["stemmer"] == "porter"
    assert set(manifest["versions"]) >= {"java", "lucene", "pyserini"}


def test_options_reach_the_searcher(
    store: BlockStore, qrels: Qrels, tmp_path: Path
) -> None:
    topics = [Topic("1", "pony", "zebra word3", "")]
    search = SearchOptions(QueryLikelihood(), hits=4, fields=("desc",), threads=2)
    options = ExperimentOptions(search=search, measures=("RR",))
    run_sweep(store, SWEEPS[:1], topics, qrels, tmp_path, options=options)
    run = read_run(tmp_path / "runs" / "words-001.trec")
    expected = search_index(
        tmp_path / "indexes" / "words-001",
        {"1": "zebra word3"},
        QueryLikelihood(),
        hits=4,
    )
    assert [docid for docid, _ in run["1"]] == [docid for docid, _ in expected["1"]]
    assert len(run["1"]) == 4
    assert (
        (tmp_path / "scores.csv")
        .read_text()
        .startswith("sweep,threshold,documents,empty,tokens,RR\n")
    )


def test_topics_without_judgements_do_not_count(
    store: BlockStore, topics: list[Topic], qrels: Qrels, tmp_path: Path
) -> None:
    more = [*topics, Topic("99", "pony")]
    found = run_sweep(store, SWEEPS[:1], more, qrels, tmp_path)
    assert found.agreement.without_qrels == ("99",)
    assert "Means over 5 topics" in found.table
    assert "99" in read_run(tmp_path / "runs" / "words-001.trec")
    assert "99" in " ".join(
        json.loads((tmp_path / "manifest.json").read_text())["facts"]["notes"]
    )


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"options": ExperimentOptions(measures=("P@10", "Quality"))}, UsageError),
        ({"qrels": Qrels({"77": {"d01": 1}})}, QrelsError),
    ],
    ids=["measures", "qrels"],
)
def test_what_cannot_work_fails_before_anything_is_written(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path: Path,
    changed: dict[str, Any],
    error: type[Exception],
) -> None:
    judged = changed.pop("qrels", qrels)
    with pytest.raises(error):
        run_sweep(store, SWEEPS, topics, judged, tmp_path / "out", **changed)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("package", "command"),
    [
        ("jinja2", "boilersweep doctor --install"),
        ("vl_convert", ".*install .*vl-convert-python"),
    ],
)
def test_a_missing_package_is_named_before_the_work(
    store: BlockStore,
    qrels: Qrels,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    command: str,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=rf"needs {package}, .* run: {command}"):
        run_sweep(store, ["words=1"], [Topic("1", "pony")], qrels, tmp_path / "out")
    assert not (tmp_path / "out").exists()
