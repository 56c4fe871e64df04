"""Vectors of blocks that users made with their own encoders, and documents ranked by them.

VECTORS/blocks.npy, blocks.txt   (n, d) vectors, and the id of a block's text for each, one a line
VECTORS/topics.npy, topics.txt   the same of topics, by their ids
VECTORS/vectors.json             {"model": its name, "dimension": d}

A block's vector does not depend on the threshold: a document's score under a rule is the best score
among the blocks that the rule keeps. A block's score is the inner product of its vector and the
topic's, as float32 of a sum in double precision.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.errors import StoreError, UsageError
from boilersweep.eval.exact.ranking_formulas import (
    Codes,
    Documents,
    Doubles,
    Floats,
    Formula,
    encode_lengths,
)
from boilersweep.outputs.files import make_folder, write_text
from boilersweep.outputs.identity import digest_of, file_digest
from boilersweep.pages.columns import BoolArray, IntArray

if TYPE_CHECKING:
    from boilersweep.store.store import BlockStore

_DTYPES = ("float32", "float16", "int8")
_FILES = ("blocks.npy", "blocks.txt", "topics.npy", "topics.txt")
_ABOUT = "vectors.json"
_VECTORS_AT_A_TIME = 4096
_RRF = 60  # Cormack, Clarke and Buettcher, SIGIR 2009

Scored = tuple[Documents, Floats]
"""Documents, ascending, and their scores."""


def block_id(text: str) -> str:
    """The id of a block's text: 32 hexadecimal digits of its BLAKE2b digest."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def distinct_texts(store: "BlockStore") -> dict[str, str]:
    """The distinct texts of a store's blocks by their ids, in the order of the store."""
    found: dict[str, str] = {}
    for columns in store.columns():
        for text in dict.fromkeys(columns.texts):
            found.setdefault(block_id(text), text)
    return found


def write_vectors(
    folder: Path | str,
    model: str,
    blocks: tuple[Iterable[str], NDArray[Any]],
    topics: tuple[Iterable[str], NDArray[Any]],
) -> None:
    """Write ids and vectors of blocks and of topics as `open_vectors` reads them.

    model: a name of the encoder that says which one it is. Raises OutputError.
    """
    folder = Path(folder)
    make_folder(folder)
    for name, (ids, vectors) in {"blocks": blocks, "topics": topics}.items():
        np.save(folder / f"{name}.npy", vectors, allow_pickle=False)
        write_text(folder / f"{name}.txt", "".join(f"{one}\n" for one in ids))
    about = {"model": model, "dimension": int(blocks[1].shape[1])}
    write_text(folder / _ABOUT, json.dumps(about) + "\n")


@dataclass(frozen=True, slots=True)
class Vectors:
    """A folder of vectors, known by its content. digest: of all its files."""

    folder: Path = field(compare=False)
    model: str
    dimension: int
    digest: str

    @property
    def identity(self) -> dict[str, Any]:
        """What results under these vectors depend on."""
        return {"model": self.model, "dimension": self.dimension, "digest": self.digest}

    def __str__(self) -> str:
        return f"{self.model},{self.dimension},{self.digest[:12]}"

    def read(self, what: str) -> tuple[list[str], NDArray[Any]]:
        """The ids of blocks or topics, and their vectors, which stay on disk.

        Raises StoreError where an id is a duplicate, or ids and vectors do not fit.
        """
        path = self.folder / f"{what}.npy"
        try:
            ids = (self.folder / f"{what}.txt").read_text("utf-8").splitlines()
            vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise StoreError(f"{path} cannot be read ({error}); write the vectors again") from error
        if vectors.shape != (len(ids), self.dimension) or vectors.dtype.name not in _DTYPES:
            raise StoreError(
                f"{path}: expected {len(ids):,} vectors of dimension {self.dimension} as "
                f"{', '.join(_DTYPES)}, got shape {vectors.shape} of {vectors.dtype.name}; "
                f"correct {what}.txt, {_ABOUT} or the vectors"
            )
        if len(set(ids)) < len(ids):
            raise StoreError(f"{path}: {what}.txt has an id twice; give each id one vector")
        return ids, vectors


