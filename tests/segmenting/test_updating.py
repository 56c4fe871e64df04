"""Stores that are made again: what stays, what is made, what goes, and what a kill leaves."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from pyarrow.parquet import ParquetFile

from boilersweep import (
    BlockStore,
    CollectionError,
    Segmentation,
    StoreError,
    UsageError,
    open_store,
    segment_collection,
)
from boilersweep.collection.format import Reason
from boilersweep.outputs.atomic import write_text
from boilersweep.pages.limits import Limits
from boilersweep.segmenting import input_file
from boilersweep.segmenting.segment import check_input
from boilersweep.segmenting.shards import AnyTask, make_files
from boilersweep.store.checked_store import CHECKED
from boilersweep.work import progress
from boilersweep.work.pool import DeadRecord
from tests.manifests import write_manifest
from tests.running import Killed
from tests.segmenting.conftest import documents, jsonl, losing, shards
from tests.stores import contents, faults_of, unfinish


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "bcd":
        jsonl(tmp_path / "pages" / f"{name}.jsonl", (f"{name}0", f"<p>text of {name}"))
    return tmp_path / "pages"


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what segmenting says of changes."""
    lines: list[str] = []
    monkeypatch.setattr(progress, "_seconds", 1e9)
    monkeypatch.setattr(progress, "say", lines.append)
    return lines


def segment(
    pages: Path, output: Path, options: Segmentation | None = None, **how: Any
) -> BlockStore:
    return segment_collection(pages, output, options, workers=1, **how)


def input_of(store: BlockStore) -> list[list[str]]:
    return [[one["path"] for one in shard["input"]] for shard in store.manifest.shards]


def test_files_that_are_new_changed_and_gone(
    pages: Path, tmp_path: Path, said: list[str]
) -> None:
    segment(pages, tmp_path / "store")
    before = shards(tmp_path / "store")
    jsonl(pages / "a.jsonl", ("a0", "<p>text of a"))
    jsonl(pages / "c.jsonl", ("c0", "<p>text of c, changed"), ("c1", "<p>more"))
    (pages / "d.jsonl").unlink()
    store = segment(pages, tmp_path / "store")
    assert said == [
        "2 of 3 shards to make: 1 file new, 1 changed, 1 gone (a.jsonl; c.jsonl; d.jsonl)"
    ]
    after = shards(tmp_path / "store")
    assert (len(after), len(before.items() & after.items())) == (3, 1)
    at_once = segment(pages, tmp_path / "at-once")
    assert documents(store) == documents(at_once)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")
    assert faults_of(CHECKED, tmp_path / "store") == []


