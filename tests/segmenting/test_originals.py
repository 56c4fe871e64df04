"""Pages of a store in their original bytes, as long as the collection is as it was."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep import BlockStore, CollectionError, segment_collection
from boilersweep.collection.format import SourceLocation
from boilersweep.eval.people.originals import Originals
from tests.stores import make_store_of

PAGES = {f"d{number}": f"<p>Page {number}<script>x</script>" for number in range(3)}


def places(store: BlockStore) -> dict[str, SourceLocation]:
    rows = store.fields(("docid", "source", "offset"))
    return {
        docid: SourceLocation(source, int(offset)) for docid, source, offset in rows
    }


def test_every_page_is_found_again(tmp_path: Path) -> None:
    store = make_store_of(tmp_path, PAGES, {"e ä": "<p>Another shard"})
    originals = Originals(store)
    found = {
        docid: originals.read(docid, place).body.decode()
        for docid, place in places(store).items()
    }
    assert found == {**PAGES, "e%20ä": "<p>Another shard"}


def test_one_compressed_file_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(
        gzip.compress(b'{"id": "a", "text": "one"}\n{"id": "b", "text": "two"}\n')
    )
    store = segment_collection(path, tmp_path / "store", workers=1)
    record = Originals(store).read("b", places(store)["b"])
    assert (record.body, record.plain) == (b"two", True)


def one_by_one(records: list[bytes]) -> bytes:
    return b"".join(map(gzip.compress, records))


def as_a_whole(records: list[bytes]) -> bytes:
    return gzip.compress(b"".join(records))


@pytest.mark.parametrize(
    ("name", "packed"),
    [("w.warc", b"".join), ("w.warc.gz", one_by_one), ("w.warc.gz", as_a_whole)],
)
def test_records_of_warc_are_found_by_their_place(
    tmp_path: Path, name: str, packed: Callable[[list[bytes]], bytes]
) -> None:
    pages = [b"<p>Page %d" % number for number in range(9)]
    head = (
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:%d>\r\n"
        b"Content-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
    )
    records = [head % (n, len(page), page) for n, page in enumerate(pages)]
    (tmp_path / name).write_bytes(packed(records))
    store = segment_collection(tmp_path / name, tmp_path / "store", workers=1)
    found = [
        Originals(store).read(docid, place).body
        for docid, place in places(store).items()
    ]
    assert found == pages


@pytest.mark.parametrize("change", ["touch", "copy"])
def test_equal_content_is_the_same_page(tmp_path: Path, change: str) -> None:
    store = make_store_of(tmp_path, PAGES)
    path = tmp_path / "pages" / "0.jsonl"
    content = path.read_bytes()
    if change == "copy":
        path.unlink()
    path.write_bytes(content)
    assert Originals(store).read("d1", places(store)["d1"]).body == PAGES["d1"].encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda path: path.unlink(), "not in .* any more"),
        (
            lambda path: path.write_bytes(path.read_bytes().replace(b"Page", b"Rage")),
            "was changed",
        ),
    ],
)
def test_another_page_is_never_shown(
    tmp_path: Path, change: object, message: str
) -> None:
    store = make_store_of(tmp_path, PAGES)
    place = places(store)["d1"]
    assert callable(change)
    change(tmp_path / "pages" / "0.jsonl")
    with pytest.raises(CollectionError, match=message):
        Originals(store).read("d1", place)


@pytest.mark.parametrize(
    ("docid", "source"),
    [
        ("d9", "0.jsonl"),
        ("d1", "1.jsonl"),
        ("d1", "../pages/0.jsonl"),
        ("d1", "../../../../etc/passwd"),
        ("d1", "/etc/passwd"),
        ("d1", ""),
    ],
)
def test_only_files_of_the_store_are_read(
    tmp_path: Path, docid: str, source: str
) -> None:
    store = make_store_of(tmp_path, PAGES)
    place = SourceLocation(source, places(store)["d1"].offset)
    assert Originals(store).has(place) == (source == "0.jsonl")
    with pytest.raises(CollectionError):
        Originals(store).read(docid, place)


@pytest.mark.parametrize("gone", ["-", "irds:nowhere", "s3://bucket/pages", "/gone"])
def test_input_elsewhere_has_no_originals(tmp_path: Path, gone: str) -> None:
    store = make_store_of(tmp_path, PAGES)
    store.manifest.input = gone
    assert not Originals(store).has(places(store)["d1"])
