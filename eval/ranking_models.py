"""Ranking formulas: how Anserini's searcher is set to one, and what the exact engine computes."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from boilersweep.errors import UsageError
from boilersweep.eval.exact.formulas import (
    ExactBM25,
    ExactClassic,
    ExactLucene29,
    ExactQueryLikelihood,
    Formula,
)

if TYPE_CHECKING:
    from boilersweep.indexer.searcher import IndexSearcher


class RankingModel(Protocol):
    """A ranking formula; `str(model)` names it with its parameters."""

    @property
    def formula(self) -> Formula:
        """What the exact engine computes."""
        ...

    @property
    def reads_vectors(self) -> bool:
        """Whether an index must store document vectors."""
        ...

    def similarity(self) -> Any:
        """Lucene's similarity; the JVM must run. Raises UsageError if today's Lucene has none."""
        ...


def _lucene(name: str) -> Any:
    from jnius import autoclass

    return autoclass(f"org.apache.lucene.search.similarities.{name}")


@dataclass(frozen=True, slots=True)
class BM25:
    """Robertson et al., Okapi at TREC-3, as Lucene has it; Anserini's default parameters."""

    k1: float = 0.9
    b: float = 0.4

    reads_vectors = False

    def __post_init__(self) -> None:
        if not self.k1 >= 0 or not 0 <= self.b <= 1:
            raise UsageError(
                f"BM25: expected k1 of at least 0 and b from 0 to 1, got {self.k1:g} and {self.b:g}"
            )

    @property
    def formula(self) -> Formula:
        return ExactBM25(self.k1, self.b)

    def similarity(self) -> Any:
        return _lucene("BM25Similarity")(self.k1, self.b)

    def configure(self, searcher: "IndexSearcher") -> None:
        searcher.set_bm25(self.k1, self.b)

    def __str__(self) -> str:
        return f"bm25(k1={self.k1:g},b={self.b:g})"


@dataclass(frozen=True, slots=True)
class QueryLikelihood:
    """Query likelihood with Dirichlet smoothing (Zhai and Lafferty, SIGIR 2001)."""

    mu: float = 1000.0

    reads_vectors = False

    def __post_init__(self) -> None:
        if not 0 < self.mu < math.inf:
            raise UsageError(f"query likelihood: expected mu above 0, got {self.mu:g}")

    @property
    def formula(self) -> Formula:
        return ExactQueryLikelihood(self.mu)

    def similarity(self) -> Any:
        return _lucene("LMDirichletSimilarity")(self.mu)

    def configure(self, searcher: "IndexSearcher") -> None:
        searcher.set_qld(self.mu)

    def __str__(self) -> str:
        return f"qld(mu={self.mu:g})"


@dataclass(frozen=True, slots=True)
class Classic:
    """Lucene's TF-IDF of today, which has neither coord nor queryNorm."""

    reads_vectors = False

    @property
    def formula(self) -> Formula:
        return ExactClassic()

    def similarity(self) -> Any:
        return _lucene("ClassicSimilarity")()

    def __str__(self) -> str:
        return "classic"


@dataclass(frozen=True, slots=True)
class Lucene29:
    """Lucene's TF-IDF of 2010, the formula of the paper; for the exact engine alone."""

    reads_vectors = False

    @property
    def formula(self) -> Formula:
        return ExactLucene29()

    def similarity(self) -> Any:
        raise UsageError(
            "formula lucene-2.9: today's Lucene has it no more; sweep with --engine exact"
        )

    def __str__(self) -> str:
        return "lucene-2.9"


@dataclass(frozen=True, slots=True)
class RM3:
    """RM3 (Abdul-Jaleel et al., TREC 2004) over a first ranking, as Anserini has it.

    filter_terms: expand by terms of English letters and digits alone.
    """

    first: BM25 | QueryLikelihood = BM25()
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

    first: BM25 | QueryLikelihood = BM25()
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
