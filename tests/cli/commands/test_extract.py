"""Texts that are added to a store, on the command line."""

from pathlib import Path

import pytest

from boilersweep.store.store import open_store
from tests.cli.conftest import Call, Outcome
from tests.stores import write_pages


@pytest.fixture
def pages(call: Call, tmp_path: Path) -> Path:
    """Write a file of two pages and, beside it, their store."""
    texts = {"a": "<p>one <b>two</b> three", "b": "<p>four"}
    path = write_pages(tmp_path / "pages.jsonl", texts)
    segmented(call, tmp_path, "store").ok()
    return path


def segmented(call: Call, folder: Path, store: str, *more: str) -> Outcome:
    arguments = (
        "--input",
        folder / "pages.jsonl",
        "--threads",
        "1",
        "--output",
        folder / store,
    )
    return call("segment", *arguments, *more)


def extracted(call: Call, pages: Path, *more: str) -> Outcome:
    inputs = {"--input": pages, "--store": pages.with_name("store")}
    usual = [
        part
        for option in inputs
        if option not in more
        for part in (option, inputs[option])
    ]
    return call("extract", *usual, "--threads", "1", *more)


@pytest.mark.slow
def test_the_store_has_the_texts_of_one_made_at_once(
    call: Call, pages: Path, tmp_path: Path
) -> None:
    outcome = extracted(call, pages, "--extractors", "cetr,ccb", "--strict")
    assert (outcome.status, outcome.out) == (
        0,
        f"{tmp_path / 'store' / 'manifest.json'}\n",
    )
    assert "2 documents, 2 blocks, 4 words in" in outcome.err
    assert outcome.err.endswith("texts stored with the blocks: cetr, ccb\n")
    segmented(call, tmp_path, "at-once", "--extractors", "cetr,ccb")
    found = {path.name: path.read_bytes() for path in (tmp_path / "store").iterdir()}
    assert found == {
        path.name: path.read_bytes() for path in (tmp_path / "at-once").iterdir()
    }
    again = extracted(call, pages, "--extractors", "ccb")
    assert (again.status, again.err) == (0, outcome.err)


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [
        (("--extractors", "nosuch"), 2, "no extractor is named 'nosuch'"),
        (("--extractors", ","), 2, "expected the names of extractors, got none"),
        ((), 2, "the following arguments are required: --extractors"),
        (
            ("--extractors", "cetr", "--store", "nowhere"),
            1,
            "nowhere is no block store",
        ),
        (("--extractors", "cetr", "--input", "nowhere"), 1, "nowhere does not exist"),
        (
            ("--extractors", "cetr", "--store", "memory://x"),
            2,
            "a store of this machine",
        ),
    ],
)
def test_used_wrongly(
    call: Call, pages: Path, more: tuple[str, ...], status: int, said: str
) -> None:
    extracted(call, pages, *more).refused(status, said)


def test_other_input_is_named(call: Call, pages: Path, tmp_path: Path) -> None:
    pages.write_text('{"id": "a", "contents": "<p>other"}')
    extracted(call, pages, "--extractors", "cetr").refused(
        1, "input file pages.jsonl has changed"
    )
    assert open_store(tmp_path / "store").page_texts == ()
