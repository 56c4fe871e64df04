"""Ranking formulas: how Anserini's searcher is set to one, and what the exact engine computes."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

from boilersweep.errors import UsageError
from boilersweep.eval.exact.ranking_formulas import (
    ExactBM25,
    ExactClassic,
    ExactLucene29,
    ExactQueryLikelihood,
    Formula,
)
from boilersweep.eval.exact.vectors import ExactDense, ExactHybrid
from boilersweep.store.vectors import Vectors

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
class Dense:
    """The best kept block by vectors of the user's own encoder; for the exact engine alone.

    best: the mean of so many blocks, or of all if there are fewer.
    """

    vectors: Vectors
    best: int = 1

    reads_vectors = False

    def __post_init__(self) -> None:
        if self.best < 1:
            raise UsageError(f"dense: expected at least 1 best block, got {self.best}")

    @property
    def formula(self) -> ExactDense:
        return ExactDense(self.vectors, self.best)

    @property
    def parameters(self) -> dict[str, Any]:
        """What its results depend on."""
        return {"vectors": self.vectors.identity, "best": self.best}

    def similarity(self) -> Any:
        raise UsageError(f"formula {self}: Lucene has no vectors; use --engine exact")

    def __str__(self) -> str:
        return f"dense({self.vectors}{f',{self.best}' if self.best > 1 else ''})"


@dataclass(frozen=True, slots=True)
class Hybrid:
    """A formula of words and the best kept block; for the exact engine alone.

    weight: of the words, from 0 to 1; None for reciprocal rank fusion.
    """

    first: BM25 | QueryLikelihood
    dense: Dense
    weight: float | None = None

    reads_vectors = False

    def __post_init__(self) -> None:
        if self.weight is not None and not 0 <= self.weight <= 1:
            raise UsageError(f"hybrid: expected a weight from 0 to 1, got {self.weight:g}")

    @property
    def formula(self) -> Formula:
        return ExactHybrid(self.first.formula, self.dense.formula, self.weight)

    @property
    def parameters(self) -> dict[str, Any]:
        """What its results depend on."""
        first = {"formula": str(self.first), **asdict(self.first)}
        return {"first": first, **self.dense.parameters, "weight": self.weight}

    def similarity(self) -> Any:
        return self.dense.similarity()

    def __str__(self) -> str:
        weight = "rrf" if self.weight is None else f"{self.weight:g}"
        return f"hybrid({self.first},{self.dense},{weight})"


def model_named(text: str) -> RankingModel:
    """The formula over terms that `str(model)` names; raises UsageError for others."""
    name, _, parameters = text.rstrip(")").partition("(")
    named: dict[str, Callable[..., RankingModel]] = {
        "bm25": BM25,
        "qld": QueryLikelihood,
        "classic": Classic,
        "lucene-2.9": Lucene29,
    }
    if name not in named:
        raise UsageError(f"expected a formula of {', '.join(named)}, got {text}")
    pairs = (part.split("=") for part in parameters.split(",") if part)
    return named[name](**{key: float(value) for key, value in pairs})
