"""Stores that take new input: what stays, what is cut again, and what a kill leaves."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest

from boilersweep.collection.record import Reason
from boilersweep.errors import CollectionError, StoreError
from boilersweep.outputs.manifest_file import fault
from boilersweep.segmenting.input_file import Changes
from boilersweep.segmenting.segment import (
    Segmentation,
    Updated,
    segment_collection,
    update_collection,
)
from boilersweep.segmenting.tasks import Task
from boilersweep.segmenting.workers import make_shards
from boilersweep.store.check import check_store
from boilersweep.store.store import BlockStore, open_store
from tests.running import Killed
from tests.segmenting.conftest import documents, jsonl, shards


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "bcd":
        jsonl(tmp_path / "pages" / f"{name}.jsonl", (f"{name}0", f"<p>text of {name}"))
    return tmp_path / "pages"


def make(pages: Path, output: Path, options: Segmentation | None = None) -> BlockStore:
    return segment_collection(pages, output, options, workers=1)


def update(pages: Path, output: Path, **options: object) -> Updated:
    return update_collection(pages, output, workers=1, **options)  # type: ignore[arg-type]


def input_of(store: BlockStore) -> dict[str, list[str]]:
    return {
        shard["file"]: [one["path"] for one in shard["input"]]
        for shard in store.manifest.shards
    }


def test_files_that_are_new_changed_and_gone(pages: Path, tmp_path: Path) -> None:
    make(pages, tmp_path / "store")
    before = shards(tmp_path / "store")
    jsonl(pages / "a.jsonl", ("a0", "<p>text of a"))
    jsonl(pages / "c.jsonl", ("c0", "<p>text of c, changed"), ("c1", "<p>more"))
    (pages / "d.jsonl").unlink()
    updated = update(pages, tmp_path / "store")
    assert str(updated.changes) == "1 file new, 1 changed, 1 gone"
    assert updated.changes == Changes(("a.jsonl",), ("c.jsonl",), ("d.jsonl",))
    after = shards(tmp_path / "store")
    assert {n for n in after if after[n] == before.get(n)} == {"shard-00000.parquet"}
    assert (updated.made, len(after)) == (2, 3)
    at_once = make(pages, tmp_path / "at-once")
    assert documents(open_store(tmp_path / "store")) == documents(at_once)
    assert check_store(tmp_path / "store").faults == []


def test_nothing_has_changed(pages: Path, tmp_path: Path) -> None:
    make(pages, tmp_path / "store")
    files = [
        *shards(tmp_path / "store").items(),
        (tmp_path / "store/manifest.json").stat().st_ino,
    ]
    os.utime(pages / "b.jsonl")
    updated = update(pages, tmp_path / "store")
    assert (str(updated.changes), updated.made) == ("0 files new, 0 changed, 0 gone", 0)
    assert files == [
        *shards(tmp_path / "store").items(),
        (tmp_path / "store/manifest.json").stat().st_ino,
    ]


def test_where_there_is_no_store_one_is_made(pages: Path, tmp_path: Path) -> None:
    updated = update(pages, tmp_path / "store")
    assert (str(updated.changes), updated.made) == ("3 files new, 0 changed, 0 gone", 3)
    assert input_of(updated.store) == input_of(make(pages, tmp_path / "at-once"))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Make a folder of pages, of which 500 make a shard."""
    (tmp_path / "site").mkdir()
    for number in range(0, 1010, 2):
        (tmp_path / "site" / f"p{number:04d}.html").write_text(f"<p>page {number}")
    return tmp_path / "site"


@pytest.mark.slow
def test_shards_of_many_files_keep_theirs(site: Path, tmp_path: Path) -> None:
    store = make(site, tmp_path / "store")
    before, first = shards(tmp_path / "store"), input_of(store)["shard-00000.parquet"]
    (site / "p0003.html").write_text("<p>new, amid those of the first shard")
    (site / "p1004.html").write_text("<p>page 1004, changed")
    (site / "p1008.html").unlink()
    updated = update(site, tmp_path / "store")
    assert str(updated.changes) == "1 file new, 1 changed, 1 gone"
    found = input_of(updated.store)
    assert found == {
        "shard-00000.parquet": first,
        "shard-00003.parquet": ["p0003.html"],
        "shard-00002.parquet": ["p1000.html", "p1002.html", "p1004.html", "p1006.html"],
    }
    assert (
        shards(tmp_path / "store")["shard-00000.parquet"]
        == before["shard-00000.parquet"]
    )
    at_once = make(site, tmp_path / "at-once")
    assert sorted(documents(updated.store)) == sorted(documents(at_once))


