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

from boilersweep.demo.collection import write_demo
from tests.running import QUICK_JAVA


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str | None]]:
    """Yield the arguments of jobs on a small collection, whose Java soon compiles."""
    demo = write_demo(tmp_path_factory.mktemp("demo"), pages=60)
    files = {"input": demo.trec, "topics": demo.topics, "qrels": demo.qrels}
    with pytest.MonkeyPatch.context() as patched:
        for name, value in QUICK_JAVA.items():
            patched.setenv(name, value)
        yield {"collection": None, **{name: str(path) for name, path in files.items()}}


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
def test_the_exact_sweep_is_measured_phase_by_phase(
    source: dict[str, str | None], tmp_path: Path
) -> None:
    sweep = run_job("exact-sweep", source, tmp_path / "out")
    names = [phase["name"] for phase in sweep.phases]
    assert names[-4:] == ["analyse", "score", "verify", "report"]
    assert sweep.result["verified"].startswith("verified: ")


@pytest.mark.java
def test_an_index_of_blocks_is_measured_under_a_rule(
    source: dict[str, str | None], tmp_path: Path
) -> None:
    given = {name: source[name] for name in ("input", "topics", "collection")}
    job = run_job("search-under-rules", {**given, "passes": 1}, tmp_path / "out")
    found = job.result
    assert set(found["sizes"]) == {"blocks", "no blocks", "rule"}
    assert min(found["times"].values()) > 0
    [table] = _tables({"rules": found})
    assert [row[0] for row in table.rows] == [
        "a query, 10 hits",
        "a query, 1,000 hits",
        "a new rule",
    ]


def test_the_demo_is_written_by_a_job(tmp_path: Path) -> None:
    paths = run_job("write-demo", {}, tmp_path / "demo").result
    assert paths.keys() == {"input", "topics", "qrels"}
    assert all(Path(path).exists() for path in paths.values())


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
