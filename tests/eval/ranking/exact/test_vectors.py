"""Documents ranked by vectors of blocks, against a plain loop over each threshold."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from boilersweep.cleaners.language.grammar import parse_cleaner, parse_rule
from boilersweep.cleaners.language.variants import Grid, Variant, collect_variants, parse_sweep
from boilersweep.errors import StoreError, UsageError
from boilersweep.eval.ranking.engines import SearchOptions
from boilersweep.eval.ranking.exact import top_hits
from boilersweep.eval.ranking.exact.engine import ExactEngine, GridEngine
from boilersweep.eval.ranking.exact.top_hits import docid_ranks, hits_of, ranked
from boilersweep.eval.ranking.exact.vectors import Dense, Hybrid
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.models import BM25, Classic, Lucene29, QueryLikelihood
from boilersweep.eval.ranking.runs import PackedDocids, Run
from boilersweep.store.store import BlockStore
from boilersweep.store.vectors import Vectors, open_vectors
from tests.eval.ranking.exact.test_shares import assert_shares_are_alike
from tests.store.vectors import distinct_texts, write_vectors

pytestmark = pytest.mark.java

DIMENSION = 16
WORDS = BM25(0.9, 0.4)

Scores = dict[str, dict[str, np.float32]]


def encoded(count: int, seed: int, dtype: str = "float32") -> NDArray[np.float32]:
    dice = np.random.default_rng(seed)
    vectors = dice.normal(size=(count, DIMENSION)).astype(np.float32)
    return (vectors * 20).clip(-120, 120).astype(dtype)


def make_vectors(
    folder: Path,
    store: BlockStore,
    queries: Mapping[str, str],
    dtype: str = "float32",
    **options: bool,
) -> Vectors:
    ids = list(distinct_texts(store))
    blocks = (ids, encoded(len(ids), 1, dtype))
    topics = (list(queries), encoded(len(queries), 2, dtype))
    write_vectors(folder, "random", blocks, topics, **options)
    return open_vectors(folder)


@pytest.fixture(scope="module")
def vectors(
    store: BlockStore, queries: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Vectors:
    return make_vectors(tmp_path_factory.mktemp("vectors"), store, queries)


VARIANTS = collect_variants(["words=1:30"])


def engine_of(
    store: BlockStore, queries: Mapping[str, str], model: RankingModel, hits: int = 1000
) -> ExactEngine:
    return ExactEngine(store, VARIANTS, queries, SearchOptions(model, hits=hits))


def best_blocks(
    store: BlockStore,
    variant: Variant,
    queries: Mapping[str, str],
    dtype: str = "float32",
    best: int = 1,
) -> Scores:
    """Topic -> docid -> mean score of its best kept blocks, block by block."""
    texts = {text: number for number, text in enumerate(distinct_texts(store).values())}
    blocks = encoded(len(texts), 1, dtype).astype(np.float64)
    topics = encoded(len(queries), 2, dtype).astype(np.float64)
    found: dict[str, dict[str, list[np.float32]]] = {topic: {} for topic in queries}
    for columns in store.columns():
        kept = parse_rule(str(variant.cleaner)).mask(columns)
        for place in np.flatnonzero(kept).tolist():
            if columns.texts[place] in texts:
                docid = columns.docids[columns.owners[place]]
                vector = blocks[texts[columns.texts[place]]]
                for of_topic, topic in zip(topics, queries, strict=True):
                    found[topic].setdefault(docid, []).append(np.float32(of_topic @ vector))
    return {topic: {d: mean_of_best(s, best) for d, s in of.items()} for topic, of in found.items()}


def mean_of_best(scores: list[np.float32], best: int) -> np.float32:
    chosen = sorted(map(float, scores), reverse=True)[:best]
    return np.float32(sum(chosen) / len(chosen))


def in_order(scores: Mapping[str, np.float32]) -> list[str]:
    return sorted(scores, key=lambda docid: (-scores[docid], docid.encode()))


def run_of(scores: Mapping[str, Mapping[str, np.float32]], hits: int) -> Run:
    run: Run = {}
    for topic, of_topic in scores.items():
        docids = in_order(of_topic)[:hits]
        values = np.array([of_topic[docid] for docid in docids], dtype=np.float32)
        run[topic] = hits_of(PackedDocids(docids), np.arange(len(docids)), values)
    return run


def scores_of_words(engine: ExactEngine, number: int) -> Scores:
    """BM25's scores as the engine gives them, before they are rounded for a run."""
    rows = engine.rows
    ranks = docid_ranks(rows.docids)
    scores: Scores = {topic: {} for topic in engine.queries}
    for topic, documents, found in ranked(rows, number, engine.queries, WORDS, ranks, 1000):
        scores[topic] = {
            rows.docids[n]: score for n, score in zip(documents.tolist(), found, strict=True)
        }
    return scores


