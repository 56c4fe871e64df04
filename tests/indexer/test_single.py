"""build_index: the one index to deploy, with positions and, if asked for, the cleaned text."""

from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.parsing import parse_rule
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import IndexingError, OutputError
from boilersweep.eval.ranking_models import BM25
from boilersweep.eval.search import search_index
from boilersweep.files import only_writer
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import IndexWriter
from boilersweep.indexer.parallel import build_parallel_indexes
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore
from tests.indexer.conftest import Reference, StoreMaker, kept_contents

pytestmark = pytest.mark.java

RULE = parse_rule("words>=5")


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("single") / "index"
    build_index(store, RULE, output, layout=IndexLayout(contents=True))
    return output


@pytest.fixture(scope="module")
def kept(store: BlockStore) -> dict[str, str]:
    return {d: text for columns in store.columns() for d, text in kept_contents(columns, RULE)}


def test_hits_are_those_of_the_parallel_index(
    store: BlockStore, index: Path, tmp_path: Path, queries: dict[str, str]
) -> None:
    (twin,) = build_parallel_indexes(store, [Variant.at_least("words", 5.0)], tmp_path)
    ours = search_index(index, queries, BM25())
    assert sum(map(len, ours.values())) > 500
    assert ours == search_index(twin.path, queries, BM25())


def test_counts_are_those_of_the_parallel_index(store: BlockStore, tmp_path: Path) -> None:
    manifest = build_index(store, RULE, tmp_path / "one")
    (twin,) = build_parallel_indexes(store, [Variant.at_least("words", 5.0)], tmp_path / "many")
    assert (manifest.documents, manifest.empty, manifest.tokens) == (
        twin.manifest.documents,
        twin.manifest.empty,
        twin.manifest.tokens,
    )


def phrase_hits(index: Path, *terms: str) -> list[str]:
    from jnius import autoclass, cast

    paths = autoclass("java.nio.file.Paths")
    directory = autoclass("org.apache.lucene.store.FSDirectory").open(paths.get(str(index)))
    reader = autoclass("org.apache.lucene.index.DirectoryReader").open(directory)
    searcher = autoclass("org.apache.lucene.search.IndexSearcher")(
        cast("org.apache.lucene.index.IndexReader", reader)
    )
    builder = autoclass("org.apache.lucene.search.PhraseQuery$Builder")()
    for term in terms:
        builder.add(autoclass("org.apache.lucene.index.Term")("contents", term))
    query = cast("org.apache.lucene.search.Query", builder.build())
    found = searcher.search(query, 100).scoreDocs
    docids = [reader.storedFields().document(hit.doc).get("id") for hit in found]
    reader.close()
    return sorted(docids)


def test_phrases_can_be_searched(make_store: StoreMaker, tmp_path: Path) -> None:
    pages = {
        "right": "<p>one fast pony was running here</p>",
        "wrong": "<p>one pony was running here so fast</p>",
        "apart": "<p>this one here is really fast</p><p>pony</p>",
    }
    build_index(make_store(pages), parse_rule("words>=1"), tmp_path / "index")
    assert phrase_hits(tmp_path / "index", "fast", "poni") == ["apart", "right"]
    assert phrase_hits(tmp_path / "index", "poni", "fast") == []


def test_positions_are_those_of_pyserinis_indexer(
    store: BlockStore, index: Path, tmp_path: Path, reference: Reference
) -> None:
    from pyserini.index.lucene import LuceneIndexReader

    theirs = LuceneIndexReader(str(reference(store, RULE, tmp_path / "theirs", "-storePositions")))
    ours = LuceneIndexReader(str(index))

    def postings(reader: Any, term: str) -> list[tuple[str, int, list[int]]]:
        docid = reader.convert_internal_docid_to_collection_docid
        found = reader.get_postings_list(term, analyzer=None)
        return sorted((docid(p.docid), p.tf, list(p.positions)) for p in found)

    terms = [term.term for term in theirs.terms()]
    assert terms == [term.term for term in ours.terms()]
    for term in terms[::9]:
        found = postings(ours, term)
        assert found == postings(theirs, term)
        assert all(len(positions) == tf for _, tf, positions in found)


