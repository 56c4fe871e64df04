"""`site(CLEANER)` on the command line: over a store everywhere, over a page alone nowhere."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs

SITE = "site(words>=2, 5)"


@pytest.mark.java
def test_exact_runs_are_those_of_indexes_in_shares_too(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path
) -> None:
    cleaners = f"{SITE},weighted({SITE}, 3),ancestor(!site(link_words<1))"
    arguments = (
        *("sweep", "--store", store, "--topics", inputs.topics, "--qrels", inputs.qrels),
        *("--cleaners", cleaners, "--sweep", "words=1", "--sweep", "site(words>=1, {2,30,31})"),
        *("--engine", "exact", "--verify", 7),
    )
    whole = call(*arguments, "--output", tmp_path / "whole")
    assert whole.status == 0, whole.err
    assert "hits of 7 runs" in whole.err
    for share in ("1/2", "2/2", "1/2", "2/2"):
        assert call(*arguments, "--output", tmp_path / "shares", "--share", share).status == 0
    assert call(*arguments, "--output", tmp_path / "shares").status == 0
    for name in ("scores.csv", "topics.csv"):
        assert (tmp_path / "shares" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    runs = tmp_path / "whole" / "runs"
    # Of five animals four stand in the menu of each of 30 pages, a fifth of them on 24.
    assert len((runs / "site-words-ge-1-2.trec").read_text().splitlines()) == 30
    everything = (runs / "words-001.trec").read_text()
    left = (runs / "site-words-ge-1-31.trec").read_text()
    assert left.replace("site-words-ge-1-31", "words-001") == everything


def test_workers_export_what_one_process_exports(call: Call, store: Path, tmp_path: Path) -> None:
    asked = ("export", "--store", store, "--keep", SITE, "--output")
    for threads in (1, 2):
        assert call(*asked, tmp_path / str(threads), "--threads", threads).status == 0
    name = Path("site-words-ge-2-5") / "00000.jsonl.gz"
    assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    lines = gzip.decompress((tmp_path / "1" / name).read_bytes()).splitlines()
    texts = [json.loads(line)["contents"] for line in lines]
    assert len(texts) == 30
    assert all("apples" in text and "\n" not in text for text in texts)


@pytest.mark.parametrize("command", ["clean", "explain", "judge"])
def test_a_page_alone_is_refused(call: Call, tmp_path: Path, command: str) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>one two three")
    arguments: dict[str, tuple[object, ...]] = {
        "clean": (page, "--keep", SITE),
        "explain": ("--page", page, "--cleaners", SITE),
        "judge": (
            *("--dataset", "folder", "--input", tmp_path, "--cleaners", SITE),
            *("--output", tmp_path / "out"),
        ),
    }
    outcome = call(command, *arguments[command])
    assert outcome.status == 2
    assert f"expected a cleaner of a page alone, got {SITE}, which counts over" in outcome.err


@pytest.mark.java
def test_a_topic_is_explained(call: Call, store: Path, inputs: Inputs, tmp_path: Path) -> None:
    outcome = call(
        *("explain", "--store", store, "--topics", inputs.topics, "--qrels", inputs.qrels),
        *("--topic", 1, "--cleaners", f"words>=1,{SITE}", "--output", tmp_path / "e.json"),
    )
    assert outcome.status == 0, outcome.err
    evidence = json.loads((tmp_path / "e.json").read_text())
    assert next(iter(evidence["pages"].values()))["kept"] == ["11111", "00001"]


def test_it_is_listed(call: Call) -> None:
    assert "site(CLEANER[, PAGES])" in call("cleaners").out
