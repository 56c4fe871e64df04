"""Extractors that run over pages while these are segmented, and texts given for pages."""

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import (
    BlockStore,
    InputError,
    Segmentation,
    UsageError,
    segment_collection,
)
from boilersweep.collection.format import Reading
from boilersweep.pages.columns import NOTHING
from boilersweep.pages.limits import Limits
from boilersweep.segmenting import texts as given_texts
from boilersweep.segmenting.texts import describe_texts, read_texts
from tests.segmenting.conftest import jsonl

# The module that the workers import: they find it by its place on the path.
NAME = "tests_of_extraction"

MODULE = """
import time

def shout(html):
    return html.upper()

def fail(html):
    if "bad" in html:
        raise ValueError("no")
    return "fine"

def sleep(html):
    if "bad" in html:
        time.sleep(60)
    return "awake"

def work(html):
    while "bad" in html:
        pass
    return "done"

def number(html):
    return 3

def surrogate(html):
    return "a\\ud800b"
"""


@pytest.fixture
def module(code: Path) -> str:
    (code / f"{NAME}.py").write_text(MODULE)
    return NAME


@pytest.mark.parametrize(
    ("name", "page", "text", "failed"),
    [
        ("shout", "<p>größe", "<P>GRÖSSE", 0),
        ("fail", "bad", "", 1),
        ("fail", "good", "fine", 0),
        ("number", "x", "", 1),
        ("surrogate", "x", "a?b", 0),  # half a character
    ],
)
def test_what_an_extractor_takes(
    tmp_path: Path, module: str, name: str, page: str, text: str, failed: int
) -> None:
    path = jsonl(tmp_path / "in.jsonl", ("d", page))
    name = f"{module}:{name}"
    options = Segmentation("jsonl", Reading(plain=False), extractors=[name])
    store = segment_collection(path, tmp_path / "out", options, workers=1)
    assert texts_of(store, name) == {name: [text]}
    assert store.manifest.failed_extractions == ({name: 1} if failed else {})


def test_plain_text_is_taken_whole(tmp_path: Path, module: str) -> None:
    path = jsonl(tmp_path / "in.jsonl", ("d", "one <two>"), ("e", ""))
    name = f"{module}:shout"
    options = Segmentation("jsonl", Reading(plain=True), extractors=[name])
    store = segment_collection(path, tmp_path / "out", options, workers=1)
    assert texts_of(store, name) == {name: ["one <two>"]}


LINES = [{"id": "a", "contents": "A"}, {"id": 2, "contents": ""}]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_given_texts(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "gold"
    path.write_bytes(pack("\n\n".join(map(json.dumps, LINES)).encode()))
    assert read_texts(path) == {"a": "A", "2": ""}


def line(docid: object, contents: object) -> bytes:
    return json.dumps({"id": docid, "contents": contents}).encode() + b"\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        *(
            (line("a", value), "a string as contents, got")
            for value in (None, ["a", "b"], True, 3, {"a": "b"})
        ),
        *(
            (line(value, "a"), "a string or an integer as id, got")
            for value in (None, ["a"], False, 1.5)
        ),
        (line("a", "one") + line("b", "") + line("a", "two"), "the id 'a' again"),
        (line("a", "one") + line("a", "one"), "the id 'a' again"),
        (line(2, "one") + line("2", "two"), "the id '2' again"),
        (line("a", "one") + b"[1]", "line 2: "),
        (b"[" * 100_000, "line 1: "),
        (gzip.compress(bytes(2**26)), "line 1: .*lines below"),
        (gzip.compress(line("a", "b") + b"x" * 2**26), "line 2: .*lines below"),
        (gzip.compress(line("a", "b"))[:-9], "damaged gzip"),
    ],
)
def test_given_texts_that_are_none_are_refused(
    tmp_path: Path, content: bytes, why: str
) -> None:
    path = tmp_path / "gold"
    path.write_bytes(content)
    with pytest.raises(InputError, match=why):
        read_texts(path)


def test_given_texts_are_bounded_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(given_texts, "MOST_INPUT_BYTES", 1_000)
    path = tmp_path / "gold"
    path.write_bytes(gzip.compress(b"".join(line(n, "x" * 80) for n in range(20))))
    with pytest.raises(InputError, match=r"line 10: .*at most 1,000 bytes"):
        read_texts(path)


