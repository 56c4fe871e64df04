"""Runs of every variant, from the rows of one pass.

Of a grid, rows are kept by the masks of the two sweeps, a bit for each of their values; a pair
keeps what both bits keep. So memory does not grow with the pairs: these are ranked one after the
other.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from boilersweep.cleaners.language.variants import Grid, Variant
from boilersweep.cleaners.selection import Cleaner
from boilersweep.eval.ranking.exact.rows import Rows, TermRows, collect_rows
from boilersweep.eval.ranking.exact.top_hits import (
    Queries,
    hits_of,
    ranked,
)
from boilersweep.eval.ranking.formulas import Formula, RankingModel, exact_formula
from boilersweep.eval.ranking.runs import Run, require_hits
from boilersweep.eval.ranking.search import SearchOptions, VariantRun, queries_of
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.indexer.arithmetic import docid_ranks
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.identity import Stage
from boilersweep.pages.columns import BoolArray, IntArray
from boilersweep.pages.stray_characters import as_shown
from boilersweep.store.store import BlockStore

RANK_CODE = Stage("rank", 2)


def exact_analyzer(options: AnalyzerOptions) -> BlockAnalyzer:
    """Return the analyzer of these options; raise UsageError where it cannot be swept exactly."""
    start_jvm()
    analyzer = BlockAnalyzer(options)
    analyzer.require_blockwise(
        "they cannot be swept exactly: build real indexes with --engine indexes"
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
        return tuple(
            dict.fromkeys(term for query in self.queries.values() for term in query)
        )

    def collect(
        self,
        store: BlockStore,
        *,
        lengths: bool = False,
        threads: int = 1,
    ) -> Rows:
        """Collect the rows of a store in one pass over it; raise StoreError or JavaError.

        Args:
            store: The block store.
            lengths: Whether to keep the lengths of signatures.
            threads: The number of threads.
        """
        return collect_rows(
            store,
            self.cleaners,
            self.terms,
            exact_analyzer(self.analyzer),
            self.formula.encode,
            lengths=lengths,
            threads=threads,
        )


def plan_exact(
    cleaners: Sequence[Cleaner], queries: Mapping[str, str], options: SearchOptions
) -> ExactPlan:
    """Analyse queries, topic id -> text.

    Raises:
        UsageError: The analyzer is not blockwise (see `BlockAnalyzer`), or the model is feedback.
        JavaError: No Java can be started.
    """
    formula = exact_formula(options.model)
    shown = [as_shown(query) for query in queries.values()]  # as indexes search for it
    tokens = exact_analyzer(options.analyzer).tokens(shown)
    analysed = {
        topic: split_tokens(text) for topic, text in zip(queries, tokens, strict=True)
    }
    return ExactPlan(tuple(cleaners), analysed, formula, options.analyzer)


class ExactEngine:
    """Scores every variant from one pass over the block store, as an index built for it would.

    Attributes:
        rows: The collection as the topics see it, under every variant in their order.
        queries: Topic id -> terms of its query as they are searched for, with repeats.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = False

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> None:
        """Pass over the store once. Raises what `plan_exact` raises, and StoreError."""
        plan = plan_exact([variant.cleaner for variant in variants], queries, options)
        self.rows = plan.collect(store, threads=options.threads)
        self.queries = plan.queries
        self.placed = self.rows.placed
        self._numbers = {variant: number for number, variant in enumerate(variants)}
        self._formula = plan.formula
        self._ranks = docid_ranks(self.rows.docids)
        self._hits = options.hits

    def under(self, model: RankingModel) -> "ExactEngine | None":
        """Return these rows under another formula; None if it encodes lengths differently.

        Raises:
            UsageError: The model is feedback.
        """
        formula = exact_formula(model)
        if formula.encode is not self._formula.encode:
            return None
        other = copy(self)
        other._formula = formula
        return other

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        number, queries = self._numbers[variant], queries_of(self.queries, topics)
        return run_of(
            variant, self.rows, number, queries, self._formula, self._ranks, self._hits
        )


def run_of(
    variant: Variant,
    rows: Rows,
    cleaner: int,
    queries: Queries,
    formula: Formula,
    ranks: IntArray,
    hits: int,
) -> VariantRun:
    """Rank the documents that a variant leaves; raise UsageError for fewer than one hit.

    Args:
        variant: The variant.
        rows: The rows of a pass.
        cleaner: The number of the variant's cleaner.
        queries: The terms of each query by its topic id.
        formula: The ranking formula.
        ranks: The ranks of the docids, see `docid_ranks`.
        hits: The greatest number of documents per topic.
    """
    require_hits(hits)
    run: Run = {topic: [] for topic in queries}
    for topic, found, scores in ranked(rows, cleaner, queries, formula, ranks, hits):
        run[topic] = hits_of(rows.docids, found, scores)
    documents = int(rows.documents[cleaner])
    empty = len(rows.docids) - documents
    return VariantRun(variant, documents, empty, int(rows.tokens[cleaner]), run)


class GridEngine:
    """Gives for every variant of a grid the run that an index built for it gives.

    Memory: 12 bytes for each term, document and set of values of the sweeps that keep a block
    with that term, as many for each document and such set, and one byte per document and value.

    Attributes:
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = False

    def __init__(
        self,
        store: BlockStore,
        grid: Grid,
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> None:
        """Pass over the store once.

        Raises what `plan_exact` raises, StoreError, and UsageError for fewer than one hit.
        """
        require_hits(options.hits)
        rules: list[Cleaner] = [*grid.rules[0], *grid.rules[1]]
        self._plan = plan_exact(rules, queries, options)
        self._rows = self._plan.collect(store, lengths=True, threads=options.threads)
        self._ranks = docid_ranks(self._rows.docids)
        self._places = {grid.variant(place): place for place in grid.places()}
        self._first_of_second = grid.shape[0]
        self._hits = options.hits
        self.placed = self._rows.placed

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        rows, queries = self._rows_of(variant), queries_of(self._plan.queries, topics)
        return run_of(
            variant, rows, 0, queries, self._plan.formula, self._ranks, self._hits
        )

    def _rows_of(self, variant: Variant) -> Rows:
        """Return the collection as a variant leaves it, by one cleaner."""
        rows, (i, j) = self._rows, self._places[variant]
        kept: BoolArray = np.ones(len(rows.signatures), dtype=bool)
        if i is not None:
            kept &= rows.signatures[:, i].astype(bool)
        if j is not None:
            kept &= rows.signatures[:, self._first_of_second + j].astype(bool)
        tokens = _summed(rows, rows.lengths, kept)
        if len(rows.titles):
            tokens[tokens == rows.titles] = 0
        lengths = tokens
        if rows.stacked:
            lengths = tokens - _summed(rows, rows.stacked, kept)
            lengths[tokens == 0] = 0
        return replace(
            rows,
            signatures=kept[:, None],
            codes=self._plan.formula.encode(lengths)[None],
            documents=np.array([(lengths > 0).sum()]),
            tokens=np.array([tokens.sum()]),
        )


def _summed(rows: Rows, of: TermRows | None, kept: BoolArray) -> IntArray:
    """Return (N,) the sum of these rows over each document's blocks of the kept signatures."""
    if of is None:
        raise ValueError("rows without lengths")
    counts = np.where(kept[of.signatures], of.tf, 0)
    return np.bincount(of.documents, counts, minlength=len(rows.docids)).astype(
        np.int64
    )
