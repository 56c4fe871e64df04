"""Verification passes for a right engine and says where a wrong one goes wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.variants import Variant, collect_variants, parse_sweep
from boilersweep.errors import VerificationError
from boilersweep.eval.engines import ExactEngine, SearchOptions, VariantRun
from boilersweep.eval.ranking_models import BM25, Classic, Lucene29, QueryLikelihood, RankingModel
from boilersweep.eval.verification import Verified, spread, verify
from boilersweep.indexer import analyzer
from boilersweep.indexer.analyzer import LuceneAnalysis
from boilersweep.indexer.jvm import anserini_jar
from boilersweep.indexer.parallel import build_parallel_indexes
from boilersweep.indexer.pieces import Cut, PurePieces
from boilersweep.indexer.term_table import TermTable
from boilersweep.store.store import BlockStore

pytestmark = pytest.mark.java

THRESHOLDS = collect_variants((parse_sweep("words=1,5,200"), parse_sweep("density=4.5")))
QUERIES = {"10": "pony zebra", "20": "otter", "30": "nowhereatall"}
OPTIONS = SearchOptions(hits=30)

Hits = list[tuple[str, float]]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("indexes")


@pytest.fixture(scope="module")
def exact(store: BlockStore) -> ExactEngine:
    return ExactEngine(store, THRESHOLDS, QUERIES, OPTIONS)


@dataclass(frozen=True, slots=True)
class Tampered:
    """An engine that gives something else at words-005."""

    engine: ExactEngine
    change: Callable[[VariantRun], VariantRun]
    needs_java: bool = False

    def run(self, threshold: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        found = self.engine.run(threshold, topics)
        return self.change(found) if threshold.name == "words-005" else found


@pytest.mark.parametrize("model", [BM25(), QueryLikelihood(), Classic()], ids=str)
def test_a_right_engine_passes(store: BlockStore, indexes: Path, model: RankingModel) -> None:
    options = replace(OPTIONS, model=model)
    engine = ExactEngine(store, THRESHOLDS, QUERIES, options)
    verified = verify(engine, store, THRESHOLDS[1:], QUERIES, indexes, options)
    hits = sum(len(h) for t in THRESHOLDS[1:] for h in engine.run(t).run.values())
    assert hits > 40
    names = ("words-005", "words-200", "density-04.5")
    assert verified == Verified(names, hits, str(model))
    assert str(hits) in str(verified)
    assert f"3 runs ({', '.join(names)})" in str(verified)
    assert str(model) in str(verified)


def test_many_thresholds_are_not_all_named() -> None:
    text = str(Verified(tuple(f"words-{n:03d}" for n in range(1, 9)), 12345, "classic"))
    assert "12,345 hits of 8 runs" in text
    assert "words-005, ...)" in text
    assert "words-006" not in text


def last_bit_up(hits: Hits) -> Hits:
    docid, score = hits[3]
    return [*hits[:3], (docid, float(np.nextafter(np.float32(score), np.float32(9)))), *hits[4:]]


@pytest.mark.parametrize(
    ("change", "rank"),
    [
        (last_bit_up, 4),
        (lambda hits: [("another", hits[0][1]), *hits[1:]], 1),
        (lambda hits: [hits[0], (hits[2][0], hits[1][1]), (hits[1][0], hits[2][1]), *hits[3:]], 2),
        (lambda hits: [hits[1], hits[0], *hits[2:]], 1),
        (lambda hits: hits[:-1], 8),
        (lambda hits: [*hits, ("one-more", 0.1)], 9),
        (lambda hits: hits[:0], 1),
    ],
    ids=["score", "docid", "docids", "order", "short", "long", "none"],
)
def test_a_wrong_hit_is_found(
    store: BlockStore,
    indexes: Path,
    exact: ExactEngine,
    change: Callable[[Hits], Hits],
    rank: int,
) -> None:
    assert len(exact.run(THRESHOLDS[1]).run["20"]) == 8

    def changed(found: VariantRun) -> VariantRun:
        return replace(found, run=found.run | {"20": change(found.run["20"])})

    with pytest.raises(VerificationError) as raised:
        verify(Tampered(exact, changed), store, THRESHOLDS, QUERIES, indexes, OPTIONS)
    message = str(raised.value)
    assert message.startswith(f"words-005, topic 20, rank {rank}: ")
    assert f"check that {anserini_jar()} is its unchanged jar" in message
    assert "--engine indexes" in message
    expected = exact.run(THRESHOLDS[1]).run["20"][rank - 1 : rank]
    assert f"the real index {expected}" in message


class AtEveryT(PurePieces):
    """Pieces that are cut where they must not be."""

    def cut(self, texts: Sequence[str]) -> Cut:
        return super().cut([text.replace("t", " ") for text in texts])


def test_wrong_tokens_are_found(
    store: BlockStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real indexes know nothing of what the exact engine does with texts."""
    lucene = LuceneAnalysis(OPTIONS.analyzer)
    wrong = TermTable(AtEveryT, lucene.tokens, lucene.stacked)
    monkeypatch.setattr(analyzer, "_shared", lambda _: (lucene, wrong))
    build_parallel_indexes(store, THRESHOLDS, tmp_path)  # wrong as well, and so not used
    engine = ExactEngine(store, THRESHOLDS, QUERIES, OPTIONS)
    with pytest.raises(VerificationError, match=r"words-001: the exact engine counts .* tokens"):
        verify(engine, store, THRESHOLDS, QUERIES, tmp_path, OPTIONS)


