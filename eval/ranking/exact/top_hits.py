"""The best documents of every topic under every cleaner, in Anserini's order with its scores.

Documents are ranked by the statistics of their own rows or of a larger whole, so the lists of
shares join to those of the whole collection.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from boilersweep.cleaners.selection import AlignmentCounts, sum_alignments
from boilersweep.eval.ranking.exact.rows import Rows
from boilersweep.eval.ranking.formulas import Collection, Formula, Match
from boilersweep.eval.ranking.runs import ArrayHits, PackedDocids, Run
from boilersweep.indexer.arithmetic import (
    Documents,
    Floats,
    best,
    docid_ranks,
    separate_ties,
)
from boilersweep.pages.columns import IntArray

# Topic id -> terms of its query as analysed, with repeats.
Queries = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """The statistics of a collection that scores depend on; those of its shares add up.

    Attributes:
        terms: The terms, each once.
        documents: (cleaners,) the number of documents with a token.
        tokens: (cleaners,) the number of tokens.
        df: (cleaners, terms) the number of documents with the term.
        occurrences: (cleaners, terms) how often the term occurs.
        placed: By the name of texts that are matched to blocks, how many words were matched.
    """

    terms: tuple[str, ...]
    documents: IntArray
    tokens: IntArray
    df: IntArray
    occurrences: IntArray
    placed: Mapping[str, AlignmentCounts] = field(default_factory=dict)

    def __add__(self, other: "Totals") -> "Totals":
        """Add the statistics of another share, which has the same cleaners and terms."""
        return Totals(
            self.terms,
            self.documents + other.documents,
            self.tokens + other.tokens,
            self.df + other.df,
            self.occurrences + other.occurrences,
            sum_alignments(self.placed, other.placed),
        )


def totals_of(rows: Rows, terms: Sequence[str]) -> Totals:
    """Return the statistics of rows; a term that they lack counts 0."""
    df = np.zeros((len(rows.documents), len(terms)), dtype=np.int64)
    occurrences = np.zeros_like(df)
    for cleaner in range(len(df)):
        for index, term in enumerate(terms):
            if term in rows.terms:
                documents, tf, _ = rows.postings(term, cleaner)
                df[cleaner, index] = len(documents)
                occurrences[cleaner, index] = tf.sum()
    return Totals(
        tuple(terms), rows.documents, rows.tokens, df, occurrences, rows.placed
    )


def ranked(
    rows: Rows,
    cleaner: int,
    queries: Queries,
    formula: Formula,
    ranks: IntArray,
    hits: int,
    totals: Totals | None = None,
) -> Iterator[tuple[str, tuple[Documents, Floats]]]:
    """Yield each topic that has a document, and its best documents with their scores.

    Args:
        rows: The rows of a pass.
        cleaner: The number of the cleaner.
        queries: The terms of each query by its topic id.
        formula: The ranking formula.
        ranks: The ranks of the docids, see `docid_ranks`.
        hits: The greatest number of documents per topic.
        totals: The totals of the whole collection if the rows are of a share.
    """
    wanted = {term for query in queries.values() for term in query}
    lists = {
        term: rows.postings(term, cleaner) for term in wanted if term in rows.terms
    }
    if totals:
        columns = {term: index for index, term in enumerate(totals.terms)}
        df = {term: int(totals.df[cleaner, columns[term]]) for term in wanted}
        occurrences = {
            term: int(totals.occurrences[cleaner, columns[term]]) for term in wanted
        }
    else:
        df = {term: len(documents) for term, (documents, _, _) in lists.items()}
        occurrences = {term: int(tf.sum()) for term, (_, tf, _) in lists.items()}
    of = totals or rows
    collection = Collection(int(of.documents[cleaner]), int(of.tokens[cleaner]))
    nowhere = (np.empty(0, np.int64), np.empty(0, np.int64), rows.codes[cleaner, :0])
    for topic, query in queries.items():
        matches = []
        for term, count in Counter(query).items():
            if df.get(term):
                documents, tf, codes = lists.get(term, nowhere)
                matches.append(
                    Match(count, documents, tf, codes, df[term], occurrences[term])
                )
        if any(len(match.documents) for match in matches):
            documents, scores = formula.score(matches, len(query), collection)
            yield topic, best(documents, scores, ranks, hits)


# The number of a cleaner, the id of a topic.
Key = tuple[int, str]


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Ranked lists.

    Attributes:
        docids: The docids of the documents in the lists.
        of: By cleaner and topic, the numbers of documents, best first, and their scores as the
            formula gives them; empty lists are left out.
    """

    docids: PackedDocids
    of: Mapping[Key, tuple[Documents, Floats]]

    def run(self, cleaner: int, topics: Sequence[str]) -> Run:
        """Return the run of a cleaner, scores as Anserini writes them."""
        found = {topic: self.of.get((cleaner, topic), _NONE) for topic in topics}
        return {
            topic: ArrayHits(self.docids, documents, separate_ties(scores))
            for topic, (documents, scores) in found.items()
        }


_NONE: tuple[Documents, Floats] = (np.empty(0, np.int64), np.empty(0, np.float32))


def rank_rows(
    rows: Rows, queries: Queries, formula: Formula, hits: int, totals: Totals
) -> Lists:
    """Rank some documents of a collection, by the totals of the collection."""
    ranks = docid_ranks(rows.docids)
    of: dict[Key, tuple[Documents, Floats]] = {}
    for cleaner in range(len(rows.documents)):
        lists = ranked(rows, cleaner, queries, formula, ranks, hits, totals)
        of |= {(cleaner, topic): found for topic, found in lists}
    return _compact(rows.docids, of)


def join_lists(one: Lists, other: Lists, hits: int) -> Lists:
    """Return the best documents of two shares, which have no document in common."""
    docids = [*one.docids, *other.docids]
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


def _compact(
    docids: Sequence[str], of: Mapping[Key, tuple[Documents, Floats]]
) -> Lists:
    """Return lists whose docids are those of their documents."""
    used = np.zeros(len(docids), dtype=bool)
    for numbers, _ in of.values():
        used[numbers] = True
    renumbered = np.cumsum(used) - 1
    kept = [docids[number] for number in np.flatnonzero(used).tolist()]
    return Lists(
        PackedDocids(kept),
        {key: (renumbered[n], scores) for key, (n, scores) in of.items()},
    )
