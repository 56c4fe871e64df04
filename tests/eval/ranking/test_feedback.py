"""RM3 and Rocchio: the runs of Anserini's own command on our indexes, digit by digit."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from boilersweep.cleaners.language.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.ranking.engines import IndexEngine, SearchOptions
from boilersweep.eval.ranking.formula import RankingModel, exact_formula
from boilersweep.eval.ranking.models import BM25, RM3, QueryLikelihood, Rocchio
from boilersweep.eval.ranking.runs import Run, as_written, read_run
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.options import IndexOptions
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore

pytestmark = pytest.mark.java

QUERIES = {"1": "pony zebra", "2": "word3 word7 otter", "3": "heron", "4": "lynx lynx word11"}
MODELS: list[tuple[RankingModel, Sequence[str]]] = [
    (RM3(), ("-bm25", "-rm3")),
    (
        RM3(BM25(1.2, 0.75), fb_terms=4, fb_docs=3, original_query_weight=0.2),
        (
            *("-bm25", "-bm25.k1", "1.2", "-bm25.b", "0.75", "-rm3", "-rm3.fbTerms", "4"),
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
            *("-bm25", "-rocchio", "-rocchio.topFbTerms", "5", "-rocchio.topFbDocs", "4"),
            *("-rocchio.alpha", "0.5", "-rocchio.beta", "1"),
        ),
    ),
    (
        Rocchio(bottom_fb_terms=8, bottom_fb_docs=6, gamma=0.3, use_negative=True),
        (
            *("-bm25", "-rocchio", "-rocchio.bottomFbTerms", "8", "-rocchio.bottomFbDocs", "6"),
            *("-rocchio.gamma", "0.3", "-rocchio.useNegative"),
        ),
    ),
    (Rocchio(QueryLikelihood()), ("-qld", "-rocchio")),
]


@pytest.fixture(scope="module")
def index(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("feedback") / "index"
    build_index(store, "words>=1", path, IndexOptions(layout=IndexLayout(docvectors=True)))
    return path


@pytest.fixture
def search_collection(java: None, tmp_path: Path) -> Callable[..., Run]:
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


@pytest.mark.parametrize(("model", "arguments"), MODELS, ids=[str(model) for model, _ in MODELS])
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
        engine = IndexEngine(store, variants, QUERIES, tmp_path / "indexes", options)
        assert engine.run(variants[0]).run == search_index(index, QUERIES, model)


@pytest.mark.parametrize("model", [RM3(), Rocchio()], ids=str)
def test_a_query_of_3000_terms(index: Path, model: RankingModel) -> None:
    words = " ".join(f"unknown{number}" for number in range(3000))
    found = search_index(index, {"1": f"heron {words}"}, model)
    assert len(found["1"]) >= len(search_index(index, {"1": "heron"}, BM25())["1"]) > 0


def test_the_exact_engine_has_no_feedback() -> None:
    for model in (RM3(), Rocchio()):
        with pytest.raises(UsageError, match="--engine indexes"):
            exact_formula(model)


def test_names_say_all_that_counts() -> None:
    assert str(RM3()) == "bm25(k1=0.9,b=0.4)+rm3(fbTerms=10,fbDocs=10,originalQueryWeight=0.5)"
    assert str(RM3(QueryLikelihood(), filter_terms=False)).endswith("=0.5,noTermFilter)")
    assert str(Rocchio()) == (
        "bm25(k1=0.9,b=0.4)+rocchio(topFbTerms=10,topFbDocs=10,alpha=1,beta=0.75)"
    )
    assert "gamma=0.15,bottomFbTerms=10,bottomFbDocs=10,useNegative" in str(
        Rocchio(use_negative=True)
    )


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: RM3(fb_terms=0), "rm3: fb_terms: expected a number from 1"),
        (lambda: RM3(fb_docs=0), "rm3: fb_docs: expected"),
        (lambda: RM3(original_query_weight=1.1), "from 0 to 1, got 1.1"),
        (lambda: Rocchio(top_fb_docs=0), "expected a number from 1"),
        (lambda: Rocchio(bottom_fb_terms=0), "expected a number from 1"),
        (lambda: Rocchio(beta=-1), "at least 0, got -1"),
        (lambda: Rocchio(alpha=float("nan")), "at least 0, got nan"),
    ],
)
def test_parameters_out_of_range_are_refused(make: Callable[[], RankingModel], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        make()
