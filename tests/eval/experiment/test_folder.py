"""The folder of an experiment: another one is refused, nothing old stands beside anything new."""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import parse_sweep
from boilersweep.errors import (
    IndexingError,
    OutputError,
    StoreError,
    UsageError,
)
from boilersweep.eval.experiment import request
from boilersweep.eval.ranking.engines import SearchOptions
from boilersweep.eval.ranking.models import BM25, QueryLikelihood
from boilersweep.eval.study.plan import StudyFormula
from boilersweep.eval.study.study import run_study
from boilersweep.eval.sweep.grid import run_grid
from boilersweep.eval.sweep.sweep import run_sweep
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.outputs import folder
from boilersweep.outputs.atomic import sync_files
from boilersweep.outputs.manifest_file import faults, read_manifest, write_manifest
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic
from tests.eval.requests import experiment_arguments, study_arguments

pytestmark = pytest.mark.java

SWEEPS = (parse_sweep("words=1,5"),)
BASELINE = parse_cleaner("words>=1")

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run_a_sweep(store: BlockStore, topics: Sequence[Topic], qrels: Qrels) -> Run:
    """Return a function that runs a sweep into a folder, with some changes."""

    def run(output: Path, **other: Any) -> Any:
        usual: dict[str, Any] = {
            "store": store,
            "sweeps": SWEEPS,
            "topics": topics,
            "qrels": qrels,
        }
        return run_sweep(output=output, **experiment_arguments(**usual | other))

    return run


@pytest.fixture(scope="module")
def run_a_study(store: BlockStore, topics: Sequence[Topic], qrels: Qrels) -> Run:
    """Return a function that runs a study into a folder, with some changes."""

    def run(output: Path, **other: Any) -> Any:
        usual: dict[str, Any] = {
            "store": store,
            "topics": topics,
            "qrels": qrels,
            "cleaners": [parse_cleaner("words>=5")],
        }
        return run_study(output=output, **study_arguments(**usual | other))

    return run


@pytest.fixture
def sweep(run_a_sweep: Run, tmp_path: Path) -> Run:
    """Return a function that runs a sweep into tmp_path/o."""
    return partial(run_a_sweep, tmp_path / "o")


@pytest.fixture
def study(run_a_study: Run, tmp_path: Path) -> Run:
    return partial(run_a_study, tmp_path / "o")


