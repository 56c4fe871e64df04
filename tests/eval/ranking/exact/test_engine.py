"""The exact engine against real Lucene indexes: every hit of every threshold, score by score."""

import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from boilersweep.cleaners.language.grammar import parse_rule
from boilersweep.cleaners.language.variants import Variant, collect_variants, parse_sweep
from boilersweep.errors import UsageError
from boilersweep.eval.ranking.exact.engine import ExactRun, ExactSweep
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.models import BM25, Classic, Lucene29, QueryLikelihood
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.options import ParallelOptions
from boilersweep.indexer.parallel import ParallelIndex, build_parallel_indexes
from boilersweep.indexer.single import build_index
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.store.store import BlockStore
from boilersweep.topics import read_topics

pytestmark = pytest.mark.java

SWEEPS = ("words=1:40", "density=1:12")
THRESHOLDS = collect_variants(tuple(map(parse_sweep, SWEEPS)))
MODELS: tuple[RankingModel, ...] = (
    *(BM25(), BM25(1.2, 0.75), BM25(0.0, 1.0)),
    *(QueryLikelihood(), QueryLikelihood(50.0), Classic()),
)

RULES = (
    "density>=5 & link_density<=0.33",
    "words>=3 | link_words==0",
    "!(words>=2 & words<12)",
    "link_density>0.5",
    "words<=2",
    "words>=1000",
    "words>=1",
)


@pytest.fixture(scope="module")
def indexes(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> list[ParallelIndex]:
    return build_parallel_indexes(store, THRESHOLDS, tmp_path_factory.mktemp("parallel"))


@pytest.fixture(scope="module", params=MODELS, ids=str)
def model(request: pytest.FixtureRequest) -> RankingModel:
    chosen: RankingModel = request.param
    return chosen


@pytest.fixture(scope="module")
def sweep(store: BlockStore, queries: Mapping[str, str], model: RankingModel) -> ExactSweep:
    rules = [threshold.cleaner for threshold in THRESHOLDS]
    return ExactSweep(store, rules, queries, model)


@pytest.mark.parametrize("hits", [1000, 7])
def test_every_hit_is_that_of_an_index(
    indexes: list[ParallelIndex],
    sweep: ExactSweep,
    model: RankingModel,
    queries: Mapping[str, str],
    hits: int,
) -> None:
    compared = 0
    for number, index in enumerate(indexes):
        expected = search_index(index.path, queries, model, hits=hits)
        manifest = index.manifest
        assert sweep.run(number, hits) == ExactRun(manifest.documents, manifest.tokens, expected), (
            index.variant.name
        )
        compared += sum(map(len, expected.values()))
    assert compared > 25 * hits


def test_the_collection_has_what_can_go_wrong(
    store: BlockStore, queries: Mapping[str, str]
) -> None:
    """Ties at the cut, documents that fall away, queries without a hit and with very many."""
    rules = [threshold.cleaner for threshold in THRESHOLDS]
    sweep = ExactSweep(store, rules, queries, BM25(0.9, 0.4))
    runs = [sweep.run(number, 1000) for number in range(len(rules))]
    documents = [found.documents for found in runs]
    assert documents[0] > 150
    assert min(documents) < 100
    everything = runs[0].run
    without = {topic for topic, hits in everything.items() if not hits}
    assert without >= {"o0", "o1", "o2", "o3", "o4"}  # stop words, unknown ones, none
    assert len(without) < 10
    assert max(map(len, everything.values())) > 140
    tied = [
        topic
        for topic, hits in everything.items()
        if len(hits) > 7 and 0 < hits[6][1] - hits[7][1] < 5e-6
    ]
    assert len(tied) >= 5
    assert any(docid == "ünï-😀" for docid, _ in everything["o5"])


@pytest.fixture(scope="module")
def single_indexes(
    store: BlockStore, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Path, int, int]]:
    """Path, documents and tokens of an index with positions for each rule."""
    folder = tmp_path_factory.mktemp("single")
    built = {}
    for number, rule in enumerate(RULES):
        manifest = build_index(store, parse_rule(rule), folder / str(number))
        built[rule] = (folder / str(number), manifest.documents, manifest.tokens)
    return built


def test_rules_that_are_no_thresholds(
    store: BlockStore,
    single_indexes: Mapping[str, tuple[Path, int, int]],
    model: RankingModel,
    queries: Mapping[str, str],
) -> None:
    rules = [parse_rule(rule) for rule in RULES]
    sweep = ExactSweep(store, rules, queries, model)
    for number, (rule, (path, documents, tokens)) in enumerate(single_indexes.items()):
        expected = search_index(path, queries, model)
        assert sweep.run(number, 1000) == ExactRun(documents, tokens, expected), rule


