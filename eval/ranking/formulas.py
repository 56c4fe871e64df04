"""Ranking formulas over terms: BM25, query likelihood, and Lucene's TF-IDF of today and of 2010.

A formula is one class: its name, its parameters with their ranges, the name of Lucene's similarity,
and the exact computation in Lucene's own precision: float where Lucene has float, double where it
has double.

Sources: BM25Similarity, LMDirichletSimilarity and ClassicSimilarity of Lucene 9.9 and 10.5, and
DefaultSimilarity with BooleanQuery's coord of Lucene 2.9.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import UsageError
from boilersweep.indexer.arithmetic import (
    LENGTHS,
    Codes,
    Documents,
    Doubles,
    Floats,
    Lengths,
    encode_lengths,
    sum_of_terms,
)

if TYPE_CHECKING:
    from boilersweep.indexer.searcher import IndexSearcher

# Documents and their scores.
Scored = tuple[Documents, Floats]

# The key of a parameter's range in the metadata of its field.
RANGE = "range"

# The least and the greatest normal number that Java holds as a float.
_JAVA_FLOATS = (2.0**-126, 3.4028234663852886e38)

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers that a parameter may be.

    Attributes:
        low: The least number; 0 means any number above 0 if `above` is set.
        high: The greatest number.
        above: Whether the number must be above 0.
        tuned: An example of values to tune, for the help text.
    """

    low: float = 0
    high: float = _JAVA_FLOATS[1]
    above: bool = False
    tuned: str = ""

    def require(self, value: float, name: str | None = None) -> None:
        """Raise UsageError if a number is out of range, not finite, or not a number.

        Args:
            value: The number.
            name: The parameter's name, such as k1.
        """
        if not (_JAVA_FLOATS[0] if self.above else self.low) <= value <= self.high:
            raise UsageError(f"expected {self}, got {value:g}", parameter=name)

    def __str__(self) -> str:
        if self.above:
            return "a finite number above 0"
        if self.high == _JAVA_FLOATS[1]:
            return f"a finite number of at least {self.low:g}"
        return f"a number from {self.low:g} to {self.high:g}"


def parameter(default: _Number, allowed: Range) -> _Number:
    """Return the field of a ranking model's parameter.

    Args:
        default: The parameter's default.
        allowed: The numbers that it may be.
    """
    declared: _Number = field(default=default, metadata={RANGE: allowed})
    return declared


@dataclass(frozen=True, slots=True)
class RankingModel(ABC):
    """How documents are ranked; its fields are its parameters, and `str(model)` names it with them.

    Attributes:
        name: The formula's name on the command line.
        title: The formula's name in help texts.
        reads_vectors: Whether an index must store document vectors.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reads_vectors: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for declared in fields(self):
            if RANGE in declared.metadata:
                value = getattr(self, declared.name)
                declared.metadata[RANGE].require(value, declared.name)

    @property
    def parameters(self) -> dict[str, Any]:
        """What its results depend on, as JSON."""
        return asdict(self)

    @abstractmethod
    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this model; raise UsageError if Lucene lacks it."""

    def __str__(self) -> str:
        values = ",".join(
            f"{name}={value:g}" for name, value in self.parameters.items()
        )
        return f"{self.name}({values})" if values else self.name


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as one rule leaves it.

    Attributes:
        documents: The number of documents with a token.
        tokens: The number of tokens, with repeats.
    """

    documents: int
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A term of the query in the documents to score, which are a collection or a part of it.

    Attributes:
        count: How often the query has the term.
        documents: (n,) the documents' numbers, ascending.
        tf: (n,) how often each document has the term, at least 1.
        codes: (n,) codes of the documents' lengths.
        df: The number of documents of the collection that have the term, at least 1.
        occurrences: How often the collection has the term.
    """

    count: int
    documents: Documents
    tf: NDArray[np.int64]
    codes: Codes
    df: int
    occurrences: int


# Gives (n,) the scores of a term's documents.
TermScorer = Callable[[Match], Floats]


