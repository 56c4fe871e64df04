"""Ranking formulas in Lucene's own precision: float where Lucene has float, double where double.

Sources: BM25Similarity, LMDirichletSimilarity and ClassicSimilarity of Lucene 9.9, and
DefaultSimilarity with BooleanQuery's coord of Lucene 2.9.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Lengths = NDArray[np.int64]


def _byte4_to_int(code: int) -> int:
    """SmallFloat.byte4ToInt: 24 lengths exactly, then 4 significant bits."""
    exact = 24
    if code < exact:
        return code
    bits = code - exact
    shift = (bits >> 3) - 1
    mantissa = bits & 7
    decoded = mantissa if shift < 0 else (mantissa | 8) << shift
    return exact + decoded


LENGTHS: Lengths = np.array([_byte4_to_int(code) for code in range(256)], dtype=np.int64)
"""(256,) the length that Lucene 7 to 9 reads for each code."""


def encode_lengths(lengths: Lengths) -> Codes:
    """The code of each length: that of the largest length in the table which is not above it."""
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


_BIAS = (63 - 15) << 3


def _byte315_to_float() -> NDArray[np.float32]:
    """SmallFloat.byte315ToFloat for all codes: 3 bits of mantissa, exponents from 2^-15 on."""
    codes = np.arange(256, dtype=np.uint32)
    values = ((codes << 21) + np.uint32((63 - 15) << 24)).view(np.float32).copy()
    values[0] = 0.0
    return values


NORMS_2_9: NDArray[np.float32] = _byte315_to_float()
"""(256,) the norm that Lucene 2.9 reads for each code."""


def encode_norms_2_9(lengths: Lengths) -> Codes:
    """SmallFloat.floatToByte315 of Lucene 2.9's DefaultSimilarity.lengthNorm, 1 / sqrt(length)."""
    with np.errstate(divide="ignore"):
        norms = (1.0 / np.sqrt(lengths.astype(np.float64))).astype(np.float32)
    small = (norms.view(np.int32) >> 21) - _BIAS
    codes = np.clip(small, 1, 255)
    return np.where(lengths > 0, codes, 0).astype(np.uint8)


Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Documents = NDArray[np.int64]

_ONE = np.float32(1)


@dataclass(frozen=True, slots=True)
class Collection:
    """The collection as one rule leaves it. documents: with a token. tokens: with repeats."""

    documents: int
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A term of the query in the documents to be scored, which are the collection or a part of it.

    count: how often the query has it. documents: (n,) ascending. tf: (n,) at least 1.
    codes: (n,) codes of the documents' lengths. df: documents of the collection that have it, at
    least 1. occurrences: how often these have it together.
    """

    count: int
    documents: Documents
    tf: NDArray[np.int64]
    codes: Codes
    df: int
    occurrences: int


class Formula(Protocol):
    """A ranking formula."""

    def encode(self, lengths: NDArray[np.int64]) -> Codes:
        """Codes of document lengths, as the index of this formula's Lucene keeps them."""
        ...

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> tuple[Documents, Floats]:
        """Documents with at least one term of the query, ascending, and their scores.

        matches: a term of the query each, those in no document of the collection left out.
        terms: of the query, with repeats.
        """
        ...


def _summed(matches: Sequence[Match], scores: Sequence[Floats]) -> tuple[Documents, Doubles]:
    """Scores of terms added up in double precision, in the order of the terms."""
    # A place for every document up to the last one: to look their places up in a sorted array
    # takes fifty times as long where a term is in a tenth of a million documents.
    end = 1 + max(int(match.documents.max(initial=0)) for match in matches)
    found, total = np.zeros(end, dtype=bool), np.zeros(end)
    for match, score in zip(matches, scores, strict=True):
        found[match.documents] = True
        total[match.documents] += score
    documents = np.flatnonzero(found)
    return documents, total[documents]