def test_a_rule_does_not_depend_on_those_beside_it(
    store: BlockStore, queries: Mapping[str, str]
) -> None:
    rules = [parse_rule(rule) for rule in RULES]
    together = ExactSweep(store, rules, queries, BM25(0.9, 0.4))
    for number, rule in enumerate(rules):
        alone = ExactSweep(store, [rule], queries, BM25(0.9, 0.4))
        assert alone.run(0, 50) == together.run(number, 50)


@pytest.mark.parametrize(
    "options",
    [
        AnalyzerOptions(language="de"),
        AnalyzerOptions(language="zh"),
        AnalyzerOptions(language="pl"),
        AnalyzerOptions(stemmer="krovetz"),
        AnalyzerOptions(stemmer="none", keep_stopwords=True),
        AnalyzerOptions(pretokenized=True),
    ],
    ids=lambda options: f"{options.language}-{options.stemmer}-{options.pretokenized}",
)
def test_other_analyzers(
    store: BlockStore, queries: Mapping[str, str], options: AnalyzerOptions, tmp_path: Path
) -> None:
    thresholds = THRESHOLDS[:1] + THRESHOLDS[10:11]
    rules = [threshold.cleaner for threshold in thresholds]
    sweep = ExactSweep(store, rules, queries, BM25(), analyzer=options)
    built = build_parallel_indexes(store, thresholds, tmp_path, ParallelOptions(analyzer=options))
    for number, index in enumerate(built):
        expected = search_index(index.path, queries, BM25())
        assert sum(map(len, expected.values())) > 500
        assert sweep.run(number, 1000).run == expected


def test_an_analyzer_that_is_not_blockwise_is_refused(store: BlockStore) -> None:
    with pytest.raises(UsageError, match=r"'ja'.*--engine indexes"):
        ExactSweep(
            store,
            [parse_rule("words>=1")],
            {"1": "ponies"},
            BM25(0.9, 0.4),
            analyzer=AnalyzerOptions(language="ja"),
        )


@pytest.mark.parametrize("queries", [{}, {"1": ""}, {"1": "the of", "2": "nowhereatall"}], ids=len)
@pytest.mark.parametrize("model", [*MODELS[1:], Lucene29()], ids=str)
def test_queries_without_a_term_of_the_collection(
    store: BlockStore, queries: Mapping[str, str], model: RankingModel
) -> None:
    found = ExactSweep(store, [parse_rule("words>=2")], queries, model).run(0, 10)
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
    variant = Variant.at_least("words", 10.0)
    (index,) = build_parallel_indexes(store, [variant], tmp_path / "indexes")
    queries = {"long": " ".join(words), "twice": " ".join(words[:1500] * 2), "short": "term7"}
    found = ExactSweep(store, [variant.cleaner], queries, model).run(0, 1000).run
    assert found == search_index(index.path, queries, model)
    assert len(found["long"]) == 30


def test_runs_do_not_depend_on_the_order_they_are_asked_for(
    store: BlockStore, queries: Mapping[str, str]
) -> None:
    rules = [threshold.cleaner for threshold in THRESHOLDS[:5]]
    sweep = ExactSweep(store, rules, queries, BM25(0.9, 0.4))
    forwards = [sweep.run(number, 1000) for number in range(5)]
    assert [sweep.run(number, 1000) for number in reversed(range(5))] == forwards[::-1]
    cut = sweep.run(0, 3).run
    assert cut == {topic: hits[:3] for topic, hits in forwards[0].run.items()}


def test_fewer_than_one_hit_are_refused(store: BlockStore) -> None:
    sweep = ExactSweep(store, [parse_rule("words>=1")], {"1": "ponies"}, BM25(0.9, 0.4))
    with pytest.raises(UsageError, match="at least 1, got 0"):
        sweep.run(0, 0)


def test_real_pages(outside_data: Callable[[str], Path], tmp_path: Path) -> None:
    """Every third day; scripts/compare_engines.py compares all pages and thresholds."""
    newsmix = outside_data("newsmix")
    for day in sorted((newsmix / "trec").iterdir())[::3]:
        shutil.copytree(day, tmp_path / "pages" / day.name)
    store = segment_collection(
        tmp_path / "pages", tmp_path / "store", Segmentation(collection="blogs06")
    )
    assert store.documents > 500
    topics = [t for name in ("open", "traps") for t in read_topics(newsmix / f"topics.{name}.txt")]
    queries = {topic.id: topic.title for topic in topics}
    assert len(queries) == 109
    thresholds = collect_variants((parse_sweep("words=1,11,45"), parse_sweep("density=9,14.5")))
    built = build_parallel_indexes(store, thresholds, tmp_path / "indexes")
    hits = 0
    for model in (BM25(), QueryLikelihood(), Classic()):
        sweep = ExactSweep(store, [t.cleaner for t in thresholds], queries, model)
        for number, index in enumerate(built):
            expected = search_index(index.path, queries, model, threads=2)
            counts = index.manifest.documents, index.manifest.tokens
            assert sweep.run(number, 1000) == ExactRun(*counts, expected), (model, index.variant)
            hits += sum(map(len, expected.values()))
    assert hits > 50_000
