"""Join the rows of shares of a collection: documents one after the other, statistics added."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boilersweep.columns import BoolArray, IntArray
from boilersweep.eval.exact.rows import Rows, TermRows


def join_rows(parts: Sequence[Rows], terms: Sequence[str]) -> Rows:
    """The rows of a whole collection from those of its shares, in order.

    All must have been collected for the same cleaners and terms. What comes out equals, array by
    array, what one pass over the whole collects.
    """
    signatures, numbers = _joined_signatures([part.signatures for part in parts])
    firsts = np.cumsum([0, *(len(part.docids) for part in parts)])
    joined: dict[str, TermRows] = {}
    for term in dict.fromkeys(terms):
        some = [
            _renumbered(part.terms[term], int(first), number)
            for part, first, number in zip(parts, firsts[:-1], numbers, strict=True)
            if term in part.terms
        ]
        if some:
            joined[term] = TermRows(*map(np.concatenate, zip(*some, strict=True)))
    return Rows(
        docids=[docid for part in parts for docid in part.docids],
        terms=joined,
        signatures=signatures,
        codes=np.concatenate([part.codes for part in parts], axis=1),
        documents=np.sum([part.documents for part in parts], axis=0),
        tokens=np.sum([part.tokens for part in parts], axis=0),
    )


def _joined_signatures(parts: Sequence[BoolArray]) -> tuple[BoolArray, list[IntArray]]:
    """All distinct signatures by first appearance, and for each part what its numbers become."""
    known: dict[bytes, int] = {}
    numbers = []
    first: list[BoolArray] = []
    for part in parts:
        of_part = []
        for signature, packed in zip(part, np.packbits(part, axis=1), strict=True):
            number = known.setdefault(packed.tobytes(), len(known))
            if number == len(first):
                first.append(signature)
            of_part.append(number)
        numbers.append(np.array(of_part, dtype=np.int64))
    return np.array(first, dtype=bool).reshape(len(first), parts[0].shape[1]), numbers


def _renumbered(
    rows: TermRows, first: int, numbers: IntArray
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    documents = rows.documents + np.int32(first)
    signatures = numbers[rows.signatures].astype(np.int32)
    order = np.lexsort((signatures, documents))
    return documents[order], signatures[order], rows.tf[order]
