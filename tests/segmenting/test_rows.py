"""From a record to its row: what may fail without losing the page."""

from pathlib import Path

import pytest

from boilersweep import Segmentation
from boilersweep.collection.format import Reason
from boilersweep.pages.language import Clue, clue_of_page
from boilersweep.pages.metadata import Metadata
from boilersweep.pages.page import PackedPage
from boilersweep.segmenting import shards
from boilersweep.store.shard import read_fields
from tests.segmenting.conftest import make, numbered, planned, shard_in


def test_a_page_whose_language_finds_no_memory_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(page: PackedPage, declared: str) -> Clue:
        if b"big" in page.columns["texts"]:
            raise MemoryError
        return clue_of_page(page, declared)

    monkeypatch.setattr(shards, "clue_of_page", without_memory)
    path = numbered(tmp_path / "a.jsonl", "<p>one", "<p>big", "<p>two")
    [task] = planned(path, [path], tmp_path)
    facts = make(task)
    assert facts.documents == 2
    assert facts.skipped == {Reason.OVER_MEMORY: 1}
    assert facts.allowed.keys() == {"seconds", "worker_bytes"}


def test_metadata_that_fails_costs_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(utf8: bytes, *_: object) -> Metadata:
        if b"bad" in utf8:
            raise RecursionError
        return Metadata(author="Ann")

    monkeypatch.setattr(shards, "metadata", failing)
    path = numbered(tmp_path / "a.jsonl", "<p>good", "<p>bad", "<p>fine")
    options = Segmentation("jsonl", metadata=True)
    [task] = planned(path, [path], tmp_path, options)
    facts = make(task)
    authors = read_fields(shard_in(tmp_path), ["author"])
    assert authors == [("Ann",), ("",), ("Ann",)]
    assert facts.failed == {"metadata (RecursionError)": 1}
