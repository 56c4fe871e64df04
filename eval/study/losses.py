"""What cleaning takes from relevant documents: whole texts, and terms of the topics."""

from collections.abc import Mapping, Sequence

import numpy as np

from boilersweep.eval.exact.rows import Rows
from boilersweep.eval.study.results import Losses, TopicLosses
from boilersweep.pages.columns import BoolArray, IntArray


class LossCounter:
    """Counts losses of any of the cleaners that some rows were collected for."""

    def __init__(
        self,
        rows: Rows,
        queries: Mapping[str, Sequence[str]],
        relevant: Mapping[str, frozenset[str]],
        baseline: int,
    ) -> None:
        """queries: topic -> analysed terms. relevant: topic -> docids; those that the collection
        lacks count nowhere. baseline: number of the cleaner whose terms can be lost.
        """
        numbers = {docid: number for number, docid in enumerate(rows.docids)}
        self._relevant = [
            np.array(sorted(numbers[d] for d in docids if d in numbers), dtype=np.int64)
            for docids in relevant.values()
        ]
        self._all = np.unique(np.concatenate([np.empty(0, np.int64), *self._relevant]))
        self._empty = rows.empty
        present: list[int] = []
        lost: list[IntArray] = []
        for topic, documents in zip(relevant, self._relevant, strict=True):
            kept = _terms_kept(rows, dict.fromkeys(queries[topic]), documents, baseline)
            present.append(len(kept))
            lost.append((~kept).sum(axis=0))
        self._present = np.array(present, dtype=np.int64)
        self._lost = np.stack(lost)

    @property
    def terms(self) -> IntArray:
        """(t,) pairs of a term of the query and a relevant document that the baseline leaves."""
        return self._present

    @property
    def relevant(self) -> IntArray:
        """(t,) relevant documents that the collection has."""
        return np.array([len(documents) for documents in self._relevant], dtype=np.int64)

    def of(self, cleaner: int) -> Losses:
        """The losses under a cleaner, by its number."""
        empty = self._empty[cleaner]
        by_topic = TopicLosses(
            relevant_empty=np.array([int(empty[d].sum()) for d in self._relevant], dtype=np.int64),
            terms_lost=self._lost[:, cleaner],
        )
        total = int(self._present.sum())
        share = int(by_topic.terms_lost.sum()) / total if total else None
        return Losses(int(empty[self._all].sum()), share, by_topic)


def _terms_kept(
    rows: Rows, terms: Mapping[str, None], documents: IntArray, baseline: int
) -> BoolArray:
    """(pairs, cleaners) whether a cleaner keeps a term in a document that the baseline has it in.

    A pair is one of the terms and one of the documents.
    """
    kept = [np.empty((0, rows.signatures.shape[1]), dtype=bool)]
    for term in terms:
        found = rows.terms.get(term)
        if found is None:
            continue
        # Both ascend: a search for each of the few documents, not a look at every row.
        first_rows = np.searchsorted(found.documents, documents)
        after = np.searchsorted(found.documents, documents, side="right")
        here = np.concatenate([np.empty(0, np.int64), *map(np.arange, first_rows, after)])
        if len(here):
            owners = found.documents[here]
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            keeping = rows.signatures[found.signatures[here]]
            whole: BoolArray = np.logical_or.reduceat(keeping, first, axis=0)
            kept.append(whole[whole[:, baseline]])
    return np.concatenate(kept)