def fused(words: Scores, dense: Scores, weight: float | None) -> Scores:
    scores: Scores = {}
    for topic in dense:
        total: dict[str, float] = {}
        weights = (1.0, 1.0) if weight is None else (weight, 1 - weight)
        for share, part in zip(weights, (words[topic], dense[topic]), strict=True):
            first = in_order(part)[:40]
            low, high = (float(part[docid]) for docid in (first[-1], first[0])) if first else (0, 0)
            total |= {docid: total.get(docid, 0.0) for docid in first}
            for rank, docid in enumerate(first, 1):
                if weight is None:
                    total[docid] += 1 / (60 + rank)
                elif low == high:
                    total[docid] += share
                else:
                    total[docid] += share * ((float(part[docid]) - low) / (high - low))
        scores[topic] = {docid: np.float32(score) for docid, score in total.items()}
    return scores


@pytest.mark.parametrize("hits", [1000, 7])
def test_dense_and_hybrid_runs_are_those_of_a_plain_loop(
    store: BlockStore,
    queries: Mapping[str, str],
    vectors: Vectors,
    hits: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(top_hits, "FUSED", 40)
    engine = engine_of(store, queries, Dense(vectors), hits)
    for number, variant in list(enumerate(VARIANTS))[::7]:
        dense = best_blocks(store, variant, queries)
        assert engine.run(variant).run == run_of(dense, hits), variant
        words = scores_of_words(engine, number)
        for weight in (None, 0.0, 0.3, 1.0):
            hybrid = engine.under(Hybrid(WORDS, Dense(vectors), weight))
            assert hybrid
            expected = run_of(fused(words, dense, weight), hits)
            assert hybrid.run(variant).run == expected, (variant, weight)


@pytest.mark.parametrize("best", [2, 3, 100])
def test_the_mean_of_the_best_blocks(
    store: BlockStore, queries: Mapping[str, str], vectors: Vectors, best: int
) -> None:
    engine = engine_of(store, queries, Dense(vectors, best))
    for variant in (VARIANTS[0], VARIANTS[9]):
        expected = best_blocks(store, variant, queries, best=best)
        assert engine.run(variant).run == run_of(expected, 1000)


@pytest.mark.parametrize("parquet", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_smaller_numbers(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path, dtype: str, parquet: bool
) -> None:
    small = make_vectors(tmp_path, store, queries, dtype, parquet=parquet)
    found = engine_of(store, queries, Dense(small)).run(VARIANTS[4])
    assert found.run == run_of(best_blocks(store, VARIANTS[4], queries, dtype), 1000)


def test_a_block_scores_as_its_best_window(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path
) -> None:
    """Here the second window of every block has the vector of the whole."""
    ids = list(distinct_texts(store))
    blocks, worst = encoded(len(ids), 1), encoded(len(ids), 1) * 0 - 1000
    topics = np.abs(encoded(len(queries), 2))
    windows = [f"{name}#{number}/2" for number in (1, 2) for name in ids]
    write_vectors(tmp_path / "1", "m", (ids, blocks), (queries, topics))
    write_vectors(tmp_path / "2", "m", (windows, np.r_[worst, blocks]), (queries, topics))
    one, two = (
        engine_of(store, queries, Dense(open_vectors(tmp_path / name))).run(VARIANTS[0])
        for name in "12"
    )
    assert one == two


@pytest.mark.parametrize("weight", [None, 0.3, -1])
def test_shares_rank_as_one_pass(
    store: BlockStore,
    queries: Mapping[str, str],
    vectors: Vectors,
    tmp_path: Path,
    weight: float | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(top_hits, "FUSED", 40)
    dense = Dense(vectors, 2)
    model = dense if weight == -1 else Hybrid(QueryLikelihood(50.0), dense, weight)
    assert_shares_are_alike(store, queries, tmp_path, model, 2, 20)


def test_a_grid_ranks_as_a_sweep_of_its_rules(
    store: BlockStore, queries: Mapping[str, str], vectors: Vectors
) -> None:
    grid = Grid(parse_sweep("words=1:5"), parse_sweep("density=1:4"))
    formula = Hybrid(WORDS, Dense(vectors), 0.5)
    options = SearchOptions(formula, hits=50)
    variants = list(map(grid.variant, grid.places()))
    of_grid = GridEngine(store, grid, queries, options)
    one_by_one = ExactEngine(store, variants, queries, options)
    for variant in variants:
        assert of_grid.run(variant) == one_by_one.run(variant), variant


def test_which_formulas_rank_the_same_rows(
    store: BlockStore, queries: Mapping[str, str], vectors: Vectors, tmp_path: Path
) -> None:
    other = Dense(make_vectors(tmp_path, store, queries, "int8"))
    by_vectors = engine_of(store, queries, Dense(vectors))
    assert by_vectors.under(Hybrid(WORDS, Dense(vectors)))
    assert by_vectors.under(WORDS)
    assert not by_vectors.under(Lucene29())
    assert not by_vectors.under(other)
    assert not engine_of(store, queries, Classic()).under(Dense(vectors))


def test_vectors_are_identified_by_content_and_model(
    store: BlockStore, queries: Mapping[str, str], vectors: Vectors, tmp_path: Path
) -> None:
    same = make_vectors(tmp_path / "same", store, queries)
    assert same == vectors
    assert same.identity == vectors.identity
    assert "folder" not in same.identity
    assert make_vectors(tmp_path / "other", store, queries, "int8").digest != same.digest
    (tmp_path / "same" / "vectors.json").write_text('{"model": "another", "dimension": 16}')
    assert open_vectors(tmp_path / "same") != vectors


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("missing", "texts have no vector"),
        ("window", "texts have no vector, or not of each window"),
        ("topic", "topics have no vector"),
        ("duplicate", "1 of .* texts have two vectors"),
        ("duplicate topic", "has two vectors"),
        ("nan", "NaN or infinity"),
        ("dimension", "expected .* vectors of dimension"),
        ("type", "got shape .* of float64"),
        ("ids", "expected .* vectors of dimension"),
    ],
)
def test_faulty_vectors(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path, fault: str, message: str
) -> None:
    ids, topics = list(distinct_texts(store)), list(queries)
    blocks, of_topics = encoded(len(ids), 1), encoded(len(topics), 2)
    if fault == "missing":
        ids[3] = "0" * 32
    elif fault == "window":
        ids[3] += "#1/2"
    elif fault == "topic":
        topics[3] = "nowhere"
    elif fault == "duplicate":
        ids.append(ids[4])
        blocks = np.r_[blocks, blocks[:1]]
    elif fault == "duplicate topic":
        topics[3] = topics[4]
    elif fault == "nan":
        blocks[3, 2] = np.nan
    elif fault == "dimension":
        of_topics = of_topics[:, :5]
    elif fault == "ids":
        ids.append("1")
    else:
        blocks = blocks.astype(np.float64)
    write_vectors(tmp_path, "random", (ids, blocks), (topics, of_topics))
    with pytest.raises(StoreError, match=message):
        engine_of(store, queries, Dense(open_vectors(tmp_path)))


def test_a_folder_without_vectors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected a folder with"):
        open_vectors(tmp_path)


@pytest.mark.parametrize(
    ("cleaner", "reason"),
    [("weighted(words>=3, 2)", "weights their words"), ("trafilatura", "not divided into blocks")],
)
def test_cleaners_that_do_not_select_blocks(
    store: BlockStore, queries: Mapping[str, str], vectors: Vectors, cleaner: str, reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        ExactEngine(
            store, [Variant(parse_cleaner(cleaner))], queries, SearchOptions(Dense(vectors))
        )
