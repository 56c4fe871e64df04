"""Into the folder of something else: commands refuse, name the difference, or replace it all."""

from pathlib import Path

import pytest

from boilersweep.outputs.manifest_file import read_manifest
from tests.cli.conftest import Call, Inputs, Outcome

pytestmark = pytest.mark.java


@pytest.fixture
def pages(inputs: Inputs, tmp_path: Path) -> Path:
    """Write the pages as three files, in a folder of their own."""
    folder = tmp_path / "pages"
    folder.mkdir()
    documents = (inputs.pages / "00.trec").read_text().split("</DOC>\n")[:-1]
    for number in range(3):
        text = "".join(f"{document}</DOC>\n" for document in documents[number::3])
        (folder / f"{number}.trec").write_text(text)
    return folder


@pytest.fixture
def sweep(call: Call, inputs: Inputs, pages: Path, tmp_path: Path) -> Call:
    """Return a function that calls `boilersweep sweep --input`, with outputs in tmp_path."""

    def run(*arguments: object, output: str = "out") -> Outcome:
        usual: tuple[object, ...] = ("--input", pages, "--topics", inputs.topics)
        usual += ("--qrels", inputs.qrels, "--collection", "trecweb")
        usual += ("--output", tmp_path / output, "--threads", 1)
        return call("sweep", *usual, "--sweep", "words=1,5", "--engine", "exact", *arguments)

    return run


def tree(folder: Path) -> dict[str, bytes]:
    """All files but those of Lucene, which are never the same, and what lists them."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not ("indexes" in path.parts or path == folder / "manifest.json")
    }


def test_measures_are_the_same_under_the_names_of_trec_eval(sweep: Call) -> None:
    made = sweep("--measures", "P_5", "map").ok()
    assert sweep("--measures", "P@5", "AP").ok().out == made.out
    assert "P@5" in made.out
    assert "P_5" not in made.out


def test_a_killed_overwrite_leaves_no_result_of_the_old(
    sweep: Call, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the store and the sweep on it."""
    sweep().ok()
    (pages / "2.trec").unlink()

    def kill(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("boilersweep.cli.commands.sweep.run_sweep", kill)
        assert sweep("--overwrite").status == 130
    assert not any(name.startswith("runs/") for name in tree(tmp_path / "out"))
    assert {name.partition("/")[0] for name in tree(tmp_path / "out")} == {"store"}
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_the_manifest_of_a_study_comes_after_its_report(
    compare: Call, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Item 6: a kill between the two left a new study beside an old report, and `check` said ok."""
    compare("--cleaners", "words>=3").ok()
    assert "report.html" in read_manifest(tmp_path / "out" / "manifest.json")["files"]

    def kill(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("boilersweep.cli.commands.compare.report_study", kill)
        assert compare("--cleaners", "words>=4", "--overwrite").status == 130
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert not names & {"report.html", "manifest.json"}
    call("check", tmp_path / "out").failed("is not finished: it has no manifest.json")


def test_a_demo_replaces_demos_alone(sweep: Call, call: Call, tmp_path: Path) -> None:
    sweep().ok()
    before = tree(tmp_path / "out")
    call("demo", "--output", tmp_path / "out").refused(1, "has something else than a demo")
    assert tree(tmp_path / "out") == before