@dataclass(frozen=True, slots=True)
class Formula(RankingModel):
    """A ranking formula that the exact engine computes.

    Attributes:
        lucene: The class of Lucene's similarity, whose arguments are the parameters; "" if today's
            Lucene does not have the formula.
    """

    lucene: ClassVar[str] = ""

    encode = staticmethod(encode_lengths)
    """Codes of document lengths, as the index of this formula's Lucene keeps them."""

    @abstractmethod
    def term_scorer(self, collection: Collection) -> TermScorer:
        """Return what gives (n,) the scores of one term's documents."""

    def score(
        self,
        matches: Sequence[Match],
        terms: int,
        collection: Collection,
    ) -> Scored:
        """Score the documents with at least one term of the query.

        Args:
            matches: The terms of the query that any document of the collection has.
            terms: The number of the query's terms, with repeats.
            collection: The whole collection.

        Returns:
            The documents, ascending, and their scores.
        """
        documents, total = _added(matches, self.term_scorer(collection))
        return documents, total.astype(np.float32)

    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this formula.

        Raises:
            UsageError: Today's Lucene does not have the formula.
        """
        from jnius import autoclass

        if not self.lucene:
            raise UsageError(
                f"formula {self}: today's Lucene lacks it; use `engine` exact"
            )
        similarity = autoclass(f"org.apache.lucene.search.similarities.{self.lucene}")
        searcher.set_similarity(similarity(*self.parameters.values()))


def _added(matches: Sequence[Match], score: TermScorer) -> tuple[Documents, Doubles]:
    """Return the documents with a term, and the sums of the terms' scores, see `sum_of_terms`."""
    documents = [match.documents for match in matches]
    return sum_of_terms(documents, list(map(score, matches)))


def exact_formula(model: RankingModel) -> Formula:
    """Return the model as a formula of the exact engine; raise UsageError for feedback."""
    if not isinstance(model, Formula):
        raise UsageError(
            f"{model.title}: the exact engine has no feedback, which reads document vectors; use "
            "real indexes, `engine` indexes"
        )
    return model


_ONE = np.float32(1)


@dataclass(frozen=True, slots=True)
class BM25(Formula):
    """Robertson et al., Okapi at TREC-3, as Lucene has it; Anserini's default parameters.

    idf * tf / (tf + k1 (1 - b + b length / average length))

    Attributes:
        k1: k1 of BM25.
        b: b of BM25.
    """

    name: ClassVar[str] = "bm25"
    title: ClassVar[str] = "BM25"
    lucene: ClassVar[str] = "BM25Similarity"

    k1: float = parameter(0.9, Range(tuned="0.6,0.9,1.2"))
    b: float = parameter(0.4, Range(high=1, tuned="0.2,0.4,0.75"))

    def term_scorer(self, collection: Collection) -> TermScorer:
        """Return what scores a term, see `Formula.term_scorer`."""
        k1, b = np.float32(self.k1), np.float32(self.b)
        average = np.float32(collection.tokens / collection.documents)
        # k1 = 0, or b = 1 and a length of 0
        with np.errstate(divide="ignore", over="ignore"):
            inverse = _ONE / (
                k1 * ((_ONE - b) + b * LENGTHS.astype(np.float32) / average)
            )

        def score(match: Match) -> Floats:
            df = match.df
            idf = np.float32(
                math.log(1 + (collection.documents - df + 0.5) / (df + 0.5))
            )
            weight = np.float32(match.count) * idf
            tf = match.tf.astype(np.float32)
            scores: Floats = weight - weight / (_ONE + tf * inverse[match.codes])
            return scores

        return score


@dataclass(frozen=True, slots=True)
class QueryLikelihood(Formula):
    """Query likelihood with Dirichlet smoothing (Zhai and Lafferty, SIGIR 2001).

    log(1 + tf / (mu p)) + log(mu / (length + mu)), at least 0

    Attributes:
        mu: mu of query likelihood.
    """

    name: ClassVar[str] = "qld"
    title: ClassVar[str] = "query likelihood"
    lucene: ClassVar[str] = "LMDirichletSimilarity"

    mu: float = parameter(1000.0, Range(above=True, tuned="500,1000,2000"))

    def term_scorer(self, collection: Collection) -> TermScorer:
        """Return what scores a term, see `Formula.term_scorer`."""
        mu = float(np.float32(self.mu))

        def score(match: Match) -> Floats:
            probability = (float(match.occurrences) + 1.0) / (
                float(collection.tokens) + 1.0
            )
            lengths = LENGTHS[match.codes]
            scores = float(match.count) * (
                np.log(1 + match.tf / (mu * probability)) + np.log(mu / (lengths + mu))
            )
            return np.where(scores > 0, scores, 0.0).astype(np.float32)

        return score


