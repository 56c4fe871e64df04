"""The cut and the order of hits, and Anserini's scores of ties."""
# ruff: noqa: S311

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from boilersweep.indexer.arithmetic import best, docid_ranks, separate_ties

Floats = NDArray[np.float32]

few_scores = st.sampled_from(
    [0.0, 1.0, 1.5, float(np.nextafter(np.float32(1.5), 2)), 7.25]
)
some_scores = st.one_of(few_scores, st.floats(0, 50, width=32))


def test_docids_are_ranked_by_their_bytes() -> None:
    """As UTF-8 a character beyond the BMP comes last; as UTF-16, in Java's strings, it does not."""
    assert docid_ranks(["ünï-😀", "b", "ünï-\ufffd", "a"]).tolist() == [3, 1, 2, 0]
    assert docid_ranks([]).tolist() == []


@pytest.mark.slow
@given(
    scores=st.lists(some_scores, min_size=1, max_size=60),
    hits=st.integers(1, 70),
    others=st.integers(0, 20),
    dice=st.randoms(use_true_random=False),
)
def test_best_is_the_beginning_of_the_whole_order(
    scores: list[float], hits: int, others: int, dice: random.Random
) -> None:
    collection = len(scores) + others
    documents = sorted(dice.sample(range(collection), len(scores)))
    ranks = dice.sample(range(collection), collection)
    whole = sorted(
        zip(documents, scores, strict=True), key=lambda d: (-d[1], ranks[d[0]])
    )

    found = best(
        np.array(documents), np.array(scores, dtype=np.float32), np.array(ranks), hits
    )

    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == whole[:hits]


def naive(scores: Floats) -> list[float]:
    """ScoreTiesAdjusterReranker, one score after the other."""
    adjusted: list[np.float32] = []
    ties = 0
    for score in scores:
        rounded = np.float32(np.floor(float(score) * 1e4 + 0.5) / 1e4)
        if not adjusted or np.float32(adjusted[-1] - rounded) > np.float32(1e-4):
            ties = 0
            adjusted.append(rounded)
        else:
            ties += 1
            adjusted.append(
                np.float32(rounded - np.float32(np.float32(1e-6) * np.float32(ties)))
            )
    return [float(score) for score in adjusted]


# From one hit to the next: equal, a last bit, about the rounding's step, a tie's step, far.
steps_down = st.one_of(
    st.just(0.0),
    st.sampled_from(
        [1e-7, 1e-6, 4e-5, 5e-5, 9.9e-5, 1e-4, 1.01e-4, 1.5e-4, 2e-4, 3e-4]
    ),
    st.floats(0, 1),
)
descending = st.tuples(
    st.floats(0, 2000, width=32),
    st.lists(st.tuples(steps_down, st.integers(1, 12)), min_size=1, max_size=15),
)


def from_steps(first: float, steps: list[tuple[float, int]]) -> Floats:
    down = np.cumsum([step for step, times in steps for _ in range(times)])
    values: Floats = np.r_[first, first - down].astype(np.float32)
    return np.sort(values)[::-1].copy()


@given(descending)
def test_ties_are_separated_as_one_after_the_other(
    scores: tuple[float, list[tuple[float, int]]],
) -> None:
    numbers = from_steps(*scores)
    before = numbers.copy()
    assert separate_ties(numbers).tolist() == naive(numbers)
    assert (numbers == before).all()


@given(
    ties=st.integers(90, 400),
    steps=st.lists(st.integers(0, 4), max_size=8),
    first=st.sampled_from([0.0, 0.5, 3.0, 64.48, 130.0]),
)
def test_ties_by_the_hundred_reach_over_the_gap(
    ties: int, steps: list[int], first: float
) -> None:
    # The hundredth of equal scores stands 1e-4 below the first: a score that is far from the
    # first may be tied with the last.
    rest = first + 1 - np.cumsum([0, *steps]) * 1e-4
    scores = np.r_[np.full(ties, first + 1), rest].astype(np.float32)
    assert separate_ties(scores).tolist() == naive(scores)


@pytest.mark.parametrize("size", [0, 1])
def test_few_scores(size: int) -> None:
    scores = np.full(size, 1.23456, dtype=np.float32)
    assert separate_ties(scores).tolist() == [float(np.float32(1.2346))] * size
    assert separate_ties(scores).dtype == np.float32


def test_none_of_no_documents() -> None:
    none = np.empty(0, np.int64)
    documents, scores = best(none, np.empty(0, np.float32), np.arange(3), 10)
    assert (len(documents), len(scores)) == (0, 0)


@pytest.fixture(scope="module")
def anserini(java: None) -> Callable[[Floats], list[float]]:
    """Anserini's own ScoreTiesAdjusterReranker, on hits of an index of one document."""
    from jnius import autoclass, cast

    directory = autoclass("org.apache.lucene.store.ByteBuffersDirectory")()
    config = autoclass("org.apache.lucene.index.IndexWriterConfig")()
    writer = autoclass("org.apache.lucene.index.IndexWriter")(directory, config)
    document = autoclass("org.apache.lucene.document.Document")()
    stored = autoclass("org.apache.lucene.document.Field$Store").YES
    document.add(autoclass("org.apache.lucene.document.StringField")("id", "d", stored))
    writer.addDocument(document)
    writer.close()
    reader = autoclass("org.apache.lucene.index.DirectoryReader").open(directory)
    searcher = autoclass("org.apache.lucene.search.IndexSearcher")(
        cast("org.apache.lucene.index.IndexReader", reader)
    )
    reranker = autoclass("io.anserini.rerank.lib.ScoreTiesAdjusterReranker")()
    score_doc = autoclass("org.apache.lucene.search.ScoreDoc")
    total_hits = autoclass("org.apache.lucene.search.TotalHits")
    equal_to = autoclass("org.apache.lucene.search.TotalHits$Relation").EQUAL_TO

    def rerank(scores: Floats) -> list[float]:
        hits: Any = autoclass("org.apache.lucene.search.TopDocs")(
            total_hits(len(scores), equal_to),
            [score_doc(0, score) for score in scores.tolist()],
        )
        found = autoclass("io.anserini.search.ScoredDocs").fromTopDocs(hits, searcher)
        return list(reranker.rerank(found, None).scores)

    return rerank


@pytest.mark.java
@pytest.mark.parametrize("highest", [0.3, 4, 30, 100, 300, 1500])
def test_ties_are_separated_as_by_anserini(
    anserini: Callable[[Floats], list[float]], highest: float
) -> None:
    dice = random.Random(highest)
    for number in range(60):
        steps = [
            (dice.choice([0, 1e-6, 5e-5, 1e-4, 1.1e-4, 2e-4, 0.1]), dice.randint(1, 30))
            for _ in range(dice.randint(1, 8))
        ]
        scores = from_steps(dice.uniform(highest / 2, highest), steps)[: 5 + 3 * number]
        expected = anserini(scores)
        assert naive(scores) == expected
        assert separate_ties(scores).tolist() == expected


@pytest.mark.java
@pytest.mark.parametrize("ties", [2, 5, 17, 33])
def test_high_scores_whose_last_bit_is_more_than_a_tie(
    anserini: Callable[[Floats], list[float]], ties: int
) -> None:
    """Taking 1e-6 a tie from a score of a hundred takes nothing or a whole last bit."""
    dice = random.Random(ties)
    for _ in range(150):
        highest = 2 ** dice.uniform(5, 11)
        scores = np.array([highest] * ties + [highest - 1e-4], dtype=np.float32)
        assert separate_ties(scores).tolist() == naive(scores) == anserini(scores)
