"""Runs of every cleaner, from the rows of one pass."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.ranking.exact.rows import Rows, collect_rows
from boilersweep.eval.ranking.exact.top_hits import (
    Queries,
    docid_ranks,
    hits_of,
    queries_of,
    ranked,
    require_hits,
)
from boilersweep.eval.ranking.exact.vectors import BlockScorer, dense_of
from boilersweep.eval.ranking.formula import Formula, RankingModel, exact_formula
from boilersweep.eval.ranking.runs import Run
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.identity import Stage
from boilersweep.pages.columns import IntArray
from boilersweep.store.store import BlockStore
from boilersweep.store.vectors import require_blocks

RANK_CODE = Stage(
    "rank",
    (
        "boilersweep.eval.ranking.exact",
        "boilersweep.eval.ranking.formula",
        "boilersweep.eval.ranking.hits",
        "boilersweep.eval.ranking.models",
        "boilersweep.store.vectors",
    ),
)


@dataclass(frozen=True, slots=True)
class ExactRun:
    """What a cleaner leaves of a collection, and the run on it.

    Attributes:
        documents: The number of documents with a token left.
        tokens: The number of tokens, with repeats.
        run: The run.
    """

    documents: int
    tokens: int
    run: Run


def exact_analyzer(options: AnalyzerOptions) -> BlockAnalyzer:
    """Return the analyzer of these options; raise UsageError where it cannot be swept exactly."""
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
        """Collect the rows of a store in one pass over it; raise StoreError or JavaError.

        Args:
            store: The block store.
            lengths: Whether to keep the lengths of signatures.
            every_term: Whether to keep the rows of all terms, for queries that are not known yet.
            threads: The number of threads.
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
    model: RankingModel,
    *,
    analyzer: AnalyzerOptions | None = None,
) -> ExactPlan:
    """Analyse queries, topic id -> text.

    Raises:
        UsageError: The analyzer is not blockwise (see `BlockAnalyzer`), a cleaner under vectors
            does not select blocks, or the model is feedback.
        JavaError: No Java can be started.
    """
    formula = exact_formula(model)
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
        model: RankingModel,
        *,
        analyzer: AnalyzerOptions | None = None,
        threads: int = 1,
    ) -> None:
        """Pass over the store once. Raises what `plan_exact` raises, and StoreError."""
        self._plan = plan_exact(cleaners, queries, model, analyzer=analyzer)
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
        return formula.encode is own.encode

    def run(
        self,
        cleaner: int,
        hits: int,
        topics: Sequence[str] | None = None,
        formula: Formula | None = None,
    ) -> ExactRun:
        """Return the run of a cleaner, by its number; raise UsageError for fewer than one hit.

        Args:
            cleaner: The number of the cleaner.
            hits: The greatest number of documents per topic.
            topics: The topics to run, None for all.
            formula: Another formula that the rows have codes for; None for that of the sweep.
        """
        queries = queries_of(self._plan.queries, topics)
        return run_of(
            self._rows, cleaner, queries, formula or self._plan.formula, self._ranks, hits
        )


def run_of(
    rows: Rows, cleaner: int, queries: Queries, formula: Formula, ranks: IntArray, hits: int
) -> ExactRun:
    """Rank the documents that a cleaner leaves; raise UsageError for fewer than one hit.

    Args:
        rows: The rows of a pass.
        cleaner: The number of the cleaner.
        queries: The terms of each query by its topic id.
        formula: The ranking formula.
        ranks: The ranks of the docids, see `docid_ranks`.
        hits: The greatest number of documents per topic.
    """
    require_hits(hits)
    run: Run = {topic: [] for topic in queries}
    for topic, documents, scores in ranked(rows, cleaner, queries, formula, ranks, hits):
        run[topic] = hits_of(rows.docids, documents, scores)
    return ExactRun(int(rows.documents[cleaner]), int(rows.tokens[cleaner]), run)
