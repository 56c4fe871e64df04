"""What cleaning takes from relevant documents: whole texts, and the topics' terms."""

from collections.abc import Mapping, Sequence

import numpy as np

from boilersweep.eval.ranking.exact.rows import Rows
from boilersweep.eval.study.results import Losses
from boilersweep.pages.columns import BoolArray, IntArray


class LossCounter:
    """Counts the losses under each cleaner of an exact sweep.

    Attributes:
        terms: (t,) pairs of a query term and a relevant document that has it under the baseline.
        relevant: (t,) relevant documents in the collection.
    """

    def __init__(
        self,
        rows: Rows,
        queries: Mapping[str, Sequence[str]],
        relevant: Mapping[str, frozenset[str]],
        baseline: int,
    ) -> None:
        """Count the terms of the baseline, and which ones each cleaner loses.

        Args:
            rows: The rows of the exact sweep.
            queries: Topic -> analysed terms.
            relevant: Topic -> docids; missing documents do not count.
            baseline: The number of the cleaner whose terms can be lost.
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
        self.terms = np.array(present, dtype=np.int64)
        self.relevant = np.array([len(documents) for documents in self._relevant], dtype=np.int64)
        self._lost = np.stack(lost)

    def of(self, cleaner: int) -> Losses:
        """Return the losses under a cleaner, by its number."""
        empty = self._empty[cleaner]
        lost = self._lost[:, cleaner]
        total = int(self.terms.sum())
        return Losses(
            relevant_empty=int(empty[self._all].sum()),
            terms_lost=int(lost.sum()) / total if total else None,
            relevant_empty_by_topic=[int(empty[documents].sum()) for documents in self._relevant],
            terms_lost_by_topic=lost.tolist(),
        )


def _terms_kept(
    rows: Rows, terms: Mapping[str, None], documents: IntArray, baseline: int
) -> BoolArray:
    """Find the pairs of a term and a document that has it under the baseline.

    Returns:
        (pairs, cleaners) whether a cleaner keeps the pair.
    """
    kept = [np.empty((0, rows.signatures.shape[1]), dtype=bool)]
    for term in terms:
        postings = rows.terms.get(term)
        if postings is None:
            continue
        # Both ascend: search for each of the few documents instead of reading every row.
        first_rows = np.searchsorted(postings.documents, documents)
        after = np.searchsorted(postings.documents, documents, side="right")
        here = np.concatenate([np.empty(0, np.int64), *map(np.arange, first_rows, after)])
        if len(here):
            owners = postings.documents[here]
            first = np.flatnonzero(np.r_[True, owners[1:] != owners[:-1]])
            keeping = rows.signatures[postings.signatures[here]]
            whole: BoolArray = np.logical_or.reduceat(keeping, first, axis=0)
            kept.append(whole[whole[:, baseline]])
    return np.concatenate(kept)