@dataclass(frozen=True, slots=True)
class ExactBM25:
    """BM25Similarity: idf * tf / (tf + k1 (1 - b + b length / average length))."""

    k1: float
    b: float

    encode = staticmethod(encode_lengths)

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> tuple[Documents, Floats]:
        k1, b = np.float32(self.k1), np.float32(self.b)
        average = np.float32(collection.tokens / collection.documents)
        with np.errstate(divide="ignore"):  # k1 = 0, or b = 1 and a length of 0
            inverse = _ONE / (k1 * ((_ONE - b) + b * LENGTHS.astype(np.float32) / average))
        scores = []
        for match in matches:
            df = match.df
            idf = np.float32(math.log(1 + (collection.documents - df + 0.5) / (df + 0.5)))
            weight = np.float32(match.count) * idf
            tf = match.tf.astype(np.float32)
            scores.append(weight - weight / (_ONE + tf * inverse[match.codes]))
        documents, total = _summed(matches, scores)
        return documents, total.astype(np.float32)


@dataclass(frozen=True, slots=True)
class ExactQueryLikelihood:
    """LMDirichletSimilarity: log(1 + tf / (mu p)) + log(mu / (length + mu)), at least 0."""

    mu: float

    encode = staticmethod(encode_lengths)

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> tuple[Documents, Floats]:
        mu = float(np.float32(self.mu))
        scores = []
        for match in matches:
            probability = (float(match.occurrences) + 1.0) / (float(collection.tokens) + 1.0)
            lengths = LENGTHS[match.codes]
            score = float(match.count) * (
                np.log(1 + match.tf / (mu * probability)) + np.log(mu / (lengths + mu))
            )
            scores.append(np.where(score > 0, score, 0.0).astype(np.float32))
        documents, total = _summed(matches, scores)
        return documents, total.astype(np.float32)


@dataclass(frozen=True, slots=True)
class ExactClassic:
    """ClassicSimilarity of Lucene 9: sqrt(tf) idf / sqrt(length), without coord or queryNorm."""

    encode = staticmethod(encode_lengths)

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> tuple[Documents, Floats]:
        with np.errstate(divide="ignore"):
            norms = (1.0 / np.sqrt(LENGTHS.astype(np.float64))).astype(np.float32)
        scores = []
        for match in matches:
            idf = np.float32(math.log((collection.documents + 1) / (match.df + 1)) + 1.0)
            weight = np.float32(match.count) * idf
            tf = np.sqrt(match.tf.astype(np.float64)).astype(np.float32)
            scores.append(tf * weight * norms[match.codes])
        documents, total = _summed(matches, scores)
        return documents, total.astype(np.float32)


@dataclass(frozen=True, slots=True)
class ExactLucene29:
    """DefaultSimilarity of Lucene 2.9, the "standard Lucene ranking" of 2010.

    score(q, d) = coord(q, d) queryNorm(q) sum over t in q of sqrt(tf) idf(t)^2 norm(d), with
    idf(t) = 1 + ln(documents / (df + 1)), norm(d) = 1 / sqrt(length) in one byte of 3 bits of
    mantissa, queryNorm(q) = 1 / sqrt(sum of idf^2), coord = the share of the query's clauses that
    match. A term that the query repeats is a clause each time. Source: the class documentation of
    org.apache.lucene.search.Similarity, Lucene 2.9.
    """

    encode = staticmethod(encode_norms_2_9)

    def score(
        self, matches: Sequence[Match], terms: int, collection: Collection
    ) -> tuple[Documents, Floats]:
        idfs = [self._idf(match.df, collection) for match in matches]
        found = sum(match.count for match in matches)
        # Terms in no document weigh in the queryNorm too.
        squares = sum(m.count * float(i) ** 2 for m, i in zip(matches, idfs, strict=True))
        squares += (terms - found) * float(self._idf(0, collection)) ** 2
        query_norm = np.float32(1.0 / math.sqrt(squares))
        scores, overlaps = [], []
        for match, idf in zip(matches, idfs, strict=True):
            weight = idf * query_norm * idf
            tf = np.sqrt(match.tf.astype(np.float64)).astype(np.float32)
            scores.append(np.float32(match.count) * (tf * weight * NORMS_2_9[match.codes]))
            overlaps.append(np.full(len(match.documents), match.count, dtype=np.float32))
        documents, total = _summed(matches, scores)
        _, overlap = _summed(matches, overlaps)
        coord = overlap.astype(np.float32) / np.float32(terms)
        return documents, total.astype(np.float32) * coord

    @staticmethod
    def _idf(df: int, collection: Collection) -> np.float32:
        return np.float32(math.log(collection.documents / (df + 1)) + 1.0)
