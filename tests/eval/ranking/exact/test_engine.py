"""The exact engine against real Lucene indexes: every hit of every variant, score by score."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from boilersweep import BlockStore, UsageError, collect_variants, segment_collection
from boilersweep.cleaners.syntax.variants import Grid, Variant, parse_sweep
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood, SearchOptions
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.ranking.exact.divided import RowFiles
from boilersweep.eval.ranking.exact.engine import ExactEngine, GridEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.indexer import AnalyzerOptions

pytestmark = pytest.mark.java

RULES = (
    "density>=5 & link_density<=0.33",
    "words>=3 | link_words==0",
    "!(words>=2 & words<12)",
    "link_density>0.5",
    "words<=2",
    "words>=1000",
)
VARIANTS = collect_variants(["words=1:40", "density=1:12"], RULES)
MODELS: tuple[RankingModel, ...] = (
    BM25(),
    BM25(1.2, 0.75),
    BM25(0.0, 1.0),
    QueryLikelihood(),
    QueryLikelihood(50.0),
    Classic(),
)


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parallel")


@pytest.mark.parametrize("hits", [1000, 7])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_hit_is_that_of_an_index(
    store: BlockStore,
    queries: Mapping[str, str],
    indexes: Path,
    model: RankingModel,
    hits: int,
) -> None:
    options = SearchOptions(model, hits=hits)
    exact = ExactEngine(store, VARIANTS, queries, options)
    real = parallel_engine(store, VARIANTS, queries, indexes, options)
    compared = 0
    for variant in VARIANTS:
        expected = real.run(variant)
        assert exact.run(variant) == expected, variant
        assert expected.documents + expected.empty == store.documents
        compared += sum(map(len, expected.run.values()))
    assert compared > 25 * hits


def test_a_run_does_not_depend_on_other_variants_topics_or_hits(
    store: BlockStore, queries: Mapping[str, str]
) -> None:
    engine = ExactEngine(store, VARIANTS, queries, SearchOptions())
    some = VARIANTS[-6:]
    forwards = [engine.run(variant) for variant in some]
    assert [engine.run(variant) for variant in reversed(some)] == forwards[::-1]
    for variant, together in zip(some, forwards, strict=True):
        alone = ExactEngine(store, [variant], queries, SearchOptions(hits=3)).run(
            variant
        )
        assert alone.run == {topic: hits[:3] for topic, hits in together.run.items()}


@pytest.mark.parametrize(
    "analyzer",
    [
        AnalyzerOptions(stemmer="krovetz"),
        AnalyzerOptions(stemmer="none", keep_stopwords=True),
        AnalyzerOptions(pretokenized=True),
        AnalyzerOptions(identifiers=True),
    ],
    ids=str,
)
def test_other_analyzers(
    store: BlockStore,
    queries: Mapping[str, str],
    analyzer: AnalyzerOptions,
    tmp_path: Path,
) -> None:
    variants, options = [VARIANTS[0], VARIANTS[10]], SearchOptions(analyzer=analyzer)
    exact = ExactEngine(store, variants, queries, options)
    real = parallel_engine(store, variants, queries, tmp_path, options)
    for variant in variants:
        expected = real.run(variant)
        assert sum(map(len, expected.run.values())) > 500
        assert exact.run(variant) == expected


@pytest.mark.parametrize(
    "queries", [{}, {"1": ""}, {"1": "the of", "2": "nowhereatall"}], ids=len
)
@pytest.mark.parametrize("model", [*MODELS[1:], Lucene29()], ids=str)
def test_queries_without_a_term_of_the_collection(
    store: BlockStore, queries: Mapping[str, str], model: RankingModel
) -> None:
    found = ExactEngine(store, VARIANTS[1:2], queries, SearchOptions(model)).run(
        VARIANTS[1]
    )
    assert found.run == {topic: [] for topic in queries}
    assert found.documents > 100


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_document_as_a_query(tmp_path: Path, model: RankingModel) -> None:
    """3,000 distinct terms, beyond the 1,024 clauses that Lucene allows by default."""
    dice = random.Random(4)  # noqa: S311
    words = [f"term{number}" for number in range(3000)]
    (tmp_path / "pages").mkdir()
    for number in range(30):
        blocks = [dice.choices(words, k=dice.randint(1, 60)) for _ in range(50)]
        text = "".join(f"<p>{' '.join(block)}" for block in blocks)
        (tmp_path / f"pages/{number}.html").write_text(text)
    store = segment_collection(tmp_path / "pages", tmp_path / "store")
    variant, options = Variant.at_least("words", 10.0), SearchOptions(model)
    queries = {
        "long": " ".join(words),
        "twice": " ".join(words[:1500] * 2),
        "short": "term7",
    }
    found = ExactEngine(store, [variant], queries, options).run(variant)
    real = parallel_engine(store, [variant], queries, tmp_path / "indexes", options)
    assert found == real.run(variant)
    assert len(found.run["long"]) == 30


def test_fewer_than_one_hit_are_refused(store: BlockStore, tmp_path: Path) -> None:
    queries, none = {"1": "ponies"}, SearchOptions(hits=0)
    grid = Grid(parse_sweep("words=1"), parse_sweep("density=1"))
    for search in (
        lambda: ExactEngine(store, VARIANTS[:1], queries, none).run(VARIANTS[0]),
        lambda: GridEngine(store, grid, queries, none),
        lambda: ExactEngine(store, VARIANTS[:1], queries, none, RowFiles(tmp_path)),
    ):
        with pytest.raises(UsageError, match="hits: expected at least 1, got 0"):
            search()
