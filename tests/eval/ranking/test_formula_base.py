"""The formula of 2010 worked out by hand, and the edges of the others.

That BM25, query likelihood and today's TF-IDF are Lucene's is shown on indexes, in test_engine.py.
"""

from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

import numpy as np
import pytest

from boilersweep import collect_variants
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood, SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import Collection, Formula, Match
from boilersweep.indexer import AnalyzerOptions
from tests.eval.conftest import MakeStore

DOCUMENTS = {
    "a": "pony pony zebra otter",  # length 4: norm 1 / sqrt(4) = 1/2
    # Length 10: norm 1 / sqrt(10) = .3162, in one byte .3125
    "b": "pony" + " grass" * 9,
    "c": "zebra",  # length 1: norm 1
    "d": "zebra otter otter",  # length 3: norm 1 / sqrt(3) = .5774, in one byte 1/2
    "e": "lynx lynx",  # length 2: norm 1 / sqrt(2) = .7071, in one byte 5/8
}

# idf = 1 + ln(5 / (df + 1))
PONY = 1 + log(5 / 3)  # 1.5108: in a and b
ZEBRA = 1 + log(5 / 4)  # 1.2231: in a, c and d
OTTER = 1 + log(5 / 3)  # 1.5108: in a and d
LYNX = 1 + log(5 / 2)  # 1.9163: in e
NOWHERE = 1 + log(5 / 1)  # 2.6094: in none

WORKED = {
    # One clause of one: coord 1, queryNorm 1 / idf, so sqrt(tf) idf norm is left.
    "pony": {
        "a": sqrt(2) * PONY * 0.5,
        "b": 1 * PONY * 0.3125,
    },
    "lynx": {"e": sqrt(2) * LYNX * 0.625},
    # queryNorm 1 / sqrt(1.5108^2 + 1.2231^2) = .5144; a has both words, the others one of two.
    "pony zebra": {
        "a": (sqrt(2) * PONY**2 + ZEBRA**2) * 0.5 / sqrt(PONY**2 + ZEBRA**2),
        "b": PONY**2 * 0.3125 / sqrt(PONY**2 + ZEBRA**2) / 2,
        "c": ZEBRA**2 * 1.0 / sqrt(PONY**2 + ZEBRA**2) / 2,
        "d": ZEBRA**2 * 0.5 / sqrt(PONY**2 + ZEBRA**2) / 2,
    },
    # A word that occurs nowhere weighs in the queryNorm and is a clause that fails.
    "otter nowhere": {
        "a": OTTER**2 * 0.5 / sqrt(OTTER**2 + NOWHERE**2) / 2,
        "d": sqrt(2) * OTTER**2 * 0.5 / sqrt(OTTER**2 + NOWHERE**2) / 2,
    },
    # A word said twice is two clauses, of three here: twice in the sum, the queryNorm, the coord.
    "pony zebra pony": {
        "a": (2 * sqrt(2) * PONY**2 + ZEBRA**2) * 0.5 / sqrt(2 * PONY**2 + ZEBRA**2),
        "b": 2 * PONY**2 * 0.3125 / sqrt(2 * PONY**2 + ZEBRA**2) * 2 / 3,
        "c": ZEBRA**2 * 1.0 / sqrt(2 * PONY**2 + ZEBRA**2) / 3,
        "d": ZEBRA**2 * 0.5 / sqrt(2 * PONY**2 + ZEBRA**2) / 3,
    },
    "lynx nowhere gone nowhere lynx": {
        "e": 2 * sqrt(2) * LYNX**2 * 0.625 / sqrt(2 * LYNX**2 + 3 * NOWHERE**2) * 2 / 5,
    },
    "nowhere": {},
}


