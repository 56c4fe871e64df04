"""Topics, judgements, runs and lists of documents at URLs, from a server of this machine."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs, read_json
from tests.collection.crawl import Served, serving

pytest.importorskip("upath", reason="boilersweep[remote] is not installed")

EXACT = ("--engine", "exact", "--threads", "1", "--verify", "1")
RUN = "".join(f"{topic} Q0 GX000-0{topic} 1 1.5 mine\n" for topic in range(1, 6))


@pytest.fixture(scope="module")
def here(inputs: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "topics.tsv").write_bytes(inputs.topics.read_bytes())
    (folder / "qrels.txt.gz").write_bytes(gzip.compress(inputs.qrels.read_bytes()))
    (folder / "run.trec.gz").write_bytes(gzip.compress(RUN.encode()))
    (folder / "queries.txt").write_text("pony\nzebra\npony\n")
    (folder / "docids.txt").write_text("GX000-01\nGX000-02\n")
    return folder


@pytest.fixture(scope="module")
def served(here: Path) -> Iterator[Served]:
    with serving({path.name: path.read_bytes() for path in here.iterdir()}) as served:
        yield served


SWEEP = "sweep --store STORE --topics {0}topics.tsv --qrels {0}qrels.txt.gz --sweep words=1,5"
COMPARE = "compare --store STORE --topics {0}topics.tsv --qrels {0}qrels.txt.gz"
CALLS = [
    "evaluate --qrels {0}qrels.txt.gz --run {0}run.trec.gz",
    pytest.param(
        "search --store STORE --topics {0}topics.tsv --qrels {0}qrels.txt.gz --topic 1 "
        "--cleaners words>=1,words>=5",
        marks=pytest.mark.application("report"),
    ),
    "segment --input PAGES --only-docids {0}docids.txt",
    "segment --input PAGES --only-judged {0}qrels.txt.gz",
    "compare --store STORE --queries {0}queries.txt --cleaners words>=1,words>=5",
    "assess --store STORE --topics {0}topics.tsv --cleaners words>=1,words>=5 --status",
    " ".join((SWEEP, *EXACT)),
    " ".join((COMPARE, "--cleaners words>=5 --runs mine={0}run.trec.gz", *EXACT)),
]


@pytest.mark.java
@pytest.mark.parametrize("line", CALLS)
def test_files_at_urls_are_as_those_of_this_machine(
    call: Call, inputs: Inputs, store: Path, here: Path, served: Served, tmp_path: Path, line: str
) -> None:  # fmt: skip
    said = []
    for base in (f"{here}/", served.base):
        words = line.format(base).replace("PAGES", str(inputs.pages)).split()
        words = [word.replace("STORE", str(store)) for word in words]
        output = tmp_path / ("there" if base == served.base else "here")
        if words[0] not in ("evaluate", "search"):
            words += ["--output", str(output)]
        outcome = call(*words).ok()
        said.append(outcome.out.replace(base, "").replace(str(output), ""))
    assert said[0] == said[1]


@pytest.mark.java
def test_check_reads_the_files_at_urls_again(
    call: Call, store: Path, here: Path, tmp_path: Path
) -> None:
    files = {path.name: path.read_bytes() for path in here.iterdir()}
    line = " ".join((COMPARE, "--cleaners words>=5 --runs mine={0}run.trec.gz", *EXACT))
    with serving(files) as served:
        words = line.format(served.base).replace("STORE", str(store)).split()
        call(*words, "--output", tmp_path / "out").ok()
        facts = read_json(tmp_path / "out" / "manifest.json")["facts"]
        assert facts["sources"]["qrels"]["path"] == f"{served.base}qrels.txt.gz"
        call("check", tmp_path / "out").ok()
        served.failing.add("qrels.txt.gz")
        unseen = call("check", tmp_path / "out")
        assert f"the qrels {served.base}qrels.txt.gz: the file cannot be" in unseen.out
        served.failing.clear()
        files["qrels.txt.gz"] = b"1 0 GX000-01 1\n"
        changed = call("check", tmp_path / "out")
        assert f"the qrels {served.base}qrels.txt.gz: the file has" in changed.out


@pytest.mark.java
@pytest.mark.parametrize("line", CALLS)
def test_a_file_that_cannot_be_read_is_one_line(
    call: Call, inputs: Inputs, store: Path, here: Path, tmp_path: Path, line: str
) -> None:
    places = {"PAGES": str(inputs.pages), "STORE": str(store)}

    def last_line(base: str) -> str:
        words = [places.get(word, word) for word in line.format(base).split()]
        if words[0] not in ("evaluate", "search"):
            words += ["--output", str(tmp_path / "out")]
        outcome = call(*words)
        assert outcome.status in (1, 2)
        assert not (tmp_path / "out").exists()
        return outcome.err.splitlines()[-1]

    with serving({}) as served:
        assert "No such file" in last_line(served.base)
        served.failing |= {path.name for path in here.iterdir()}
        assert f"cannot read {served.base}" in last_line(served.base)
        assert "503" in last_line(served.base)
    assert "Cannot connect" in last_line(served.base)
