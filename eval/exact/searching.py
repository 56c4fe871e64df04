"""Rank the documents of rows for every topic, by statistics of these rows or of a larger whole."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.columns import IntArray
from boilersweep.eval.exact.formulas import Collection, Documents, Floats, Formula, Match
from boilersweep.eval.exact.ranking import best
from boilersweep.eval.exact.rows import Rows

Queries = Mapping[str, Sequence[str]]
"""Topic id -> terms of its query as analysed, with repeats."""


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """What the score of a document needs of all others; those of shares of a collection add up.

    terms: each once. documents, tokens: (cleaners,) documents with a token, and tokens.
    df, occurrences: (cleaners, terms) documents with the term, and how often it stands in them.
    """

    terms: tuple[str, ...]
    documents: IntArray
    tokens: IntArray
    df: IntArray
    occurrences: IntArray

    def __add__(self, other: "Totals") -> "Totals":
        """Of both; other has the same cleaners and terms."""
        return Totals(
            self.terms,
            self.documents + other.documents,
            self.tokens + other.tokens,
            self.df + other.df,
            self.occurrences + other.occurrences,
        )


def totals_of(rows: Rows, terms: Sequence[str]) -> Totals:
    """The statistics of rows, of terms that they may lack, too."""
    df = np.zeros((len(rows.documents), len(terms)), dtype=np.int64)
    occurrences = np.zeros_like(df)
    for cleaner in range(len(df)):
        kept = rows.signatures[:, cleaner]
        for number, term in enumerate(terms):
            if term in rows.terms:
                documents, tf = rows.terms[term].under(kept)
                df[cleaner, number] = len(documents)
                occurrences[cleaner, number] = tf.sum()
    return Totals(tuple(terms), rows.documents, rows.tokens, df, occurrences)


def ranked(
    rows: Rows,
    cleaner: int,
    queries: Queries,
    formula: Formula,
    ranks: IntArray,
    hits: int,
    totals: Totals | None = None,
) -> Iterator[tuple[str, Documents, Floats]]:
    """Topic id, numbers of its best documents, and their scores; only topics with a document.

    cleaner: its number. ranks: those of `Rows.docid_ranks`. totals: of the whole collection where
    the rows are of a share of it.
    """
    kept = rows.signatures[:, cleaner]
    wanted = {term for query in queries.values() for term in query}
    found = {term: rows.terms[term].under(kept) for term in wanted if term in rows.terms}
    if totals:
        columns = {term: number for number, term in enumerate(totals.terms)}
        df = {term: int(totals.df[cleaner, columns[term]]) for term in wanted}
        occurrences = {term: int(totals.occurrences[cleaner, columns[term]]) for term in wanted}
    else:
        df = {term: len(documents) for term, (documents, _) in found.items()}
        occurrences = {term: int(tf.sum()) for term, (_, tf) in found.items()}
    of = totals or rows
    collection = Collection(int(of.documents[cleaner]), int(of.tokens[cleaner]))
    nowhere = (np.empty(0, np.int64), np.empty(0, np.int64))
    for topic, query in queries.items():
        matches = []
        for term, count in Counter(query).items():
            if df.get(term):
                documents, tf = found.get(term, nowhere)
                codes = rows.codes[cleaner, documents]
                matches.append(Match(count, documents, tf, codes, df[term], occurrences[term]))
        if any(len(match.documents) for match in matches):
            scored = formula.score(matches, len(query), collection)
            yield topic, *best(*scored, ranks, hits)
