"""`boilersweep report` of the command line."""

import json
import shutil
import zipfile
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import OutputError
from boilersweep.eval.experiment.folder import EXPERIMENT
from boilersweep.eval.ranking.runs import read_run
from boilersweep.outputs.manifest_file import faults, read_manifest
from tests.cli.conftest import Call, Inputs
from tests.manifests import write_manifest
from tests.stores import contents as contents_of

pytestmark = pytest.mark.java


FILES = ("report.html", "manifest.json")


@pytest.fixture
def study(call: Call, store: Path, inputs: Inputs, tmp_path: Path) -> Path:
    """Return the folder of a study with a store and qrels of its own beside it."""
    shutil.copytree(store, tmp_path / "store")
    shutil.copy(inputs.qrels, tmp_path / "qrels")
    call(
        *("compare", "--store", tmp_path / "store", "--topics", inputs.topics),
        *(
            "--qrels",
            tmp_path / "qrels",
            "--cleaners",
            "words>=3",
            "--sweep",
            "words=2:4",
        ),
        *("--output", tmp_path / "out", "--threads", 1),
    ).ok()
    return tmp_path / "out"


def contents(folder: Path) -> list[bytes]:
    found = contents_of(folder)
    return [found[name] for name in FILES]


def is_whole(folder: Path) -> bool:
    return not faults(folder, EXPERIMENT.require(folder).files, read=True)


def test_the_page_is_drawn_again_as_it_was(call: Call, study: Path) -> None:
    before = contents(study)
    (study / "report.html").write_text("something else")
    call("report", study).refused(1, "report.html has 14 bytes", "--overwrite")
    assert call("report", study, "--overwrite").ok().out == f"{study / 'report.html'}\n"
    assert contents(study) == before
    assert is_whole(study)


def test_an_archive_has_the_study_and_the_same_bytes_again(
    call: Call, study: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.zip", tmp_path / "b.zip"
    for archive in (first, second):
        call("report", study, "--archive", archive).ok()
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as file:
        names = set(file.namelist())
        assert file.read("out/report.html") == (study / "report.html").read_bytes()
        head = file.read("out-ir_metadata/runs/words-003.trec").decode()
    assert {"out/manifest.json", "out/compare.csv", "out/runs/words-003.trec"} <= names
    assert not any(name.startswith("out/indexes") for name in names)
    run = study / "runs" / "words-003.trec"
    (tmp_path / "with head").write_text(head + run.read_text())
    assert read_run(tmp_path / "with head") == read_run(run)
    lines = dict(
        line.removeprefix("# ").split(": ", 1) for line in head.splitlines()[1:-1]
    )
    assert json.loads(lines["method"])["indexing"]["cleaner"] == "words>=3"
    assert json.loads(lines["data"])["test collection"]["qrels"] == "qrels"


@pytest.mark.parametrize("gone", ["store", "qrels"])
def test_without_store_or_qrels_the_evidence_is_left_out(
    call: Call, study: Path, gone: str
) -> None:
    before = contents(study)
    path = study.parent / gone
    path.rename(path.with_name("elsewhere"))
    outcome = call("report", study).ok()
    assert outcome.err.startswith("without the evidence for topics: the ")
    assert str(path) in outcome.err
    assert len((study / "report.html").read_bytes()) < len(before[0])
    assert is_whole(study)
    path.with_name("elsewhere").rename(path)
    call("report", study).ok()
    assert contents(study) == before


@pytest.mark.parametrize(
    ("term", "named"),
    [("models", "the model of words>=1"), ("plugins", "the plug-in of words>=1")],
)
def test_with_another_model_or_plug_in_the_evidence_is_left_out(
    call: Call, study: Path, monkeypatch: pytest.MonkeyPatch, term: str, named: str
) -> None:
    monkeypatch.setattr(
        "boilersweep.eval.report.report.identity_of", lambda _: {term: {"one": "other"}}
    )
    call("report", study).ok().noted(f"{named} (one) is another now")
    assert is_whole(study)


def test_with_unknown_qrels_the_evidence_is_left_out(call: Call, study: Path) -> None:
    path = study / "manifest.json"
    said = read_manifest(path)
    said["facts"]["sources"] = {}
    write_manifest(path, said)
    call("report", study).ok().noted("does not say which file its qrels were read from")
    assert is_whole(study)


def test_the_manifest_never_lists_another_page(call: Call, study: Path) -> None:
    full = OutputError("no space left")
    with mock.patch("boilersweep.outputs.writer.write_text", side_effect=full):
        call("report", study).refused(1, "no space left")
    assert EXPERIMENT.read(study) is None or is_whole(study)


def test_a_changed_study_is_refused(call: Call, study: Path) -> None:
    before = contents(study)
    with (study / "study.json").open("a") as file:
        file.write(" ")
    call("report", study).refused(1, "is not as it was written: study.json has")
    assert contents(study) == before


def test_a_sweep_has_no_report(call: Call, study: Path) -> None:
    said = read_manifest(study / "manifest.json")
    said["recipe"]["kind"] = "sweep"
    write_manifest(study / "manifest.json", said)
    call("report", study).refused(1, "has a sweep, which has no report")


def test_another_title_and_another_place(
    call: Call, study: Path, tmp_path: Path
) -> None:
    before = contents(study)
    page = tmp_path / "pages" / "page.html"
    assert (
        call("report", study, "--output", page, "--title", "A  <title>\nof ours")
        .ok()
        .out
        == f"{page}\n"
    )
    assert "A &lt;title&gt; of ours" in page.read_text()
    assert contents(study) == before
    call("report", study, "--title", "Ours").ok()
    assert " Ours</title>" in (study / "report.html").read_text()
    assert is_whole(study)
    call("report", study).ok()
    assert contents(study) == before
