"""Ranking models: names, ranges of parameters, Lucene's similarity."""

import math
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from boilersweep import UsageError
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood
from boilersweep.eval.ranking.formulas import FORMULAS, Formula, model_named

NAMES = {
    "bm25(k1=0.9,b=0.4)": BM25(),
    "bm25(k1=1.2,b=0.75)": BM25(1.2, 0.75),
    "bm25(k1=0,b=1)": BM25(0, 1),
    "qld(mu=1000)": QueryLikelihood(),
    "qld(mu=2500.5)": QueryLikelihood(2500.5),
    "classic": Classic(),
    "lucene-2.9": Lucene29(),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_the_formula_and_its_parameters(name: str) -> None:
    assert str(NAMES[name]) == name
    assert model_named(name) == NAMES[name]


def test_every_formula_is_registered_and_described() -> None:
    assert list(FORMULAS) == ["bm25", "qld", "classic", "lucene-2.9"]
    for name, formula in FORMULAS.items():
        assert str(formula()).startswith(name)
        assert formula.title
    with pytest.raises(
        UsageError, match=r"expected a formula of bm25, .*, got bm26\(k1=1\)"
    ):
        model_named("bm26(k1=1)")


@pytest.mark.java
@pytest.mark.parametrize(
    ("model", "description"),
    [
        (BM25(), "BM25(k1=0.9,b=0.4)"),
        (BM25(2, 1), "BM25(k1=2.0,b=1.0)"),
        (QueryLikelihood(500), "LM Dirichlet(500.000000)"),
        (Classic(), "ClassicSimilarity"),
    ],
    ids=str,
)
def test_similarities_of_lucene(java: None, model: Formula, description: str) -> None:
    searcher = Mock()
    model.configure(searcher)
    [similarity] = searcher.set_similarity.call_args.args
    assert similarity.toString() == description


@pytest.mark.java
def test_the_formula_of_2010_is_not_in_lucene_any_more() -> None:
    with pytest.raises(UsageError, match=r"lucene-2\.9: .*`engine` exact"):
        Lucene29().configure(Mock())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: BM25(-0.1),
            "k1: expected a finite number of at least 0, got -0.1",
        ),
        (
            lambda: BM25(math.inf),
            "k1: expected a finite number of at least 0, got inf",
        ),
        (lambda: BM25(1e39), "k1: expected a finite number of at least 0, got 1e"),
        (lambda: BM25(math.nan), "k1: expected a finite number of at least 0, got nan"),
        (lambda: BM25(b=-0.1), "b: expected a number from 0 to 1, got -0.1"),
        (lambda: BM25(b=1.1), "b: expected a number from 0 to 1, got 1.1"),
        (
            lambda: QueryLikelihood(0),
            "mu: expected a finite number above 0, got 0",
        ),
        (
            lambda: QueryLikelihood(1e-50),
            "mu: expected a finite number above 0, got 1e-50",
        ),
    ],
)
def test_parameters_out_of_range_are_rejected(
    make: Callable[[], Formula], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        make()
