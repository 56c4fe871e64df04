"""`search --topic` and `clean --explain`: why a topic wins, and verdicts on a page."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs, Outcome

PAGE = (
    b"<title>One \x1b[2J page</title><p>It has a zebra and an otter</p>"
    b"<p>\x1b[31mred \xe2\x80\xae</p>"
)


@pytest.fixture
def explain(call: Call, store: Path, inputs: Inputs) -> Call:
    def run(*arguments: object) -> Outcome:
        usual = ("--store", store, *inputs.judged)
        return call("search", *usual, *arguments)

    return run


@pytest.mark.java
@pytest.mark.application("report")
def test_a_topic_and_two_cleaners(explain: Call, tmp_path: Path) -> None:
    # The menu of every page names every animal but its own, twice. Topic 1 is the pony: pages
    # 0, 5, 10, ... are about it and have it once; all others have it in a menu.
    output = tmp_path / "new" / "evidence.json"
    outcome = explain(
        "--topic", 1, "--cleaners", "words>=1,words>=3", "--output", output
    ).ok(
        "Topic 1: pony",
        "30 judged documents, 6 of them relevant",
        "relevant of the top 10",
        "a- block 0: *pony* *pony*",
        "stood in 1 dropped block: it is not found any more.",
        "relevant (1): a gain",
    )
    found = json.loads(output.read_text())
    topic = found["topics"][0]
    assert (found["depth"], topic["top_relevant"][1]) == (10, 6)
    entered = [one for one in topic["documents"] if one["change"] == "entered"]
    assert [one["docid"] for one in entered if one["verdict"] == "gain"] == [
        one["docid"] for one in entered
    ]
    assert str(output) in outcome.err


@pytest.mark.java
@pytest.mark.application("report")
def test_the_depth_of_the_top_and_the_formula(explain: Call) -> None:
    explain(
        "--topic", 2, "--cleaners", "words>=1,words>=3", "--hits", 3, "--formula", "qld"
    ).ok("3 documents left the top 3", "3 documents entered the top 3")


def test_a_page_from_a_file(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "page.html").write_bytes(PAGE)
    output = tmp_path / "page.json"
    outcome = call(
        "clean",
        "--explain",
        tmp_path / "page.html",
        "--keep",
        "words>=5,cetr",
        "--output",
        output,
    ).ok("It has a zebra and an otter", "words>=5", "~")
    assert all(
        character.isprintable() or character == "\n" for character in outcome.out
    )
    found = json.loads(output.read_text())
    assert [block["words"] for block in found["blocks"]] == [7, 1]
    assert found["verdicts"][-2]["kept"] == [True, False]


def test_a_page_from_standard_input(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PAGE)))
    call("clean", "--explain").ok("2 blocks, 8 words")
