"""Texts that are added to a finished store: it is the one made at once, whatever kills the way."""

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

import boilersweep
from boilersweep import (
    Segmentation,
    add_extractors,
    segment_collection,
    update_collection,
)
from boilersweep.cleaners.rules import NOTHING
from boilersweep.collection.record import Reason
from boilersweep.errors import StoreError, UsageError
from boilersweep.outputs.atomic import move_files
from boilersweep.outputs.folder import MANIFEST
from boilersweep.segmenting import extracting
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.tasks import Task
from boilersweep.segmenting.workers import make_shards
from boilersweep.store.check import check_store
from boilersweep.store.shard_columns import METADATA
from boilersweep.store.store import BlockStore, open_store
from tests.running import Killed
from tests.segmenting.conftest import jsonl, shards
from tests.stores import contents

PLUG = "plugsadded"
SHOUT, BEGIN, FAIL, CRASH, SLOW = (
    f"{PLUG}:{name}" for name in ("shout", "begin", "fail", "crash", "slow")
)

MODULE = """
import os, time

def shout(html):
    return html.upper()

def begin(html):
    return html[:12]

def fail(html):
    if "text of c" in html:
        raise ValueError("no")
    return "fine"

def crash(html):
    if "text of c" in html:
        os.abort()
    return "alive"

def slow(html):
    time.sleep(0.02)
    return "at last"
"""

OPTIONS = Segmentation(limits=Limits(page_blocks=50))


