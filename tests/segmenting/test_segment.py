"""From small collections to whole block stores."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest

from boilersweep import (
    CollectionError,
    Segmentation,
    StoreError,
    UsageError,
    segment_collection,
)
from boilersweep.collection.format import Reading
from boilersweep.outputs.parts import MANIFEST
from boilersweep.pages.words import dictionary
from boilersweep.segmenting import segment as segment_module
from boilersweep.segmenting.tasks import reason_of_loss
from boilersweep.store.checked_store import CHECKED
from boilersweep.work.pool import DeadRecord
from tests.segmenting.conftest import documents, jsonl, losing, shards
from tests.stores import contents, faults_of, unfinish


def warc(kind: bytes) -> bytes:
    head = (
        b"WARC/1.0\r\nWARC-Type: %s\r\nWARC-Record-ID: <n>\r\nContent-Length: 1\r\n\r\n"
        % kind
    )
    return head + b"x\r\n\r\n"


@pytest.fixture
def no_work(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """After this, any task that is run is a failure."""

    def forbid() -> None:
        def run(*_: object, **__: object) -> None:
            pytest.fail("nothing should have been left to do")

        monkeypatch.setattr(segment_module, "make_files", run)

    return forbid


@pytest.fixture
def three(tmp_path: Path) -> Path:
    root = tmp_path / "in"
    jsonl(root / "a.jsonl", ("a1", "<p>one</p>two"), ("a2", "<b>|</b>"))
    jsonl(root / "b.jsonl", ("b1", "<title>t</title><p>three <a>four</a>"))
    jsonl(root / "c.jsonl", ("c1", "<p>five"), ("", "<p>no docid"))
    return root


def test_a_folder_of_html(tmp_path: Path) -> None:
    root = tmp_path / "in"
    (root / "deep").mkdir(parents=True)
    (root / "b.html").write_bytes("<meta charset=koi8-r><p>Привет".encode("koi8-r"))
    (root / "deep" / "a.html.gz").write_bytes(gzip.compress(b"<p>one<p>two"))
    (root / "empty.html").write_bytes(b"")
    (root / "blank.html").write_bytes(b"<html><body></body></html>")
    (root / "other.txt").write_text("not a page")
    store = segment_collection(root, tmp_path / "out", workers=1)
    assert documents(store) == [
        ("b", ["Привет"]),
        ("blank", []),
        ("deep/a", ["one", "two"]),
    ]
    assert store.skipped == {"empty page": 1}
    manifest = store.manifest
    assert (store.documents, manifest.without_blocks) == (3, 1)
    assert (manifest.blocks, manifest.words) == (3, 3)
    assert manifest.options["collection"] == "html"
    assert manifest.skipped_samples["empty page"][0]["docid"] == "empty"
    [shard] = manifest.shards
    assert {path.name for path in store.path.iterdir()} == {
        MANIFEST,
        shard["file"],
    }


@pytest.mark.parametrize(
    ("options", "blocks"),
    [
        (Segmentation(), [["one", "two more"], ["three -- four"]]),
        (Segmentation(borders="paper"), [["one", "two", "more"], ["three -- four"]]),
        (
            Segmentation(reading=Reading(plain=True)),
            [["<p>one</p>", "<b>two</b> more"], ["three", "four"]],
        ),
    ],
)
def test_options_of_reading(
    tmp_path: Path, options: Segmentation, blocks: list[list[str]]
) -> None:
    path = tmp_path / "x.jsonl"
    jsonl(path, ("1", "<p>one</p>\n<b>two</b> more"), ("2", "three\n\n--\nfour"))
    store = segment_collection(path, tmp_path / "out", options, workers=1)
    assert [texts for _, texts in documents(store)] == blocks


def test_a_file_name_that_is_not_utf_8(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"\xfc")
    try:
        root.mkdir()
        (root / os.fsdecode(b"\xe9.html")).write_bytes(b"<p>one")
        (root / os.fsdecode(b"empty\xe9.html")).write_bytes(b"")
    except OSError:
        pytest.skip("the file system takes no such name")
    store = segment_collection(root, tmp_path / "out", workers=1)
    assert documents(store) == [("é", ["one"])]
    assert store.skipped == {"empty page": 1}


def test_a_second_call_does_nothing(
    three: Path, tmp_path: Path, no_work: Callable[[], None]
) -> None:
    first = segment_collection(three, tmp_path / "out", workers=1)
    before, manifest = shards(first.path), (first.path / MANIFEST).stat()
    no_work()
    assert (
        segment_collection(three, tmp_path / "out", workers=1).manifest
        == first.manifest
    )
    assert shards(first.path) == before
    after = (first.path / MANIFEST).stat()
    assert (after.st_ino, after.st_mtime_ns) == (manifest.st_ino, manifest.st_mtime_ns)
    unfinish(first.path)
    assert (
        segment_collection(three, tmp_path / "out", workers=1).manifest
        == first.manifest
    )


def test_only_what_is_missing_is_done(three: Path, tmp_path: Path) -> None:
    first = segment_collection(three, tmp_path / "out", workers=1)
    before = shards(first.path)
    gone = first.manifest.shards[1]["file"]
    (first.path / gone).unlink()
    unfinish(first.path)
    second = segment_collection(three, tmp_path / "out", workers=1)
    assert second.fingerprint == first.fingerprint
    changed = {
        name for name, found in shards(second.path).items() if found != before[name]
    }
    assert changed == {gone}


def test_another_dictionary_makes_another_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = jsonl(tmp_path / "a.jsonl", ("a", "<p>我们喜欢苹果。<p>and pears"))
    store = segment_collection(page, tmp_path / "out", workers=1)
    manifest = store.manifest
    assert manifest.dictionary == dictionary()
    assert manifest.words == manifest.unspaced_words + 2
    monkeypatch.setattr("boilersweep.segmenting.tasks.dictionary", lambda: "ICU 1")
    with pytest.raises(StoreError, match=r"dictionary was .*, is ICU 1"):
        segment_collection(page, tmp_path / "out", workers=1)
    assert (
        segment_collection(page, tmp_path / "other", workers=1).fingerprint
        != store.fingerprint
    )


@pytest.mark.parametrize("within", [True, False])
def test_a_docid_that_stands_twice(tmp_path: Path, within: bool) -> None:
    root = tmp_path / "in"
    again = ("x", "<p>second")
    jsonl(root / "a.jsonl", ("x", "<p>first"), *[again] * within)
    jsonl(root / "b.jsonl", ("y", "<p>other"), *[again] * (not within))
    with pytest.raises(CollectionError) as caught:
        segment_collection(root, tmp_path / "out", workers=1)
    message = str(caught.value)
    assert "duplicate docid 'x': a.jsonl at byte 0 and " in message
    assert f" and {'a' if within else 'b'}.jsonl at byte 36; " in message
    assert "--on-duplicate first" in message
    assert not (tmp_path / "out" / MANIFEST).exists()


def test_the_first_of_each_docid_can_be_kept(
    tmp_path: Path, no_work: Callable[[], None]
) -> None:
    root = tmp_path / "in"
    jsonl(root / "a.jsonl", ("x", "<p>1"), ("y", "<p>2"), ("x", "<p>3"))
    jsonl(root / "b.jsonl", ("y", "<p>4"), ("z", "<p>5"), ("x", ""))
    with pytest.raises(CollectionError, match=r"\(and 1 more\)"):
        segment_collection(root, tmp_path / "out", workers=1)
    no_work()  # the shards of the first call are all that is needed
    store = segment_collection(
        root, tmp_path / "out", Segmentation(on_duplicate="first"), workers=1
    )
    assert documents(store) == [("x", ["1"]), ("y", ["2"]), ("z", ["5"])]
    assert store.documents == 3
    assert store.skipped == {"duplicate docid": 2, "empty page": 1}
    sample = store.manifest.skipped_samples["duplicate docid"][0]
    assert (sample["docid"], sample["kept_place"]) == ("x", "a.jsonl at byte 0")
    assert [shard["dropped_rows"] for shard in store.manifest.shards] == [[2], [0]]


@pytest.mark.parametrize(
    "again",
    [
        "<p>one two<p>three",
        "<p>一二三四五六 seven<p>eight",
        "<p>... <b>!</b>",
        "<title>only a title</title>",
        "<p>same <p>same <p>same",
    ],
)
@pytest.mark.parametrize("kept", ["first", "latest"])
def test_documents_that_are_left_out_count_nowhere(
    tmp_path: Path, again: str, kept: Literal["first", "latest"]
) -> None:
    root, alone = tmp_path / "in", tmp_path / "alone"
    pages = [("x", "<p>four five"), ("y", "<p>six")]
    double = [("x", again)] if kept == "first" else [("y", again), ("x", again)]
    order = [*pages, *double] if kept == "first" else [*double, *pages]
    jsonl(root / "a.jsonl", *order)
    jsonl(root / "b.jsonl", ("z", "<p>seven eight"), *double[:1])
    jsonl(alone / "a.jsonl", *(pages if kept == "first" else [pages[0], double[0]]))
    jsonl(alone / "b.jsonl", ("z", "<p>seven eight"))
    found = segment_collection(
        root, tmp_path / "out", Segmentation(on_duplicate=kept), workers=1
    ).manifest
    expected = segment_collection(alone, tmp_path / "one", workers=1).manifest
    names = ("documents", "without_blocks", "blocks", "words", "unspaced_words")
    for name in (*names, "guessed_encodings", "languages"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.skipped["duplicate docid"] == len(double) + 1
    assert faults_of(CHECKED, tmp_path / "out") == []


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        (
            "x.jsonl",
            b'{"docno": "a", "text": "one"}\n' * 2 + b'{"id": "a", "contents": ""}\n',
            r"2 x no docid \(such as x.jsonl at byte 0: expected \"id\" to be a string or an "
            r"integer, found none among the keys docno, text\); 1 x empty page \(such as "
            r"x.jsonl at byte 60\); check --id-field and --text-field",
        ),
        (
            "x.warc",
            warc(b"warcinfo") + warc(b"conversion") * 2,
            r"2 x conversion record .*; 1 x warcinfo record \(such as x.warc at byte 0: WARC-Type "
            r"warcinfo\); check --collection",
        ),
        (
            "x.warc",
            warc(b"request") * 2,
            r"2 x request record .*WARC-Type request\); check",
        ),
        ("x.jsonl", b'{"docno": "a"}', "1 x no docid .*; check --id-field"),
        ("x.jsonl", b"\n", "its files hold no record"),
        ("x.warc.gz", gzip.compress(b"", mtime=0), "its files hold no record"),
        ("x.html", b"", "1 x empty page"),
    ],
)
def test_a_collection_without_a_document_is_an_error(
    tmp_path: Path, name: str, content: bytes, found: str
) -> None:
    (tmp_path / name).write_bytes(content)
    for _ in range(2):
        with pytest.raises(CollectionError, match=f"{name} holds no document: {found}"):
            segment_collection(tmp_path / name, tmp_path / "out", workers=1)
        assert not (tmp_path / "out" / MANIFEST).exists()
    # Nothing of it is in the way of the right input.
    right = jsonl(tmp_path / "right.jsonl", ("d1", "one two"))
    assert segment_collection(right, tmp_path / "out", workers=1).documents == 1


def test_what_of_the_input_is_not_read_stands_in_the_manifest(
    three: Path, tmp_path: Path
) -> None:
    (three / ".hidden.jsonl").write_text("{}")
    (three / "gone.jsonl").symlink_to("nowhere")
    (three / "again.jsonl").symlink_to("a.jsonl")
    (three / "linked").symlink_to(
        jsonl(tmp_path / "out1" / "d.jsonl", ("d1", "six")).parent
    )
    manifest = segment_collection(three, tmp_path / "out", workers=1).manifest
    assert manifest.left_out == {
        "hidden": 1,
        "dangling link": 1,
        "link to what is read already": 1,
        "link to a folder": 1,
    }
    assert manifest.left_out_samples["link to what is read already"] == [
        {"place": "again.jsonl", "detail": f"to {three.resolve()}/a.jsonl"}
    ]
    assert (manifest.follow_links, manifest.documents) == (False, 4)
    assert manifest.records == manifest.documents + sum(manifest.skipped.values())


def test_a_folder_of_links_alone_is_read_by_workers_that_see_no_folder(
    three: Path, tmp_path: Path
) -> None:
    (tmp_path / "links").mkdir()
    for path in three.iterdir():
        (tmp_path / "links" / path.name).symlink_to(path)
    with pytest.raises(CollectionError, match="found 3 x link out of the input"):
        segment_collection(tmp_path / "links", tmp_path / "out", workers=1)
    store = segment_collection(
        tmp_path / "links", tmp_path / "out", Segmentation(follow_links=True), workers=2
    )
    assert documents(store) == documents(
        segment_collection(three, tmp_path / "out2", workers=1)
    )


def test_samples_are_bounded_over_all_shards(tmp_path: Path) -> None:
    root = tmp_path / "in"
    for number in range(4):
        jsonl(root / f"{number}.jsonl", (f"d{number}", "x"), *[("", "x")] * 9)
    store = segment_collection(root, tmp_path / "out", workers=1)
    assert store.skipped == {"no docid": 36}
    assert len(store.manifest.skipped_samples["no docid"]) == 10


def test_the_fingerprint_depends_on_what_was_lost(
    three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store without a page that a run lost is not the store with it."""
    fingerprints = {
        segment_collection(three, tmp_path / "whole", workers=1).fingerprint
    }
    for loss in (DeadRecord(0, n, slow, "") for n in (0, 1) for slow in (True, False)):
        made = losing([[loss]])
        monkeypatch.setattr(segment_module, "make_files", made)
        reason = reason_of_loss(loss)
        store = segment_collection(three, tmp_path / f"{loss.record}-{reason}")
        assert (store.documents, store.lost) == (3, {reason: 1})
        fingerprints.add(store.fingerprint)
    assert len(fingerprints) == 5


def test_two_workers_make_what_one_makes(three: Path, tmp_path: Path) -> None:
    segment_collection(three, tmp_path / "one", workers=1)
    segment_collection(three, tmp_path / "two", workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_an_unknown_format_is_refused(three: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown collection format"):
        segment_collection(
            three, tmp_path / "out", Segmentation(collection="pdf"), workers=1
        )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("output", ["in", "in/store"])
def test_an_output_among_the_pages_is_refused(
    three: Path, tmp_path: Path, output: str
) -> None:
    before = contents(three)
    with pytest.raises(UsageError, match="expected a place outside of the input"):
        segment_collection(three, tmp_path / output, workers=1)
    assert contents(three) == before
