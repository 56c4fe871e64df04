"""Runs of every variant from rows: those of one pass in memory, or of parts in files.

Of a grid, rows are kept by the masks of the two sweeps, a bit for each of their values; a pair
keeps what both bits keep. So memory does not grow with the pairs: these are ranked one after the
other.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.variants import Grid, Variant
from boilersweep.eval.ranking.exact.divided import RowFiles
from boilersweep.eval.ranking.exact.plan import ExactPlan, plan_exact
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import Lists, Totals, ranked
from boilersweep.eval.ranking.formulas import RankingModel, exact_formula
from boilersweep.eval.ranking.runs import require_hits
from boilersweep.eval.ranking.search import SearchOptions, VariantRun, queries_of
from boilersweep.indexer.arithmetic import as_indexed, docid_ranks
from boilersweep.pages.columns import BoolArray, IntArray
from boilersweep.store.store import BlockStore


class ExactEngine:
    """Scores every variant as an index built for it would.

    Attributes:
        variants: The variants, each with its place.
        queries: Topic id -> terms of its query as they are searched for, with repeats.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = False
    _rows: Rows | None = None
    # The counts of the variants, and their lists if these were made part by part.
    _counts: Rows | Totals
    _lists: Lists | None = None

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        options: SearchOptions,
        files: RowFiles | None = None,
    ) -> None:
        """Pass over the store once.

        Args:
            store: The block store.
            variants: The variants.
            queries: The text of each query by its topic id.
            options: How topics are run.
            files: Keeps the rows in files, part by part; None to hold them in memory.

        Raises:
            UsageError: What `plan_exact` raises, or fewer than one hit.
            JavaError: No Java can be started.
            StoreError: The store cannot be read, or files of rows are damaged.
            OutputError: Files of rows cannot be written.
        """
        cleaners = [variant.cleaner for variant in variants]
        plan = self._planned(store, variants, cleaners, queries, options)
        if files is None:
            self._hold(plan.collect(store, threads=options.threads))
        else:
            self._counts, self._lists = files.rank(store, plan, options.hits)
            self.placed = self._counts.placed

    def _planned(
        self,
        store: BlockStore,
        variants: Iterable[Variant],
        cleaners: Sequence[Cleaner],
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> ExactPlan:
        """Return what the pass computes; nothing is ranked yet."""
        require_hits(options.hits)
        self.variants = {variant: index for index, variant in enumerate(variants)}
        plan = plan_exact(cleaners, queries, options)
        self.queries, self._formula = plan.queries, plan.formula
        self._hits, self._documents = options.hits, store.documents
        return plan

    def _hold(self, rows: Rows) -> None:
        """Rank each variant when it is run, from rows in memory."""
        self._rows = self._counts = rows
        self._ranks = docid_ranks(rows.docids)
        self.placed = rows.placed

    @property
    def rows(self) -> Rows:
        """The collection as the topics see it, under every variant in their order.

        Raises:
            ValueError: The rows are in files.
        """
        if self._rows is None:
            raise ValueError("rows in files")
        return self._rows

    def under(self, model: RankingModel) -> "ExactEngine | None":
        """Return these rows under another formula; None if it encodes lengths differently.

        Raises:
            UsageError: The model is feedback.
        """
        formula = exact_formula(model)
        if self._rows is None or formula.encode is not self._formula.encode:
            return None
        other = copy(self)
        other._formula = formula
        return other

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        wanted = queries_of(self.queries, topics)
        counts, number, lists = self._counts, self.variants[variant], self._lists
        if lists is None:
            counts, number = rows, number = self._rows_of(variant)
            found = ranked(rows, number, wanted, self._formula, self._ranks, self._hits)
            lists = Lists(rows.docids, {(number, topic): best for topic, best in found})
        documents, tokens = int(counts.documents[number]), int(counts.tokens[number])
        run = lists.run(number, list(wanted))
        return VariantRun(variant, documents, self._documents - documents, tokens, run)

    def _rows_of(self, variant: Variant) -> tuple[Rows, int]:
        """Return rows, and the number of the variant's cleaner in them."""
        return self.rows, self.variants[variant]


class GridEngine(ExactEngine):
    """Scores every variant of a grid.

    Memory: 12 bytes for each term, document and set of values of the sweeps that keep a block
    with that term, as many for each document and such set, and one byte per document and value.
    """

    def __init__(
        self,
        store: BlockStore,
        grid: Grid,
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> None:
        """Pass over the store once; raise as `ExactEngine`."""
        self._places = list(grid.places())
        variants = map(grid.variant, self._places)
        rules = [*grid.rules[0], *grid.rules[1]]
        plan = self._planned(store, variants, rules, queries, options)
        self._hold(plan.collect(store, lengths=True, threads=options.threads))
        self._first_of_second = grid.shape[0]

    def _rows_of(self, variant: Variant) -> tuple[Rows, int]:
        """Return the collection as a variant leaves it, by one cleaner."""
        rows, (i, j) = self.rows, self._places[self.variants[variant]]
        kept: BoolArray = np.ones(len(rows.signatures), dtype=bool)
        if i is not None:
            kept &= rows.signatures[:, i].astype(bool)
        if j is not None:
            kept &= rows.signatures[:, self._first_of_second + j].astype(bool)
        tokens, lengths = as_indexed(
            _summed(rows, rows.lengths, kept),
            rows.titles if len(rows.titles) else None,
            _summed(rows, rows.stacked, kept) if rows.stacked else None,
        )
        under = replace(
            rows,
            signatures=kept[:, None],
            codes=self._formula.encode(lengths)[None],
            documents=np.array([(lengths > 0).sum()]),
            tokens=np.array([tokens.sum()]),
        )
        return under, 0


def _summed(rows: Rows, of: TermRows | None, kept: BoolArray) -> IntArray:
    """Return (N,) the sum of these rows over each document's blocks of the kept signatures."""
    if of is None:
        raise ValueError("rows without lengths")
    counts = np.where(kept[of.signatures], of.tf, 0)
    return np.bincount(of.documents, counts, minlength=len(rows.docids)).astype(
        np.int64
    )