@pytest.mark.parametrize("count", ["documents", "empty", "tokens"])
def test_a_wrong_count_is_found(
    store: BlockStore, indexes: Path, exact: ExactEngine, count: str
) -> None:
    def changed(found: VariantRun) -> VariantRun:
        return replace(found, **{count: getattr(found, count) + 1})

    right = getattr(exact.run(THRESHOLDS[1]), count)
    expected = f"words-005: the exact engine counts {right + 1:,} {count}, .* {right:,};"
    with pytest.raises(VerificationError, match=expected):
        verify(Tampered(exact, changed), store, THRESHOLDS, QUERIES, indexes, OPTIONS)


def test_only_the_chosen_thresholds_are_compared(
    store: BlockStore, indexes: Path, exact: ExactEngine
) -> None:
    engine = Tampered(exact, lambda found: replace(found, tokens=0))
    chosen = [THRESHOLDS[0], THRESHOLDS[3]]
    verified = verify(engine, store, chosen, QUERIES, indexes, OPTIONS)
    assert verified.variants == ("words-001", "density-04.5")


def test_the_formula_of_2010_is_verified_under_bm25(
    store: BlockStore, indexes: Path, exact: ExactEngine
) -> None:
    options = replace(OPTIONS, model=Lucene29())
    engine = ExactEngine(store, THRESHOLDS, QUERIES, options)
    verified = verify(engine, store, THRESHOLDS, QUERIES, indexes, options)
    assert verified == verify(exact, store, THRESHOLDS, QUERIES, indexes, OPTIONS)
    assert verified.model == "bm25(k1=0.9,b=0.4)"


def thresholds(count: int) -> list[Variant]:
    return [Variant.at_least("words", float(value)) for value in range(1, count + 1)]


@pytest.mark.parametrize(
    ("count", "wanted", "values"),
    [
        (120, 1, [1]),
        (120, 2, [1, 120]),
        (9, 3, [1, 5, 9]),
        (5, 4, [1, 2, 4, 5]),
        (3, 3, [1, 2, 3]),
        (3, 50, [1, 2, 3]),
        (1, 1, [1]),
    ],
)
def test_spread(count: int, wanted: int, values: list[int]) -> None:
    found = spread(thresholds(count), wanted)
    assert found == [Variant.at_least("words", value) for value in values]


@given(count=st.integers(1, 300), wanted=st.integers(1, 320))
def test_spread_is_even_and_without_repeats(count: int, wanted: int) -> None:
    points = [threshold.point for threshold in spread(thresholds(count), wanted)]
    chosen = [int(point.value) for point in points if point]
    assert len(chosen) == min(count, wanted)
    assert chosen[0] == 1
    assert chosen[-1] == (1 if wanted == 1 else count)
    gaps = np.diff(chosen)
    assert (gaps > 0).all()
    assert not len(gaps) or gaps.max() - gaps.min() <= 2
