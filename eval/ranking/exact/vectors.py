"""Documents ranked by vectors of their blocks, alone or together with another formula.

A block's vector does not depend on the threshold: a document's score under a rule is that of the
best block that the rule keeps, or the mean of the best. A block's score is the inner product of its
vector and the topic's, as float32 of a sum in double precision; that of a long block is the best of
its windows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from boilersweep.cleaners.rules import Need
from boilersweep.errors import StoreError
from boilersweep.eval.ranking.formula import (
    Documents,
    Floats,
    Formula,
    Range,
    RankingModel,
    Scored,
    parameter,
)
from boilersweep.pages.columns import BlockColumns, IntArray
from boilersweep.store.vectors import Vectors, block_texts, needs_for

# How many documents of either ranking a hybrid reads.
FUSED = 1000

_RRF = 60  # Cormack, Clarke and Buettcher, SIGIR 2009


@dataclass(frozen=True, slots=True)
class Dense(Formula):
    """Ranks by vectors of the user's own encoder; for the exact engine alone.

    Attributes:
        vectors: The vectors of blocks and topics.
        best: A document's score is the mean of so many of its best kept blocks, or of all if there
            are fewer.
    """

    name: ClassVar[str] = "dense"
    title: ClassVar[str] = "vectors"

    vectors: Vectors
    best: int = parameter(1, Range(1))

    @property
    def parameters(self) -> dict[str, Any]:
        """What its results depend on, as JSON; where the vectors are does not matter."""
        return {"vectors": self.vectors.identity, "best": self.best}

    def score(self, *_: Any) -> Scored:
        """Return no documents: no term counts."""
        return np.empty(0, np.int64), np.empty(0, np.float32)

    def __str__(self) -> str:
        return f"dense({self.vectors}{f',{self.best}' if self.best > 1 else ''})"


@dataclass(frozen=True, slots=True)
class Hybrid(Formula):
    """Combines the first 1,000 documents of a formula over terms and of vectors.

    Attributes:
        first: The formula over terms.
        dense: The ranking by vectors.
        weight: None for reciprocal rank fusion, the sum of 1 / (60 + rank); otherwise the weight of
            the first formula's scores, where both rankings' scores are brought to the range from 0
            to 1 for each topic.
    """

    name: ClassVar[str] = "hybrid"
    title: ClassVar[str] = "words and vectors"

    WEIGHT: ClassVar[Range] = Range(high=1)

    first: Formula
    dense: Dense
    weight: float | None = None

    def __post_init__(self) -> None:
        if self.weight is not None:
            self.WEIGHT.require(self.weight, "hybrid: weight: ")

    @property
    def parameters(self) -> dict[str, Any]:
        """What its results depend on, as JSON."""
        first = {"formula": str(self.first), **self.first.parameters}
        return {"first": first, **self.dense.parameters, "weight": self.weight}

    @property
    def encode(self) -> Any:  # type: ignore[override]
        """The first formula's."""
        return self.first.encode

    def score(self, *arguments: Any) -> Scored:
        """Return the scores of the first formula."""
        return self.first.score(*arguments)

    def combine(self, words: Scored, dense: Scored) -> Scored:
        """Return the documents that either ranks, ascending, and their scores.

        Args:
            words: The documents by terms, best first.
            dense: The documents by vectors, best first.
        """
        both = np.concatenate([words[0], dense[0]])
        documents = np.flatnonzero(np.bincount(both))  # faster than np.unique
        if self.weight is None:
            parts = [1 / (_RRF + np.arange(1.0, 1 + len(ranked))) for ranked, _ in (words, dense)]
        else:
            parts = [self.weight * _normalised(words[1]), (1 - self.weight) * _normalised(dense[1])]
        total = np.bincount(both, np.concatenate(parts))[documents]
        return documents, total.astype(np.float32)

    def __str__(self) -> str:
        weight = "rrf" if self.weight is None else f"{self.weight:g}"
        return f"hybrid({self.first},{self.dense},{weight})"