@pytest.fixture(scope="module")
def finished_sweep(run_a_sweep: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("sweep") / "o"
    run_a_sweep(output)
    return output


@pytest.fixture(scope="module")
def finished_study(run_a_study: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("study") / "o"
    run_a_study(output)
    return output


@pytest.fixture
def swept(finished_sweep: Path, tmp_path: Path) -> Path:
    """Copy a finished sweep to tmp_path/o."""
    return shutil.copytree(finished_sweep, tmp_path / "o")


@pytest.fixture
def studied(finished_study: Path, tmp_path: Path) -> Path:
    """Copy a finished study to tmp_path/o."""
    return shutil.copytree(finished_study, tmp_path / "o")


def comparable(output: Path) -> dict[str, bytes]:
    """Every file but what depends on the random ids of Lucene."""
    paths = [path for path in output.rglob("*") if path.is_file()]
    return {
        path.relative_to(output).as_posix(): path.read_bytes()
        for path in paths
        if path.name != "manifest.json" and path.parent.parent.name != "indexes"
    }


def indexes(output: Path) -> list[str]:
    return sorted(path.name for path in (output / "indexes").iterdir())


CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "topics": ({"topics": [Topic("1", "otter")]}, "topics queries was .*, is "),
    "fields": (
        {"search": SearchOptions(fields=("title", "desc"))},
        r"topics fields was \[\"title\"\], is \[\"title\", \"desc\"\]",
    ),
    "qrels": ({"qrels": Qrels({"1": {"d00": 1}})}, "qrels was .*, is "),
    "measures": ({"measures": ("AP",)}, "measures was .*, is "),
    "k1": ({"search": SearchOptions(model=BM25(k1=1.2))}, "ranking k1 was 0.9, is 1.2"),
    "k1, a little": (
        {"search": SearchOptions(model=BM25(k1=0.900000001))},
        "ranking k1 was 0.9, is 0.900000001",
    ),
    "model": ({"search": SearchOptions(model=QueryLikelihood())}, "ranking formula was bm25"),
    "hits": ({"search": SearchOptions(hits=5)}, "hits was 1000, is 5"),
    "analyzer": (
        {"search": SearchOptions(analyzer=AnalyzerOptions(keep_stopwords=True))},
        "analyzer keep stopwords was false, is true",
    ),
    "thresholds": (
        {"sweeps": (parse_sweep("words=1,6"),)},
        "words-005 was words>=5, is not set; variants words-006 was not set, is words>=6",
    ),
    "engine": ({"engine": "exact"}, "engine was indexes, is exact"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_sweep_is_refused_or_replaced(
    sweep: Run, run_a_sweep: Run, swept: Path, tmp_path: Path, change: str
) -> None:
    before = comparable(swept), (swept / "manifest.json").read_bytes()
    other, message = CHANGES[change]
    with pytest.raises(OutputError, match=rf"{message}.*; choose another --output, .*--overwrite"):
        sweep(**other)
    assert (comparable(swept), (swept / "manifest.json").read_bytes()) == before
    found = sweep(**other, overwrite=True)
    expected = run_a_sweep(tmp_path / "fresh", **other)
    assert found.rows == expected.rows
    assert comparable(swept) == comparable(tmp_path / "fresh")
    assert indexes(swept) == indexes(tmp_path / "fresh")


STUDY_CHANGES: dict[str, tuple[dict[str, Any], str]] = {
    "baseline": ({"baseline": parse_cleaner("words>=2")}, "baseline was words>=1, is words>=2"),
    "seed": ({"seed": 7}, "seed was .*, is 7"),
    "cleaners": (
        {"cleaners": [parse_cleaner("bte")]},
        "variants words-005 was words>=5, is not set; variants bte was not set, is bte",
    ),
    "role": (
        {"cleaners": [], "sweeps": (parse_sweep("words=5"),)},
        r"roles was \[\"baseline\", \"cleaner\"\], is \[\"baseline\", \"swept\"\]",
    ),
    "verified": ({"verified": 1}, "verify was not set, is 1"),
    "verified in full": ({"full": True}, "verify full was false, is true"),
}


@pytest.mark.parametrize("change", STUDY_CHANGES)
def test_another_study_is_refused_or_replaced(
    study: Run, run_a_study: Run, studied: Path, tmp_path: Path, change: str
) -> None:
    before = comparable(studied)
    other, message = STUDY_CHANGES[change]
    with pytest.raises(OutputError, match=message):
        study(**other)
    assert comparable(studied) == before
    study(**other, overwrite=True)
    run_a_study(tmp_path / "fresh", **other)
    found, expected = comparable(studied), comparable(tmp_path / "fresh")
    for files in (found, expected):  # the command to deploy it names the folder
        files["study.json"] = files["study.json"].replace(b"/fresh/", b"/o/")
    assert found == expected
    assert indexes(studied) == indexes(tmp_path / "fresh")


def test_a_study_and_a_sweep_do_not_mix(sweep: Run, study: Run, swept: Path) -> None:
    with pytest.raises(OutputError, match="kind was sweep, is study"):
        study()
    study(overwrite=True)
    assert not (swept / "scores.csv").exists()
    sweep(overwrite=True)
    assert not (swept / "study.json").exists()


def test_the_manifest_lists_every_file(swept: Path) -> None:
    listed = read_manifest(swept / "manifest.json")["files"]
    assert faults(swept, listed) == []
    assert set(comparable(swept)) | {
        "indexes/words-001/boilersweep.json",
        "indexes/words-005/boilersweep.json",
    } == set(listed)


def test_the_report_of_a_study_is_written_before_its_manifest(study: Run, tmp_path: Path) -> None:
    report = tmp_path / "o" / "report.html"
    there = []

    def write(_result: object) -> list[Path]:
        there.append((tmp_path / "o" / "manifest.json").exists())
        report.write_text("page")
        return [report]

    result = study(report=write)
    assert there == [False]
    assert report in result.files
    assert "report.html" in read_manifest(tmp_path / "o" / "manifest.json")["files"]
    there.clear()
    study(report=write)
    assert there == [False]


def test_runs_are_on_the_disk_before_the_manifest_lists_them(
    run_a_sweep: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, write = sync_files, write_manifest

    def note_files(paths: Iterable[Path]) -> None:
        paths = list(paths)
        done.extend(path.relative_to(tmp_path).as_posix() for path in paths)
        sync(paths)

    def note_manifest(path: Path, value: Any) -> None:
        done.append(path.name)
        write(path, value)

    monkeypatch.setattr(folder, "sync_files", note_files)
    monkeypatch.setattr(folder, "write_manifest", note_manifest)
    run_a_sweep(tmp_path)
    assert {"runs/words-001.trec", "runs/words-005.trec", "curve.svg"} < set(done)
    assert done[-1] == "manifest.json"


@pytest.mark.parametrize("kind", ["sweep", "grid", "study"])
def test_several_processes_leave_what_one_does(
    kind: str,
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    run_a_sweep: Run,
    run_a_study: Run,
    tmp_path: Path,
) -> None:
    output, found = tmp_path / "o", []
    for threads in (1, 2):
        options = SearchOptions(threads=threads)
        if kind == "sweep":
            run_a_sweep(output, search=options, engine="exact", cleaners=["bte"])
        elif kind == "grid":
            grid = ("words=1:3", "density=1:2")
            asked = experiment_arguments(search=options)
            run_grid(store, grid, topics, qrels, output, **asked)
        else:
            formulas = (StudyFormula("", BM25(), (BM25(), BM25(b=0.2))),)
            run_a_study(output, search=options, formulas=formulas)
        found.append((comparable(output), indexes(output)))
        shutil.rmtree(output)
    assert found[1] == found[0]
    assert len(found[0][0]) > 5


class Killed(BaseException):
    """As if the process had been killed."""


@pytest.mark.parametrize(
    "moment",
    [
        "boilersweep.eval.experiment.request.score_runs",
        "boilersweep.eval.sweep.sweep.write_tables",
        "boilersweep.eval.sweep.sweep.draw_curve",
        "boilersweep.outputs.folder.listing",
        "boilersweep.outputs.folder.write_manifest",
    ],
)
def test_a_killed_sweep_leaves_nothing_old(
    sweep: Run,
    run_a_sweep: Run,
    swept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    """Kill a sweep with other topics in the folder of an earlier one."""
    other = {"topics": [Topic("1", "zebra")], "sweeps": (parse_sweep("words=1"),)}
    run_a_sweep(tmp_path / "fresh", **other)
    fresh = comparable(tmp_path / "fresh")

    def kill(*_: object, **__: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(moment, kill)
        with pytest.raises(Killed):
            sweep(**other, overwrite=True)
    assert not (swept / "manifest.json").exists()
    assert all(fresh[name] == body for name, body in comparable(swept).items())
    sweep(**other)  # nothing finished stands there: --overwrite is not needed
    assert comparable(swept) == fresh
    assert indexes(swept) == ["words-001"]


def test_a_text_that_the_store_lacks_costs_nothing_that_is_finished(
    run_a_sweep: Run,
    run_a_study: Run,
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path: Path,
) -> None:
    def grid(output: Path, **other: Any) -> None:
        given: dict[str, Any] = {"grid": ("words=1:2", "link_density<=0:1"), "overwrite": False}
        asked = experiment_arguments(**given | other)
        run_grid(store, topics=topics, qrels=qrels, output=output, **asked)

    for name, run, lacking in (
        ("sweep", run_a_sweep, {"cleaners": ["bte | trafilatura"]}),
        ("study", run_a_study, {"cleaners": ["weighted(trafilatura, 2)"]}),
        ("grid", grid, {"grid": ("words=1:2", "ancestor(trafilatura, {1:2})")}),
    ):
        output = tmp_path / name
        run(output)
        before = comparable(output)
        with pytest.raises(UsageError, match="has no text of trafilatura"):
            run(output, **lacking, overwrite=True)
        assert (output / "manifest.json").exists()
        assert comparable(output) == before


def test_a_folder_that_a_kill_left_is_cleared(
    sweep: Run, finished_sweep: Path, tmp_path: Path
) -> None:
    """As a kill between any two files, or an older version, may leave it."""
    output = tmp_path / "o"
    (output / "runs").mkdir(parents=True)
    names = "compare.csv table.tex table.md forest.svg mixture.png study.json report.html"
    for name in (*names.split(), "runs/words-099.trec"):
        (output / name).write_text("old")
    for name in ("notes.txt", "report.pdf", "runs/readme"):
        (output / name).write_text("mine")
    sweep()
    mine = dict.fromkeys(("notes.txt", "report.pdf", "runs/readme"), b"mine")
    assert comparable(output) == comparable(finished_sweep) | mine


def test_the_same_again_uses_the_indexes_and_gives_the_same(
    sweep: Run, swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "prepare_processes", None)  # this process searches real indexes

    def all_files() -> dict[str, bytes]:
        return comparable(swept) | {"manifest.json": (swept / "manifest.json").read_bytes()}

    before = all_files()
    inodes = {path: path.stat().st_ino for path in swept.glob("indexes/*/*")}
    sweep()
    assert all_files() == before
    assert inodes == {path: path.stat().st_ino for path in swept.glob("indexes/*/*")}


@pytest.mark.parametrize("overwrite", [False, True])
def test_the_manifest_of_something_else_is_in_the_way(
    sweep: Run, store: BlockStore, tmp_path: Path, overwrite: bool
) -> None:
    shutil.copytree(store.path, tmp_path / "o")
    before = comparable(tmp_path / "o")
    manifest = (tmp_path / "o" / "manifest.json").read_bytes()
    with pytest.raises(OutputError, match=r"manifest\.json belongs to another output"):
        sweep(overwrite=overwrite)
    (tmp_path / "o" / "manifest.json").write_bytes(manifest[:-9])
    with pytest.raises(OutputError, match="is not the manifest of an experiment"):
        sweep(overwrite=overwrite)
    assert comparable(tmp_path / "o") == before


def test_a_manifest_that_was_changed_is_refused(sweep: Run, swept: Path) -> None:
    path = swept / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"hits": 10}))
    with pytest.raises(OutputError, match=r"it was changed or damaged .*--overwrite"):
        sweep()
    sweep(overwrite=True)
    assert json.loads(path.read_text()) == manifest


def test_indexes_that_are_not_asked_for(sweep: Run, tmp_path: Path) -> None:
    sweep(sweeps=(parse_sweep("words=1,5,9"),))
    (tmp_path / "o" / "manifest.json").unlink()  # as after a kill
    mine = tmp_path / "o" / "indexes" / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("mine")
    with pytest.raises(IndexingError, match="indexes: words-009 is not asked for; choose"):
        sweep()
    sweep(overwrite=True)
    assert indexes(tmp_path / "o") == ["mine", "words-001", "words-005"]


def test_an_exact_sweep_keeps_no_index_that_it_did_not_compare(sweep: Run, tmp_path: Path) -> None:
    sweep()
    (tmp_path / "o" / "manifest.json").unlink()
    sweep(engine="exact", verified=1)
    assert indexes(tmp_path / "o") == ["words-001"]


def lucene_files(index: Path) -> list[Path]:
    names = ("boilersweep.json", "write.lock")
    return sorted(path for path in index.iterdir() if path.name not in names)


DAMAGES: dict[str, Callable[[bytes, int], bytes]] = {
    "flip": lambda body, half: body[:half] + bytes([body[half] ^ 4]) + body[half + 1 :],
    "cut": lambda body, half: body[:half],
    "zeros": lambda body, half: body[:half] + bytes(len(body) - half),
}


def damage(path: Path, how: str) -> None:
    """Damage the second half of a file, or remove the file."""
    body = path.read_bytes()
    path.unlink()
    if how in DAMAGES:
        path.write_bytes(DAMAGES[how](body, len(body) // 2))
        os.utime(path, ns=(1, 1))


@pytest.mark.parametrize("how", [*DAMAGES, "missing"])
@pytest.mark.parametrize("engine", ["indexes", "exact"])
def test_no_damaged_index_is_used_again(sweep: Run, tmp_path: Path, how: str, engine: str) -> None:
    """Any file of an index may be damaged."""
    options = {"engine": engine, "sweeps": (parse_sweep("words=1"),)}
    expected = sweep(**options).rows
    index = tmp_path / "o" / "indexes" / "words-001"
    for file in lucene_files(index):
        if how == "zeros" and not any(file.read_bytes()[file.stat().st_size // 2 :]):
            continue
        whole = file.read_bytes()
        damage(file, how)
        with pytest.raises(IndexingError, match=rf"words-001 is not .*{file.name} .*--overwrite"):
            sweep(**options)
        file.write_bytes(whole)
    damage(lucene_files(index)[0], how)
    assert sweep(**options, overwrite=True).rows == expected
    assert sweep(**options).rows == expected


@pytest.mark.parametrize("engine", ["indexes", "exact"])
def test_no_damaged_store_is_read(
    store: BlockStore, sweep: Run, tmp_path: Path, engine: str
) -> None:
    copied = BlockStore(shutil.copytree(store.path, tmp_path / "store"), store.manifest)
    sweep(store=copied, engine=engine)
    damage(next(copied.path.glob("shard-*.parquet")), "flip")
    with pytest.raises(StoreError, match="was changed or damaged after it was written"):
        sweep(store=copied, engine=engine)


def everything(output: Path) -> dict[str, bytes]:
    """Every file and folder; of indexes the names, as Lucene draws random ids."""
    lucene = {path for path in output.glob("indexes/*/*") if path.name != "boilersweep.json"}
    found = {}
    for path in output.rglob("*"):
        name = path.relative_to(output).as_posix()
        of_index = path.suffix == ".json" and path.parent.parent.name == "indexes"
        if path not in lucene:
            found[name] = path.read_bytes() if path.is_file() and not of_index else b""
    manifest = json.loads(found["manifest.json"])
    del manifest["digest"]
    manifest["files"] = sorted(manifest["files"])
    return {**found, "manifest.json": json.dumps(manifest).encode()}


def test_a_small_study_leaves_nothing_of_a_large_one(
    run_a_study: Run, store: BlockStore, tmp_path: Path
) -> None:
    """Curves, pictures, indexes, a page, and a study within it."""
    output = tmp_path / "o"
    words = parse_sweep("words=1:30")

    def report(_result: object) -> list[Path]:
        run_a_study(output / "inner", engine="indexes", sweeps=[parse_sweep("words=1:3")])
        (output / "report.html").write_text("page")
        (output / "older-page.html").write_text("page of another version")
        names = ("report.html", "older-page.html", "inner/manifest.json")
        return [output / name for name in names]

    large = {"sweeps": [words, parse_sweep("density=1:9")], "verified": 6}
    run_a_study(output, report=report, nested=["inner"], **large)
    assert len(list((output / "runs").iterdir())) > 30
    with pytest.raises(OutputError, match="variants words-002 was words>=2, is not set"):
        run_a_study(output)
    run_a_study(output, overwrite=True)
    small = everything(output)
    shutil.rmtree(output)
    run_a_study(output)
    assert small == everything(output)


def test_what_is_not_of_an_inner_study_stays(run_a_study: Run, tmp_path: Path) -> None:
    output = tmp_path / "o"

    def report(_result: object) -> list[Path]:
        run_a_study(output / "inner")
        return [output / "inner" / "manifest.json"]

    run_a_study(output, report=report, nested=["inner"])
    (output / "inner" / "notes.txt").write_text("mine")
    run_a_study(output, overwrite=True)
    assert [path.name for path in (output / "inner").iterdir()] == ["notes.txt"]