def open_vectors(folder: Path | str) -> Vectors:
    """Identify a folder of vectors; raises UsageError where it is none."""
    folder = Path(folder)
    try:
        about = json.loads((folder / _ABOUT).read_text("utf-8"))
        model, dimension = str(about["model"]), int(about["dimension"])
        digest = digest_of({name: file_digest(folder / name) for name in _FILES})
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UsageError(
            f"{folder}: expected a folder with {', '.join(_FILES)} and {_ABOUT} ({error}); "
            "make it with `boilersweep.eval.exact.vectors.write_vectors`"
        ) from error
    return Vectors(folder, model, dimension, digest)


@dataclass(frozen=True, slots=True)
class ExactDense:
    """Ranks documents by their best kept block."""

    vectors: Vectors

    encode = staticmethod(encode_lengths)

    def score(self, *_: Any) -> Scored:
        """No term counts."""
        return np.empty(0, np.int64), np.empty(0, np.float32)

    def combine(self, _: Scored, dense: Scored, __: IntArray) -> Scored:
        """The scores by vectors alone."""
        return dense


@dataclass(frozen=True, slots=True)
class ExactHybrid:
    """Combines another formula with the best kept block's score.

    weight: None for reciprocal rank fusion, the sum of 1 / (60 + rank); else of the first formula's
    scores, where those of either are brought to the range from 0 to 1 for each topic.
    """

    first: Formula
    vectors: Vectors
    weight: float | None = None

    def encode(self, lengths: NDArray[np.int64]) -> Codes:
        return self.first.encode(lengths)

    def score(self, *arguments: Any) -> Scored:
        """The scores of the first formula."""
        return self.first.score(*arguments)

    def combine(self, lexical: Scored, dense: Scored, ranks: IntArray) -> Scored:
        """Documents that either ranks; ranks: of all docids, which break ties."""
        documents = np.union1d(lexical[0], dense[0])
        total = np.zeros(len(documents))
        weights = (1.0, 1.0) if self.weight is None else (self.weight, 1 - self.weight)
        for weight, (found, scores) in zip(weights, (lexical, dense), strict=True):
            if not len(found):
                continue
            if self.weight is None:
                part = _reciprocal_ranks(scores, ranks[found])
            else:
                part = weight * _normalised(scores)
            total[np.searchsorted(documents, found)] += part
        return documents, total.astype(np.float32)


def _reciprocal_ranks(scores: Floats, ranks: IntArray) -> Doubles:
    part = np.empty(len(scores))
    part[np.lexsort((ranks, -scores))] = 1 / (_RRF + np.arange(1, 1 + len(scores)))
    return part


def _normalised(scores: Floats) -> Doubles:
    """From 0 for the lowest to 1 for the highest; 1 where all are equal."""
    low, high = float(scores.min()), float(scores.max())
    if low == high:
        return np.ones(len(scores))
    return (scores.astype(np.float64) - low) / (high - low)


def vectors_of(formula: Formula) -> Vectors | None:
    """The vectors that a formula ranks by; None where it ranks by terms alone."""
    return formula.vectors if isinstance(formula, ExactDense | ExactHybrid) else None


