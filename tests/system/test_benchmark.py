"""The benchmark's jobs run, and its gate tells slower rows from noise."""

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.against import rendered
from benchmarks.installs import COMPILER, programs
from benchmarks.measure import run_job
from benchmarks.report import _tables


@pytest.fixture
def another_child() -> Iterator[None]:
    """Yield a process that outlives the job is not waited for."""
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE
    ) as child:
        yield
        child.kill()


@pytest.mark.java
@pytest.mark.usefixtures("another_child")
def test_the_exact_sweep_is_measured_phase_by_phase(tmp_path: Path) -> None:
    demo = run_job("write-demo", {}, tmp_path / "demo").result
    sweep = run_job("exact-sweep", {**demo, "collection": None}, tmp_path / "out")
    names = [phase["name"] for phase in sweep.phases]
    assert names[-4:] == ["analyse", "score", "verify", "report"]
    assert sweep.result["verified"].startswith("verified: ")


@pytest.mark.java
def test_an_index_of_blocks_is_measured_under_a_rule(tmp_path: Path) -> None:
    demo = run_job("write-demo", {}, tmp_path / "demo").result
    source = {"input": demo["input"], "topics": demo["topics"], "collection": None}
    arguments = {**source, "passes": 1}
    found = run_job("search-under-rules", arguments, tmp_path / "out").result
    assert set(found["sizes"]) == {"blocks", "no blocks", "rule"}
    assert min(found["times"].values()) > 0
    [table] = _tables({"rules": found})
    assert [row[0] for row in table.rows] == [
        "a query, 10 hits",
        "a query, 1,000 hits",
        "a new rule",
    ]


def test_a_row_is_slower_if_it_is_so_in_every_round() -> None:
    before = [
        {"a": 1.0, "b": 1.0, "c": 1.0, "gone": 1.0},
        {"a": 2.0, "b": 2.0, "c": 2.0},
    ]
    after = [{"a": 1.1, "b": 0.9, "c": 1.3, "new": 1.0}, {"a": 2.1, "b": 1.8, "c": 2.0}]
    text, slower = rendered("main~1", before, after)
    assert slower == ["a"]
    rows = {
        line.split("|")[1].strip(): line.split("|")[-2].strip()
        for line in text.splitlines()[2:5]
    }
    assert rows == {"a": "slower", "b": "faster", "c": ""}
    assert "(1.05-1.10)" in text
    assert "1 of 3 rows are slower" in text


def test_programs_with_a_hidden_name_are_not_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cc", "x86_64-linux-gnu-gcc-12", "gcc-ar", "java", "javac", "sh"):
        (tools / name).write_text("")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    links = Path(programs(tmp_path, [COMPILER]))
    assert {path.name for path in links.iterdir()} == {"gcc-ar", "java", "javac", "sh"}


def test_copies_of_a_collection_differ_in_docids_and_texts(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text(
        '{"id": "a", "contents": "<p>one of the two"}\n'
    )
    arguments = {"input": str(tmp_path / "pages.jsonl"), "collection": None}
    run_job("write-scaled", {**arguments, "factor": 3}, tmp_path / "scaled")
    written = [
        json.loads(gzip.decompress(path.read_bytes()))
        for path in sorted((tmp_path / "scaled").iterdir())
    ]
    assert [(one["id"], one["contents"]) for one in written] == [
        ("a-copy-2", "<p>one of the2 two"),
        ("a-copy-3", "<p>one of the3 two"),
        ("a", "<p>one of the two"),
    ]