def test_shards_of_an_unchanged_store_are_not_read(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment(pages, tmp_path / "store")
    before = contents(tmp_path / "store")
    read = mock.Mock(side_effect=ParquetFile)
    monkeypatch.setattr("pyarrow.parquet.ParquetFile", read)
    segment(pages, tmp_path / "store")
    read.assert_not_called()
    assert contents(tmp_path / "store") == before


@pytest.mark.parametrize("verify", [False, True])
def test_equal_files_are_known_by_their_content(
    pages: Path, tmp_path: Path, said: list[str], verify: bool
) -> None:
    store = segment(pages, tmp_path / "store")
    files = contents(tmp_path / "store")
    made = shards(tmp_path / "store")
    os.utime(pages / "b.jsonl", ns=(1, 1))
    assert segment(pages, tmp_path / "store", verify_input=verify) == store
    shutil.copytree(pages, tmp_path / "copy")
    copied = segment(tmp_path / "copy", tmp_path / "store", verify_input=verify)
    assert copied.fingerprint == store.fingerprint
    assert shards(tmp_path / "store") == made
    assert said == []
    elsewhere = segment(tmp_path / "copy", tmp_path / "elsewhere").path
    again = {n: b for n, b in contents(elsewhere).items() if n.startswith("shard")}
    assert again.items() <= files.items()


def test_what_is_noted_of_the_input_only_saves_time(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = segment(pages, tmp_path / "store")
    read = mock.Mock(side_effect=AssertionError)
    monkeypatch.setattr(input_file.DigestedFile, "finish", read)
    assert segment(pages, tmp_path / "store") == store
    monkeypatch.undo()
    for path in pages.iterdir():
        os.utime(path, ns=(1, 1))
    assert segment(pages, tmp_path / "store") == store


def test_an_edit_that_leaves_no_trace_is_seen_by_the_digest(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = segment(pages, tmp_path / "store")
    state = input_file.file_state((pages / "b.jsonl").stat())
    for path in pages.iterdir():
        os.utime(path, ns=(1, 1))
    monkeypatch.setattr(input_file, "file_state", lambda _: state)
    segment(pages, tmp_path / "store")  # notes these states
    jsonl(pages / "b.jsonl", ("b0", "<p>text of B"))
    assert segment(pages, tmp_path / "store").fingerprint == before.fingerprint
    assert segment(pages, tmp_path / "store", verify_input=True).documents == 3
    assert documents(open_store(tmp_path / "store"))[0] == ("b0", ["text of B"])


def test_a_file_more_amid_many_changes_its_group(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for number in range(0, 30, 2):
        (site / f"p{number:04d}.html").write_text(f"<p>page {number}")
    html = "boilersweep.segmenting.segment.grouped"

    def few(named: Sequence[Any], _: int) -> Any:
        return [tuple(named[at : at + 5]) for at in range(0, len(named), 5)]

    with mock.patch(html, few):
        store = segment(site, tmp_path / "store")
        before = shards(store.path)
        (site / "p0028.html").write_text("<p>page 28, changed")
        store = segment(site, tmp_path / "store")
    assert [len(names) for names in input_of(store)] == [5, 5, 5]
    assert len(before.items() & shards(store.path).items()) == 2


def killed_after(count: int) -> object:
    def run(tasks: Sequence[AnyTask], *how: Any) -> None:
        if count:
            make_files(tasks[:count], *how)
        raise Killed

    return run


@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_kill_leaves_the_old_store_whole_and_the_same_call_goes_on(
    pages: Path, tmp_path: Path, made: int, said: list[str]
) -> None:
    segment(pages, tmp_path / "store")
    was = documents(open_store(tmp_path / "store"))
    jsonl(pages / "a.jsonl", ("a0", "<p>new"))
    jsonl(pages / "c.jsonl", ("c0", "<p>changed"))
    killed = mock.patch("boilersweep.segmenting.segment.make_files", killed_after(made))
    with pytest.raises(Killed), killed:
        segment(pages, tmp_path / "store")
    assert documents(open_store(tmp_path / "store")) == was
    store = segment(pages, tmp_path / "store")
    line = f"{2 - made} of 4 shards to make: 1 file new, 1 changed, 0 gone"
    assert said[-1] == f"{line} (a.jsonl; c.jsonl)"
    assert documents(store) == documents(segment(pages, tmp_path / "at-once"))
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


@pytest.mark.parametrize("when", ["before the manifest", "after it"])
def test_a_kill_while_the_manifest_is_replaced_leaves_no_file_for_ever(
    pages: Path, tmp_path: Path, when: str
) -> None:
    segment(pages, tmp_path / "store")
    jsonl(pages / "c.jsonl", ("c0", "<p>changed"))

    def killed(*arguments: Any) -> None:
        if when == "after it":
            write_text(*arguments)
        raise Killed

    with (
        pytest.raises(Killed),
        mock.patch("boilersweep.outputs.parts.write_text", killed),
    ):
        segment(pages, tmp_path / "store")
    open_store(tmp_path / "store")
    segment(pages, tmp_path / "store")
    segment(pages, tmp_path / "at-once")
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


def test_only_what_the_manifest_before_named_is_removed(
    pages: Path, tmp_path: Path
) -> None:
    store = segment(pages, tmp_path / "store")
    left = tmp_path / "store" / f"shard-{'0' * 24}.parquet"
    shutil.copy(store.path / store.manifest.shards[0]["file"], left)
    (tmp_path / "store" / "notes.txt").write_text("mine")
    paper = Segmentation(borders="paper")
    segment(pages, tmp_path / "store", paper, overwrite=True)
    assert left.exists()
    assert (tmp_path / "store" / "notes.txt").read_text() == "mine"
    assert len(shards(tmp_path / "store")) == 4


def test_all_that_differs_is_named_and_overwrite_rebuilds(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = segment(pages, tmp_path / "store")
    before = contents(store.path)
    monkeypatch.setattr("boilersweep.segmenting.tasks.detector", lambda: "another")
    monkeypatch.setattr("boilersweep.segmenting.tasks.__version__", "0.2")
    paper = Segmentation(borders="paper", limits=Limits(seconds=9))
    with pytest.raises(
        StoreError,
        match=r"boilersweep was 0\.1\.0, is 0\.2; detector was .*, is another; "
        "options borders was block, is paper; choose another `output`, or pass `overwrite`",
    ):
        segment(pages, tmp_path / "store", paper)
    assert contents(store.path) == before
    rebuilt = segment(pages, tmp_path / "store", paper, overwrite=True)
    assert rebuilt.manifest.options["borders"] == "paper"
    assert len(shards(store.path)) == 3
    assert rebuilt == segment(pages, tmp_path / "store", paper)


def test_a_store_of_an_earlier_version_is_left_alone(
    pages: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "shard-00000.parquet").write_bytes(b"old")
    entry = {"file": "shard-00000.parquet", "documents": 1}
    old = {"kind": "store", "store_version": 6, "shards": [entry]}
    write_manifest(folder / "manifest.json", old)
    before = contents(folder)
    for overwrite in (False, True):
        with pytest.raises(StoreError, match="was written by an earlier boilersweep"):
            segment(pages, folder, overwrite=overwrite)
    assert contents(folder) == before


def test_the_folder_of_something_else_is_refused(pages: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    write_manifest(output / "manifest.json", {"identity": {"kind": "sweep"}})
    for overwrite in (False, True):
        with pytest.raises(
            StoreError, match=r"manifest\.json belongs to another program"
        ):
            segment(pages, output, overwrite=overwrite)
    assert [path.name for path in output.iterdir()] == ["manifest.json"]


def flip(shard: Path) -> None:
    body = bytearray(shard.read_bytes())
    body[10] ^= 1
    shard.write_bytes(body)


def cut(shard: Path) -> None:
    shard.write_bytes(shard.read_bytes()[:100])


@pytest.mark.parametrize("damage", [flip, cut])
def test_a_damaged_shard_is_named_and_made_again_with_overwrite(
    pages: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    store = segment(pages, tmp_path / "store")
    before = contents(store.path)
    shard = store.path / store.manifest.shards[1]["file"]
    damage(shard)
    jsonl(pages / "a.jsonl", ("a0", "<p>text of a"))
    for run in (lambda: segment(pages, store.path), lambda: documents(store)):
        with pytest.raises(StoreError, match=rf"{shard.name} .*`overwrite`"):
            run()
    (pages / "a.jsonl").unlink()
    segment(pages, store.path, overwrite=True)
    assert contents(store.path) == before
    shard.unlink()
    segment(pages, store.path, overwrite=True)
    assert contents(store.path) == before


def test_a_damaged_shard_of_a_killed_run_is_made_again(
    pages: Path, tmp_path: Path
) -> None:
    store = segment(pages, tmp_path / "store")
    before = contents(store.path)
    unfinish(store.path)
    cut(store.path / store.manifest.shards[1]["file"])
    segment(pages, store.path)
    assert contents(store.path) == before


def test_a_page_that_was_crawled_again_stands_with_its_latest(
    pages: Path, tmp_path: Path
) -> None:
    def crawled(name: str, date: str | None, text: str) -> None:
        line = {"id": "x", "contents": f"<p>{text}"} | ({"date": date} if date else {})
        (pages / f"{name}.jsonl").write_text(json.dumps(line) + "\n")

    latest = Segmentation(on_duplicate="latest")
    crawled("m", "2026-03-02T11:00:00+01:00", "second")
    segment(pages, tmp_path / "store", latest)
    crawled("a", "2026-03-01", "first")
    crawled("b", "2026-03-02T10:00:00.5Z", "third")
    crawled("z", None, "when?")
    with pytest.raises(CollectionError, match=r"--on-duplicate first.* or `latest`"):
        segment(pages, tmp_path / "store")
    store = segment(pages, tmp_path / "store", latest)
    assert ("x", ["third"]) in documents(store)
    assert [docid for docid, _ in documents(store)].count("x") == 1
    assert store.skipped[Reason.DUPLICATE] == 3
    (sample, *_) = store.manifest.skipped_samples["duplicate docid"]
    assert (sample["place"], sample["kept_place"]) == (
        "a.jsonl at byte 0",
        "b.jsonl at byte 0",
    )
    assert faults_of(CHECKED, tmp_path / "store") == []
    crawled("z", "2026-03-02T10:00:00.500Z", "the last of two")
    store = segment(pages, tmp_path / "store", latest)
    assert ("x", ["the last of two"]) in documents(store)


def test_what_was_lost_is_tried_again_where_more_is_allowed(
    pages: Path, tmp_path: Path
) -> None:
    lost = losing([[], [DeadRecord(0, 0, True, "")]])
    (pages / "d.jsonl").write_text('{"id": "d0", "contents": "<p>d"}\n' * 2)
    options = Segmentation(limits=Limits(seconds=2), on_duplicate="first")
    jsonl(pages / "c.jsonl", ("c0", "<p>c"), ("c1", "<p>c"))
    with mock.patch("boilersweep.segmenting.segment.make_files", lost):
        store = segment(pages, tmp_path / "store", options)
    assert store.lost == {Reason.OVER_TIME: 1}
    before = shards(store.path)
    assert segment(pages, tmp_path / "store", options) == store
    less = replace(options, limits=Limits(seconds=1))
    assert segment(pages, tmp_path / "store", less) == store
    assert shards(store.path) == before
    more = replace(options, limits=Limits(seconds=3))
    whole = segment(pages, tmp_path / "store", more)
    assert (whole.lost, whole.documents) == ({}, store.documents + 1)
    assert whole.fingerprint != store.fingerprint
    assert len(before.items() & shards(store.path).items()) == 2


def test_another_collection_does_not_replace_the_store(
    pages: Path, tmp_path: Path
) -> None:
    store = segment(pages, tmp_path / "store")
    jsonl(tmp_path / "other" / "x.jsonl", ("x0", "<p>text of x"))
    with pytest.raises(StoreError, match=r"input file b\.jsonl is gone.*`overwrite`"):
        segment(tmp_path / "other", store.path)
    assert open_store(store.path) == store
    other = segment(tmp_path / "other", store.path, overwrite=True)
    assert list(other.docids()) == ["x0"]


def test_check_compares_the_input(pages: Path, tmp_path: Path) -> None:
    store = segment(pages, tmp_path / "store")
    assert [*check_input(store, pages)] == []
    jsonl(pages / "a.jsonl", ("a0", "<p>text of a"))
    jsonl(pages / "c.jsonl", ("c0", "<p>text of C"))
    (pages / "d.jsonl").unlink()
    assert [*check_input(store, pages)] == [
        "d.jsonl is missing",
        "c.jsonl was changed after it was read",
        "a.jsonl is new",
    ]


def test_given_texts_are_needed_again_for_new_pages(
    pages: Path, tmp_path: Path
) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", ("b0", "gold of b"))
    options = Segmentation(given={"gold": gold})
    store = segment(pages, tmp_path / "store", options)
    assert segment(pages, tmp_path / "store") == store  # keeps them
    jsonl(pages / "e.jsonl", ("e0", "<p>new"))
    with pytest.raises(UsageError, match="repeat `texts` gold=FILE"):
        segment(pages, tmp_path / "store")
    assert segment(pages, tmp_path / "store", options).documents == 4
    jsonl(gold, ("b0", "other gold of b"))
    with pytest.raises(StoreError, match="texts gold was sha256:"):
        segment(pages, tmp_path / "store", options)
