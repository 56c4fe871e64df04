"""search: what SimpleSearcher finds, with the analyzer the index was built with."""
# ruff: noqa: RUF001

from pathlib import Path
from typing import Any

import pytest

from boilersweep.cleaners.parsing import parse_rule
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import IndexingError, UsageError
from boilersweep.eval.ranking_models import BM25, Classic, QueryLikelihood, RankingModel
from boilersweep.eval.search import HITS, search_index
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.manifest import MANIFEST
from boilersweep.indexer.parallel import build_parallel_indexes
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexes")
    return build_parallel_indexes(store, [Variant.at_least("words", 1.0)], folder)[0].path


def docids(index: Path, query: str, **options: Any) -> list[str]:
    return [docid for docid, _ in search_index(index, {"q": query}, BM25(), **options)["q"]]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("model", "setting"),
    [
        (BM25(), ("set_bm25", 0.9, 0.4)),
        (BM25(2.0, 0.0), ("set_bm25", 2.0, 0.0)),
        (QueryLikelihood(), ("set_qld", 1000.0)),
        (QueryLikelihood(50.0), ("set_qld", 50.0)),
    ],
)
def test_hits_are_those_of_simple_searcher(
    index: Path, model: RankingModel, setting: tuple[Any, ...], threads: int
) -> None:
    from jnius import autoclass

    queries = {"1": "pony zebra", "2": "word3 word7 otter", "3": "heron", "10": "nowhereatall"}
    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(index))
    getattr(searcher, setting[0])(*setting[1:])
    expected = {
        topic: [(hit.docid, hit.score) for hit in searcher.search(text, HITS)]
        for topic, text in queries.items()
    }
    searcher.close()
    found = search_index(index, queries, model, threads=threads)
    assert found == expected
    assert list(found) == list(queries)
    assert found["1"]
    assert found["10"] == []


def test_models_differ(index: Path) -> None:
    models = (BM25(), BM25(2.0, 0.9), QueryLikelihood())
    runs = [search_index(index, {"1": "pony word3"}, model)["1"] for model in models]
    assert runs[0] != runs[1]
    assert runs[0] != runs[2]


@pytest.mark.parametrize("query", ["the of and", "", " ", "?!", "...", "\u0000"])
def test_a_query_without_a_token_finds_nothing(index: Path, query: str) -> None:
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["1"] == []
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["2"]


@pytest.mark.parametrize(
    "query", ["😀", "𝒳𝓎𝓏", 'says "hello"', "face:😀 AND (hello* OR [a TO b])", "hello~2^3 \\ / {"]
)
def test_signs_are_only_text(index: Path, query: str) -> None:
    assert docids(index, query)[0] == "emoji"


def test_topic_ids_stay_strings(index: Path) -> None:
    assert list(search_index(index, {"007": "pony", "7": "zebra", "ü 😀": "lynx"}, BM25())) == [
        "007",
        "7",
        "ü 😀",
    ]


def test_hits_are_the_most_a_topic_gets(index: Path) -> None:
    everything = docids(index, "pony zebra otter")
    assert len(everything) > 20
    assert docids(index, "pony zebra otter", hits=7) == everything[:7]


@pytest.mark.parametrize("hits", [0, -1])
def test_fewer_than_one_hit_is_a_usage_error(index: Path, hits: int) -> None:
    with pytest.raises(UsageError, match=f"at least 1, got {hits}"):
        docids(index, "pony", hits=hits)


def test_the_analyzer_is_the_indexs_own(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store({"one": "<p>running ponies</p>", "two": "<p>the run of a pony</p>"})
    rule = parse_rule("words>=1")
    build_index(store, rule, tmp_path / "porter")
    build_index(store, rule, tmp_path / "none", analyzer=AnalyzerOptions(stemmer="none"))
    raw = AnalyzerOptions(pretokenized=True)
    build_index(store, rule, tmp_path / "raw", analyzer=raw)
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


def test_an_index_that_boilersweep_did_not_make_is_searched_in_english(
    tmp_path: Path, java: None
) -> None:
    from pyserini.index.lucene import LuceneIndexer

    indexer = LuceneIndexer(str(tmp_path / "theirs"), threads=1)
    indexer.add_doc_raw('{"id": "one", "contents": "running ponies"}')
    indexer.close()
    assert docids(tmp_path / "theirs", "the pony runs") == ["one"]


def test_no_index_is_an_error_that_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=r"no index in .*nothing: .*got nothing there; build"):
        docids(tmp_path / "nothing", "pony")
    (tmp_path / "file").touch()
    with pytest.raises(IndexingError, match=r"no index in .*got a file"):
        docids(tmp_path / "file", "pony")
    (tmp_path / MANIFEST).touch()
    with pytest.raises(IndexingError, match=r"is damaged: .*no file segments_N"):
        docids(tmp_path, "pony")


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


def test_a_folder_that_is_no_index_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=str(tmp_path)):
        docids(tmp_path, "pony")


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


def test_a_damaged_index_is_an_error(store: BlockStore, tmp_path: Path) -> None:
    (index,) = build_parallel_indexes(store, [Variant.at_least("words", 2.0)], tmp_path)
    for path in index.path.glob("_0*"):
        path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(IndexingError, match=r"words-002: .*; it is damaged, or of another version"):
        docids(index.path, "pony")


@pytest.mark.parametrize(("k1", "b"), [(-0.1, 0.4), (0.9, 1.1), (0.9, -0.1), (float("nan"), 0.4)])
def test_parameters_of_bm25_out_of_range(k1: float, b: float) -> None:
    with pytest.raises(UsageError, match="expected k1 of at least 0 and b from 0 to 1"):
        BM25(k1, b)


def test_names_of_models() -> None:
    assert str(BM25()) == "bm25(k1=0.9,b=0.4)"
    assert str(QueryLikelihood()) == "qld(mu=1000)"
