"""Verification passes for a right engine and says where a wrong one goes wrong."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import BlockStore, VerificationError, collect_variants
from boilersweep.cleaners.syntax.variants import Variant, parse_sweep
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood, SearchOptions
from boilersweep.eval.experiment import verification
from boilersweep.eval.experiment.verification import (
    SEED,
    RealIndexes,
    Verified,
    drawn,
    join_verified,
    spread,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import Engine, VariantRun
from boilersweep.indexer import (
    AnalyzerOptions,
    ParallelOptions,
    analyzer,
    build_parallel_indexes,
)
from boilersweep.indexer.adders import segments_can_be_added
from boilersweep.indexer.analyzer import LuceneAnalysis
from boilersweep.indexer.contents import Cut, PurePieces, TermTable
from boilersweep.indexer.jvm import anserini_jar
from boilersweep.indexer.options import ALL_TEXTS, Proof
from boilersweep.indexer.parallel_indexes import open_parallel_index
from tests.conftest import known
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java

THRESHOLDS = collect_variants(
    (parse_sweep("words=1,5,200"), parse_sweep("density=4.5"))
)
QUERIES = {"10": "pony zebra", "20": "otter", "30": "nowhereatall"}
OPTIONS = SearchOptions(hits=30)

Hits = list[tuple[str, float]]


def verify(
    engine: Engine,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    folder: Path,
    options: SearchOptions,
    **how: Any,
) -> Verified:
    real = RealIndexes(
        store=store, queries=queries, folder=folder, options=options, **how
    )
    return verification.verify(engine, variants, real)


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

    def run(
        self, threshold: Variant, topics: Sequence[str] | None = None
    ) -> VariantRun:
        run = self.engine.run(threshold, topics)
        return self.change(run) if threshold.name == "words-005" else run


@pytest.mark.parametrize("model", [BM25(), QueryLikelihood(), Classic()], ids=str)
def test_a_right_engine_passes(
    store: BlockStore, indexes: Path, model: RankingModel
) -> None:
    options = replace(OPTIONS, model=model)
    engine = ExactEngine(store, THRESHOLDS, QUERIES, options)
    verified = verify(engine, store, THRESHOLDS[1:], QUERIES, indexes, options)
    hits = sum(len(h) for t in THRESHOLDS[1:] for h in engine.run(t).run.values())
    assert hits > 40
    names = ("words-005", "words-200", "density-04.5")
    assert verified == Verified(names, hits, str(model), 41, 41, SEED, complete=True)
    assert str(hits) in str(verified)
    assert "Lucene's own analyzer read all 41 documents" in str(verified)
    assert f"3 runs ({', '.join(names)})" in str(verified)
    assert str(model) in str(verified)


def test_many_thresholds_are_not_all_named() -> None:
    names = tuple(f"words-{n:03d}" for n in range(1, 9))
    text = str(Verified(names, 12345, "classic", 90, 90, SEED, complete=True))
    assert "12,345 hits of 8 runs" in text
    assert "words-005, ...)" in text
    assert "words-006" not in text


def last_bit_up(hits: Hits) -> Hits:
    docid, score = hits[3]
    return [
        *hits[:3],
        (docid, float(np.nextafter(np.float32(score), np.float32(9)))),
        *hits[4:],
    ]


@pytest.mark.parametrize(
    ("change", "rank"),
    [
        (last_bit_up, 4),
        (lambda hits: [("another", hits[0][1]), *hits[1:]], 1),
        (
            lambda hits: [
                hits[0],
                (hits[2][0], hits[1][1]),
                (hits[1][0], hits[2][1]),
                *hits[3:],
            ],
            2,
        ),
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

    def changed(run: VariantRun) -> VariantRun:
        return replace(run, run=run.run | {"20": change(list(run.run["20"]))})

    with pytest.raises(VerificationError) as raised:
        verify(Tampered(exact, changed), store, THRESHOLDS, QUERIES, indexes, OPTIONS)
    message = str(raised.value)
    assert message.startswith(f"words-005, topic 20, rank {rank}: ")
    assert f"check that {anserini_jar()} is its unchanged jar" in message
    assert "`engine` indexes" in message
    expected = list(exact.run(THRESHOLDS[1]).run["20"])[rank - 1 : rank]
    assert f"Lucene's index {expected}" in message


Fault = Callable[[str], str]


@pytest.fixture
def misread(java: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[Fault], None]:
    """Has the exact engine, and whatever counts terms, read changed texts."""

    def change(fault: Fault) -> None:
        class Changed(PurePieces):
            def cut(self, texts: Sequence[str]) -> Cut:
                return super().cut(list(map(fault, texts)))

        lucene = LuceneAnalysis(OPTIONS.analyzer)
        wrong = TermTable(Changed, lucene.tokens, lucene.stacked)
        monkeypatch.setattr(analyzer, "_shared", lambda _: (lucene, wrong))

    return change


def test_wrong_tokens_are_found(
    store: BlockStore, tmp_path: Path, misread: Callable[[Fault], None]
) -> None:
    """The real indexes know nothing of what the exact engine does with texts."""
    misread(lambda text: text.replace("t", " "))
    # Wrong as well, and so not used
    build_parallel_indexes(store, THRESHOLDS, tmp_path)
    engine = ExactEngine(store, THRESHOLDS, QUERIES, OPTIONS)
    with pytest.raises(
        VerificationError, match=r"words-001: the exact engine counts .* tokens"
    ):
        verify(engine, store, THRESHOLDS, QUERIES, tmp_path, OPTIONS)


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "SAMPLE", 5)


def test_a_seed_draws_the_same_documents_in_any_order(sample: None) -> None:
    docids = [f"d{number}" for number in range(2000)]
    found = known(drawn(docids, len(docids), 1))
    assert len(found) == 20
    assert found == drawn(random.Random(3).sample(docids, 2000), 2000, 1)  # noqa: S311
    assert found != drawn(docids, 2000, 2)
    assert len(drawn(docids[:6], 6, 1) or ()) == 5
    assert drawn(docids[:5], 5, 1) is None


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize(
    "model", [BM25(), QueryLikelihood(), Classic(), Lucene29()], ids=str
)
def test_a_sample_is_compared(
    store: BlockStore, tmp_path: Path, sample: None, model: RankingModel, complete: bool
) -> None:
    cleaners = [variant.cleaner for variant in THRESHOLDS]
    variants = collect_variants((), [*cleaners, "weighted(words>=5, 3)"])
    options = replace(OPTIONS, model=model, threads=2)
    engine = ExactEngine(store, variants, QUERIES, options)
    folder = tmp_path / "indexes"
    found = verify(engine, store, variants, QUERIES, folder, options, complete=complete)
    reads_all = not segments_can_be_added()
    complete = complete or reads_all
    assert [path.name for path in tmp_path.iterdir()] == ["indexes"] * complete
    whole = verify(
        engine,
        store,
        variants[:2],
        QUERIES,
        folder,
        options,
        in_blocks=variants,
        complete=complete,
    )
    assert found.indexes == (found.variants if complete else ())
    assert f"hits of {len(variants)} variants are those of an index" in str(whole)
    assert (whole.in_blocks, found.in_blocks) == (len(variants), 0)
    if reads_all:
        return
    indexes = "real indexes" if complete else "Lucene indexes of the queries' terms"
    assert f"are those of {indexes}, docid by docid and score by score" in str(found)
    assert "Lucene's own analyzer read 5 of 41 documents, drawn by seed 0" in str(found)


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("in_sample", [False, True])
def test_a_document_that_is_misread_is_found_in_the_sample_or_in_all(
    make_store: MakeStore,
    tmp_path: Path,
    sample: None,
    misread: Callable[[Fault], None],
    in_sample: bool,
    complete: bool,
) -> None:
    docids = [f"d{number:02d}" for number in range(40)]
    chosen = known(drawn(docids, len(docids), SEED))
    wrong = next(docid for docid in docids if (docid in chosen) is in_sample)
    store = make_store({docid: f"<p>the pony {docid} is an otter" for docid in docids})
    misread(lambda text: text.replace("otter", "heron") if wrong in text else text)
    engine = ExactEngine(store, THRESHOLDS[:1], QUERIES, OPTIONS)
    found = "words-001, topic 20, rank .*: the exact engine has .*"
    one = (engine, store, THRESHOLDS[:1], QUERIES, tmp_path, OPTIONS)
    if in_sample or not segments_can_be_added():
        with pytest.raises(VerificationError, match=found):
            verify(*one, complete=complete)
    else:
        assert verify(*one, complete=complete).sampled == 5
    with pytest.raises(VerificationError, match=found):
        verify(*one, in_blocks=THRESHOLDS[:1])


@pytest.mark.parametrize("complete", [False, True])
def test_a_document_that_is_miscounted_is_found_outside_the_sample(
    store: BlockStore, tmp_path: Path, sample: None, complete: bool
) -> None:
    engine = ExactEngine(store, THRESHOLDS, QUERIES, OPTIONS)
    chosen = known(drawn(store.docids(), store.documents, SEED))
    rows = engine.rows
    for term in rows.terms.values():
        outside = next(
            n for n, d in enumerate(term.documents) if rows.docids[d] not in chosen
        )
        term.tf[outside] += 1
    with pytest.raises(VerificationError, match=r"words-001, topic \d+, rank"):
        verify(engine, store, THRESHOLDS, QUERIES, tmp_path, OPTIONS, complete=complete)


@pytest.mark.parametrize("count", [0, 1])
def test_a_wrong_formula_is_found(
    store: BlockStore, tmp_path: Path, sample: None, count: int
) -> None:
    wrong = ExactEngine(
        store, THRESHOLDS, QUERIES, replace(OPTIONS, model=BM25(k1=0.9001))
    )
    with pytest.raises(VerificationError, match=r"words-001, topic 10, rank 12:"):
        verify(
            wrong,
            store,
            THRESHOLDS[2:3] if count else THRESHOLDS,
            QUERIES,
            tmp_path,
            OPTIONS,
            in_blocks=THRESHOLDS[:count],
        )


def test_what_a_sample_proved_is_not_taken_for_proved_in_full(
    store: BlockStore, tmp_path: Path, sample: None, segments: None, exact: ExactEngine
) -> None:
    """Indexes of a sample are rebuilt for all texts; those of all texts serve a sample."""
    work = (exact, store, THRESHOLDS[:1], QUERIES, tmp_path, OPTIONS)

    def by_lucene() -> str:
        return open_parallel_index(tmp_path, THRESHOLDS[0]).manifest.by_lucene

    assert verify(*work, complete=True).sampled == 5
    assert by_lucene() == "5 documents drawn by seed 0"
    build_parallel_indexes(
        store,
        THRESHOLDS[:1],
        tmp_path,
        ParallelOptions(analyzer=OPTIONS.analyzer, proof=Proof(), overwrite=True),
    )
    assert by_lucene() == ALL_TEXTS
    assert verify(*work, complete=True).sampled == 5
    assert by_lucene() == ALL_TEXTS


def test_without_compiled_code_lucene_reads_all(
    store: BlockStore,
    tmp_path: Path,
    sample: None,
    exact: ExactEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    found = verify(exact, store, THRESHOLDS[:1], QUERIES, tmp_path, OPTIONS)
    assert found.sampled == 41


def test_documents_that_stack_tokens_are_all_read(
    make_store: MakeStore, tmp_path: Path, sample: None
) -> None:
    options = replace(OPTIONS, analyzer=AnalyzerOptions(language="pl"))
    store = make_store({f"d{n}": f"<p>mam zebra numer {n}" for n in range(9)})
    engine = ExactEngine(store, THRESHOLDS[:1], QUERIES, options)
    assert (
        verify(engine, store, THRESHOLDS[:1], QUERIES, tmp_path, options).sampled == 9
    )


@pytest.mark.parametrize("count", ["documents", "empty", "tokens"])
def test_a_wrong_count_is_found(
    store: BlockStore, indexes: Path, exact: ExactEngine, count: str
) -> None:
    def changed(run: VariantRun) -> VariantRun:
        return replace(run, **{count: getattr(run, count) + 1})

    right = getattr(exact.run(THRESHOLDS[1]), count)
    expected = (
        f"words-005: the exact engine counts {right + 1:,} {count}, .* {right:,};"
    )
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
    of_bm25 = verify(exact, store, THRESHOLDS, QUERIES, indexes, OPTIONS)
    assert verified == replace(of_bm25, unverified="lucene-2.9")
    assert str(verified) == (
        "lucene-2.9 is not verified, as Lucene has no such formula; in its place, "
        f"{of_bm25}"
    )
    assert str(of_bm25).startswith("verified: ")
    assert " for bm25(k1=0.9,b=0.4) are those of real indexes" in str(of_bm25)


def test_a_formula_without_proof_is_named_beside_those_with_one() -> None:
    proved = Verified(("words-001",), 30, "bm25(k1=0.9,b=0.4)", 10, 10, SEED, True)
    instead = replace(proved, hits=20, unverified="lucene-2.9")
    for both in ((proved, instead), (instead, proved)):
        text = str(join_verified(both))
        assert text.startswith("lucene-2.9 is not verified, ")
        assert "verified: 50 hits of 1 runs" in text
    assert "not verified" not in str(join_verified((proved, proved)))


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
