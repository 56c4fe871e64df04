"""build_index with update=True: an index that follows its store is the one built anew."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import BlockStore, IndexingError, Segmentation, segment_collection
from boilersweep.cleaners.duplicates import DUPLICATES, Dedup
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval import BM25, QueryLikelihood, search_index
from boilersweep.indexer import IndexLayout, IndexOptions, build_index
from boilersweep.indexer.lucene import IndexWriter, open_directory
from boilersweep.indexer.manifest import INDEX, MANIFEST, read_manifest
from tests.running import Killed

pytestmark = pytest.mark.java

RULE = parse_rule("words>=5")
OPTIONS = Segmentation(on_duplicate="latest")


class Crawl:
    """The difficult pages in files that come, change and go."""

    def __init__(self, folder: Path, pages: Mapping[str, str]) -> None:
        self._folder = folder
        self._pages = list(pages.items())
        for number in range(5):
            self.write(number, self._pages[number:60:6])

    def write(self, number: int, pages: list[tuple[str, str]]) -> None:
        (self._folder / "in").mkdir(exist_ok=True)
        lines = [json.dumps({"id": docid, "contents": page}) for docid, page in pages]
        (self._folder / "in" / f"{number}.jsonl").write_text("\n".join(lines), "utf-8")

    def next_day(self) -> None:
        """Add pages, one of which replaces another of its docid; change and remove others."""
        docid, _ = self._pages[0]
        self.write(
            0,
            [
                (d, f"{page}<p>ponies that run on the second day")
                for d, page in self._pages[0:60:6]
            ],
        )
        self.write(7, [(docid, "<p>the last that is known of running ponies")])
        self.write(8, self._pages[60:])
        (self._folder / "in" / "3.jsonl").unlink()

    def store(self) -> BlockStore:
        return segment_collection(
            self._folder / "in", self._folder / "store", OPTIONS, workers=1
        )


@pytest.fixture
def crawl(pages: Mapping[str, str], tmp_path: Path, java: None) -> Crawl:
    return Crawl(tmp_path, pages)


def state(index: Path) -> dict[str, tuple[int, int]]:
    return {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in index.iterdir()}


def assert_same_hits(ours: Path, theirs: Path, queries: dict[str, str]) -> None:
    for model in (BM25(), QueryLikelihood()):
        hits = search_index(ours, queries, model)
        assert sum(map(len, hits.values())) > 400
        assert hits == search_index(theirs, queries, model)


def test_lists_and_scores_are_those_of_an_index_built_anew(
    crawl: Crawl, queries: dict[str, str], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    build_index(
        crawl.store(), RULE, index, IndexOptions(layout=IndexLayout(contents=True))
    )
    crawl.next_day()
    store = crawl.store()
    updated = build_index(
        store, RULE, index, IndexOptions(layout=IndexLayout(contents=True), update=True)
    )
    anew = build_index(
        store, RULE, tmp_path / "anew", IndexOptions(layout=IndexLayout(contents=True))
    )
    assert updated == anew == read_manifest(index)
    assert len(updated.shards) == len(store.manifest.shards)
    assert_same_hits(index, tmp_path / "anew", queries)
    assert list(INDEX.check(index, store)) == []


def test_new_documents_alone_leave_the_segments_as_they_are(
    crawl: Crawl, pages: Mapping[str, str], queries: dict[str, str], tmp_path: Path
) -> None:
    index = tmp_path / "index"
    build_index(crawl.store(), RULE, index)
    before = INDEX.require(index).files
    crawl.write(9, list(pages.items())[60:])
    store = crawl.store()
    build_index(store, RULE, index, IndexOptions(update=True))
    lost = before.keys() - INDEX.require(index).files.keys()
    assert all(name.startswith("segments_") for name in lost)
    build_index(store, RULE, tmp_path / "anew")
    assert_same_hits(index, tmp_path / "anew", queries)


def test_what_recurs_only_now_leaves_shards_that_did_not_change(
    tmp_path: Path, java: None
) -> None:
    def store(files: int) -> BlockStore:
        (tmp_path / "in").mkdir(exist_ok=True)
        for number in range(files):
            page = {
                "id": f"d{number}",
                "url": f"http://a.org/{number}",
                "contents": f"<title>{number}</title><p>ponies</p><p>running {number}</p>",
            }
            if not (file := tmp_path / "in" / f"{number}.jsonl").exists():
                file.write_text(json.dumps(page))
        return segment_collection(
            tmp_path / "in", tmp_path / "store", OPTIONS, workers=1
        )

    rule, index = parse_rule("site(words>=1)"), tmp_path / "index"
    ask = {"one": "ponies", "two": "running"}
    build_index(store(4), rule, index)
    assert {t: len(found) for t, found in search_index(index, ask, BM25()).items()} == {
        "one": 4,
        "two": 4,
    }
    grown = store(5)
    updated = build_index(grown, rule, index, IndexOptions(update=True))
    assert updated == build_index(grown, rule, tmp_path / "anew")
    assert list(INDEX.check(index, grown)) == []
    found = search_index(index, ask, BM25())
    assert {t: len(some) for t, some in found.items()} == {"one": 0, "two": 5}
    assert found == search_index(tmp_path / "anew", ask, BM25())


def test_where_nothing_has_changed_nothing_is_written(
    crawl: Crawl, tmp_path: Path
) -> None:
    store = crawl.store()
    first = build_index(store, RULE, tmp_path / "index", IndexOptions(update=True))
    before = state(tmp_path / "index")
    assert (
        build_index(store, RULE, tmp_path / "index", IndexOptions(update=True)) == first
    )
    assert state(tmp_path / "index") == before


def test_a_reader_that_is_open_keeps_what_it_sees(crawl: Crawl, tmp_path: Path) -> None:
    from jnius import autoclass

    build_index(
        crawl.store(),
        RULE,
        tmp_path / "index",
        IndexOptions(layout=IndexLayout(contents=True)),
    )
    readers = autoclass("org.apache.lucene.index.DirectoryReader")
    reader = readers.open(open_directory(tmp_path / "index"))

    def texts(reader: Any) -> list[str]:
        return [
            reader.storedFields().document(n).get("contents")
            for n in range(reader.maxDoc())
        ]

    before = texts(reader)
    crawl.next_day()
    updated = build_index(
        crawl.store(),
        RULE,
        tmp_path / "index",
        IndexOptions(layout=IndexLayout(contents=True), update=True),
    )
    assert texts(reader) == before
    again = readers.openIfChanged(reader)
    assert again.numDocs() == updated.documents != reader.numDocs()
    for one in (reader, again):
        one.close()


@pytest.mark.parametrize(
    "at", ["delete_shard", "add", "commit", "after the commit", "manifest"]
)
def test_a_kill_leaves_the_old_index_whole(
    crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    index = tmp_path / "index"
    first = crawl.store()
    build_index(first, RULE, index)
    before = state(index)
    crawl.next_day()
    store = crawl.store()

    kill = mock.Mock(side_effect=Killed)

    def commit(writer: IndexWriter) -> None:
        plain(writer)
        raise Killed

    with monkeypatch.context() as patch:
        plain = IndexWriter.commit
        # What a kill leaves is not tidied up.
        patch.setattr("boilersweep.outputs.atomic.shutil.rmtree", lambda *_, **__: None)
        if at == "after the commit":
            patch.setattr(IndexWriter, "commit", commit)
        elif at == "manifest":
            patch.setattr("boilersweep.indexer.single.complete_manifest", kill)
        else:
            patch.setattr(IndexWriter, at, kill)
        with pytest.raises(Killed):
            build_index(store, RULE, index, IndexOptions(update=True))
    assert state(index) == before
    assert list(INDEX.check(index, first)) == []
    updated = build_index(store, RULE, index, IndexOptions(update=True))
    assert updated == build_index(store, RULE, tmp_path / "anew")


def test_what_a_link_leads_to_is_updated_and_stays_as_private_as_it_was(
    crawl: Crawl, tmp_path: Path
) -> None:
    build_index(crawl.store(), RULE, tmp_path / "deployed" / "one")
    (tmp_path / "deployed" / "one").chmod(0o700)
    link = tmp_path / "current"
    link.symlink_to("deployed/one")
    crawl.next_day()
    updated = build_index(crawl.store(), RULE, link, IndexOptions(update=True))
    assert link.is_symlink()
    assert read_manifest(tmp_path / "deployed" / "one") == updated
    assert (tmp_path / "deployed" / "one").stat().st_mode & 0o777 == 0o700


def test_a_damaged_or_other_index_is_refused(crawl: Crawl, tmp_path: Path) -> None:
    index = tmp_path / "index"
    build_index(crawl.store(), RULE, index)
    crawl.next_day()
    store = crawl.store()
    with pytest.raises(IndexingError, match="text was words>=5, is words>=6"):
        build_index(store, parse_rule("words>=6"), index, IndexOptions(update=True))
    assert (index / MANIFEST).exists()
    (damaged, *_) = (path for path in index.iterdir() if path.suffix == ".doc")
    body = bytearray(damaged.read_bytes())
    body[-20] ^= 1
    damaged.write_bytes(body)
    with pytest.raises(IndexingError, match=rf"{damaged.name} was changed or damaged"):
        build_index(store, RULE, index, IndexOptions(update=True))
    anew = build_index(store, RULE, index, IndexOptions(overwrite=True))
    assert list(INDEX.check(index, store)) == []
    assert anew == read_manifest(index)


def test_near_duplicates_follow_the_store(
    crawl: Crawl, queries: dict[str, str], tmp_path: Path
) -> None:
    """A twin that is gone lets another in, and a new one in front of an old one replaces that."""
    index, dedup = tmp_path / "index", Dedup("exact")
    story = "<p>a story of eleven words that two sites tell in full"
    crawl.write(9, [("first", story), ("second", story)])
    before = build_index(crawl.store(), RULE, index, IndexOptions(dedup=dedup))
    assert ("second", "first") in named(index)
    crawl.next_day()
    crawl.write(9, [("second", story)])
    crawl.write(6, [("third", f"<p>menu{story}")])
    store = crawl.store()
    updated = build_index(store, RULE, index, IndexOptions(dedup=dedup, update=True))
    anew = build_index(store, RULE, tmp_path / "anew", IndexOptions(dedup=dedup))
    assert updated.duplicates == anew.duplicates != before.duplicates
    assert (updated.documents, updated.empty) == (anew.documents, anew.empty)
    assert named(index) == named(tmp_path / "anew")
    assert {docid for pair in named(index) for docid in pair} >= {"second", "third"}
    assert_same_hits(index, tmp_path / "anew", queries)
    assert list(INDEX.check(index, store)) == []
    assert updated == anew


def named(index: Path) -> list[tuple[str, str]]:
    with (index / DUPLICATES).open(newline="") as file:
        return [(row["docid"], row["twin"]) for row in csv.DictReader(file)]