def test_stored_contents_are_the_cleaned_text(index: Path, kept: dict[str, str]) -> None:
    from jnius import autoclass

    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(index))
    stored = {docid: searcher.doc_contents(docid) for docid in kept if docid != "stop-words"}
    assert stored == {docid: text for docid, text in kept.items() if docid != "stop-words"}
    searcher.close()


def test_without_storing_there_are_no_contents(store: BlockStore, tmp_path: Path) -> None:
    from jnius import autoclass

    build_index(store, RULE, tmp_path / "index")
    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(tmp_path / "index"))
    assert searcher.doc("page-000") is not None
    assert searcher.doc_contents("page-000") is None
    searcher.close()


def test_an_index_that_is_there_stays(store: BlockStore, tmp_path: Path) -> None:
    output = tmp_path / "index"
    first = build_index(store, RULE, output)
    before = {path: path.stat().st_mtime_ns for path in output.iterdir()}
    assert build_index(store, RULE, output) == first
    assert {path: path.stat().st_mtime_ns for path in output.iterdir()} == before


@pytest.mark.parametrize(
    "changed",
    [
        {"rule": parse_rule("words>=6")},
        {"layout": IndexLayout(contents=True)},
        {"layout": IndexLayout(raw=True)},
        {"layout": IndexLayout(docvectors=True)},
        {"layout": IndexLayout(fields=("title",))},
        {"layout": IndexLayout(optimize=True)},
        {"analyzer": AnalyzerOptions(stemmer="krovetz")},
    ],
    ids=str,
)
def test_another_recipe_is_refused(
    store: BlockStore, tmp_path: Path, changed: dict[str, Any]
) -> None:
    build_index(store, RULE, tmp_path / "index")
    options = {"rule": RULE} | changed
    with pytest.raises(IndexingError, match="is not the index asked for: "):
        build_index(store, options.pop("rule"), tmp_path / "index", **options)


def test_a_failure_leaves_nothing(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: IndexWriter) -> None:
        raise IndexingError("made to fail")

    monkeypatch.setattr(IndexWriter, "commit", fails)
    with pytest.raises(IndexingError, match="made to fail"):
        build_index(store, RULE, tmp_path / "index")
    assert list(tmp_path.iterdir()) == []


def test_a_rule_of_several_columns(make_store: StoreMaker, tmp_path: Path) -> None:
    pages = {"a": "<p>plain words stay here</p><p><a href='/'>linked words go away</a></p>"}
    rule = parse_rule("words>=2 & link_density<=0.33")
    manifest = build_index(make_store(pages), rule, tmp_path / "index")
    assert manifest.recipe.cleaner_text == str(rule)
    assert search_index(tmp_path / "index", {"1": "plain", "2": "linked"}, BM25())["2"] == []


def test_a_rule_that_keeps_nothing(store: BlockStore, tmp_path: Path) -> None:
    manifest = build_index(store, parse_rule("words>=5000"), tmp_path / "index")
    assert (manifest.documents, manifest.tokens, manifest.empty) == (0, 0, store.documents)
    assert search_index(tmp_path / "index", {"1": "pony"}, BM25()) == {"1": []}


def test_one_writer_an_index_and_others_beside_it_are_free(
    store: BlockStore, tmp_path: Path
) -> None:
    held = only_writer(tmp_path, ".index.lock")
    with held, pytest.raises(OutputError, match=r"another --output"):
        # the kernel's locks are of open files, so one process can stand for two
        build_index(store, parse_rule("words>=3"), tmp_path / "index")
    with only_writer(tmp_path, ".index.lock"):
        build_index(store, parse_rule("words>=3"), tmp_path / "other")
    build_index(store, parse_rule("words>=3"), tmp_path / "index")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index", "other"]
