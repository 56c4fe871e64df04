"""Opening a block store and reading its blocks."""

import json
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from boilersweep import BlockStore, StoreError, open_store
from boilersweep.outputs.manifest_file import read_manifest
from boilersweep.outputs.parts import MANIFEST
from boilersweep.pages.columns import TEXTS, Need
from boilersweep.pages.page import Page
from boilersweep.store import shard as shard_module
from boilersweep.store.shard_columns import VERSION
from tests.manifests import write_manifest
from tests.store.conftest import store_facts, write_store
from tests.stores import unfinish


def page(*words: int) -> Page:
    """Return a page whose blocks have so many words, and say so."""
    texts = [f"{count} words" for count in words]
    count = len(words)
    return Page("", texts, list(words), [1.0] * count, [0] * count, ["p"] * count)


SHARDS = [
    {"a": page(1, 2), "b": page(), "c": page(3)},
    {},
    {"d": page(4), "e": page(5, 6, 7)},
]


def read(
    folder: Path, needs: frozenset[Need] = TEXTS
) -> tuple[list[str], list[int], list[str]]:
    docids: list[str] = []
    words: list[int] = []
    texts: list[str] = []
    for columns in open_store(folder).columns(needs):
        assert len(columns.starts) == len(columns) + 1
        assert columns.starts[-1] == len(columns.words) == len(columns.density)
        docids += columns.docids
        words += columns.words.tolist()
        texts += columns.texts
    return docids, words, texts


def test_all_documents_in_order(tmp_path: Path) -> None:
    docids, words, texts = read(write_store(tmp_path, SHARDS))
    assert docids == ["a", "b", "c", "d", "e"]
    assert words == [1, 2, 3, 4, 5, 6, 7]
    assert texts == [f"{count} words" for count in words]
    store = open_store(tmp_path)
    assert (store.path, store.documents, store.fingerprint) == (tmp_path, 5, "f" * 64)
    assert store.skipped["no docid"] == 3
    assert next(store.columns()).docids == ["a", "b", "c"]  # reading may stop early
    assert len(repr(store).splitlines()) == 5


@pytest.mark.parametrize("rows_at_a_time", [1, 2, 500])
@pytest.mark.parametrize("with_texts", [True, False])
def test_dropped_rows_are_left_out(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows_at_a_time: int,
    with_texts: bool,
) -> None:
    monkeypatch.setattr(shard_module, "_ROWS_AT_A_TIME", rows_at_a_time)
    folder = write_store(tmp_path, SHARDS, [[0, 1], [], [1]])
    docids, words, texts = read(folder, TEXTS if with_texts else frozenset())
    assert docids == ["c", "d"]
    assert words == [3, 4]
    assert texts == (["3 words", "4 words"] if with_texts else [])


def test_what_belongs_to_dropped_rows_is_left_out(tmp_path: Path) -> None:
    store = open_store(write_store(tmp_path, SHARDS, [[0], [], [0]]))
    [first, last] = store.columns()
    assert (first.docids, first.starts.tolist()) == (["b", "c"], [0, 0, 1])
    assert last.docids == ["e"]
    # No shard has the last one
    fields = list(store.fields(("docid", "url", "weather")))
    assert fields == [("b", "", ""), ("c", "", ""), ("e", "", "")]


def test_no_store(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").touch()
    (tmp_path / "out" / "store").mkdir(parents=True)
    write_store(tmp_path / "out" / "store", SHARDS)
    (tmp_path / "unfinished").mkdir()
    write_store(tmp_path / "unfinished", SHARDS)
    unfinish(tmp_path / "unfinished")
    for name, message in {
        "nowhere": "is no block store .* to make one",
        "pages/a.html": "is no block store",
        "pages": "segment --input .*pages --output STORE` to make one",
        "out": "is no block store, but .*store is: give that",
        "unfinished": "an unfinished block store .* again to finish it",
    }.items():
        with pytest.raises(StoreError, match=message):
            open_store(tmp_path / name)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'"x"',
        b"null",
        b"{}",
        b"\xff\xfe",
        b'{"documents": 3}',
        b"[" * 10**5,
    ],
)
def test_a_manifest_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(StoreError, match="belongs to another program, not to a store"):
        open_store(tmp_path)


def test_a_manifest_that_lacks_something_or_was_changed(tmp_path: Path) -> None:
    facts = store_facts([])
    del facts["documents"]
    whole = {"kind": "store", "facts": facts, "recipe": {}, "parts": {}}
    write_manifest(tmp_path / MANIFEST, whole)
    with pytest.raises(StoreError, match=r"is damaged .*missing .*`documents`"):
        open_store(tmp_path)
    write_store(tmp_path, SHARDS)
    said = json.loads((tmp_path / MANIFEST).read_text())
    (tmp_path / MANIFEST).write_text(json.dumps(said | {"recipe": {"a": 1}}))
    with pytest.raises(
        StoreError, match="it was changed or damaged after it was written"
    ):
        open_store(tmp_path)
    (tmp_path / MANIFEST).write_text(json.dumps(said))
    assert open_store(tmp_path).documents == 5


