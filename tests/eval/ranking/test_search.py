"""search: what SimpleSearcher finds, with the analyzer and texts of the index, or feedback."""
# ruff: noqa: RUF001

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, IndexingError, UsageError
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import (
    BM25,
    RM3,
    Classic,
    QueryLikelihood,
    Rocchio,
    SearchOptions,
    search_index,
)
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.ranking.formulas import RankingModel, exact_formula
from boilersweep.eval.ranking.runs import Run, as_written, read_run
from boilersweep.eval.ranking.search import (
    StoredDocument,
    stored_documents,
)
from boilersweep.indexer import (
    AnalyzerOptions,
    IndexLayout,
    IndexOptions,
    build_index,
    build_parallel_indexes,
)
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter
from boilersweep.indexer.manifest import MANIFEST
from tests.anserini_network import INDEXES, answer
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search") / "index"
    build_index(
        store, "words>=1", path, IndexOptions(layout=IndexLayout(docvectors=True))
    )
    return path


def docids(index: Path, query: str, **options: Any) -> list[str]:
    return [
        docid for docid, _ in search_index(index, {"q": query}, BM25(), **options)["q"]
    ]


@pytest.mark.parametrize("query", ["the of and", "", " ", "?!", "...", "\u0000"])
def test_a_query_without_a_token_finds_nothing(index: Path, query: str) -> None:
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["1"] == []
    assert search_index(index, {"1": query, "2": "pony"}, BM25())["2"]


@pytest.mark.parametrize(
    "query",
    [
        "😀",
        "𝒳𝓎𝓏",
        'says "hello"',
        "face:😀 AND (hello* OR [a TO b])",
        "hello~2^3 \\ / {",
    ],
)
def test_signs_are_only_text(index: Path, query: str) -> None:
    assert docids(index, query)[0] == "emoji"


def test_topic_ids_stay_strings(index: Path) -> None:
    assert list(
        search_index(index, {"007": "pony", "7": "zebra", "ü 😀": "lynx"}, BM25())
    ) == [
        "007",
        "7",
        "ü 😀",
    ]


def test_hits_are_the_most_a_topic_gets(index: Path) -> None:
    everything = docids(index, "pony zebra otter")
    assert len(everything) > 20
    assert docids(index, "pony zebra otter", hits=7) == everything[:7]


