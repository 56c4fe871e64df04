"""Docids that stand twice."""

from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import StoreError
from boilersweep.collection.format import Record, SourceLocation
from boilersweep.pages.page import Page
from boilersweep.store.duplicate_docids import (
    DuplicateDocid,
    find_duplicate_docids,
    rows_by_shard,
)
from tests.store.conftest import write_shard

Shards = Callable[..., list[Path]]


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    def write(*docids_by_shard: list[str]) -> list[Path]:
        return [
            write_shard(
                tmp_path / f"shard-{number}.parquet",
                [
                    (
                        Record(docid, b"", SourceLocation(f"f{number}", 1000 * row)),
                        Page(),
                    )
                    for row, docid in enumerate(docids)
                ],
            )
            for number, docids in enumerate(docids_by_shard)
        ]

    return write


@pytest.mark.parametrize("docids", [[], [[], []], [["a", "b"], ["A", "c", "a "]]])
def test_different_docids(shards: Shards, docids: list[list[str]]) -> None:
    assert find_duplicate_docids(shards(*docids)) == []


def test_within_a_shard_and_across_shards(shards: Shards) -> None:
    found = find_duplicate_docids(
        shards(["a", "b", "a"], ["c"], [], ["é", "b", "é", "a"])
    )
    assert found == [
        DuplicateDocid("a", 0, 2, "f0 at byte 2,000", "f0 at byte 0"),
        DuplicateDocid("b", 3, 1, "f3 at byte 1,000", "f0 at byte 1,000"),
        DuplicateDocid("é", 3, 2, "f3 at byte 2,000", "f3 at byte 0"),
        DuplicateDocid("a", 3, 3, "f3 at byte 3,000", "f0 at byte 0"),
    ]
    assert rows_by_shard(found) == {0: [2], 3: [1, 2, 3]}


def test_equal_hashes_of_different_docids_are_no_duplicates(
    shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant = mock.Mock(return_value=mock.Mock(digest=lambda: b"12345678"))
    monkeypatch.setattr("boilersweep.store.duplicate_docids.blake2b", constant)
    found = find_duplicate_docids(shards(["a", "b"], ["c", "b"]))
    assert [(d.docid, d.shard, d.row) for d in found] == [("b", 1, 1)]


def test_a_damaged_shard_is_a_store_error(shards: Shards) -> None:
    paths = shards(["a"], ["a"])
    paths[1].write_bytes(b"garbage")
    with pytest.raises(StoreError, match="shard-1"):
        find_duplicate_docids(paths)


def test_the_latest_is_kept_and_of_several_the_last(tmp_path: Path) -> None:
    dates = [
        ("a", "2026-03-02"),
        ("a", "2026-03-01T23:59:59Z"),
        ("b", None),
        ("b", "1999-12-31"),
        ("b", None),
        ("c", "2026-03-02T12:00:00.5Z"),
        ("c", "2026-03-02T12:00:00Z"),
        ("c", "2026-03-02T12:00:00.500"),
    ]
    pages = [
        (Record(docid, b"", SourceLocation("f", row), date=date), Page())
        for row, (docid, date) in enumerate(dates)
    ]
    write_shard(tmp_path / "shard", pages)
    found = find_duplicate_docids([tmp_path / "shard"], latest=True)
    assert [(one.docid, one.row, one.kept_place) for one in found] == [
        ("a", 1, "f at byte 0"),
        ("b", 2, "f at byte 3"),
        ("b", 4, "f at byte 3"),
        ("c", 5, "f at byte 7"),
        ("c", 6, "f at byte 7"),
    ]
