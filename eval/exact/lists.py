"""The best documents of every topic under every cleaner; those of shares join to the whole's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.eval.exact.formulas import Documents, Floats, Formula
from boilersweep.eval.exact.ranking import best, docid_ranks, hits_of
from boilersweep.eval.exact.rows import Rows
from boilersweep.eval.exact.searching import Queries, Totals, ranked
from boilersweep.eval.runs import Run

Key = tuple[int, str]
"""The number of a cleaner, the id of a topic."""


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Ranked lists. docids: of the documents in them.

    of: cleaner and topic -> numbers of documents, best first, and their scores as the formula
    gives them; those without a document are left out.
    """

    docids: list[str]
    of: Mapping[Key, tuple[Documents, Floats]]

    def run(self, cleaner: int, topics: Sequence[str]) -> Run:
        """The run of a cleaner, scores as Anserini writes them."""
        return {
            topic: hits_of(self.docids, *self.of.get((cleaner, topic), _NONE)) for topic in topics
        }


_NONE: tuple[Documents, Floats] = (np.empty(0, np.int64), np.empty(0, np.float32))


def rank_rows(rows: Rows, queries: Queries, formula: Formula, hits: int, totals: Totals) -> Lists:
    """The lists of some documents of a collection. totals: of the collection."""
    ranks = docid_ranks(rows.docids)
    of = {
        (cleaner, topic): (numbers, scores)
        for cleaner in range(len(rows.documents))
        for topic, numbers, scores in ranked(rows, cleaner, queries, formula, ranks, hits, totals)
    }
    return _compact(rows.docids, of)


def join_lists(one: Lists, other: Lists, hits: int) -> Lists:
    """The best documents of two shares, which have no document in common."""
    docids = one.docids + other.docids
    ranks = docid_ranks(docids)
    of = {}
    for key in one.of.keys() | other.of.keys():
        numbers, scores = one.of.get(key, _NONE)
        more, their_scores = other.of.get(key, _NONE)
        of[key] = best(
            np.concatenate([numbers, more + len(one.docids)]),
            np.concatenate([scores, their_scores]),
            ranks,
            hits,
        )
    return _compact(docids, of)


def _compact(docids: Sequence[str], of: Mapping[Key, tuple[Documents, Floats]]) -> Lists:
    """Lists without the docids that stand in none."""
    used = np.zeros(len(docids), dtype=bool)
    for numbers, _ in of.values():
        used[numbers] = True
    renumbered = np.cumsum(used) - 1
    kept = [docids[number] for number in np.flatnonzero(used).tolist()]
    return Lists(kept, {key: (renumbered[n], scores) for key, (n, scores) in of.items()})
