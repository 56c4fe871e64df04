"""Ranking models: names, parameters, Lucene's similarity and the exact engine's formula."""

import pytest

from boilersweep.errors import UsageError
from boilersweep.eval.exact.ranking_formulas import (
    ExactBM25,
    ExactClassic,
    ExactLucene29,
    ExactQueryLikelihood,
    Formula,
)
from boilersweep.eval.ranking_models import BM25, Classic, Lucene29, QueryLikelihood, RankingModel


@pytest.mark.parametrize(
    ("model", "name", "formula"),
    [
        (BM25(), "bm25(k1=0.9,b=0.4)", ExactBM25(0.9, 0.4)),
        (BM25(1.2, 0.75), "bm25(k1=1.2,b=0.75)", ExactBM25(1.2, 0.75)),
        (QueryLikelihood(), "qld(mu=1000)", ExactQueryLikelihood(1000)),
        (QueryLikelihood(2500.5), "qld(mu=2500.5)", ExactQueryLikelihood(2500.5)),
        (Classic(), "classic", ExactClassic()),
        (Lucene29(), "lucene-2.9", ExactLucene29()),
    ],
    ids=str,
)
def test_names_and_formulas(model: RankingModel, name: str, formula: Formula) -> None:
    assert str(model) == name
    assert model.formula == formula
    assert type(model.formula) is type(formula)


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
def test_similarities_of_lucene(java: None, model: RankingModel, description: str) -> None:
    assert model.similarity().toString() == description


def test_the_formula_of_2010_is_not_in_lucene_any_more() -> None:
    with pytest.raises(UsageError, match=r"lucene-2\.9: .*--engine exact"):
        Lucene29().similarity()


@pytest.mark.parametrize(
    ("k1", "b"), [(-0.1, 0.4), (0.9, -0.1), (0.9, 1.1), (float("nan"), 0.4), (0.9, float("nan"))]
)
def test_bm25_refuses_parameters_out_of_range(k1: float, b: float) -> None:
    with pytest.raises(UsageError, match=f"got {k1:g} and {b:g}"):
        BM25(k1, b)


@pytest.mark.parametrize(("k1", "b"), [(0, 0), (0, 1), (100, 1)])
def test_bm25_takes_the_ends_of_its_range(k1: float, b: float) -> None:
    assert BM25(k1, b).formula == ExactBM25(k1, b)
