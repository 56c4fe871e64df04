"""The best documents in Anserini's order, with Anserini's scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boilersweep.eval.exact.formulas import Documents, Floats

_STEP = np.float32(1e-6)
_GAP = np.float32(1e-4)


def docid_ranks(docids: Sequence[str]) -> NDArray[np.int64]:
    """(N,) the place of every docid in their order as UTF-8 bytes.

    SearchCollection.BREAK_SCORE_TIES_BY_DOCID orders documents of one score so.
    """
    encoded = [docid.encode() for docid in docids]
    ranks = np.empty(len(encoded), dtype=np.int64)
    ranks[sorted(range(len(encoded)), key=encoded.__getitem__)] = np.arange(len(encoded))
    return ranks


def best(
    documents: Documents, scores: Floats, ranks: NDArray[np.int64], hits: int
) -> tuple[Documents, Floats]:
    """The first `hits` documents by score, ties by docid, and their scores.

    ranks: those of `docid_ranks`, of all documents.
    """
    if len(documents) > hits:
        cut = np.partition(scores, len(scores) - hits)[len(scores) - hits]
        kept = scores >= cut
        documents, scores = documents[kept], scores[kept]
    order = np.lexsort((ranks[documents], -scores))[:hits]
    return documents[order], scores[order]


def hits_of(docids: Sequence[str], documents: Documents, scores: Floats) -> list[tuple[str, float]]:
    """Ranked documents as a run has them: docids, and the scores that Anserini writes."""
    names = map(docids.__getitem__, documents.tolist())
    return list(zip(names, separate_ties(scores).tolist(), strict=True))


def separate_ties(scores: Floats) -> Floats:
    """Anserini's ScoreTiesAdjusterReranker: round to 1e-4, then take 1e-6 more from every tie.

    scores: descending. The next score counts as tied if the last, adjusted one is not more than
    1e-4 above it.
    """
    rounded = (np.floor(scores.astype(np.float64) * 1e4 + 0.5) / 1e4).astype(np.float32)
    adjusted = rounded.copy()
    # An adjusted score is below its rounded one by 1e-6 a tie and what float rounds away, which
    # is more for scores beyond 16: only gaps near 1e-4 need a look.
    last_bit = float(np.spacing(np.abs(rounded).max(initial=0)))
    widest = float(_GAP) + len(scores) * float(_STEP) + last_bit
    ties = 0
    last = -1
    for place in (np.flatnonzero(rounded[:-1] - rounded[1:] <= widest) + 1).tolist():
        if place != last + 1:
            ties = 0
        if np.float32(adjusted[place - 1] - adjusted[place]) > _GAP:
            ties = 0
        else:
            ties += 1
            adjusted[place] = np.float32(adjusted[place] - _STEP * np.float32(ties))
        last = place
    return adjusted