@dataclass(frozen=True, slots=True)
class Classic(Formula):
    """Lucene's TF-IDF of today, sqrt(tf) idf / sqrt(length), without coord and queryNorm."""

    name: ClassVar[str] = "classic"
    title: ClassVar[str] = "Lucene's current TF-IDF"
    lucene: ClassVar[str] = "ClassicSimilarity"

    def term_scorer(self, collection: Collection) -> TermScorer:
        """Return what scores a term, see `Formula.term_scorer`."""
        with np.errstate(divide="ignore"):
            norms = (1.0 / np.sqrt(LENGTHS.astype(np.float64))).astype(np.float32)

        def score(match: Match) -> Floats:
            idf = np.float32(
                math.log((collection.documents + 1) / (match.df + 1)) + 1.0
            )
            weight = np.float32(match.count) * idf
            tf = np.sqrt(match.tf.astype(np.float64)).astype(np.float32)
            scores: Floats = tf * weight * norms[match.codes]
            return scores

        return score


_BIAS = (63 - 15) << 3
_CODES = np.arange(256, dtype=np.uint32)

# (256,) the norm that Lucene 2.9 reads for each code, by SmallFloat.byte315ToFloat: 3 bits of
# mantissa, exponents from 2^-15.
NORMS_2_9: NDArray[np.float32] = ((_CODES << 21) + np.uint32((63 - 15) << 24)).view(
    np.float32
)
NORMS_2_9[0] = 0.0


def encode_norms_2_9(lengths: Lengths) -> Codes:
    """Encode 1 / sqrt(length) by SmallFloat.floatToByte315, as Lucene 2.9's DefaultSimilarity."""
    with np.errstate(divide="ignore"):
        norms = (1.0 / np.sqrt(lengths.astype(np.float64))).astype(np.float32)
    small = (norms.view(np.int32) >> 21) - _BIAS
    codes = np.clip(small, 1, 255)
    return np.where(lengths > 0, codes, 0).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Lucene29(Formula):
    """DefaultSimilarity of Lucene 2.9, the "standard Lucene ranking" of 2010, and of the paper.

    score(q, d) = coord(q, d) queryNorm(q) sum over t in q of sqrt(tf) idf(t)^2 norm(d), with
    idf(t) = 1 + ln(documents / (df + 1)), norm(d) = 1 / sqrt(length) in one byte of 3 bits of
    mantissa, queryNorm(q) = 1 / sqrt(sum of idf^2), coord = the share of the query's clauses that
    match. A term that the query repeats is a clause each time. Source: the class documentation of
    org.apache.lucene.search.Similarity, Lucene 2.9.
    """

    name: ClassVar[str] = "lucene-2.9"
    title: ClassVar[str] = "Lucene's TF-IDF of 2010, for the exact engine alone"

    encode = staticmethod(encode_norms_2_9)

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> Scored:
        """Score documents, see `Formula.score`."""
        matched = sum(match.count for match in matches)
        # Terms in no document weigh in the queryNorm too.
        squares = sum(
            m.count * float(self._idf(m.df, collection)) ** 2 for m in matches
        )
        squares += (terms - matched) * float(self._idf(0, collection)) ** 2
        score = self.term_scorer(collection, np.float32(1.0 / math.sqrt(squares)))
        documents, total = _added(matches, score)
        _, overlap = _added(
            matches, lambda m: np.full(len(m.documents), m.count, dtype=np.float32)
        )
        coord = overlap.astype(np.float32) / np.float32(terms)
        return documents, total.astype(np.float32) * coord

    def term_scorer(
        self, collection: Collection, query_norm: np.float32 = _ONE
    ) -> TermScorer:
        """Return what scores a term, see `Formula.term_scorer`."""

        def score(match: Match) -> Floats:
            idf = self._idf(match.df, collection)
            weight = idf * query_norm * idf
            tf = np.sqrt(match.tf.astype(np.float64)).astype(np.float32)
            scores: Floats = np.float32(match.count) * (
                tf * weight * NORMS_2_9[match.codes]
            )
            return scores

        return score

    @staticmethod
    def _idf(df: int, collection: Collection) -> np.float32:
        return np.float32(math.log(collection.documents / (df + 1)) + 1.0)


