"""The benchmark's jobs run, and its gate tells slower rows from noise."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.against import rendered
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
