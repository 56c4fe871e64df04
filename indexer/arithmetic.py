"""Lengths, sums, order and ties of scores, as Lucene and Anserini compute them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boilersweep.pages.columns import IntArray

Codes = NDArray[np.uint8]
Lengths = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Documents = NDArray[np.int64]

_STEP = np.float32(1e-6)
_GAP = np.float32(1e-4)


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


def as_indexed(
    tokens: IntArray, titles: IntArray | None, stacked: IntArray | None
) -> tuple[IntArray, IntArray]:
    """Return tokens and lengths of documents, both 0 for one that has its title alone.

    Args:
        tokens: (..., N) the tokens of each document, those of its title among them.
        titles: (N,) the tokens of titles; None without titles.
        stacked: (..., N) the tokens at the position of the one before; None if there are none.
    """
    if titles is not None:
        tokens = np.where(tokens == titles, 0, tokens)
    if stacked is None:
        return tokens, tokens
    return tokens, np.where(tokens == 0, 0, tokens - stacked)


def sum_by_document(
    documents: NDArray[np.int32], counts: NDArray[np.generic]
) -> tuple[Documents, IntArray]:
    """Return the distinct documents of rows, which are ascending, and their sums of counts."""
    if not len(documents):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # This runs for every term of every query, and np.r_ would take longer.
    new = np.empty(len(documents), dtype=bool)
    new[0] = True
    np.not_equal(documents[1:], documents[:-1], out=new[1:])
    first = np.flatnonzero(new)
    return documents[first].astype(np.int64), np.add.reduceat(
        counts, first, dtype=np.int64
    )


def sum_of_terms(
    documents: Sequence[Documents], scores: Sequence[Floats]
) -> tuple[Documents, Doubles]:
    """Add up the scores of terms in double precision, in the order of the terms.

    Args:
        documents: The documents of each term, at least one term.
        scores: Their scores.

    Returns:
        The documents with a term, ascending, and their sums.
    """
    # A place for every document up to the last one: to look their places up in a sorted array
    # takes fifty times as long if a term is in a tenth of a million documents.
    end = 1 + max(int(numbers.max(initial=0)) for numbers in documents)
    matched, total = np.zeros(end, dtype=bool), np.zeros(end)
    for matching, score in zip(documents, scores, strict=True):
        matched[matching] = True
        total[matching] += score
    documents_found = np.flatnonzero(matched)
    return documents_found, total[documents_found]


def docid_ranks(docids: Sequence[str]) -> NDArray[np.int64]:
    """Return (N,) the place of every docid if they are sorted as UTF-8 bytes.

    SearchCollection.BREAK_SCORE_TIES_BY_DOCID orders documents with equal scores so.
    """
    encoded = [docid.encode() for docid in docids]
    ranks = np.empty(len(encoded), dtype=np.int64)
    ranks[sorted(range(len(encoded)), key=encoded.__getitem__)] = np.arange(
        len(encoded)
    )
    return ranks


def best(
    documents: Documents, scores: Floats, ranks: NDArray[np.int64], hits: int
) -> tuple[Documents, Floats]:
    """Return the first `hits` documents by score, ties by docid, and their scores.

    Args:
        documents: The documents' numbers.
        scores: Their scores.
        ranks: The ranks of all documents, see `docid_ranks`.
        hits: The greatest number of documents per topic.
    """
    if len(documents) > hits:
        cut = np.partition(scores, len(scores) - hits)[len(scores) - hits]
        kept = scores >= cut
        documents, scores = documents[kept], scores[kept]
    order = np.argsort((_descending(scores) << 32) + ranks[documents])[:hits]
    return documents[order], scores[order]


def _descending(scores: Floats) -> NDArray[np.int64]:
    """Return integers of 32 bits that ascend as scores descend."""
    bits = (-scores).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def separate_ties(scores: Floats) -> Floats:
    """Adjust scores as Anserini's ScoreTiesAdjusterReranker: every tie loses 1e-6 more.

    Scores are rounded to 1e-4 first.

    Args:
        scores: The scores, descending. A score counts as tied if the adjusted score above it is not
            more than 1e-4 higher.
    """
    rounded = (np.floor(scores.astype(np.float64) * 1e4 + 0.5) / 1e4).astype(np.float32)
    places = np.arange(len(rounded))
    apart = np.ones(len(rounded), dtype=bool)
    adjusted = rounded
    # A score is tied to the one above as that is adjusted, so a round makes at least one more
    # place right. Mostly the second one finds nothing to change.
    for _ in places:
        apart[1:] = adjusted[:-1] - rounded[1:] > _GAP
        ties = places - np.maximum.accumulate(np.where(apart, places, 0))
        before, adjusted = adjusted, rounded - _STEP * ties.astype(np.float32)
        if np.array_equal(before, adjusted):
            break
    return adjusted
