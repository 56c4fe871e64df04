"""Runs of every cleaner, from the rows of one pass."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.columns import IntArray
from boilersweep.errors import UsageError
from boilersweep.eval.exact.formulas import Collection, Formula, Match
from boilersweep.eval.exact.ranking import best, separate_ties
from boilersweep.eval.exact.rows import Rows, collect_rows
from boilersweep.eval.runs import Run
from boilersweep.indexer.analysis import BlockAnalyzer
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import start_jvm
from boilersweep.selection import Cleaner
from boilersweep.store.store import BlockStore


@dataclass(frozen=True, slots=True)
class ExactRun:
    """What a cleaner leaves of a collection, and the run on it.

    documents: with a token left. tokens: with repeats.
    """

    documents: int
    tokens: int
    run: Run


def exact_analyzer(options: AnalyzerOptions) -> BlockAnalyzer:
    """The analyzer of these options; raises UsageError where it cannot be swept exactly."""
    start_jvm()
    analyzer = BlockAnalyzer(options)
    if not analyzer.is_exact:
        raise UsageError(
            f"language {options.language!r}: its analyzer cannot be swept exactly; "
            "build real indexes with --engine indexes"
        )
    return analyzer


class ExactSweep:
    """Gives for every cleaner the run that SimpleSearcher gives on an index built for it."""

    def __init__(
        self,
        store: BlockStore,
        cleaners: Sequence[Cleaner],
        queries: Mapping[str, str],
        formula: Formula,
        *,
        analyzer: AnalyzerOptions | None = None,
    ) -> None:
        """Pass over the store once.

        queries: topic id -> text. Raises UsageError for an analyzer whose indexes hold more than
        tokens and their counts (see `BlockAnalyzer.is_exact`), StoreError, JavaError.
        """
        block_analyzer = exact_analyzer(analyzer or AnalyzerOptions())
        tokens = block_analyzer.tokens(list(queries.values()))
        self._queries = {topic: text.split() for topic, text in zip(queries, tokens, strict=True)}
        terms = [term for query in self._queries.values() for term in query]
        self._formula = formula
        self._rows = collect_rows(store, cleaners, terms, block_analyzer, formula.encode)
        self._ranks = self._rows.docid_ranks()

    def run(self, cleaner: int, hits: int) -> ExactRun:
        """The run of a cleaner, by its number; raises UsageError for fewer than one hit."""
        if hits < 1:
            raise UsageError(f"hits: expected at least 1, got {hits}")
        run = search_rows(self._rows, cleaner, self._queries, self._formula, self._ranks, hits)
        rows = self._rows
        return ExactRun(int(rows.documents[cleaner]), int(rows.tokens[cleaner]), run)


def search_rows(
    rows: Rows,
    cleaner: int,
    queries: Mapping[str, Sequence[str]],
    formula: Formula,
    ranks: IntArray,
    hits: int,
) -> Run:
    """The run of one cleaner. queries: topic -> analysed terms, with repeats."""
    kept = rows.signatures[:, cleaner]
    collection = Collection(int(rows.documents[cleaner]), int(rows.tokens[cleaner]))
    wanted = {term for query in queries.values() for term in query}
    found = {term: rows.terms[term].under(kept) for term in wanted if term in rows.terms}
    run: Run = {}
    for topic, query in queries.items():
        matches = [
            Match(count, *found[term], rows.codes[cleaner, found[term][0]])
            for term, count in Counter(query).items()
            if term in found and len(found[term][0])
        ]
        run[topic] = []
        if matches:
            documents, scores = formula.score(matches, len(query), collection)
            documents, scores = best(documents, scores, ranks, hits)
            docids = map(rows.docids.__getitem__, documents.tolist())
            run[topic] = list(zip(docids, separate_ties(scores).tolist(), strict=True))
    return run
