"""The folder of an experiment: another one is refused, nothing old stands beside anything new."""

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import (
    BlockStore,
    OutputError,
    UsageError,
    collect_variants,
    parse_cleaner,
)
from boilersweep.cleaners.rules import PLUGINS
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval import (
    BM25,
    ExperimentOptions,
    OutputOptions,
    SearchOptions,
    StudyFormula,
    run_grid,
    run_study,
    run_sweep,
)
from boilersweep.eval.experiment.folder import EXPERIMENT
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.outputs import parts, writer
from boilersweep.outputs.atomic import sync_files, write_text
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.plan import PLAN
from boilersweep.topics import Qrels, Topic
from tests.conftest import Install
from tests.eval.requests import experiment_arguments, study_arguments
from tests.running import Killed
from tests.stores import contents

SWEEPS = (parse_sweep("words=1,5"),)


Run = Callable[..., Any]


@pytest.fixture(scope="module")
def run_a(store: BlockStore, topics: Sequence[Topic], qrels: Qrels) -> Run:
    """Return a function that runs a kind of experiment into a folder, with some changes."""
    functions: dict[str, Run] = {
        "sweep": run_sweep,
        "grid": run_grid,
        "study": run_study,
    }
    usual: dict[str, dict[str, Any]] = {
        "sweep": {"sweeps": SWEEPS},
        "grid": {"grid": ("words=1:3", "density=1:2")},
        "study": {"cleaners": [parse_cleaner("words>=5")]},
    }

    def run(kind: str, output: Path, **other: Any) -> Any:
        given = {
            "store": store,
            "topics": topics,
            "qrels": qrels,
            **usual[kind],
            **other,
        }
        arguments = study_arguments if kind == "study" else experiment_arguments
        return functions[kind](output=output, **arguments(**given))

    return run


@pytest.fixture
def sweep(run_a: Run, tmp_path: Path) -> Run:
    """Return a function that runs a sweep into tmp_path/o."""
    return partial(run_a, "sweep", tmp_path / "o")


@pytest.fixture
def study(run_a: Run, tmp_path: Path) -> Run:
    return partial(run_a, "study", tmp_path / "o")