def lengths(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def score(formula: Formula, query: str) -> dict[str, float]:
    """Scores of the documents above, without an analyzer."""
    texts = list(DOCUMENTS.values())
    codes = formula.encode(np.array(lengths(texts)))
    matches = []
    for term, count in Counter(query.split()).items():
        tf = np.array([text.split().count(term) for text in texts])
        here = np.flatnonzero(tf)
        if len(here):
            matches.append(
                Match(count, here, tf[here], codes[here], len(here), int(tf.sum()))
            )
    if not matches:
        return {}
    collection = Collection(len(texts), sum(lengths(texts)))
    documents, scores = formula.score(matches, len(query.split()), collection)
    assert scores.dtype == np.float32
    names = list(DOCUMENTS)
    return {names[d]: float(s) for d, s in zip(documents, scores, strict=True)}


@pytest.mark.parametrize("query", WORKED)
def test_lucene_2_9_as_worked_out_by_hand(query: str) -> None:
    assert score(Lucene29(), query) == pytest.approx(WORKED[query], rel=5e-7)


@pytest.mark.java
@pytest.mark.usefixtures("java")
def test_lucene_2_9_from_a_store(make_store: MakeStore) -> None:
    """The same through analysis and ranking, which rounds to four digits; a page more is empty."""
    pages = {docid: f"<p>{text}</p>" for docid, text in DOCUMENTS.items()}
    one, two = collect_variants(["words=1,2"])
    engine = ExactEngine(
        make_store(pages | {"f": "<p>...</p>"}),
        [one, two],
        {query: query for query in WORKED},
        SearchOptions(Lucene29(), analyzer=AnalyzerOptions(pretokenized=True)),
    )
    everything = engine.run(one)
    assert (everything.documents, everything.tokens) == (
        5,
        sum(lengths(list(DOCUMENTS.values()))),
    )
    for query, expected in WORKED.items():
        assert dict(everything.run[query]) == pytest.approx(expected, abs=1e-4), query
        order = sorted(expected, key=lambda docid: -expected[docid])
        assert [docid for docid, _ in everything.run[query]] == order
    # Without c there are four documents, and zebra is in two of them.
    zebra = 1 + log(4 / 3)
    pony_zebra = dict(engine.run(two).run["pony zebra"])
    assert pony_zebra == pytest.approx(
        {
            "a": (sqrt(2) + 1) * zebra**2 * 0.5 / (sqrt(2) * zebra),
            "b": zebra * 0.3125 / sqrt(2) / 2,
            "d": zebra * 0.5 / sqrt(2) / 2,
        },
        abs=1e-4,
    )


def test_bm25_as_its_formula_says() -> None:
    """Compare idf tf / (tf + k1 (1 - b + b length / average)), lengths below 40 being exact."""
    average = sum(lengths(list(DOCUMENTS.values()))) / 5
    idf = log(1 + (5 - 2 + 0.5) / (2 + 0.5))
    assert score(BM25(0.9, 0.4), "pony") == pytest.approx(
        {
            "a": idf * 2 / (2 + 0.9 * (0.6 + 0.4 * 4 / average)),
            "b": idf * 1 / (1 + 0.9 * (0.6 + 0.4 * 10 / average)),
        },
        rel=1e-6,
    )


@pytest.mark.parametrize(("k1", "b"), [(0.0, 0.4), (0.9, 1.0), (0.0, 1.0), (1.2, 0.0)])
def test_bm25_at_the_ends_of_its_parameters(k1: float, b: float) -> None:
    """Without a warning, of a division by zero for one."""
    scores = score(BM25(k1, b), "pony zebra")
    assert set(scores) == {"a", "b", "c", "d"}
    assert np.isfinite(list(scores.values())).all()
    if k1 == 0:  # tf and length do not count
        assert scores["c"] == scores["d"] == pytest.approx(log(1 + 2.5 / 3.5))


def test_query_likelihood_as_its_formula_says() -> None:
    """A word more often in a document than in the collection scores, or else nothing."""
    tokens = sum(lengths(list(DOCUMENTS.values())))
    probability = (3 + 1) / (tokens + 1)
    expected = log(1 + 2 / (1000 * probability)) + log(1000 / (4 + 1000))
    assert score(QueryLikelihood(1000), "pony") == pytest.approx(
        {"a": expected, "b": 0.0}, rel=1e-6
    )


def test_classic_as_its_formula_says() -> None:
    idf = 1 + log((5 + 1) / (2 + 1))
    assert score(Classic(), "pony otter pony") == pytest.approx(
        {
            "a": (2 * sqrt(2) * idf + idf) / sqrt(4),
            "b": 2 * idf / sqrt(10),
            "d": sqrt(2) * idf / sqrt(3),
        },
        rel=1e-6,
    )