def _normalised(scores: Floats) -> NDArray[np.float64]:
    """From 0 for the last to 1 for the first; 1 where all are equal. scores: best first."""
    if not len(scores) or scores[0] == scores[-1]:
        return np.ones(len(scores))
    low, high = float(scores[-1]), float(scores[0])
    return (scores.astype(np.float64) - low) / (high - low)


def dense_of(formula: RankingModel) -> Dense | None:
    """Return the part of a formula that ranks by vectors; None if it ranks by terms alone."""
    ranking = formula.dense if isinstance(formula, Hybrid) else formula
    return ranking if isinstance(ranking, Dense) else None


@dataclass(frozen=True, slots=True, eq=False)
class BlockScores:
    """The best scores among the blocks of a document that have one signature, for each topic.

    Attributes:
        documents: (p,) the numbers of the documents, ascending.
        signatures: (p,) rows of `Rows.signatures`.
        topics: The row in `scores` of each topic.
        scores: (topics, p) the scores.
    """

    documents: NDArray[np.int32]
    signatures: NDArray[np.int32]
    topics: Mapping[str, int]
    scores: Floats

    def under(self, kept: NDArray[Any]) -> "KeptScores":
        """Return the scores that a rule leaves; kept: (s,) whether it keeps each signature."""
        places = np.flatnonzero(kept[self.signatures])
        owners = self.documents[places]
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        return KeptScores(self, places, owners, first, owners[first].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class KeptScores:
    """Scores under a rule. places: (k,) of `BlockScores`. first: of each document among these."""

    of: BlockScores
    places: IntArray
    owners: NDArray[np.int32]
    first: IntArray
    documents: Documents

    def best(self, topic: str, count: int) -> Scored:
        """Return the documents with a kept block, and the mean of their best `count` scores."""
        if not len(self.places):
            return self.documents, np.empty(0, np.float32)
        scores = self.of.scores[self.of.topics[topic]][self.places]
        if count == 1:
            return self.documents, np.maximum.reduceat(scores, self.first)
        ordered = _descending(scores, self.owners)
        sizes = np.diff(self.first, append=len(scores))
        total = np.zeros(len(sizes))
        for number in range(count):
            here = sizes > number
            total[here] += ordered[self.first[here] + number]
        return self.documents, (total / np.minimum(sizes, count)).astype(np.float32)


def descending(scores: Floats) -> NDArray[np.int64]:
    """Integers of 32 bits that ascend as scores descend."""
    bits = (-scores).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def _descending(scores: Floats, owners: NDArray[np.int32]) -> Floats:
    """Return the scores of each owner, best first. owners: ascending."""
    return scores[np.argsort((owners.astype(np.int64) << 32) + descending(scores), kind="stable")]


class BlockScorer:
    """Collects blocks while a pass over a store meets them, and scores them for topics."""

    def __init__(self, dense: Dense, topics: Sequence[str]) -> None:
        """Read the topics' vectors; raise StoreError if a topic has none, or two."""
        self._dense = dense
        self._vectors = dense.vectors
        self._topics = {topic: number for number, topic in enumerate(topics)}
        found: dict[str, NDArray[np.float64]] = {}
        for ids, vectors in self._vectors.parts("topics"):
            for topic, vector in zip(ids, vectors.astype(np.float64), strict=True):
                if topic in found:
                    raise StoreError(f"{self._vectors.folder}: topic {topic} has two vectors")
                found[topic] = vector
        if missing := [topic for topic in topics if topic not in found]:
            raise StoreError(
                f"{self._vectors.folder}: {len(missing)} of {len(topics)} topics have no vector, "
                f"such as {missing[0]}; encode the topics of this experiment"
            )
        queries = np.array([found[topic] for topic in topics])
        self._queries = queries.reshape(len(topics), self._vectors.dimension)
        self._parts: list[tuple[IntArray, IntArray, NDArray[np.bytes_]]] = []

    @property
    def needs(self) -> frozenset[Need]:
        """What it reads of a store."""
        return needs_for(context=self._vectors.context)

    def add(self, columns: BlockColumns, before: int, signatures: IntArray) -> None:
        """Take in documents and the signatures of their blocks. before: documents taken in."""
        texts = block_texts(columns, context=self._vectors.context)
        ids = np.array(texts.ids, dtype="S32")
        worded = np.flatnonzero(ids != b"")
        self._parts.append((before + columns.owners[worded], signatures[worded], ids[worded]))

    def collected(self) -> BlockScores:
        """Of everything taken in; raises StoreError where a text has no vector, or two."""
        empty = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, "S32"))
        columns = zip(empty, *self._parts, strict=True)
        documents, signatures, ids = (np.concatenate(column) for column in columns)
        texts, numbers = np.unique(ids, return_inverse=True)
        with threadpool_limits(1):  # small products: more threads wait for each other
            of_texts = self._scores(texts)
        order = np.lexsort((signatures, documents))
        documents, signatures, numbers = documents[order], signatures[order], numbers[order]
        new = np.diff(documents, prepend=-1) | np.diff(signatures, prepend=-1)
        first = np.flatnonzero(new)
        of_group = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
        kept = np.flatnonzero(of_group < self._dense.best)
        scores = np.empty((len(self._topics), len(kept)), dtype=np.float32)
        groups = np.cumsum(new != 0, dtype=np.int32)
        for topic, of_topic in enumerate(of_texts):
            of_blocks = of_topic[numbers]
            if self._dense.best > 1:
                scores[topic] = _descending(of_blocks, groups)[kept]
            elif len(first):
                scores[topic] = np.maximum.reduceat(of_blocks, first)
        documents, signatures = documents[kept], signatures[kept]
        topics = self._topics
        return BlockScores(documents.astype(np.int32), signatures.astype(np.int32), topics, scores)

    def _scores(self, texts: NDArray[np.bytes_]) -> Floats:
        """(topics, n) scores of distinct texts, by their ids, which ascend."""
        scores = np.full((len(self._topics), len(texts)), -np.inf, dtype=np.float32)
        found, wanted = np.zeros(len(texts), np.int64), np.ones(len(texts), np.int64)
        windows: set[str] = set()
        for ids, vectors in self._vectors.parts("blocks"):
            names = np.array([one.partition("#")[0].encode() for one in ids], dtype="S32")
            places = np.searchsorted(texts, names)
            here = np.flatnonzero(places < len(texts))
            here = here[texts[places[here]] == names[here]]
            if not len(here):
                continue
            for number in here.tolist():
                if "#" in (window := ids[number]):
                    wanted[places[number]] = int(window.rpartition("/")[2])
                    found[places[number]] += len(ids) * (window in windows)  # too many
                    windows.add(window)
            part = (self._queries @ vectors.astype(np.float64).T).astype(np.float32)
            order = here[np.argsort(places[here], kind="stable")]
            first = np.flatnonzero(np.diff(places[order], prepend=-1))
            there = places[order[first]]
            found[there] += np.diff(first, append=len(order))
            if len(there) < len(order) or windows:
                best = np.maximum.reduceat(part[:, order], first, axis=1)
                scores[:, there] = np.maximum(scores[:, there], best)
            else:
                scores[:, places[here]] = part if len(here) == len(ids) else part[:, here]
        if (few := found < wanted).any():
            example = texts[int(few.argmax())].decode()
            raise StoreError(self._vectors.missing(int(few.sum()), len(texts), example))
        if (many := found > wanted).any():
            raise StoreError(
                f"{self._vectors.folder}: {many.sum():,} of {len(texts):,} texts have two vectors, "
                f"such as {texts[int(many.argmax())].decode()}; leave one of each"
            )
        return scores