# The formulas over terms, by name; the command line offers them and their parameters.
FORMULAS: dict[str, type[Formula]] = {
    formula.name: formula for formula in (BM25, QueryLikelihood, Classic, Lucene29)
}


def model_named(text: str) -> Formula:
    """Return the formula over terms that `str(model)` names; raise UsageError for others."""
    name, _, parameters = text.rstrip(")").partition("(")
    if name not in FORMULAS:
        raise UsageError(f"expected a formula of {', '.join(FORMULAS)}, got {text}")
    pairs = (part.split("=") for part in parameters.split(",") if part)
    return FORMULAS[name](**{key: float(value) for key, value in pairs})


_COUNT = Range(1, 2**31 - 1)
_WEIGHT = Range()


@dataclass(frozen=True, slots=True)
class Feedback(RankingModel):
    """Feedback over a first ranking.

    Attributes:
        first: The model of the first ranking, whose hits expand the query.
    """

    reads_vectors: ClassVar[bool] = True

    first: BM25 | QueryLikelihood = field(default_factory=BM25)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of the feedback itself."""
        return {
            parameter.name: getattr(self, parameter.name)
            for parameter in fields(self)
            if parameter.name != "first"
        }

    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this feedback."""
        self.first.configure(searcher)
        getattr(searcher, f"set_{self.name}")(**self.options)


@dataclass(frozen=True, slots=True)
class RM3(Feedback):
    """RM3 (Abdul-Jaleel et al., TREC 2004) as Anserini has it.

    Attributes:
        fb_terms: The terms that expand a query.
        fb_docs: The hits that they come from.
        original_query_weight: The weight of the query's own terms.
        filter_terms: Whether to expand by terms of English letters and digits alone.
    """

    name: ClassVar[str] = "rm3"
    title: ClassVar[str] = "RM3"

    fb_terms: int = parameter(10, _COUNT)
    fb_docs: int = parameter(10, _COUNT)
    original_query_weight: float = parameter(0.5, Range(high=1))
    filter_terms: bool = field(default=True, metadata={"switch": "noTermFilter"})

    def __str__(self) -> str:
        return (
            f"{self.first}+rm3(fbTerms={self.fb_terms},fbDocs={self.fb_docs},"
            f"originalQueryWeight={self.original_query_weight:g}"
            f"{'' if self.filter_terms else ',noTermFilter'})"
        )


@dataclass(frozen=True, slots=True)
class Rocchio(Feedback):
    """Rocchio's feedback as Anserini has it.

    bottom_fb_terms, bottom_fb_docs and gamma have an effect with use_negative alone, which treats
    the last hits as irrelevant.
    """

    name: ClassVar[str] = "rocchio"
    title: ClassVar[str] = "Rocchio"

    top_fb_terms: int = parameter(10, _COUNT)
    top_fb_docs: int = parameter(10, _COUNT)
    bottom_fb_terms: int = parameter(10, _COUNT)
    bottom_fb_docs: int = parameter(10, _COUNT)
    alpha: float = parameter(1.0, _WEIGHT)
    beta: float = parameter(0.75, _WEIGHT)
    gamma: float = parameter(0.15, _WEIGHT)
    use_negative: bool = field(default=False, metadata={"switch": "useNegative"})

    def __str__(self) -> str:
        negative = (
            f",gamma={self.gamma:g},bottomFbTerms={self.bottom_fb_terms},"
            f"bottomFbDocs={self.bottom_fb_docs},useNegative"
        )
        return (
            f"{self.first}+rocchio(topFbTerms={self.top_fb_terms},topFbDocs={self.top_fb_docs},"
            f"alpha={self.alpha:g},beta={self.beta:g}{negative if self.use_negative else ''})"
        )


# The methods of feedback, by name.
FEEDBACK: dict[str, type[Feedback]] = {method.name: method for method in (RM3, Rocchio)}

# The models that Anserini's searcher can be set to, by `configure`.
SearcherModel = BM25 | QueryLikelihood | RM3 | Rocchio
