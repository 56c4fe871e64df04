"""Boxes beside a finished store: of its very blocks, whole or not there, made once."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

import msgspec
import numpy as np
import pytest

from boilersweep import Segmentation, add_extractors, segment_collection, update_collection
from boilersweep.cleaners.rules import BOXES, TEXTS
from boilersweep.errors import BusyError, StoreError, UsageError
from boilersweep.pages.boxes import nothing
from boilersweep.pages.columns import BlockColumns
from boilersweep.rendering import drawing, render
from boilersweep.rendering.browser import RenderLimits
from boilersweep.rendering.drawing import DrawnPage
from boilersweep.rendering.marking import MarkedPage
from boilersweep.rendering.render import render_store
from boilersweep.segmenting.tasks import SegmentOptions, Task
from boilersweep.segmenting.workers import run_tasks
from boilersweep.store.box_files import boxes_name, read_box_facts
from boilersweep.store.check import check_store
from boilersweep.store.store import BlockStore, open_store, part_fingerprint
from boilersweep.work.shares import Share

FAILS = "cannot be drawn"


class FakeBrowser:
    """Stands in for Chromium: the tests of what surrounds it need none."""

    def __init__(self, limits: object = None) -> None:
        pass

    def __enter__(self) -> "FakeBrowser":
        return self

    def close(self) -> None:
        pass


def fake_draw(page: MarkedPage, _browser: object) -> DrawnPage:
    """Every block 10 px below the one before."""
    count = 0 if page.structure is None else len(page.structure.names)
    if any(FAILS in text for text in page.texts):
        return DrawnPage(nothing(len(page)), nothing(count), outcome="over the time cap")
    blocks, elements = nothing(len(page)), nothing(count)
    blocks.top[:] = 10 * np.arange(len(page))
    blocks.matched[:] = blocks.shown[:] = elements.matched[:] = True
    return DrawnPage(blocks, elements, width=1280, height=10 * len(page))


def recording(calls: list[str]) -> Callable[[MarkedPage, object], DrawnPage]:
    """Draws, and notes the texts."""

    def draw(page: MarkedPage, browser: object) -> DrawnPage:
        calls.append(" ".join(page.texts))
        return fake_draw(page, browser)

    return draw


@pytest.fixture
def without_chromium(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Draws without a browser; the texts of what was drawn, page for page."""
    calls: list[str] = []
    monkeypatch.setattr(drawing, "Browser", FakeBrowser)
    monkeypatch.setattr(drawing, "draw", recording(calls))
    identity = {"browser": "none"}
    monkeypatch.setattr(render, "render_identity", lambda _limits: dict(identity))
    return calls


def write(path: Path, pages: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"id": docid, "html": html}) for docid, html in pages.items()]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "abc":
        write(
            tmp_path / "pages" / f"{name}.jsonl",
            {f"{name}{n}": f"<div><p>text of {name}{n}<p>more" for n in range(3)}
            | {f"{name}-empty": ""},
        )
    return tmp_path / "pages"


@pytest.fixture
def store(pages: Path, tmp_path: Path) -> BlockStore:
    return segment_collection(pages, tmp_path / "store", Segmentation(), workers=1)


def all_columns(store: BlockStore) -> list[BlockColumns]:
    return list(store.columns(TEXTS | BOXES))


def rendered(pages: Path, store: BlockStore, **options: object) -> BlockStore:
    done = render_store(pages, store.path, workers=2, **options)  # type: ignore[arg-type]
    assert done is not None
    return done


@pytest.fixture
def done(without_chromium: list[str], pages: Path, store: BlockStore) -> BlockStore:
    """Return the store with its boxes; none of its pages counts as drawn any more."""
    found = rendered(pages, store)
    without_chromium.clear()
    return found


def test_every_block_has_its_box(done: BlockStore) -> None:
    for columns in all_columns(done):
        assert columns.boxes is not None
        assert columns.boxes.blocks.top.tolist() == [0, 10] * len(columns)
        assert columns.boxes.widths.tolist() == [1280] * len(columns)
    assert done.boxes is not None
    assert (done.boxes.documents, done.boxes.drawn, done.boxes.blocks) == (9, 9, 18)
    assert check_store(done.path).faults == []


def test_a_store_with_boxes_is_another_and_so_are_its_shares(
    store: BlockStore, done: BlockStore
) -> None:
    assert done.fingerprint != store.fingerprint
    before = dict(store.by_shard())
    for name, shard in done.by_shard():
        assert shard.fingerprint != before[name].fingerprint
    share = Share(1, 3)
    part = done.part(share)
    # So the indexes of shares are joined.
    assert part.fingerprint == part_fingerprint(done.fingerprint, share)
    assert part.fingerprint != store.part(share).fingerprint
    ((name, shard),) = part.by_shard()
    assert shard.fingerprint == dict(done.by_shard())[name].fingerprint
    (store.path / "boxes.json").unlink()
    assert open_store(store.path).fingerprint == store.fingerprint


