"""Texts that are added to a store, on the command line."""

import shutil
from pathlib import Path

import pytest

from boilersweep.cleaners.learned import cleaner
from boilersweep.store.store import open_store
from tests.cli.conftest import Call, Inputs, Outcome
from tests.comparing import comparable
from tests.stores import write_pages


@pytest.fixture
def pages(call: Call, tmp_path: Path) -> Path:
    """Write a file of two pages and, beside it, their store."""
    texts = {"a": "<p>one <b>two</b> three", "b": "<p>four"}
    path = write_pages(tmp_path / "pages.jsonl", texts)
    segmented(call, tmp_path, "store").ok()
    return path


def segmented(call: Call, folder: Path, store: str, *more: str) -> Outcome:
    arguments = ("--input", folder / "pages.jsonl", "--threads", "1", "--output", folder / store)
    return call("segment", *arguments, *more)


def extracted(call: Call, pages: Path, *more: str) -> Outcome:
    inputs = {"--input": pages, "--store": pages.with_name("store")}
    usual = [part for option in inputs if option not in more for part in (option, inputs[option])]
    return call("extract", *usual, "--threads", "1", *more)


@pytest.mark.slow
def test_the_store_has_the_texts_of_one_made_at_once(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    outcome = extracted(call, pages, "--extractors", "cetr,ccb", "--strict")
    assert (outcome.status, outcome.out) == (0, f"{tmp_path / 'store' / 'manifest.json'}\n")
    assert "2 documents, 2 blocks, 4 words in" in outcome.err
    assert outcome.err.endswith("texts stored with the blocks: cetr, ccb\n")
    segmented(call, tmp_path, "at-once", "--extractors", "cetr,ccb")
    found = {path.name: path.read_bytes() for path in (tmp_path / "store").iterdir()}
    assert found == {path.name: path.read_bytes() for path in (tmp_path / "at-once").iterdir()}
    again = extracted(call, pages, "--extractors", "ccb")
    assert (again.status, again.err) == (0, outcome.err)


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        (("--extractors", "nosuch"), 2, "no extractor is named 'nosuch'"),
        (("--extractors", ","), 2, "expected the names of extractors, got none"),
        ((), 2, "the following arguments are required: --extractors"),
        (("--extractors", "cetr", "--store", "nowhere"), 1, "nowhere is no block store"),
        (("--extractors", "cetr", "--input", "nowhere"), 1, "nowhere does not exist"),
        (("--extractors", "cetr", "--store", "memory://x"), 2, "a store of this machine"),
        (("--extractors", "learned", "--store", "memory://x"), 2, "a store of this machine"),
        (("--extractors", "learned", "--store", "nowhere"), 1, "nowhere is no block store"),
        (("--extractors", "learned('nowhere')"), 2, "cannot read the model file nowhere"),
    ],
)
def test_used_wrongly(
    call: Call, pages: Path, more: tuple[str, ...], status: int, said: str
) -> None:
    extracted(call, pages, *more).refused(status, said)


def test_other_input_is_named(call: Call, pages: Path, tmp_path: Path) -> None:
    pages.write_text('{"id": "a", "contents": "<p>other"}')
    extracted(call, pages, "--extractors", "cetr").refused(1, "input file pages.jsonl has changed")
    assert open_store(tmp_path / "store").page_texts == ()


def test_only_probabilities_need_no_input(call: Call, pages: Path, tmp_path: Path) -> None:
    command = ("extract", "--store", tmp_path / "store", "--extractors")
    assert "expected --input, the pages" in call(*command, "learned,cetr").err
    done = call(*command, "learned")
    assert (done.status, done.out) == (0, f"{tmp_path / 'store' / 'manifest.json'}\n")
    assert "probabilities of learned are stored with the blocks: 1 of 1 shards\n" in done.err
    extracted(call, pages, "--extractors", "learned,cetr").ok()
    assert open_store(tmp_path / "store").page_texts == ("cetr",)
    call("check", tmp_path / "store").ok()


RULE = "site(learned) | learned(comments=yes)>=0.3 & !learned>=0.95"


@pytest.mark.java
@pytest.mark.parametrize(
    "command",
    [
        ("index", "--keep", RULE, "--fields", "headline", "comments"),
        ("index", "--cleaners", f"learned,{RULE}", "--sweep", "learned>=0.2:0.8:0.3"),
        ("sweep", "--cleaners", f"learned,{RULE}", "--sweep", "learned>=0.2:0.8:0.3"),
        ("compare", "--cleaners", f"learned,{RULE}"),
        ("export", "--keep", f"learned,{RULE}", "--classes"),
        ("explain", "--cleaners", f"learned,{RULE}", "--topic", "1"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_results_with_stored_probabilities_are_the_same(
    call: Call,
    store: Path,
    inputs: Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    """The second run could compute none, but for the pages that `explain` and `compare` show."""
    copy, out = tmp_path / "store", tmp_path / "out"
    shutil.copytree(store, copy)
    if command[0] in ("sweep", "compare", "explain"):
        command += ("--topics", str(inputs.topics), "--qrels", str(inputs.qrels))
    found = []
    for note in (False, True):
        if note:
            call("extract", "--store", copy, "--extractors", "learned").ok()
            if command[0] not in ("compare", "explain"):
                monkeypatch.setattr(cleaner, "rated_rows", None)
        output = out / "e.json" if command[0] == "explain" else out
        done = call(*command, "--store", copy, "--output", output).ok()
        assert ("are stored with the blocks" in done.err) == note
        found.append((done.out, comparable(out)))
        assert not any("cannot be read" in one for one in found[-1][1].values())
        shutil.rmtree(out)
    assert found[0] == found[1]