def test_half_characters_of_given_texts_are_replaced(tmp_path: Path) -> None:
    pages = jsonl(tmp_path / "pages.jsonl", ("a", "<p>one"))
    gold = tmp_path / "gold"
    gold.write_bytes(line("a", "x\ud800y \ud83d\ude00"))
    store = segment_collection(
        pages,
        tmp_path / "store",
        Segmentation(collection="jsonl", given={"gold": gold}),
        workers=1,
    )
    [columns] = store.columns(NOTHING, ["gold"])
    assert list(columns.page_texts["gold"]) == ["x\ufffdy \N{GRINNING FACE}"]


def test_texts_and_documents_that_do_not_match_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_bytes(line("a", "x") + line("y", "x") + line("z", ""))
    assert describe_texts("gold", path, {"a", "b"}) == (
        "gold: 2 of 3 texts are of no document, such as 'y'; 1 of 2 documents have no text"
    )
    assert describe_texts("gold", path, {"a", "y", "z"}) == (
        "gold: 0 of 3 texts are of no document; 0 of 3 documents have no text"
    )


DAMAGED = bytearray(gzip.compress(b'{"id": "a", "contents": "some words"}\n' * 9))
DAMAGED[10] |= 0b110  # a block of no known type


@pytest.mark.parametrize(
    "content",
    [
        *(b"{", b"[]", b'{"id": "a"}', b'"x"', b"\xff", gzip.compress(b"{}" * 99)[:-9]),
        *(b"[" * 200_000, DAMAGED),
    ],
    ids=range(8),
)
def test_given_texts_that_cannot_be_read(
    tmp_path: Path, content: bytes | bytearray
) -> None:
    path = tmp_path / "gold"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"gold, line \d: expected JSON lines such as"):
        read_texts(path)


def test_given_texts_of_no_file_and_of_one_that_can_be_read_only_once(
    tmp_path: Path,
) -> None:
    """They are read again for the digest and in every worker, which would wait for ever."""
    with pytest.raises(InputError, match="No such file"):
        read_texts(tmp_path / "gold")
    os.mkfifo(tmp_path / "gold")
    with pytest.raises(InputError, match="expected a regular file, got a FIFO"):
        read_texts(tmp_path / "gold")


PAGES = {"a": "<p>one bad thing", "b": "<p>two", "c": "<p>"}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, html in PAGES.items():
        (folder / f"{name}.html").write_text(html)
    return folder


def texts_of(store: BlockStore, *names: str) -> dict[str, list[str]]:
    [*shards] = store.columns(frozenset(), names)
    return {
        name: [text for shard in shards for text in shard.page_texts[name]]
        for name in names
    }


def test_texts_stand_in_the_store(pages: Path, module: str, tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", ("b", "two, said people"))
    names = [f"{module}:fail", f"{module}:shout", f"{module}:fail"]
    options = Segmentation(extractors=names, given={"gold": gold})
    store = segment_collection(pages, tmp_path / "store", options)
    assert store.page_texts == (f"{module}:fail", f"{module}:shout", "gold")
    assert texts_of(store, f"{module}:fail", "gold") == {
        f"{module}:fail": ["", "fine", "fine"],
        "gold": ["", "two, said people", ""],
    }
    assert store.manifest.failed_extractions == {f"{module}:fail": 1}
    again = segment_collection(pages, tmp_path / "store", options)
    assert again.fingerprint == store.fingerprint


def test_extractors_that_hang_cost_their_texts_and_not_the_page(
    pages: Path, module: str, tmp_path: Path
) -> None:
    """One that sleeps and one that works: each may have a record's time."""
    names = [f"{module}:{name}" for name in ("sleep", "work", "shout")]
    limits = Limits(seconds=2)
    store = segment_collection(
        pages, tmp_path / "store", Segmentation(extractors=names, limits=limits)
    )
    assert (store.documents, store.skipped) == (3, {})
    assert store.manifest.failed_extractions == dict.fromkeys(names[:2], 1)
    texts = texts_of(store, *names)
    assert texts[names[0]] == ["", "awake", "awake"]
    assert texts[names[1]] == ["", "done", "done"]
    assert texts[names[2]] == [page.upper() for page in PAGES.values()]


def test_names_that_stop_before_the_work(pages: Path, tmp_path: Path) -> None:
    gold = jsonl(tmp_path / "gold.jsonl", ("b", ""))
    with pytest.raises(UsageError, match="nowhere"):
        segment_collection(
            pages, tmp_path / "store", Segmentation(extractors=["nowhere"])
        )
    both = Segmentation(extractors=["cetr"], given={"cetr": gold})
    with pytest.raises(UsageError, match="cetr names an extractor and given texts"):
        segment_collection(pages, tmp_path / "store", both)
    assert not (tmp_path / "store").exists()