def test_without_boxes_the_error_says_what_to_run(store: BlockStore) -> None:
    with pytest.raises(UsageError, match="boilersweep render --store"):
        next(store.columns(BOXES))


def test_what_is_there_is_not_drawn_again(
    done: BlockStore, without_chromium: list[str], pages: Path, store: BlockStore
) -> None:
    (store.path / boxes_name(store.manifest.shards[1]["file"])).unlink()
    rendered(pages, store)
    assert sorted(without_chromium) == [f"text of b{n} more" for n in range(3)]
    without_chromium.clear()
    rendered(pages, store)
    assert without_chromium == []


def test_a_kill_leaves_no_half_file(
    without_chromium: list[str], pages: Path, store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(page: MarkedPage, browser: object) -> DrawnPage:
        if page.texts[0] == "text of b1":
            raise KeyboardInterrupt
        return fake_draw(page, browser)

    monkeypatch.setattr(drawing, "draw", dying)
    with pytest.raises(KeyboardInterrupt):
        render_store(pages, store.path, workers=1)
    assert [path.name for path in sorted(store.path.glob("*boxes*"))] == ["boxes-00000.parquet"]
    assert open_store(store.path).boxes is None
    drawn: list[str] = []
    monkeypatch.setattr(drawing, "draw", recording(drawn))
    assert rendered(pages, store).boxes is not None
    assert len(drawn) == 6


def test_shares_together_are_the_whole(
    without_chromium: list[str], pages: Path, store: BlockStore, tmp_path: Path
) -> None:
    shutil.copytree(store.path, tmp_path / "other")
    other = rendered(pages, open_store(tmp_path / "other"))
    for number in (2, 1):
        assert render_store(pages, store.path, share=Share(number, 3)) is None
    done = render_store(pages, store.path, share=Share(3, 3))
    assert done is not None
    assert done.fingerprint == other.fingerprint


def test_what_was_not_drawn_is_counted(without_chromium: list[str], tmp_path: Path) -> None:
    pages = tmp_path / "some"
    write(pages / "a.jsonl", {"a": "<p>one", "b": f"<p>{FAILS}", "c": "<p>three"})
    store = segment_collection(pages, tmp_path / "store", workers=1)
    done = rendered(pages, store)
    assert done.boxes is not None
    assert (done.boxes.drawn, done.boxes.undrawn) == (2, {"over the time cap": 1})
    assert done.boxes.places == ["b of a.jsonl: over the time cap"]
    (columns,) = all_columns(done)
    assert columns.boxes is not None
    assert columns.boxes.blocks.matched.tolist() == [True, False, True]
    assert columns.boxes.widths.tolist() == [1280, 0, 1280]


def test_other_input_is_refused(
    without_chromium: list[str], pages: Path, store: BlockStore
) -> None:
    write(pages / "b.jsonl", {"b0": "<p>something else"})
    with pytest.raises(StoreError, match=r"b\.jsonl has changed"):
        rendered(pages, store)


def test_another_browser_is_refused_and_replaces_where_that_is_asked(
    done: BlockStore, pages: Path, store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(render, "render_identity", lambda _limits: {"browser": "another"})
    with pytest.raises(StoreError, match="browser was none, is another"):
        rendered(pages, store)
    after = rendered(pages, store, overwrite=True)
    assert after.boxes is not None
    assert after.boxes.identity == {"browser": "another"}
    assert after.fingerprint != done.fingerprint


@pytest.mark.parametrize("first", ["render", "extract"])
def test_extracting_and_rendering_in_either_order(
    without_chromium: list[str], pages: Path, store: BlockStore, first: str
) -> None:
    for step in ("extract", "render") if first == "extract" else ("render", "extract"):
        if step == "render":
            rendered(pages, store)
        else:
            add_extractors(pages, store.path, ["ccb"], workers=1)
    both = open_store(store.path)
    assert (both.page_texts, both.boxes is not None) == (("ccb",), True)
    assert len(all_columns(both)) == 3
    assert check_store(store.path).faults == []
    without_chromium.clear()
    assert rendered(pages, store).fingerprint == both.fingerprint
    assert without_chromium == []


@pytest.mark.parametrize("share", [None, Share(1, 3)])
def test_nothing_else_is_written_while_pages_are_drawn(
    without_chromium: list[str],
    pages: Path,
    store: BlockStore,
    share: Share | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def draw(page: MarkedPage, browser: object) -> DrawnPage:
        with pytest.raises(BusyError, match="is being written by process"):
            add_extractors(pages, store.path, ["ccb"], workers=1)
        with pytest.raises(BusyError, match="is being written by process"):
            render_store(pages, store.path, workers=1, share=share)
        return fake_draw(page, browser)

    monkeypatch.setattr(drawing, "draw", draw)
    assert (render_store(pages, store.path, workers=1, share=share) is None) == bool(share)
    assert not list(store.path.glob(".*"))


def test_two_shares_are_drawn_at_the_same_time(
    without_chromium: list[str], pages: Path, store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(page: MarkedPage, browser: object) -> DrawnPage:
        monkeypatch.setattr(drawing, "draw", fake_draw)
        render_store(pages, store.path, workers=1, share=Share(2, 2))
        return fake_draw(page, browser)

    monkeypatch.setattr(drawing, "draw", draw)
    assert render_store(pages, store.path, workers=1, share=Share(1, 2)) is not None
    assert not list(store.path.glob(".*"))


def test_nothing_is_drawn_while_texts_are_extracted(
    without_chromium: list[str], pages: Path, store: BlockStore
) -> None:
    def run(tasks: Sequence[Task], options: SegmentOptions, workers: int, _: object) -> None:
        for share in (None, Share(1, 2)):
            with pytest.raises(BusyError):
                render_store(pages, store.path, workers=1, share=share)
        run_tasks(tasks, options, workers)

    with mock.patch("boilersweep.segmenting.extracting.run_tasks", run):
        add_extractors(pages, store.path, ["ccb"], workers=1)
    assert open_store(store.path).page_texts == ("ccb",)
    assert without_chromium == []


def test_a_store_that_loses_boxes_meanwhile_is_a_failure(
    without_chromium: list[str], pages: Path, store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(page: MarkedPage, browser: object) -> DrawnPage:
        if page.texts[0] == "text of c0":
            (store.path / "boxes-00000.parquet").unlink()
        return fake_draw(page, browser)

    monkeypatch.setattr(drawing, "draw", draw)
    with pytest.raises(StoreError, match="changed while its pages were drawn"):
        render_store(pages, store.path, workers=1)


def test_an_update_wants_the_boxes_of_what_is_new(
    done: BlockStore, without_chromium: list[str], pages: Path, store: BlockStore
) -> None:
    write(pages / "b.jsonl", {"b0": "<p>new text"})
    update_collection(pages, store.path, workers=1)
    with pytest.raises(UsageError, match="or those of other blocks"):
        next(open_store(store.path).columns(BOXES))
    again = rendered(pages, store)
    assert without_chromium == ["new text"]
    assert sum(len(columns.words) for columns in all_columns(again)) == 13


def test_dropped_documents_take_their_boxes_along(
    without_chromium: list[str], tmp_path: Path
) -> None:
    pages = tmp_path / "some"
    write(pages / "a.jsonl", {"a": "<p>one<p>two", "b": "<p>three"})
    write(pages / "b.jsonl", {"a": "<p>one again", "c": "<p>four<p>five<p>six"})
    store = segment_collection(
        pages, tmp_path / "store", Segmentation(on_duplicate="first"), workers=1
    )
    done = rendered(pages, store)
    tops = [columns.boxes.blocks.top.tolist() for columns in all_columns(done) if columns.boxes]
    assert tops == [[0, 10, 0], [0, 10, 20]]


def test_damage_is_found(
    done: BlockStore, without_chromium: list[str], pages: Path, store: BlockStore
) -> None:
    first, second = (store.path / f"boxes-0000{n}.parquet" for n in range(2))
    second.write_bytes(second.read_bytes()[:-20] + b"x" * 20)
    with pytest.raises(StoreError, match="changed or damaged"):
        all_columns(done)
    assert read_box_facts(second) is None
    assert check_store(store.path).faults == [
        "boxes-00001.parquet was changed or damaged after it was written"
    ]
    assert rendered(pages, store).boxes is not None
    assert len(without_chromium) == 3
    shutil.copy(first, second)  # of other blocks
    assert done.boxes is not None
    files = {**done.boxes.files, second.name: done.boxes.files[first.name]}
    with pytest.raises(StoreError, match="not the documents and blocks"):
        all_columns(replace(done, boxes=msgspec.structs.replace(done.boxes, files=files)))


def test_pages_are_drawn_by_chromium(needs_chromium: None, pages: Path, store: BlockStore) -> None:
    done = rendered(pages, store, limits=RenderLimits(seconds=60))
    (first, *_) = all_columns(done)
    assert first.boxes is not None
    assert first.boxes.blocks.shown.all()
    assert (first.boxes.blocks.bottom > first.boxes.blocks.top).all()
    assert first.boxes.elements.matched.all()
    assert done.boxes is not None
    assert done.boxes.identity["browser"].startswith("Chromium ")
