"""Blocks that count several times, and extractors' blocks in rules, on the command line."""

import html
import json
import re
import shlex
from pathlib import Path

import pytest

from boilersweep.indexer.manifest import read_manifest
from boilersweep.outputs.typed_files import as_builtins
from tests.cli.conftest import Call, Inputs

WEIGHTED = "weighted(words>=3, 4)"


def escaped(page: Path) -> str:
    return html.unescape(page.read_text())


@pytest.mark.java
def test_an_index_to_deploy(call: Call, store: Path, tmp_path: Path) -> None:
    index = tmp_path / "index"
    layout = ("--storeContents", "--storeDocvectors")
    assert (
        call("index", "--store", store, "--keep", WEIGHTED, "--output", index, *layout)
        .ok()
        .out.endswith("left empty by weighted(words>=3, 4)\n")
    )
    call("check", index).ok()
    assert (
        call("search", "--index", index, "--query", "pony apples", "--hits", 1, "--rm3")
        .ok()
        .out.count("thought of nothing but")
        == 1
    )
    call(
        "index", "--store", store, "--keep", "weighted(words>=3, 5)", "--output", index
    ).refused(1, "cleaner text was weighted(words>=3, 4), is")


@pytest.mark.java
@pytest.mark.application("report")
def test_a_study_chooses_and_deploys_it(
    call: Call, store: Path, inputs: Inputs, tmp_path: Path
) -> None:
    asked = (
        "compare",
        "--store",
        store,
        *inputs.judged,
        "--cleaners",
        f"{WEIGHTED},density>=1",
        "--choose",
    )
    outcome = call(*asked, "--output", tmp_path / "fixed").ok(
        f"{WEIGHTED} has a better P@10 ("
    )
    assert f"Index with {WEIGHTED}" not in outcome.out
    assert f"{WEIGHTED} has a better P@10 (" in escaped(
        tmp_path / "fixed" / "report.html"
    )
    outcome = call(*asked, "--k1", "0.4,0.9", "--output", tmp_path / "out").ok()
    assert "was not chosen" not in outcome.out
    assert f"Not proved, but ahead: {WEIGHTED}. " in outcome.out
    assert re.search(r"At what cost, of the tokens: 2\d\d% counted", outcome.out)
    study = json.loads((tmp_path / "out" / "study.json").read_text())
    assert {one["tokens_kept"] for one in study["variants"]} == {1}
    command = next(
        line for line in outcome.out.splitlines() if "boilersweep index" in line
    )
    call(*shlex.split(command)[1:]).ok()
    assert "matches" in (tmp_path / "out" / "report.html").read_text()
    told = call(
        "search",
        "--store",
        store,
        *inputs.judged,
        "--topic",
        1,
        "--cleaners",
        f"words>=1,{WEIGHTED}",
        "--output",
        tmp_path / "e.json",
    ).ok("matches in place of")
    assert "dropped" not in told.out
    evidence = json.loads((tmp_path / "e.json").read_text())
    kept = next(iter(evidence["pages"].values()))["kept"]
    assert kept == ["11111", "00001"]


@pytest.mark.java
def test_what_stands_in_no_block_is_said(
    call: Call, inputs: Inputs, tmp_path: Path
) -> None:
    cleaner, texts_store = "cetr | ccb & words>=2", tmp_path / "store"
    read = ("--input", inputs.pages, "--collection", "trecweb", "--threads", 1)
    call("segment", *read, "--extractors", "cetr,ccb", "--output", texts_store).ok()
    said = re.compile(
        r"^cetr: \d+\.\d% of the \d+ words of its text are in no b.*\nccb: 0.0% of",
        re.M,
    )
    assert said.search(
        call(
            "index",
            "--store",
            texts_store,
            "--keep",
            cleaner,
            "--output",
            tmp_path / "index",
        )
        .ok()
        .err
    )
    manifest = read_manifest(tmp_path / "index")
    assert manifest is not None
    placed = as_builtins(manifest.placed)
    assert list(placed) == ["cetr", "ccb"]
    assert placed["cetr"]["placed"] <= placed["cetr"]["words"]
    arguments = ("--store", texts_store, *inputs.judged)
    for command in ("sweep", "compare"):
        output = tmp_path / command
        for engine in ("exact", "indexes"):
            outcome = call(
                command,
                *arguments,
                "--cleaners",
                f"{cleaner},cetr",
                "--engine",
                engine,
                "--sweep",
                "words=1,3",
                "--output",
                output,
                "--overwrite",
            ).ok()
            assert said.search(outcome.err)
            told = json.loads((output / "manifest.json").read_text())["facts"][
                "texts_in_blocks"
            ]
            assert told == placed