def test_the_analyzer_is_the_indexs_own(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(
        {"one": "<p>running ponies</p>", "two": "<p>the run of a pony</p>"}
    )
    rule = parse_rule("words>=1")
    build_index(store, rule, tmp_path / "porter")
    build_index(
        store,
        rule,
        tmp_path / "none",
        IndexOptions(analyzer=AnalyzerOptions(stemmer="none")),
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


def test_an_index_that_boilersweep_did_not_make_is_searched_in_english(
    tmp_path: Path, java: None
) -> None:
    from tests.pyserini_lucene import LuceneIndexer

    indexer = LuceneIndexer(str(tmp_path / "theirs"), threads=1)
    indexer.add_doc_raw('{"id": "one", "contents": "running ponies"}')
    indexer.close()
    assert docids(tmp_path / "theirs", "the pony runs") == ["one"]


def test_a_manifest_alone_is_a_damaged_index(tmp_path: Path) -> None:
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
        assert (
            f"got {folder}, which holds 9; name one of them: {tmp_path}/sweep/ind"
            in message
        )
        assert message.endswith("words-3, " + f"{tmp_path}/sweep/indexes/words-4, ...")


@pytest.mark.parametrize("model", [BM25(), Classic()])
def test_relative_paths_are_those_of_python(
    store: BlockStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: RankingModel,
) -> None:
    """Java keeps the working directory that it was started in."""
    monkeypatch.chdir(tmp_path)
    (index,) = build_parallel_indexes(
        store, [Variant.at_least("words", 2.0)], Path("indexes")
    )
    assert not index.path.is_absolute()
    found = search_index(index.path, {"1": "pony"}, model)
    assert found == search_index(tmp_path / index.path, {"1": "pony"}, model)
    assert found["1"]


def test_a_damaged_index_is_an_error(store: BlockStore, tmp_path: Path) -> None:
    (index,) = build_parallel_indexes(store, [Variant.at_least("words", 2.0)], tmp_path)
    for path in index.path.glob("_0*"):
        path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(
        IndexingError, match=r"words-002: .*; it is damaged, or of another version"
    ):
        docids(index.path, "pony")


MARKED = "\ufeffb"  # pyjnius drops the first character of such a docid


def make_index(path: Path, *, stored: bool, **fields: str) -> Path:
    from jnius import autoclass

    maker = DocumentMaker(IndexLayout(contents=stored), str)
    writer = IndexWriter(path, make_analyzer(AnalyzerOptions()), 16.0)
    documents: Any = autoclass("java.util.ArrayList")()
    for docid in ("a", MARKED):
        document = maker.document(docid, KeptText(f"text of {docid[-1]} 😀"))
        for name, value in fields.items():
            document.add(
                autoclass("org.apache.lucene.document.StoredField")(name, value)
            )
        documents.add(document)
    writer.add(documents)
    writer.commit()
    return path


@pytest.mark.usefixtures("java")
def test_stored_fields_are_read(tmp_path: Path) -> None:
    index = make_index(
        tmp_path / "index", stored=True, title="A title", url="http://x/"
    )
    assert stored_documents(index, [MARKED, "a", MARKED]) == [
        StoredDocument("A title", "http://x/", f"text of {name} 😀") for name in "bab"
    ]


@pytest.mark.usefixtures("java")
def test_the_text_of_raw_is_read(tmp_path: Path) -> None:
    raw = '{"id": "a", "contents": "of raw"}'
    index = make_index(tmp_path / "index", stored=False, date="2006-01-31", raw=raw)
    assert stored_documents(index, ["a"]) == [
        StoredDocument(text="of raw", date="2006-01-31")
    ]


@pytest.mark.usefixtures("java")
def test_what_is_not_stored_is_empty(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", stored=False)
    assert stored_documents(index, ["a"]) == [StoredDocument()]
    assert stored_documents(index, []) == []


@pytest.mark.usefixtures("java")
def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match="no index in"):
        stored_documents(tmp_path, ["a"])


QUERIES = {
    "1": "pony zebra",
    "2": "word3 word7 otter",
    "3": "heron",
    "4": "lynx lynx word11",
}
MODELS: list[tuple[RankingModel, Sequence[str]]] = [
    (RM3(), ("-bm25", "-rm3")),
    (
        RM3(BM25(1.2, 0.75), fb_terms=4, fb_docs=3, original_query_weight=0.2),
        (
            *(
                "-bm25",
                "-bm25.k1",
                "1.2",
                "-bm25.b",
                "0.75",
                "-rm3",
                "-rm3.fbTerms",
                "4",
            ),
            *("-rm3.fbDocs", "3", "-rm3.originalQueryWeight", "0.2"),
        ),
    ),
    (
        RM3(filter_terms=False, fb_terms=30),
        ("-bm25", "-rm3", "-rm3.fbTerms", "30", "-rm3.noTermFilter"),
    ),
    (RM3(QueryLikelihood()), ("-qld", "-rm3")),
    (Rocchio(), ("-bm25", "-rocchio")),
    (
        Rocchio(top_fb_terms=5, top_fb_docs=4, alpha=0.5, beta=1),
        (
            *(
                "-bm25",
                "-rocchio",
                "-rocchio.topFbTerms",
                "5",
                "-rocchio.topFbDocs",
                "4",
            ),
            *("-rocchio.alpha", "0.5", "-rocchio.beta", "1"),
        ),
    ),
    (
        Rocchio(bottom_fb_terms=8, bottom_fb_docs=6, gamma=0.3, use_negative=True),
        (
            *(
                "-bm25",
                "-rocchio",
                "-rocchio.bottomFbTerms",
                "8",
                "-rocchio.bottomFbDocs",
                "6",
            ),
            *("-rocchio.gamma", "0.3", "-rocchio.useNegative"),
        ),
    ),
    (Rocchio(QueryLikelihood()), ("-qld", "-rocchio")),
]


@pytest.fixture(scope="session")
def anserini_network(java: None) -> None:
    """Answer Anserini 2, which asks whether an index's path is the name of a prebuilt one."""
    answer(INDEXES)


@pytest.fixture
def search_collection(anserini_network: None, tmp_path: Path) -> Callable[..., Run]:
    def search(index: Path, arguments: Sequence[str]) -> Run:
        from jnius import autoclass

        lines = [f"{topic}\t{text}\n" for topic, text in QUERIES.items()]
        (tmp_path / "topics.tsv").write_text("".join(lines))
        autoclass("io.anserini.search.SearchCollection").main(
            [
                *("-index", str(index), "-topics", str(tmp_path / "topics.tsv")),
                *("-topicReader", "TsvString", "-output", str(tmp_path / "run.txt")),
                *("-hits", "1000", *arguments),
            ]
        )
        return read_run(tmp_path / "run.txt")

    return search


@pytest.mark.parametrize(
    ("model", "arguments"), MODELS, ids=[str(model) for model, _ in MODELS]
)
def test_runs_are_those_of_anserinis_command(
    index: Path,
    search_collection: Callable[..., Run],
    model: RankingModel,
    arguments: Sequence[str],
) -> None:
    theirs = search_collection(index, arguments)
    ours = search_index(index, QUERIES, model)
    assert sum(map(len, ours.values())) > 80
    assert as_written(ours) == theirs
    first: RankingModel = BM25() if "-bm25" in arguments else QueryLikelihood()
    assert ours != search_index(index, QUERIES, first)


def test_an_engine_of_indexes_stores_what_feedback_reads(
    store: BlockStore, index: Path, tmp_path: Path
) -> None:
    variants = [Variant.at_least("words", 1.0)]
    for model in (RM3(), Rocchio()):
        options = SearchOptions(model=model)
        engine = parallel_engine(
            store, variants, QUERIES, tmp_path / "indexes", options
        )
        assert engine.run(variants[0]).run == search_index(index, QUERIES, model)


@pytest.mark.parametrize("model", [RM3(), Rocchio()], ids=str)
def test_a_query_of_3000_terms(index: Path, model: RankingModel) -> None:
    words = " ".join(f"unknown{number}" for number in range(3000))
    found = search_index(index, {"1": f"heron {words}"}, model)
    assert len(found["1"]) >= len(search_index(index, {"1": "heron"}, BM25())["1"]) > 0


def test_the_exact_engine_has_no_feedback() -> None:
    for model in (RM3(), Rocchio()):
        with pytest.raises(UsageError, match="`engine` indexes"):
            exact_formula(model)


def test_names_say_all_that_counts() -> None:
    assert (
        str(RM3())
        == "bm25(k1=0.9,b=0.4)+rm3(fbTerms=10,fbDocs=10,originalQueryWeight=0.5)"
    )
    assert str(RM3(QueryLikelihood(), filter_terms=False)).endswith(
        "=0.5,noTermFilter)"
    )
    assert str(Rocchio()) == (
        "bm25(k1=0.9,b=0.4)+rocchio(topFbTerms=10,topFbDocs=10,alpha=1,beta=0.75)"
    )
    assert "gamma=0.15,bottomFbTerms=10,bottomFbDocs=10,useNegative" in str(
        Rocchio(use_negative=True)
    )


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: RM3(fb_terms=0), "fb_terms: expected a number from 1"),
        (lambda: RM3(fb_docs=0), "fb_docs: expected"),
        (lambda: RM3(original_query_weight=1.1), "from 0 to 1, got 1.1"),
        (lambda: Rocchio(top_fb_docs=0), "expected a number from 1"),
        (lambda: Rocchio(bottom_fb_terms=0), "expected a number from 1"),
        (lambda: Rocchio(beta=-1), "at least 0, got -1"),
        (lambda: Rocchio(alpha=float("nan")), "at least 0, got nan"),
    ],
)
def test_parameters_out_of_range_are_refused(
    make: Callable[[], RankingModel], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        make()