@dataclass(frozen=True, slots=True, eq=False)
class BlockScores:
    """The best score among the blocks of a document that have one signature, for each topic.

    documents: (p,) numbers, ascending. signatures: (p,) rows of `Rows.signatures`.
    topics: topic -> its row in scores. scores: (topics, p).
    """

    documents: NDArray[np.int32]
    signatures: NDArray[np.int32]
    topics: Mapping[str, int]
    scores: Floats

    def under(self, kept: NDArray[Any]) -> "KeptScores":
        """What a rule leaves. kept: (s,) of the signatures."""
        places = np.flatnonzero(kept[self.signatures])
        owners = self.documents[places]
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        return KeptScores(self, places, first, owners[first].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class KeptScores:
    """Scores under a rule. places: (k,) of `BlockScores`. first: of each document among these."""

    of: BlockScores
    places: IntArray
    first: IntArray
    documents: Documents

    def best(self, topic: str) -> Scored:
        """The documents with a kept block, and the best score of each."""
        if not len(self.places):
            return self.documents, np.empty(0, np.float32)
        scores = self.of.scores[self.of.topics[topic]][self.places]
        return self.documents, np.maximum.reduceat(scores, self.first)


class BlockScorer:
    """Scores blocks for topics while a pass over a store meets them."""

    def __init__(self, vectors: Vectors, topics: Sequence[str]) -> None:
        """Raises StoreError where a topic has no vector, or one with a number that is not finite.

        Memory: 40 bytes for each vector, and 4 for each topic, document and signature.
        """
        self._topics = {topic: number for number, topic in enumerate(topics)}
        ids, of_topics = vectors.read("topics")
        places = {one: place for place, one in enumerate(ids)}
        if missing := [topic for topic in topics if topic not in places]:
            raise StoreError(
                f"{vectors.folder}: {len(missing)} of {len(topics)} topics have no vector, such "
                f"as {missing[0]}; encode the topics of this experiment"
            )
        self._queries = of_topics[[places[topic] for topic in topics]].astype(np.float64)
        self._folder = vectors.folder
        _require_finite(self._queries, vectors.folder / "topics.npy")
        block_ids, self._vectors = vectors.read("blocks")
        as_bytes = np.array(block_ids, dtype="S32")
        self._order = np.argsort(as_bytes)
        self._ids = as_bytes[self._order]
        self._parts: list[tuple[NDArray[np.int32], NDArray[np.int32], Floats]] = []

    def add(self, texts: Sequence[str], documents: IntArray, signatures: IntArray) -> None:
        """Take in blocks with their documents, which ascend, and signatures."""
        if not texts:
            return
        numbers: dict[str, int] = {}
        inverse = np.array([numbers.setdefault(text, len(numbers)) for text in texts])
        scores = self._scores(list(numbers))
        order = np.lexsort((signatures, documents))
        documents, signatures = documents[order], signatures[order]
        new = np.diff(documents, prepend=-1).astype(bool) | np.diff(signatures, prepend=-1).astype(
            bool
        )
        first = np.flatnonzero(new)
        best = np.maximum.reduceat(scores[:, inverse[order]], first, axis=1)
        self._parts.append(
            (documents[first].astype(np.int32), signatures[first].astype(np.int32), best)
        )

    def _scores(self, texts: Sequence[str]) -> Floats:
        """(topics, n) scores of distinct texts; raises StoreError where one has no vector."""
        wanted = np.array([block_id(text) for text in texts], dtype="S32")
        places = np.searchsorted(self._ids, wanted)
        missing = self._absent(places, wanted)
        if missing.any():
            raise StoreError(
                f"{self._folder}: {missing.sum():,} of {len(texts):,} texts have no vector, such "
                f"as {texts[int(missing.argmax())][:60]!r}; the vectors are of another store or "
                "not complete: encode the `distinct_texts` of this one"
            )
        rows = self._order[places]
        scores = np.empty((len(self._topics), len(texts)), dtype=np.float32)
        for start in range(0, len(rows), _VECTORS_AT_A_TIME):
            some = slice(start, start + _VECTORS_AT_A_TIME)
            vectors = self._vectors[rows[some]].astype(np.float64)
            _require_finite(vectors, self._folder / "blocks.npy")
            scores[:, some] = self._queries @ vectors.T
        return scores

    def _absent(self, places: IntArray, wanted: NDArray[np.bytes_]) -> BoolArray:
        absent = np.ones(len(wanted), dtype=bool)
        inside = places < len(self._ids)
        absent[inside] = self._ids[places[inside]] != wanted[inside]
        return absent

    def collected(self) -> BlockScores:
        """Of everything taken in."""
        none = np.empty(0, np.int32)
        empty = (none, none, np.empty((len(self._topics), 0), np.float32))
        documents, signatures, scores = zip(empty, *self._parts, strict=True)
        return BlockScores(
            np.concatenate(documents),
            np.concatenate(signatures),
            self._topics,
            np.concatenate(scores, axis=1),
        )


def _require_finite(vectors: Doubles, path: Path) -> None:
    if not np.isfinite(vectors).all():
        raise StoreError(f"{path} has a vector with NaN or infinity; encode its text again")
