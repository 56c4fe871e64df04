"""What every ranking formula declares, and what their exact computations share.

A formula is one class: its name, its parameters with their ranges, the name of Lucene's similarity,
and the exact computation in Lucene's own precision: float where Lucene has float, double where it
has double.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.indexer.searcher import IndexSearcher

Codes = NDArray[np.uint8]
Lengths = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Documents = NDArray[np.int64]

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

    def require(self, value: float, name: str = "") -> None:
        """Raise UsageError if a number is out of range, not finite, or not a number.

        Args:
            value: The number.
            name: What the message calls the number, such as "bm25: k1: ".
        """
        if not (_JAVA_FLOATS[0] if self.above else self.low) <= value <= self.high:
            raise UsageError(f"{name}expected {self}, got {value:g}")

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
                declared.metadata[RANGE].require(
                    value, f"{self.name}: {declared.name}: "
                )

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


def _byte4_to_int(code: int) -> int:
    """Decode a length by SmallFloat.byte4ToInt: 24 lengths exactly, then 4 significant bits."""
    exact = 24
    if code < exact:
        return code
    bits = code - exact
    shift = (bits >> 3) - 1
    mantissa = bits & 7
    decoded = mantissa if shift < 0 else (mantissa | 8) << shift
    return exact + decoded


# (256,) the length that Lucene 7 to 10 reads for each code.
LENGTHS: Lengths = np.array(
    [_byte4_to_int(code) for code in range(256)], dtype=np.int64
)


def encode_lengths(lengths: Lengths) -> Codes:
    """Return the code of each length: that of the largest decoded length that is not above it."""
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


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
    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> Scored:
        """Score the documents with at least one term of the query.

        Args:
            matches: The terms of the query that any document of the collection has.
            terms: The number of the query's terms, with repeats.
            collection: The whole collection.

        Returns:
            The documents, ascending, and their scores.
        """

    def configure(self, searcher: "IndexSearcher") -> None:
        """Set a searcher to this formula.

        Raises:
            UsageError: Today's Lucene does not have the formula.
        """
        from jnius import autoclass

        if not self.lucene:
            raise UsageError(
                f"formula {self}: today's Lucene lacks it; use --engine exact"
            )
        similarity = autoclass(f"org.apache.lucene.search.similarities.{self.lucene}")
        searcher.set_similarity(similarity(*self.parameters.values()))


def sum_scores(
    matches: Sequence[Match], scores: Sequence[Floats]
) -> tuple[Documents, Doubles]:
    """Add up the scores of terms in double precision, in the order of the terms.

    Args:
        matches: The terms.
        scores: The scores of each term's documents.

    Returns:
        The documents with a term, ascending, and their sums.
    """
    # A place for every document up to the last one: to look their places up in a sorted array
    # takes fifty times as long if a term is in a tenth of a million documents.
    end = 1 + max(int(match.documents.max(initial=0)) for match in matches)
    matched, total = np.zeros(end, dtype=bool), np.zeros(end)
    for match, score in zip(matches, scores, strict=True):
        matched[match.documents] = True
        total[match.documents] += score
    documents = np.flatnonzero(matched)
    return documents, total[documents]


def exact_formula(model: RankingModel) -> Formula:
    """Return the model as a formula of the exact engine; raise UsageError for feedback."""
    if not isinstance(model, Formula):
        raise UsageError(
            f"{model.title}: the exact engine has no feedback, which reads document vectors; use "
            "real indexes, --engine indexes"
        )
    return model