@pytest.fixture(scope="module")
def finished(run_a: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folders of a finished sweep and a finished study."""
    folders = {kind: tmp_path_factory.mktemp(kind) / "o" for kind in ("sweep", "study")}
    for kind, output in folders.items():
        run_a(kind, output)
    return folders


@pytest.fixture
def swept(finished: dict[str, Path], tmp_path: Path) -> Path:
    """Copy the finished sweep to tmp_path/o."""
    return shutil.copytree(finished["sweep"], tmp_path / "o")


def comparable(output: Path) -> dict[str, bytes]:
    """Every file but what depends on the random ids of Lucene."""
    paths = [path for path in output.rglob("*") if path.is_file()]
    return {
        path.relative_to(output).as_posix(): path.read_bytes()
        for path in paths
        if path.name not in ("manifest.json", PLAN)
        and path.parent.parent.name != "indexes"
    }


def indexes(output: Path) -> list[str]:
    return sorted(path.name for path in output.glob("indexes/*"))


@pytest.mark.java
def test_a_study_and_a_sweep_do_not_mix(sweep: Run, study: Run, swept: Path) -> None:
    with pytest.raises(OutputError, match="kind was sweep, is study"):
        study()
    study(overwrite=True)
    assert not (swept / "scores.csv").exists()
    sweep(overwrite=True)
    assert not (swept / "study.json").exists()


@pytest.mark.java
def test_the_manifest_lists_every_file(swept: Path) -> None:
    manifest = EXPERIMENT.require(swept)
    assert faults(swept, manifest.files, read=True) == []
    assert {*comparable(swept), "indexes/words-001", "indexes/words-005"} == {
        *manifest.parts
    }


@pytest.mark.java
def test_runs_are_on_the_disk_before_the_manifest_lists_them(
    run_a: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, write = sync_files, write_text

    def note_files(paths: Iterable[Path]) -> None:
        paths = list(paths)
        done.extend(path.relative_to(tmp_path).as_posix() for path in paths)
        sync(paths)

    def note_manifest(path: Path, text: str) -> None:
        done.append(path.name)
        write(path, text)

    monkeypatch.setattr(writer, "sync_files", note_files)
    monkeypatch.setattr(parts, "write_text", note_manifest)
    run_a("sweep", tmp_path)
    assert {"runs/words-001.trec", "runs/words-005.trec", "curve.svg"} < set(done)
    assert done[-1] == "manifest.json"


@pytest.mark.java
@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("sweep", {"engine": "exact", "cleaners": ["bte"]}),
        ("grid", {}),
        ("study", {"formulas": (StudyFormula("", BM25(), (BM25(), BM25(b=0.2))),)}),
    ],
)
def test_several_processes_leave_what_one_does(
    run_a: Run, tmp_path: Path, kind: str, other: dict[str, Any]
) -> None:
    output, found = tmp_path / "o", []
    for threads in (1, 2):
        run_a(kind, output, search=SearchOptions(threads=threads), **other)
        found.append((comparable(output), indexes(output)))
        shutil.rmtree(output)
    assert found[1] == found[0]
    assert len(found[0][0]) > 5


@pytest.mark.java
@pytest.mark.parametrize(
    "moment",
    [
        "boilersweep.eval.experiment.run.score_runs",
        "boilersweep.eval.sweep.sweep.write_tables",
        "boilersweep.eval.sweep.sweep.draw_curve",
        "boilersweep.outputs.writer.sync_files",
        "boilersweep.outputs.writer.write_manifest",
    ],
)
def test_a_killed_sweep_leaves_nothing_old(
    sweep: Run,
    run_a: Run,
    swept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    """Kill a sweep with other topics in the folder of an earlier one."""
    other = {"topics": [Topic("1", "zebra")], "sweeps": (parse_sweep("words=1"),)}
    run_a("sweep", tmp_path / "fresh", **other)
    fresh = comparable(tmp_path / "fresh")
    with mock.patch(moment, side_effect=Killed), pytest.raises(Killed):
        sweep(**other, overwrite=True)
    assert not (swept / "manifest.json").exists()
    left = comparable(swept).items()
    assert all(fresh[name] == body for name, body in left if "runs/" not in name)
    sweep(**other)  # nothing finished stands there: --overwrite is not needed
    assert comparable(swept) == fresh
    assert indexes(swept) == ["words-001"]


@pytest.mark.java
@pytest.mark.parametrize(
    ("kind", "lacking"),
    [
        ("sweep", {"cleaners": ["bte | trafilatura"]}),
        ("study", {"cleaners": ["weighted(trafilatura, 2)"]}),
        ("grid", {"grid": ("words=1:2", "ancestor(trafilatura, {1:2})")}),
    ],
)
def test_a_text_that_the_store_lacks_costs_nothing_that_is_finished(
    run_a: Run, tmp_path: Path, kind: str, lacking: dict[str, Any]
) -> None:
    run_a(kind, tmp_path)
    before = comparable(tmp_path)
    with pytest.raises(UsageError, match="has no text of trafilatura"):
        run_a(kind, tmp_path, **lacking, overwrite=True)
    assert (tmp_path / "manifest.json").exists()
    assert comparable(tmp_path) == before


@pytest.mark.java
@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    "name", ["report.html", "table.tex", "runs/words-005.trec", "indexes/words-001/x"]
)
def test_files_of_others_are_named_and_stay(
    sweep: Run, tmp_path: Path, overwrite: bool, name: str
) -> None:
    path = tmp_path / "o" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(OutputError, match=f"in the way .*{name}"):
        sweep(overwrite=overwrite)
    assert path.read_text() == "mine"


@pytest.mark.java
def test_files_of_others_beside_an_experiment_stay(
    sweep: Run, study: Run, tmp_path: Path
) -> None:
    theirs = [
        tmp_path / "o" / name
        for name in ("notes.txt", "runs/words-099.trec", "indexes/mine/notes.txt")
    ]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    sweep()
    study(overwrite=True)
    assert {path.read_text() for path in theirs} == {"mine"}


@pytest.mark.java
def test_another_list_of_thresholds_makes_only_the_new_runs_and_indexes(
    sweep: Run, tmp_path: Path
) -> None:
    output = tmp_path / "o"
    sweep(sweeps=(parse_sweep("words=1,5"),))
    kept = [*(output / "runs").iterdir(), *output.glob("indexes/*/*")]
    before = {path: path.stat() for path in kept}
    sweep(sweeps=(parse_sweep("words=1,5,9"),), overwrite=True)
    assert {path: path.stat() for path in kept} == before
    grown = comparable(output)
    shutil.rmtree(output)
    sweep(sweeps=(parse_sweep("words=1,5,9"),))
    assert comparable(output) == grown
    sweep(sweeps=(parse_sweep("words=9"),), overwrite=True)
    assert indexes(output) == ["words-009"]
    assert [path.name for path in (output / "runs").iterdir()] == ["words-009.trec"]


@pytest.mark.java
def test_the_exact_engine_ranks_only_what_has_no_run(
    sweep: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "o"
    ranked: list[list[str]] = []

    class Noted(ExactEngine):
        def __init__(self, store: BlockStore, variants: Any, *more: Any) -> None:
            ranked.append([variant.name for variant in variants])
            super().__init__(store, variants, *more)

    monkeypatch.setattr("boilersweep.eval.experiment.run.ExactEngine", Noted)
    exact: dict[str, Any] = {"engine": "exact", "verified": 1}
    sweep(sweeps=(parse_sweep("words=1,5"),), **exact)
    sweep(sweeps=(parse_sweep("words=1,5,9"),), overwrite=True, **exact)
    # The variant that is verified is ranked again.
    assert ranked == [["words-001", "words-005"], ["words-009"], ["words-001"]]
    grown = comparable(output)
    shutil.rmtree(output)
    sweep(sweeps=(parse_sweep("words=1,5,9"),), **exact)
    assert comparable(output) == grown


@pytest.mark.java
@pytest.mark.parametrize("name", ["topics", "qrels"])
def test_no_experiment_replaces_its_input(sweep: Run, swept: Path, name: str) -> None:
    with pytest.raises(UsageError, match="replace the input"):
        sweep(sources={name: swept / "topics.csv"}, overwrite=True)


@pytest.mark.java
@pytest.mark.parametrize("overwrite", [False, True])
def test_the_manifest_of_something_else_is_in_the_way(
    sweep: Run, store: BlockStore, tmp_path: Path, overwrite: bool
) -> None:
    shutil.copytree(store.path, tmp_path / "o")
    before = comparable(tmp_path / "o")
    manifest = (tmp_path / "o" / "manifest.json").read_bytes()
    with pytest.raises(
        OutputError, match=r"manifest\.json belongs to store, not to an experiment"
    ):
        sweep(overwrite=overwrite)
    (tmp_path / "o" / "manifest.json").write_bytes(manifest[:-9])
    with pytest.raises(OutputError, match="belongs to store"):
        sweep(overwrite=overwrite)
    assert comparable(tmp_path / "o") == before


@pytest.mark.java
def test_a_manifest_that_was_changed_is_refused(sweep: Run, swept: Path) -> None:
    path = swept / "manifest.json"
    manifest = json.loads(path.read_text())
    recipe = manifest["recipe"] | {"hits": 10}
    path.write_text(json.dumps(manifest | {"recipe": recipe}))
    with pytest.raises(OutputError, match=r"it was changed or damaged .*`overwrite`"):
        sweep()
    before = contents(swept)
    sweep(overwrite=True)
    assert json.loads(path.read_text())["recipe"] == manifest["recipe"]
    assert contents(swept).keys() == before.keys()


@pytest.mark.java
def test_an_exact_sweep_keeps_no_index_that_it_did_not_compare(
    sweep: Run, tmp_path: Path
) -> None:
    sweep()
    sweep(engine="exact", verified=1, overwrite=True)
    assert indexes(tmp_path / "o") == ["words-001"]


def everything(output: Path) -> dict[str, bytes]:
    """Every file and folder; of indexes the names, as Lucene draws random ids."""
    lucene = {
        path for path in output.glob("indexes/*/*") if path.name != "boilersweep.json"
    }
    found = {}
    for path in output.rglob("*"):
        name = path.relative_to(output).as_posix()
        of_index = path.suffix == ".json" and path.parent.parent.name == "indexes"
        if path not in lucene:
            found[name] = path.read_bytes() if path.is_file() and not of_index else b""
    manifest = EXPERIMENT.require(output)
    said = (manifest.facts, manifest.recipe, sorted(manifest.parts))
    return {**found, "manifest.json": json.dumps(said).encode()}


@pytest.mark.java
def test_a_small_study_leaves_nothing_of_a_large_one(
    run_a: Run, store: BlockStore, tmp_path: Path
) -> None:
    """Curves, pictures, indexes, a page, and a study within it."""
    output = tmp_path / "o"
    words = parse_sweep("words=1:30")

    def report(*_: object) -> list[Path]:
        run_a(
            "study",
            output / "inner",
            engine="indexes",
            sweeps=[parse_sweep("words=1:3")],
        )
        (output / "report.html").write_text("page")
        names = ("report.html", "inner/manifest.json")
        return [output / name for name in names]

    large = {"sweeps": [words, parse_sweep("density=1:9")], "verified": 6}
    run_a("study", output, report=report, nested=["inner"], **large)
    assert len(list((output / "runs").iterdir())) > 30
    with pytest.raises(
        OutputError, match="variants words-002 was words>=2, is not set"
    ):
        run_a("study", output)
    run_a("study", output, overwrite=True)
    small = everything(output)
    shutil.rmtree(output)
    run_a("study", output)
    assert small == everything(output)


@pytest.mark.java
def test_what_is_not_of_an_inner_study_stays(run_a: Run, tmp_path: Path) -> None:
    output = tmp_path / "o"

    def report(*_: object) -> list[Path]:
        run_a("study", output / "inner")
        return [output / "inner" / "manifest.json"]

    run_a("study", output, report=report, nested=["inner"])
    (output / "inner" / "notes.txt").write_text("mine")
    run_a("study", output, overwrite=True)
    assert [path.name for path in (output / "inner").iterdir()] == ["notes.txt"]


QRELS = Qrels({"1": {"d00": 1}})


RULE = """
from boilersweep.cleaners.rules import NamedRule
from boilersweep.pages.columns import NOTHING


class Even(NamedRule):
    name = "even"
    needs = NOTHING

    def mask(self, columns):
        return columns.words % 2 == 0
"""


@pytest.mark.usefixtures("java")
def test_a_plug_in_that_changed_makes_another_experiment(
    store: BlockStore, install: Install
) -> None:
    module = install("even_rule", RULE, PLUGINS.name, {"even": "even_rule:Even"})

    def identity(*rules: str) -> dict[str, object]:
        variants = collect_variants((), [parse_cleaner(rule) for rule in rules])
        options = ExperimentOptions(measures=["P@10"])
        topics = [Topic("1", "pony")]
        request = ExperimentRequest(
            store, topics, QRELS, Path(), options, OutputOptions()
        )
        return request.identity("study", variants, {})

    before, without = identity("even & words>=2"), identity("words>=2")
    module.write_text(RULE.replace("% 2", "% 3"), "utf-8")
    after = identity("even & words>=2")
    assert {term for term in before if before[term] != after[term]} == {"plugins"}
    assert "plugins" not in without
    assert identity("words>=2") == without
