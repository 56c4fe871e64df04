"""build_index: the one index to deploy, with positions and, if asked for, the cleaned text."""

import json
from pathlib import Path

import pytest

from boilersweep import BlockStore, IndexingError, OutputError
from boilersweep.cleaners.duplicates import Dedup
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval import BM25, search_index
from boilersweep.indexer import (
    IndexLayout,
    IndexOptions,
    adders,
    build_index,
    open_index,
)
from boilersweep.indexer.manifest import INDEX
from boilersweep.outputs.locks import only_writer
from tests.comparing import postings
from tests.indexer.conftest import Reference, StoreMaker

pytestmark = pytest.mark.java

RULE = parse_rule("words>=5")


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("single") / "index"
    build_index(store, RULE, output, IndexOptions(layout=IndexLayout(contents=True)))
    return output


def test_positions_are_those_of_pyserinis_indexer(
    store: BlockStore, index: Path, tmp_path: Path, reference: Reference
) -> None:
    theirs = reference(store, RULE, tmp_path / "theirs", "-storePositions")
    terms, *_ = postings(index)
    assert terms == postings(theirs)[0]
    found = [one for _, documents in terms for one in documents]
    assert all(len(positions) == count for _, count, positions in found)


@pytest.mark.parametrize("fields", [(), ("title",)])
def test_a_document_has_its_own_fields_and_none_of_one_before(
    make_store: StoreMaker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fields: tuple[str, ...],
) -> None:
    monkeypatch.setattr(adders, "_CHARACTERS_AT_LEAST", 1)
    monkeypatch.setattr(adders, "_CHARACTERS_OF_A_WRITER", 600)
    titles = {f"d{n}": f"<title>t{n} of us</title>" if n % 3 else "" for n in range(30)}
    pages = {
        name: f"{title}<p>the pony is {name}</p>" for name, title in titles.items()
    }
    layout = IndexLayout(contents=True, raw=True, fields=fields)
    build_index(
        make_store(pages),
        parse_rule("words>=1"),
        tmp_path / "index",
        IndexOptions(layout=layout),
    )
    with open_index(tmp_path / "index") as index:
        for number, name in enumerate(pages):
            document = index.doc(name)
            assert document is not None
            title = f"t{number} of us" if number % 3 else None
            about = f"{title}\n" if title else ""
            assert document.contents() == f"{about}the pony is {name}"
            assert document.get("title") == title
            raw = json.loads(document.raw() or "")
            assert (raw["id"], raw.get("title")) == (name, title)
            assert [hit.docid for hit in index.search(name, 9)] == [name]
            found = [hit.docid for hit in index.search(f"t{number}", 9)]
            assert found == [name] * bool(title)
        titled = index.search("t4", 9, fields={"title": 1.0}) if fields else []
    assert [hit.docid for hit in titled] == ["d4"] * len(fields)


def test_one_writer_an_index_and_others_beside_it_are_free(
    store: BlockStore, tmp_path: Path
) -> None:
    held = only_writer(tmp_path, ".index.lock")
    with (
        held,
        pytest.raises(OutputError, match=r"index is being written .* another `output`"),
    ):
        # the kernel's locks are of open files, so one process can stand for two
        build_index(store, parse_rule("words>=3"), tmp_path / "index")
    with only_writer(tmp_path, ".index.lock"):
        build_index(store, parse_rule("words>=3"), tmp_path / "other")
    build_index(store, parse_rule("words>=3"), tmp_path / "index")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "other"]


STORY = " ".join(f"w{n}" for n in range(60))
TWINS = {
    "a": f"<p>{STORY}",
    "b": f"<p>menu<p>{STORY} end",
    "the": "<p>the of and the of and the",
    "d": f"<p>{STORY}<p>other menu",
    "e": "<p>all else has nothing to do with that",
}


def test_near_duplicates_are_left_out_counted_and_named(
    make_store: StoreMaker, tmp_path: Path
) -> None:
    store = make_store(TWINS)
    index = tmp_path / "index"
    manifest = build_index(store, RULE, index, IndexOptions(dedup=Dedup("minhash")))
    assert (manifest.documents, manifest.empty, manifest.duplicates) == (2, 1, 2)
    hits = search_index(index, {"q": "w1 w2 nothing"}, BM25())["q"]
    assert sorted(docid for docid, _ in hits) == ["a", "e"]
    named = (index / "duplicates.csv").read_text().splitlines()
    assert named[1:] == ["b,a,0.9825,words>=5", "d,a,1.0000,words>=5"]
    assert list(INDEX.check(index, store)) == []
    exact = build_index(
        store, RULE, tmp_path / "exact", IndexOptions(dedup=Dedup("exact"))
    )
    assert (exact.documents, exact.empty, exact.duplicates) == (3, 1, 1)


def test_documents_in_other_languages_are_left_out_and_counted(
    make_store: StoreMaker, tmp_path: Path
) -> None:
    tags = {"a": "de", "b": "fr", "c": "de", "d": "", "e": "de"}
    pages = {docid: f"<html lang='{tag}'><p>1 2 3 4 5" for docid, tag in tags.items()}
    store, index = make_store({**pages, "e": "<html lang=de><p>1"}), tmp_path / "index"
    manifest = build_index(store, RULE, index, IndexOptions(languages=("de",)))
    assert (manifest.documents, manifest.empty) == (2, 1)
    assert manifest.other_languages == {"fr": 1, "und": 1}
    hits = search_index(index, {"q": "1 2"}, BM25())["q"]
    assert sorted(docid for docid, _ in hits) == ["a", "c"]
    assert list(INDEX.check(index, store)) == []
    assert build_index(store, RULE, index, IndexOptions(languages=("de",))) == manifest
    with pytest.raises(IndexingError, match=r"languages was \[\\?.de.*\], is "):
        build_index(
            store,
            RULE,
            index,
            IndexOptions(languages=("fr", "de")),
        )
    both = build_index(
        store,
        RULE,
        tmp_path / "both",
        IndexOptions(
            languages=(
                "fr",
                "de",
            ),
            dedup=Dedup("exact"),
        ),
    )
    assert (both.documents, both.empty, both.duplicates) == (1, 1, 2)
    assert list(INDEX.check(tmp_path / "both", store)) == []


def test_an_update_keeps_to_the_languages(
    make_store: StoreMaker, tmp_path: Path
) -> None:
    page = "<html lang='{}'><p>1 2 3 4 5"
    before = make_store({"a": page.format("de"), "b": page.format("fr")})
    build_index(before, RULE, tmp_path / "index", IndexOptions(languages=("de",)))
    after = make_store({d: page.format(d) for d in ("de", "fr", "en")})
    updated = build_index(
        after, RULE, tmp_path / "index", IndexOptions(languages=("de",), update=True)
    )
    assert (updated.documents, updated.other_languages) == (1, {"en": 1, "fr": 1})
    assert updated == build_index(
        after, RULE, tmp_path / "anew", IndexOptions(languages=("de",))
    )
