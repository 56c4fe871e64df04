"""search: what SimpleSearcher finds, with the analyzer and the texts of the index."""
# ruff: noqa: RUF001

from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.language.grammar import parse_rule
from boilersweep.cleaners.language.variants import Variant
from boilersweep.errors import IndexingError
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.models import BM25, Classic
from boilersweep.eval.ranking.search import StoredDocument, search_index, stored_documents
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter
from boilersweep.indexer.manifest import MANIFEST
from boilersweep.indexer.options import IndexOptions
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore
from tests.eval.conftest import MakeStore


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexes")
    return build_parallel_indexes(store, [Variant.at_least("words", 1.0)], folder)[0].path


def docids(index: Path, query: str, **options: Any) -> list[str]:
    return [docid for docid, _ in search_index(index, {"q": query}, BM25(), **options)["q"]]


@pytest.mark.java
@pytest.mark.parametrize("query", ["the of and", "", " ", "?!", "...", "\u0000"])
def test_a_query_without_a_token_finds_nothing(index: Path, query: str) -> None:
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["1"] == []
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["2"]


@pytest.mark.java
@pytest.mark.parametrize(
    "query", ["😀", "𝒳𝓎𝓏", 'says "hello"', "face:😀 AND (hello* OR [a TO b])", "hello~2^3 \\ / {"]
)
def test_signs_are_only_text(index: Path, query: str) -> None:
    assert docids(index, query)[0] == "emoji"


@pytest.mark.java
def test_topic_ids_stay_strings(index: Path) -> None:
    assert list(search_index(index, {"007": "pony", "7": "zebra", "ü 😀": "lynx"}, BM25())) == [
        "007",
        "7",
        "ü 😀",
    ]


@pytest.mark.java
def test_hits_are_the_most_a_topic_gets(index: Path) -> None:
    everything = docids(index, "pony zebra otter")
    assert len(everything) > 20
    assert docids(index, "pony zebra otter", hits=7) == everything[:7]


@pytest.mark.java
def test_the_analyzer_is_the_indexs_own(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store({"one": "<p>running ponies</p>", "two": "<p>the run of a pony</p>"})
    rule = parse_rule("words>=1")
    build_index(store, rule, tmp_path / "porter")
    build_index(
        store, rule, tmp_path / "none", IndexOptions(analyzer=AnalyzerOptions(stemmer="none"))
    )
    raw = AnalyzerOptions(pretokenized=True)
    build_index(store, rule, tmp_path / "raw", IndexOptions(analyzer=raw))
    assert sorted(docids(tmp_path / "porter", "pony")) == ["one", "two"]
    assert docids(tmp_path / "none", "pony") == ["two"]
    assert docids(tmp_path / "none", "the") == []
    assert docids(tmp_path / "raw", "the") == ["two"]
    assert docids(tmp_path / "raw", "Running") == []
    queries = {"1": "Ponies"}
    assert search_index(tmp_path / "raw", queries, BM25())["1"] == []
    other = search_index(
        tmp_path / "raw", queries, BM25(), analyzer=AnalyzerOptions(stemmer="none")
    )
    assert [docid for docid, _ in other["1"]] == ["one"]


@pytest.mark.java
def test_an_index_that_boilersweep_did_not_make_is_searched_in_english(
    tmp_path: Path, java: None
) -> None:
    from pyserini.index.lucene import LuceneIndexer

    indexer = LuceneIndexer(str(tmp_path / "theirs"), threads=1)
    indexer.add_doc_raw('{"id": "one", "contents": "running ponies"}')
    indexer.close()
    assert docids(tmp_path / "theirs", "the pony runs") == ["one"]


@pytest.mark.java
def test_a_manifest_alone_is_a_damaged_index(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).touch()
    with pytest.raises(IndexingError, match=r"is damaged: .*no file segments_N"):
        docids(tmp_path, "pony")


@pytest.mark.java
def test_a_folder_of_indexes_is_an_error_that_names_them(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / "sweep" / "indexes" / f"words-{number}").mkdir(parents=True)
        (tmp_path / "sweep" / "indexes" / f"words-{number}" / MANIFEST).touch()
    for folder in (tmp_path / "sweep", tmp_path / "sweep" / "indexes"):
        with pytest.raises(IndexingError) as caught:
            docids(folder, "pony")
        message = str(caught.value)
        assert f"got {folder}, which holds 9; name one of them: {tmp_path}/sweep/ind" in message
        assert message.endswith("words-3, " + f"{tmp_path}/sweep/indexes/words-4, ...")


@pytest.mark.java
@pytest.mark.parametrize("model", [BM25(), Classic()])
def test_relative_paths_are_those_of_python(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: RankingModel
) -> None:
    """Java keeps the working directory that it was started in."""
    monkeypatch.chdir(tmp_path)
    (index,) = build_parallel_indexes(store, [Variant.at_least("words", 2.0)], Path("indexes"))
    assert not index.path.is_absolute()
    found = search_index(index.path, {"1": "pony"}, model)
    assert found == search_index(tmp_path / index.path, {"1": "pony"}, model)
    assert found["1"]


@pytest.mark.java
def test_a_damaged_index_is_an_error(store: BlockStore, tmp_path: Path) -> None:
    (index,) = build_parallel_indexes(store, [Variant.at_least("words", 2.0)], tmp_path)
    for path in index.path.glob("_0*"):
        path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(IndexingError, match=r"words-002: .*; it is damaged, or of another version"):
        docids(index.path, "pony")


MARKED = "\ufeffb"  # pyjnius drops the first character of such a docid


def make_index(path: Path, *, stored: bool, **fields: str) -> Path:
    from jnius import autoclass

    maker = DocumentMaker(IndexLayout(contents=stored))
    writer = IndexWriter(path, make_analyzer(AnalyzerOptions()), 16.0)
    documents: Any = autoclass("java.util.ArrayList")()
    for docid in ("a", MARKED):
        document = maker.document(docid, KeptText(f"text of {docid[-1]} 😀"))
        for name, value in fields.items():
            document.add(autoclass("org.apache.lucene.document.StoredField")(name, value))
        documents.add(document)
    writer.add(documents)
    writer.commit()
    return path


@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_stored_fields_are_read(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", stored=True, title="A title", url="http://x/")
    assert stored_documents(index, [MARKED, "a", MARKED]) == [
        StoredDocument("A title", "http://x/", f"text of {name} 😀") for name in "bab"
    ]


@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_the_text_of_raw_is_read(tmp_path: Path) -> None:
    raw = '{"id": "a", "contents": "of raw"}'
    index = make_index(tmp_path / "index", stored=False, date="2006-01-31", raw=raw)
    assert stored_documents(index, ["a"]) == [StoredDocument(text="of raw", date="2006-01-31")]


@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_what_is_not_stored_is_empty(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", stored=False)
    assert stored_documents(index, ["a"]) == [StoredDocument()]
    assert stored_documents(index, []) == []


@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match="no index in"):
        stored_documents(tmp_path, ["a"])