def killed_after(count: int) -> object:
    def run(tasks: Sequence[Task], workers: int) -> None:
        make_shards(tasks[:count], workers)
        raise Killed

    return run


@pytest.mark.slow
@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_kill_leaves_the_old_store_whole_and_the_same_call_ends_the_update(
    site: Path, tmp_path: Path, made: int
) -> None:
    make(site, tmp_path / "store")
    was = documents(open_store(tmp_path / "store"))
    (site / "p0003.html").write_text("<p>new")
    (site / "p1004.html").write_text("<p>page 1004, changed")
    killed = mock.patch(
        "boilersweep.segmenting.segment.make_shards", killed_after(made)
    )
    with pytest.raises(Killed), killed:
        update(site, tmp_path / "store")
    assert documents(open_store(tmp_path / "store")) == was
    updated = update(site, tmp_path / "store")
    assert str(updated.changes) == "1 file new, 1 changed, 0 gone"
    assert updated.made == 2 - made
    assert list(input_of(updated.store)) == [
        f"shard-0000{n}.parquet" for n in (0, 3, 2)
    ]
    assert len(shards(tmp_path / "store")) == 3
    assert check_store(tmp_path / "store").faults == []


def test_shards_that_a_kill_left_behind_go(pages: Path, tmp_path: Path) -> None:
    make(pages, tmp_path / "store")
    old = (tmp_path / "store/shard-00002.parquet").read_bytes()
    (pages / "d.jsonl").unlink()
    update(pages, tmp_path / "store")
    (tmp_path / "store/shard-00002.parquet").write_bytes(old)
    updated = update(pages, tmp_path / "store")
    assert (str(updated.changes), updated.made) == ("0 files new, 0 changed, 0 gone", 0)
    assert len(shards(tmp_path / "store")) == 2


def test_a_page_that_was_crawled_again_stands_with_its_latest(
    pages: Path, tmp_path: Path
) -> None:
    def crawled(name: str, date: str | None, text: str) -> None:
        line = {"id": "x", "contents": f"<p>{text}"} | ({"date": date} if date else {})
        (pages / f"{name}.jsonl").write_text(json.dumps(line) + "\n")

    latest = Segmentation(on_duplicate="latest")
    crawled("m", "2026-03-02T11:00:00+01:00", "second")
    update(pages, tmp_path / "store", options=latest)
    crawled("a", "2026-03-01", "first")
    crawled("b", "2026-03-02T10:00:00.5Z", "third")
    crawled("z", None, "when?")
    with pytest.raises(CollectionError, match="--on-duplicate latest"):
        update(pages, tmp_path / "store", options=Segmentation())
    updated = update(pages, tmp_path / "store")
    assert ("x", ["third"]) in documents(updated.store)
    assert [docid for docid, _ in documents(updated.store)].count("x") == 1
    assert updated.store.skipped[Reason.DUPLICATE] == 3
    (sample, *_) = updated.store.manifest.skipped_samples["duplicate docid"]
    assert (sample["place"], sample["kept_place"]) == (
        "a.jsonl at byte 0",
        "b.jsonl at byte 0",
    )
    assert check_store(tmp_path / "store").faults == []
    crawled("z", "2026-03-02T10:00:00.500Z", "the last of two")
    assert ("x", ["the last of two"]) in documents(
        update(pages, tmp_path / "store", options=latest).store
    )


@pytest.mark.slow
def test_a_damaged_shard_is_named_and_the_old_store_stays(
    pages: Path, tmp_path: Path
) -> None:
    make(pages, tmp_path / "store")
    shard = tmp_path / "store/shard-00001.parquet"
    body = bytearray(shard.read_bytes())
    body[10] ^= 1
    shard.write_bytes(body)
    jsonl(pages / "a.jsonl", ("a0", "<p>text of a"))
    with pytest.raises(
        StoreError, match=r"shard-00001\.parquet was changed or damaged"
    ):
        update(pages, tmp_path / "store")
    shard.write_bytes(body[:100])
    with pytest.raises(StoreError, match=r"shard-00001\.parquet is damaged"):
        update(pages, tmp_path / "store")
    shard.unlink()
    updated = update(pages, tmp_path / "store").store
    assert documents(updated) == documents(make(pages, tmp_path / "at-once"))
    assert not any(
        fault(updated.path / one["file"], one) for one in updated.manifest.shards
    )