@pytest.fixture(autouse=True)
def module(code: Path) -> Path:
    """Write the module of the extractors, which the workers find by its place."""
    (code / f"{PLUG}.py").write_text(MODULE)
    return code / f"{PLUG}.py"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Four files of five records each: two are skipped, one docid has white space."""
    for name in "abcd":
        jsonl(
            tmp_path / "pages" / f"{name}.jsonl",
            (f"{name} 0", f"<p>more <b>of</b> {name}"),
            (f"{name}1", " "),
            (f"{name}2", f"<title>{name}</title><p>text of {name}, größer\n<ul><li>as"),
            (f"{name}3", "<p>x" * 99),
            (f"{name}4", f"<i>{name}" * 9),
        )
    return tmp_path / "pages"


def make(
    root: Path, output: Path, *extractors: str, options: Segmentation = OPTIONS
) -> BlockStore:
    return segment_collection(
        root, output, replace(options, extractors=extractors), workers=1
    )


def add(root: Path, store: Path, *extractors: str, **more: object) -> BlockStore:
    return add_extractors(root, store, extractors, workers=1, **more)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_store_is_the_one_made_at_once(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text('{"id": "a2", "contents": "gold of a"}')
    jsonl(pages / "e.jsonl", ("a4", "<p>once more"), ("e1", "<p>e"))
    options = replace(OPTIONS, given={"gold": tmp_path / "gold"}, on_duplicate="first")
    make(pages, tmp_path / "store", SHOUT, options=options)
    store = add(pages, tmp_path / "store", FAIL, BEGIN, SHOUT)
    at_once = make(pages, tmp_path / "at-once", SHOUT, FAIL, BEGIN, options=options)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")
    assert store.fingerprint == at_once.fingerprint
    assert store.page_texts == (SHOUT, FAIL, BEGIN, "gold")
    assert store.skipped == {
        Reason.EMPTY_PAGE: 4,
        Reason.TOO_LARGE: 4,
        Reason.DUPLICATE: 1,
    }
    assert store.manifest.failed_extractions == {FAIL: 1}
    assert check_store(tmp_path / "store").faults == []
    taken = [
        text for c in store.columns(NOTHING, [BEGIN]) for text in c.page_texts[BEGIN]
    ]
    assert taken[:3] == ["<p>more <b>o", "<title>a</ti", "<i>a<i>a<i>a"]


@pytest.mark.slow
def test_a_page_that_an_extractor_crashes_on_is_lost_as_if_segmented(
    pages: Path, tmp_path: Path
) -> None:
    make(pages, tmp_path / "store", SHOUT)
    store = add(pages, tmp_path / "store", CRASH)
    make(pages, tmp_path / "at-once", SHOUT, CRASH)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")
    assert (store.documents, store.lost) == (11, {Reason.CRASHED: 1})
    add(pages, tmp_path / "store", BEGIN)  # what was lost is not tried again
    make(pages, tmp_path / "more-at-once", SHOUT, CRASH, BEGIN)
    assert contents(tmp_path / "store") == contents(tmp_path / "more-at-once")


def damage(shard: Path) -> None:
    body = shard.read_bytes()
    shard.write_bytes(bytes([body[0] ^ 1]) + body[1:])


def put_a_pipe(shard: Path) -> None:
    shard.unlink()
    os.mkfifo(shard)


@pytest.mark.parametrize("spoil", [Path.unlink, put_a_pipe, damage])
def test_a_store_without_its_shards_gets_no_texts(
    pages: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    store = make(pages, tmp_path / "store", SHOUT)
    shard = store.path / store.manifest.shards[1]["file"]
    spoil(shard)
    for name in (SHOUT, BEGIN):
        with pytest.raises(
            StoreError, match=rf"{shard.name} .*run `boilersweep segment` again"
        ):
            add(pages, tmp_path / "store", name)


def test_what_is_there_is_not_made_again(pages: Path, tmp_path: Path) -> None:
    make(pages, tmp_path / "store")
    add(pages, tmp_path / "store", SHOUT)
    before = shards(tmp_path / "store")
    os.utime(pages / "a.jsonl")
    assert add(pages, tmp_path / "store", SHOUT).page_texts == (SHOUT,)
    make(pages, tmp_path / "store", SHOUT)
    assert shards(tmp_path / "store") == before
    with pytest.raises(StoreError, match=r"options extractors was .*shout.*, is "):
        make(pages, tmp_path / "store")


@pytest.mark.slow
def test_such_a_store_takes_new_input(pages: Path, tmp_path: Path) -> None:
    make(pages, tmp_path / "store")
    add(pages, tmp_path / "store", SHOUT)
    jsonl(pages / "b.jsonl", ("b9", "<p>changed"))
    jsonl(pages / "e.jsonl", ("e0", "<p>new"))
    options = replace(OPTIONS, extractors=[SHOUT])
    updated = update_collection(pages, tmp_path / "store", options, workers=1)
    assert (str(updated.changes), updated.made) == ("1 file new, 1 changed, 0 gone", 2)
    assert (
        updated.store.fingerprint
        == make(pages, tmp_path / "at-once", SHOUT).fingerprint
    )
    extended = add(pages, tmp_path / "store", BEGIN)  # its shards have other numbers
    assert (
        extended.fingerprint == make(pages, tmp_path / "more", SHOUT, BEGIN).fingerprint
    )
    assert check_store(tmp_path / "store").faults == []


def test_the_input_may_stand_elsewhere_but_must_be_the_same(
    pages: Path, tmp_path: Path
) -> None:
    make(pages, tmp_path / "store")
    shutil.copytree(pages, tmp_path / "copy")
    assert add(tmp_path / "copy", tmp_path / "store", SHOUT).page_texts == (SHOUT,)
    before = shards(tmp_path / "store")
    jsonl(pages / "e.jsonl", ("e", "<p>e"))
    jsonl(pages / "b.jsonl", ("b", "<p>b"))
    (pages / "c.jsonl").unlink()
    with pytest.raises(
        StoreError,
        match=r"c\.jsonl is gone; input file e\.jsonl is new; input file b\.jsonl has changed",
    ):
        add(pages, tmp_path / "store", BEGIN)
    assert shards(tmp_path / "store") == before


def test_texts_of_another_version_stay_where_they_are_not_asked_for(
    pages: Path, tmp_path: Path, module: Path
) -> None:
    make(pages, tmp_path / "store", SHOUT)
    module.write_text(f"{MODULE}\n# new\n")
    (module.parent / "other.py").write_text(MODULE)
    store = add(pages, tmp_path / "store", "other:begin")
    assert store.page_texts == (SHOUT, "other:begin")
    with pytest.raises(StoreError, match=f"extractors {SHOUT} was"):
        make(pages, tmp_path / "store", SHOUT, "other:begin")


def test_a_store_of_other_code_is_refused(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(pages, tmp_path / "store")
    monkeypatch.setattr(
        "boilersweep.segmenting.tasks.code_identity", lambda stage: {stage.name: "new"}
    )
    with pytest.raises(
        StoreError, match=r"made by other code or options: code segment was \w+, is new"
    ):
        add(pages, tmp_path / "store", SHOUT)


def test_a_text_of_a_given_name_cannot_be_added(pages: Path, tmp_path: Path) -> None:
    (tmp_path / "gold").write_text('{"id": "a2", "contents": "gold of a"}')
    make(
        pages,
        tmp_path / "store",
        options=replace(OPTIONS, given={"cetr": tmp_path / "gold"}),
    )
    with pytest.raises(UsageError, match="has given texts of the name cetr"):
        add(pages, tmp_path / "store", "cetr")


@pytest.mark.slow
@pytest.mark.parametrize("made", [0, 3])
def test_a_kill_leaves_the_old_store_and_what_was_made_is_not_made_again(
    pages: Path, tmp_path: Path, made: int
) -> None:
    def run(tasks: Sequence[Task], workers: int) -> None:
        make_shards(tasks[:made], workers)
        raise Killed

    make(pages, tmp_path / "store")
    before = contents(tmp_path / "store")
    with (
        pytest.raises(Killed),
        mock.patch("boilersweep.segmenting.extracting.make_shards", run),
    ):
        add(pages, tmp_path / "store", SHOUT)
    after = contents(tmp_path / "store")
    assert {name: after[name] for name in before} == before
    assert check_store(tmp_path / "store").faults == []
    with mock.patch(
        "boilersweep.segmenting.extracting.make_shards", wraps=make_shards
    ) as rest:
        add(pages, tmp_path / "store", SHOUT)
    done = [task.shard.name for task in rest.call_args.args[0]]
    assert done == [f"shard-0000{number}.parquet" for number in range(made, 4)]
    make(pages, tmp_path / "at-once", SHOUT)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


# The new manifest is written, the old one is gone, four shards move, the manifest does.
STEPS = 7


def add_and_kill(pages: Path, store: Path, step: int) -> None:
    """Add a text, and end before one of the last steps."""
    left = step

    def pass_one() -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1

    def move(names: Sequence[str], source: Path, target: Path) -> None:
        for name in names:
            pass_one()
            move_files([name], source, target)

    unlink = Path.unlink

    def remove(path: Path, missing_ok: bool = False) -> None:
        if path.name == MANIFEST:
            pass_one()
        unlink(path, missing_ok=missing_ok)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extracting, "move_files", move)
        patch.setattr(Path, "unlink", remove)
        patch.setattr(shutil, "rmtree", lambda _path: pass_one())
        with pytest.raises(Killed):
            add(pages, store, SHOUT)


@pytest.mark.slow
@pytest.mark.parametrize("step", range(STEPS))
def test_killed_while_shards_change_places_the_store_says_that_it_is_unfinished(
    pages: Path, tmp_path: Path, step: int
) -> None:
    make(pages, tmp_path / "store")
    add_and_kill(pages, tmp_path / "store", step)
    if step in (0, STEPS - 1):
        assert check_store(tmp_path / "store").faults == []
    else:
        with pytest.raises(
            StoreError, match=r"unfinished .* run `boilersweep extract --store"
        ):
            open_store(tmp_path / "store")
    if step in range(2, STEPS - 1):
        with pytest.raises(StoreError, match=r"contains another store than requested"):
            make(pages, tmp_path / "store")
    # Where shards have begun to change places, it is finished whatever is asked for then.
    add(pages, tmp_path / "store", *([SHOUT] if step in (0, STEPS - 1) else []), BEGIN)
    make(pages, tmp_path / "at-once", SHOUT, BEGIN)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


def test_what_was_begun_for_other_extractors_is_not_taken(
    pages: Path, tmp_path: Path
) -> None:
    def run(tasks: Sequence[Task], workers: int) -> None:
        make_shards(tasks[1:], workers)
        raise Killed

    make(pages, tmp_path / "store")
    with (
        pytest.raises(Killed),
        mock.patch("boilersweep.segmenting.extracting.make_shards", run),
    ):
        add(pages, tmp_path / "store", SHOUT)
    add(pages, tmp_path / "store", BEGIN)
    make(pages, tmp_path / "at-once", BEGIN)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


def test_what_a_kill_left_does_not_come_into_a_store_made_anew(
    pages: Path, tmp_path: Path
) -> None:
    make(pages, tmp_path / "store")
    add_and_kill(pages, tmp_path / "store", 3)
    jsonl(pages / "a.jsonl", ("a", "<p>other"))
    with (
        pytest.raises(Killed),
        mock.patch("boilersweep.segmenting.segment.make_shards", side_effect=Killed),
    ):
        segment_collection(pages, tmp_path / "store", OPTIONS, overwrite=True)
    with pytest.raises(StoreError, match=r"run `boilersweep segment --output .*again"):
        add(pages, tmp_path / "store", SHOUT)
    make(pages, tmp_path / "store")
    add(pages, tmp_path / "store", SHOUT)
    make(pages, tmp_path / "at-once", SHOUT)
    assert contents(tmp_path / "store") == contents(tmp_path / "at-once")


def test_metadata_stay_when_texts_are_added(tmp_path: Path) -> None:
    page = (
        "<title>Rain | Site</title><h1>Rain</h1><p>It rains<meta name=author content=Ann>"
        "<link rel=canonical href=http://site.example/rain>"
    )
    path = jsonl(tmp_path / "pages.jsonl", ("a", page), ("b", "<p>nothing is stated"))
    segment_collection(path, tmp_path / "store", Segmentation(metadata=True), workers=1)
    store = add(path, tmp_path / "store", SHOUT)
    alone = boilersweep.page(page, "words>=1")
    expected = [getattr(alone, name) or "" for name in METADATA[:-1]]
    expected.append("http://site.example/rain")
    assert [list(row) for row in store.fields(METADATA)] == [
        expected,
        [""] * len(METADATA),
    ]
    assert expected[:2] == ["Rain", "Ann"]
    update_collection(path, tmp_path / "store", workers=1)
    assert open_store(tmp_path / "store").manifest.options.metadata
