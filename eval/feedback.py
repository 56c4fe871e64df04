"""Feedback: RM3 and Rocchio, which expand a query by terms of its first hits."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from boilersweep.errors import UsageError
from boilersweep.eval.exact.ranking_formulas import Formula
from boilersweep.eval.ranking_models import BM25, QueryLikelihood

if TYPE_CHECKING:
    from boilersweep.indexer.searcher import IndexSearcher


@dataclass(frozen=True, slots=True)
class RM3:
    """RM3 (Abdul-Jaleel et al., TREC 2004) over a first ranking, as Anserini has it.

    filter_terms: expand by terms of English letters and digits alone.
    """

    first: BM25 | QueryLikelihood = field(default_factory=BM25)
    fb_terms: int = 10
    fb_docs: int = 10
    original_query_weight: float = 0.5
    filter_terms: bool = True

    reads_vectors = True

    def __post_init__(self) -> None:
        _require_counts("RM3", self.fb_terms, self.fb_docs)
        if not 0 <= self.original_query_weight <= 1:
            raise UsageError(
                "RM3: expected a weight of the original query from 0 to 1, got "
                f"{self.original_query_weight:g}"
            )

    @property
    def formula(self) -> Formula:
        _refuse_exact("RM3")

    def similarity(self) -> Any:
        return self.first.similarity()

    def configure(self, searcher: "IndexSearcher") -> None:
        self.first.configure(searcher)
        weight = self.original_query_weight
        searcher.set_rm3(self.fb_terms, self.fb_docs, weight, filter_terms=self.filter_terms)

    def __str__(self) -> str:
        return (
            f"{self.first}+rm3(fbTerms={self.fb_terms},fbDocs={self.fb_docs},"
            f"originalQueryWeight={self.original_query_weight:g}"
            f"{'' if self.filter_terms else ',noTermFilter'})"
        )


@dataclass(frozen=True, slots=True)
class Rocchio:
    """Rocchio's feedback over a first ranking, as Anserini has it.

    bottom_fb_terms, bottom_fb_docs and gamma count with use_negative alone, which takes the last
    hits to be irrelevant.
    """

    first: BM25 | QueryLikelihood = field(default_factory=BM25)
    top_fb_terms: int = 10
    top_fb_docs: int = 10
    bottom_fb_terms: int = 10
    bottom_fb_docs: int = 10
    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    use_negative: bool = False

    reads_vectors = True

    def __post_init__(self) -> None:
        _require_counts("Rocchio", self.top_fb_terms, self.top_fb_docs)
        _require_counts("Rocchio", self.bottom_fb_terms, self.bottom_fb_docs)
        for weight in (self.alpha, self.beta, self.gamma):
            if not 0 <= weight < math.inf:
                raise UsageError(f"Rocchio: expected weights of at least 0, got {weight:g}")

    @property
    def formula(self) -> Formula:
        _refuse_exact("Rocchio")

    def similarity(self) -> Any:
        return self.first.similarity()

    def configure(self, searcher: "IndexSearcher") -> None:
        self.first.configure(searcher)
        searcher.set_rocchio(
            *(self.top_fb_terms, self.top_fb_docs, self.bottom_fb_terms, self.bottom_fb_docs),
            *(self.alpha, self.beta, self.gamma),
            use_negative=self.use_negative,
        )

    def __str__(self) -> str:
        negative = (
            f",gamma={self.gamma:g},bottomFbTerms={self.bottom_fb_terms},"
            f"bottomFbDocs={self.bottom_fb_docs},useNegative"
        )
        return (
            f"{self.first}+rocchio(topFbTerms={self.top_fb_terms},topFbDocs={self.top_fb_docs},"
            f"alpha={self.alpha:g},beta={self.beta:g}{negative if self.use_negative else ''})"
        )


SearcherModel = BM25 | QueryLikelihood | RM3 | Rocchio
"""The formulas that Anserini's searcher can be set to, by `configure`."""


def _require_counts(method: str, terms: int, documents: int) -> None:
    if terms < 1 or documents < 1:
        raise UsageError(
            f"{method}: expected at least one term and document of feedback, got {terms} and "
            f"{documents}"
        )


def _refuse_exact(method: str) -> NoReturn:
    raise UsageError(
        f"{method}: the exact engine has no feedback, which reads document vectors; use real "
        "indexes, --engine indexes"
    )
