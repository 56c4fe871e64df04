"""Runs of every cleaner, from the rows of one pass."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boilersweep.columns import IntArray
from boilersweep.errors import UsageError
from boilersweep.eval.exact.formulas import Collection, Formula, Match
from boilersweep.eval.exact.parts import RowsRecipe, joined_rows, share_file, write_rows
from boilersweep.eval.exact.ranking import best, separate_ties
from boilersweep.eval.exact.rows import Rows, collect_rows
from boilersweep.eval.runs import Run
from boilersweep.files import make_folder, remove_leftovers
from boilersweep.indexer.analysis import BlockAnalyzer
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import start_jvm
from boilersweep.selection import Cleaner
from boilersweep.shares import Share
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


@dataclass(frozen=True, slots=True)
class RowsPlan:
    """One pass over a store, to be done whole or in shares. terms: as analysed, each once."""

    cleaners: tuple[Cleaner, ...]
    terms: tuple[str, ...]
    formula: Formula
    analyzer: AnalyzerOptions

    def recipe(self, store: BlockStore) -> RowsRecipe:
        """What the rows of a store depend on."""
        cleaners = tuple(map(str, self.cleaners))
        formula = type(self.formula).__name__
        return RowsRecipe(store.fingerprint, cleaners, self.terms, self.analyzer, formula)

    def collect(self, store: BlockStore) -> Rows:
        """The rows of a store."""
        analyzer = exact_analyzer(self.analyzer)
        return collect_rows(store, self.cleaners, self.terms, analyzer, self.formula.encode)

    def collect_share(self, store: BlockStore, share: Share, parts: Path) -> Path:
        """Write the rows of a share below `parts`, where all shares' are; those there stay.

        Raises OutputError, StoreError, JavaError.
        """
        recipe = self.recipe(store)
        folder = parts / recipe.name
        file = share_file(folder, share)
        make_folder(folder)
        remove_leftovers(folder)
        if not file.exists():
            write_rows(file, self.collect(store.part(share)), recipe.as_text())
        return file


def plan_rows(
    cleaners: Sequence[Cleaner],
    queries: Mapping[str, str],
    formula: Formula,
    *,
    analyzer: AnalyzerOptions | None = None,
) -> tuple[dict[str, list[str]], RowsPlan]:
    """Topic id -> terms of its query, with repeats; and the pass that these need.

    Raises UsageError where the analyzer cannot be swept exactly, JavaError.
    """
    options = analyzer or AnalyzerOptions()
    tokens = exact_analyzer(options).tokens(list(queries.values()))
    analysed = {topic: text.split() for topic, text in zip(queries, tokens, strict=True)}
    terms = dict.fromkeys(term for query in analysed.values() for term in query)
    return analysed, RowsPlan(tuple(cleaners), tuple(terms), formula, options)


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
        parts: Path | None = None,
    ) -> None:
        """Pass over the store once.

        queries: topic id -> text. parts: where shares may have left the rows of that pass; if
        they are all there, the store is not read. Raises UsageError for an analyzer whose indexes
        hold more than tokens and their counts (see `BlockAnalyzer.is_exact`), StoreError,
        JavaError.
        """
        self._queries, plan = plan_rows(cleaners, queries, formula, analyzer=analyzer)
        self._formula = formula
        rows = joined_rows(parts, plan.recipe(store)) if parts else None
        self._rows = rows or plan.collect(store)
        self._ranks = self._rows.docid_ranks()

    @property
    def rows(self) -> Rows:
        """The collection as the topics see it, under every cleaner."""
        return self._rows

    @property
    def queries(self) -> Mapping[str, Sequence[str]]:
        """Topic id -> terms of its query as they are searched for, with repeats."""
        return self._queries

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
