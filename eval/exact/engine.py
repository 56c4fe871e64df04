"""Runs of every cleaner, from the rows of one pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.exact.ranking_formulas import Formula
from boilersweep.eval.exact.rows import Rows, collect_rows
from boilersweep.eval.exact.top_hits import Queries, docid_ranks, hits_of, queries_of, ranked
from boilersweep.eval.exact.vectors import BlockScorer, ExactHybrid, dense_of
from boilersweep.eval.runs import Run
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import BlockStore
from boilersweep.store.vectors import require_blocks


@dataclass(frozen=True, slots=True)
class ExactRun:
    """What a cleaner leaves of a collection, and the run on it.

    documents: with a token left. tokens: with repeats.
    """

    documents: int
    tokens: int
    run: Run


def _encoder(formula: Formula) -> Any:
    """What encodes the lengths that a formula reads."""
    return (formula.first if isinstance(formula, ExactHybrid) else formula).encode


def exact_analyzer(options: AnalyzerOptions) -> BlockAnalyzer:
    """The analyzer of these options; raises UsageError where it cannot be swept exactly."""
    start_jvm()
    analyzer = BlockAnalyzer(options)
    if not analyzer.is_blockwise:
        raise UsageError(
            f"language {options.language!r}: the tokens of a block depend on what stands before "
            "it, and cannot be swept exactly; build real indexes with --engine indexes"
        )
    return analyzer


@dataclass(frozen=True, slots=True)
class ExactPlan:
    """What an exact sweep computes, of a whole store or of a share."""

    cleaners: tuple[Cleaner, ...]
    queries: Queries
    formula: Formula
    analyzer: AnalyzerOptions

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of all queries, each once."""
        return tuple(dict.fromkeys(term for query in self.queries.values() for term in query))

    def collect(
        self,
        store: BlockStore,
        *,
        lengths: bool = False,
        every_term: bool = False,
        threads: int = 1,
    ) -> Rows:
        """The rows of a store, in one pass over it; raises StoreError, JavaError.

        lengths: with those of signatures. every_term: for queries that are not known yet.
        """
        analyzer, encode = exact_analyzer(self.analyzer), self.formula.encode
        dense = dense_of(self.formula)
        return collect_rows(
            *(store, self.cleaners, None if every_term else self.terms, analyzer, encode),
            lengths=lengths,
            threads=threads,
            scorer=BlockScorer(dense, list(self.queries)) if dense else None,
        )


def plan_exact(
    cleaners: Sequence[Cleaner],
    queries: Mapping[str, str],
    formula: Formula,
    *,
    analyzer: AnalyzerOptions | None = None,
) -> ExactPlan:
    """Analyse queries, topic id -> text.

    Raises UsageError for an analyzer that is not blockwise (see `BlockAnalyzer`), and under vectors
    for a cleaner that does not select blocks; JavaError.
    """
    if dense_of(formula):
        require_blocks(cleaners)
    options = analyzer or AnalyzerOptions()
    tokens = exact_analyzer(options).tokens(list(queries.values()))
    analysed = {topic: split_tokens(text) for topic, text in zip(queries, tokens, strict=True)}
    return ExactPlan(tuple(cleaners), analysed, formula, options)


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
        threads: int = 1,
    ) -> None:
        """Pass over the store once. Raises what `plan_exact` raises, and StoreError."""
        self._plan = plan_exact(cleaners, queries, formula, analyzer=analyzer)
        self._rows = self._plan.collect(store, threads=threads)
        self._ranks = docid_ranks(self._rows.docids)

    @property
    def rows(self) -> Rows:
        """The collection as the topics see it, under every cleaner."""
        return self._rows

    @property
    def queries(self) -> Queries:
        """Topic id -> terms of its query as they are searched for, with repeats."""
        return self._plan.queries

    def has_codes_for(self, formula: Formula) -> bool:
        """Whether another formula can rank its rows: one of the same codes and vectors."""
        dense, own = dense_of(formula), self._plan.formula
        if dense and dense != dense_of(own):
            return False
        return _encoder(formula) is _encoder(own)

    def run(
        self,
        cleaner: int,
        hits: int,
        topics: Sequence[str] | None = None,
        formula: Formula | None = None,
    ) -> ExactRun:
        """The run of a cleaner, by its number; raises UsageError for fewer than one hit.

        topics: those to run, None for all. formula: another one that its rows have codes for.
        """
        if hits < 1:
            raise UsageError(f"hits: expected at least 1, got {hits}")
        rows, queries = self._rows, queries_of(self._plan.queries, topics)
        run: Run = {topic: [] for topic in queries}
        for topic, documents, scores in ranked(
            rows, cleaner, queries, formula or self._plan.formula, self._ranks, hits
        ):
            run[topic] = hits_of(rows.docids, documents, scores)
        return ExactRun(int(rows.documents[cleaner]), int(rows.tokens[cleaner]), run)