@pytest.mark.parametrize("version", [0, VERSION + 1, str(VERSION), None])
def test_another_version(tmp_path: Path, version: int | str | None) -> None:
    write_store(tmp_path, SHARDS, store_version=version)
    with pytest.raises(StoreError, match=f"version {version}, this boilersweep reads"):
        open_store(tmp_path)


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9, 0.999])
def test_a_shard_that_was_changed_anywhere_is_not_read(
    tmp_path: Path, place: float
) -> None:
    store = open_store(write_store(tmp_path, SHARDS))
    shard = tmp_path / "shard-00002.parquet"
    assert len(list(store.docids())) == 5
    body = bytearray(shard.read_bytes())
    body[int(place * len(body))] ^= 1
    shard.write_bytes(body)
    # The clock of a file system may stand still for milliseconds
    os.utime(shard, ns=(1, 1))
    for damage in ("was changed or damaged", "is missing"):
        for read_all in (store.docids, store.columns):
            with pytest.raises(StoreError, match=rf"shard-00002\.parquet {damage}"):
                list(read_all())
        shard.unlink(missing_ok=True)


def test_a_shard_with_other_documents_than_the_manifest_says(tmp_path: Path) -> None:
    folder = write_store(tmp_path, SHARDS, documents=1234)
    with pytest.raises(
        StoreError, match="its shards have 5 documents, for the 1,234 of the store"
    ):
        open_store(folder)
    said = read_manifest(folder / MANIFEST)
    said["facts"]["shards"][0]["documents"] += 1229
    write_manifest(folder / MANIFEST, said)
    with pytest.raises(StoreError, match="holds 5 documents, its manifest says 1,234"):
        list(open_store(folder).columns())


def test_every_shard_as_a_store(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "more", "other")]
    for folder in folders:
        folder.mkdir()
    one = open_store(write_store(folders[0], SHARDS, [[1], [], []]))
    # The same shards under other numbers, and without dropped rows.
    more = open_store(write_store(folders[1], SHARDS[::-1]))
    other = open_store(
        write_store(folders[2], [SHARDS[0], {}, {"d": page(9)}], [[1], [], []])
    )
    shards = dict(one.by_shard())
    assert list(shards) == [f"shard-0000{number}.parquet" for number in range(3)]
    assert [shard.documents for shard in shards.values()] == [2, 0, 2]
    found = [
        [d for c in shard.columns() for d in c.docids] for shard in shards.values()
    ]
    assert found == [["a", "c"], [], ["d", "e"]]
    contents = [
        [shard.fingerprint for _, shard in store.by_shard()]
        for store in (one, more, other)
    ]
    assert contents[0][1:] == [contents[1][1], contents[1][0]]
    assert contents[0][0] != contents[1][2]
    assert contents[0][:2] == contents[2][:2]
    assert contents[0][2] != contents[2][2]


def test_a_store_less_some_documents(tmp_path: Path) -> None:
    store = open_store(write_store(tmp_path, SHARDS, [[1], [], []]))
    names = [shard["file"] for shard in store.manifest.shards]
    assert [d for columns in store.columns() for d in columns.docids] == [
        "a",
        "c",
        "d",
        "e",
    ]
    left = store.without({names[0]: [1], names[2]: [0]})
    assert [d for columns in left.columns() for d in columns.docids] == ["a", "e"]
    assert (left.documents, left.fingerprint) == (2, store.fingerprint)
    prints = [[one.fingerprint for _, one in some.by_shard()] for some in (store, left)]
    assert [one == other for one, other in zip(*prints, strict=True)] == [
        False,
        True,
        False,
    ]
    assert store.without({}) == store


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("/data/newsmix", "newsmix"),
        ("/data/newsmix/trec", "newsmix/trec"),
        ("newsmix/store/", "newsmix/store"),
        ("crawl/CC.warc.gz", "CC.warc.gz"),
        ("/data/Pages", "data/Pages"),
        ("pages", "pages"),
        ("/", "/"),
        ("-", "standard input"),
        ("irds:gov2", "irds:gov2"),
    ],
)
def test_the_name_of_the_collection(tmp_path: Path, given: str, name: str) -> None:
    manifest = open_store(write_store(tmp_path, SHARDS)).manifest
    store = BlockStore(tmp_path, replace(manifest, input=given), {})
    assert store.collection == name
