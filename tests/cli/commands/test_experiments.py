"""sweep, its preset blogs06, and demo: whole small experiments, and their folders after a kill."""

import json
import os
import shutil
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import open_store
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.demo.collection import make_demo
from boilersweep.outputs.manifest_file import read_manifest
from tests.cli.conftest import Call, Inputs, Outcome
from tests.stores import contents, contents_of_sweep
from tests.system.world import write_blogs

pytestmark = pytest.mark.java


def results(folder: Path) -> dict[str, bytes]:
    """Return the files of an experiment's folder but for its store and its pictures."""
    return {
        name: content
        for name, content in contents_of_sweep(folder).items()
        if not name.startswith(("store/", "curve."))
    }


def mtimes(folder: Path, pattern: str) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.glob(pattern)}


def test_sweep_end_to_end(call: Call, inputs: Inputs, tmp_path: Path) -> None:
    arguments = ("sweep", *inputs.arguments, "--output", tmp_path, "--threads", 2)
    arguments += (
        "--collection",
        "trecweb",
        "--sweep",
        "words=1,5",
        "--sweep",
        "density=3",
    )
    outcome = call(*arguments).ok()
    assert {path.name for path in tmp_path.iterdir()} >= {
        "store",
        "runs",
        "scores.csv",
        "topics.csv",
        "curve.svg",
        "curve.png",
        "table.txt",
        "manifest.json",
    }
    lines = (tmp_path / "scores.csv").read_text().splitlines()
    assert (
        lines[0] == "sweep,threshold,documents,empty,tokens,P@10,nDCG@10,Judged@10,AP"
    )
    assert [line.split(",")[:4] for line in lines[1:]] == [
        ["words", "1", "30", "0"],
        ["words", "5", "30", "0"],
        ["density", "3", "30", "0"],
    ]
    assert lines[2].endswith("0.6000,1.0000,1.0000,1.0000")
    assert "words >= 1 (baseline)" in outcome.out
    assert str(tmp_path / "curve.png") in outcome.out
    assert outcome.out.startswith((tmp_path / "table.txt").read_text())
    manifest = json.loads((tmp_path / "manifest.json").read_text())["facts"]
    assert manifest["sweeps"] == ["words=1,5", "density=3"]

    before = mtimes(tmp_path, "store/*.parquet") | mtimes(tmp_path, "indexes/*/*")
    assert call(*arguments).ok().out == outcome.out
    assert (
        mtimes(tmp_path, "store/*.parquet") | mtimes(tmp_path, "indexes/*/*") == before
    )


@pytest.mark.parametrize(
    "command", ["sweep --sweep words=1,5", "compare --cleaners bte"]
)
def test_topics_and_qrels_may_come_from_processes(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path, command: str
) -> None:
    """As in `--topics <(zcat topics.gz)`: a pipe can be read once."""
    arguments: list[object] = []
    for option, source in {"--topics": inputs.topics, "--qrels": inputs.qrels}.items():
        reader, writer = os.pipe()
        arguments += [option, f"/dev/fd/{reader}"]
        os.write(writer, source.read_bytes())  # it fits into the pipe
        os.close(writer)
    output = tmp_path / "out"
    call(*command.split(), "--store", store, *arguments, "--output", output).ok()
    checked = call("check", output)
    assert (checked.status, "not looked at: scores" in checked.out) == (0, True), (
        checked.out
    )


def test_a_grid(call: Call, inputs: Inputs, store: Path, tmp_path: Path) -> None:
    arguments = (
        "sweep",
        "--store",
        store,
        *inputs.judged,
        "--output",
        tmp_path / "out",
    )
    grid = ("--grid", "words=1:3", "density<=1:2:0.5")
    outcome = call(*arguments, *grid).ok("the best of 9 pairs")
    assert {"grid.svg", "grid.png"} <= {
        Path(line).name for line in outcome.out.splitlines()
    }
    assert "are those of real indexes" in outcome.err
    assert len((tmp_path / "out" / "scores.csv").read_text().splitlines()) == 1 + 9 + 6
    assert call(*arguments, *grid, "--engine", "exact").ok().out == outcome.out
    call("check", tmp_path / "out").ok()


@pytest.mark.usefixtures("drawn_figures")
def test_demo_end_to_end(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "boilersweep.cli.commands.demo.make_demo", partial(make_demo, pages=60)
    )
    monkeypatch.setattr(
        "boilersweep.cli.commands.demo.SWEEPS", ("words=1,10", "density=9")
    )
    call("demo", "--output", tmp_path / "demo", "--threads", 1).ok(
        "words >= 10",
        "are made up",
        f"Look at {tmp_path / 'demo' / 'curve.png'}",
        f"boilersweep sweep --input {tmp_path / 'demo' / 'collection' / 'trec'}",
        "24 pages in twelve languages",
    )
    assert (
        len(list((tmp_path / "demo" / "collection" / "languages" / "html").iterdir()))
        == 24
    )
    assert (tmp_path / "demo" / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "wrong" not in call("check", tmp_path / "demo").ok().out
    scores = (tmp_path / "demo" / "scores.csv").read_text().splitlines()
    assert len(scores) == 4


def test_blogs06_names_everything_that_is_missing_at_once(
    call: Call, tmp_path: Path
) -> None:
    arguments = [f"--{name}={tmp_path / name}" for name in ("input", "topics", "qrels")]
    outcome = call(
        "sweep", "--preset=blogs06", *arguments, "--output", tmp_path / "out"
    )
    assert (outcome.status, outcome.out) == (1, "")
    for name in ("input", "topics", "qrels"):
        assert str(tmp_path / name) in outcome.err
    for where in ("University of Glasgow", "06.topics.851-900.txt", "qrels.blog06.txt"):
        assert where in outcome.err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def blogs06(tmp_path: Path) -> list[str]:
    write_blogs(tmp_path)
    files = {"input": "blogs", "topics": "blogs-topics.txt", "qrels": "blogs-qrels.txt"}
    given = [f"--{option}={tmp_path / name}" for option, name in files.items()]
    return ["--preset=blogs06", *given]


def test_blogs06_end_to_end(
    call: Call, blogs06: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "boilersweep.cli.blogs06.PAPER_SWEEPS",
        (parse_sweep("words=1,11"), parse_sweep("density=14")),
    )
    output = tmp_path / "out"
    outcome = (
        call("sweep", *blogs06, "--output", output, "--threads", 1)
        .ok("Beside Kohlschütter et al. 2010")
        .noted("BLOGS06 has 3,215,171 permalink documents, this input has 20")
    )
    paper = (output / "paper.txt").read_text("utf-8")
    assert paper in outcome.out
    row = next(
        line for line in paper.splitlines() if line.startswith("words >= 11 to 100")
    )
    ours = ["0.100", "1.000", "0.100"]
    assert row.replace("(+0%)", "").split()[5:] == (
        ["0.44", "(+144%)", "0.2476", "(+151%)", *ours, *ours]
    )
    assert str(output / "paper.txt") in outcome.out
    assert "Means over 50 topics" in outcome.out
    before = contents(output)
    assert b"Beside the paper" in before["report.html"]
    call("report", output).ok()
    assert contents(output) == before
    call("report", output / "lucene-2.9").refused(
        2, f"is part of {output}; draw the report of that"
    )

    listed = read_manifest(output / "manifest.json")
    assert {"report.html", "paper.txt"} <= set(listed["parts"])
    assert listed["facts"]["nested"] == ["lucene-2.9"]
    call("check", output).ok("2 studies ok")
    call(
        "sweep",
        *blogs06,
        "--output",
        output,
        "--threads",
        1,
        "--k1",
        2,
    ).refused(1, "ranking k1 was 0.9, is 2.0")
    (output / "lucene-2.9" / "compare.csv").unlink()
    assert "compare.csv is missing" in call("check", output).out


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
    def run(*arguments: object, output: str = "out") -> Outcome:
        usual: tuple[object, ...] = ("--input", pages, "--topics", inputs.topics)
        usual += ("--qrels", inputs.qrels, "--collection", "trecweb")
        usual += ("--output", tmp_path / output, "--threads", 1)
        return call(
            "sweep", *usual, "--sweep", "words=1,5", "--engine", "exact", *arguments
        )

    return run


@pytest.mark.parametrize("stopped", [None, "--overwrite"])
def test_results_of_a_store_that_has_changed_stay_and_are_known(
    sweep: Call, call: Call, pages: Path, tmp_path: Path, stopped: str | None
) -> None:
    """The command stops at them, or is killed between the store and the sweep on it."""
    out = tmp_path / "out"
    sweep().ok()
    before = results(out)
    (pages / "2.trec").unlink()
    if stopped:
        with mock.patch(
            "boilersweep.cli.commands.sweep.run_sweep", side_effect=KeyboardInterrupt
        ):
            assert sweep(stopped).status == 130
    for _ in range(2):
        sweep().refused(1, "another experiment than requested: store was")
    assert results(out) == before
    assert open_store(out / "store").documents == 20
    other = "is another block store than the one that"
    call("check", out).failed(other)
    call("serve", out).refused(1, other)
    sweep("--overwrite").ok()
    call("check", out).ok()
    sweep(output="fresh").ok()
    assert contents_of_sweep(out) == contents_of_sweep(tmp_path / "fresh")


def test_input_at_another_place_is_no_change(
    sweep: Call, call: Call, pages: Path, tmp_path: Path
) -> None:
    sweep().ok()
    before = results(tmp_path / "out")
    moved = tmp_path / "moved" / "pages"
    moved.parent.mkdir()
    pages.rename(moved)
    pages.symlink_to(moved)
    sweep().ok()
    assert results(tmp_path / "out") == before
    assert open_store(tmp_path / "out" / "store").manifest.input == str(moved.resolve())
    call("check", tmp_path / "out").ok()


def test_a_finished_sweep_whose_store_is_gone(sweep: Call, tmp_path: Path) -> None:
    sweep().ok()
    shutil.rmtree(tmp_path / "out" / "store")
    sweep().ok()
    sweep(output="fresh").ok()
    assert contents_of_sweep(tmp_path / "out") == contents_of_sweep(tmp_path / "fresh")


def test_the_manifest_of_a_study_comes_after_its_report(
    compare: Call, call: Call, tmp_path: Path
) -> None:
    """Item 6: a kill between the two left a new study beside an old report, and `check` said ok."""
    compare("--cleaners", "words>=3").ok()
    assert "report.html" in read_manifest(tmp_path / "out" / "manifest.json")["parts"]
    with mock.patch(
        "boilersweep.eval.report.report.report_study", side_effect=KeyboardInterrupt
    ):
        assert compare("--cleaners", "words>=4", "--overwrite").status == 130
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert not names & {"report.html", "manifest.json"}
    call("check", tmp_path / "out").failed(
        "is missing or not finished: it has no manifest.json"
    )


def test_a_demo_replaces_demos_alone(sweep: Call, call: Call, tmp_path: Path) -> None:
    sweep().ok()
    before = contents_of_sweep(tmp_path / "out")
    call("demo", "--output", tmp_path / "out").refused(
        1, "has something else than a demo"
    )
    assert contents_of_sweep(tmp_path / "out") == before
