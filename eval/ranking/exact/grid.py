"""Runs at every place of a grid, from the rows of one pass.

Rows are kept by the masks of the two sweeps, a bit for each of their values; a pair keeps what both
bits keep. So memory does not grow with the pairs: these are ranked one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from boilersweep.cleaners.language.grids import Grid
from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import Cleaner
from boilersweep.eval.ranking.engines import SearchOptions, VariantRun
from boilersweep.eval.ranking.exact.engine import plan_exact, run_of
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import (
    Queries,
    docid_ranks,
    queries_of,
    require_hits,
)
from boilersweep.eval.ranking.runs import as_written, top_of
from boilersweep.pages.columns import BoolArray, IntArray
from boilersweep.store.store import BlockStore

_BEHIND = 10  # hits behind those wanted that are ranked, to see where the last one's ties end


class GridEngine:
    """Gives for every variant of a grid the run that an index built for it gives.

    Memory: 12 bytes for each term, document and set of values of the sweeps that keep a block
    with that term, as many for each document and such set, and one byte per document and value.

    Attributes:
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = False

    def __init__(
        self, store: BlockStore, grid: Grid, queries: Mapping[str, str], options: SearchOptions
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
        queries = queries_of(self._plan.queries, topics)
        return self._run(variant, self._rows_of(variant), queries, self._hits)

    def top(self, variant: Variant, topics: Sequence[str], depth: int) -> VariantRun:
        """Return the written run's first hits: `depth`, and those that tie with the last one.

        What looks at `depth` hits finds in these what it finds in the whole run.
        """
        rows, queries = self._rows_of(variant), queries_of(self._plan.queries, topics)
        ranked_hits = min(depth + _BEHIND, self._hits)
        found = self._run(variant, rows, queries, ranked_hits)
        run = as_written(found.run)
        unsure = [
            topic
            for topic, hits in run.items()
            if len(hits) == ranked_hits < self._hits and hits[-1][1] == hits[depth - 1][1]
        ]
        if unsure:
            again = self._run(variant, rows, queries_of(queries, unsure), self._hits)
            run |= as_written(again.run)
        return replace(found, run={topic: top_of(hits, depth) for topic, hits in run.items()})

    def _run(self, variant: Variant, rows: Rows, queries: Queries, hits: int) -> VariantRun:
        return run_of(variant, rows, 0, queries, self._plan.formula, self._ranks, hits)

    def _rows_of(self, variant: Variant) -> Rows:
        """Return the collection as a variant leaves it, by one cleaner."""
        rows, (i, j) = self._rows, self._places[variant]
        kept: BoolArray = np.ones(len(rows.signatures), dtype=bool)
        if i is not None:
            kept &= rows.signatures[:, i].astype(bool)
        if j is not None:
            kept &= rows.signatures[:, self._first_of_second + j].astype(bool)
        tokens = _summed(rows, rows.lengths, kept)
        lengths = tokens - _summed(rows, rows.stacked, kept) if rows.stacked else tokens
        return replace(
            rows,
            signatures=kept[:, None],
            codes=self._plan.formula.encode(lengths)[None],
            documents=np.array([(lengths > 0).sum()]),
            tokens=np.array([tokens.sum()]),
        )


def _summed(rows: Rows, of: TermRows | None, kept: BoolArray) -> IntArray:
    """(N,) what of these rows every document has in the blocks of the kept signatures."""
    if of is None:
        raise ValueError("rows without lengths")
    counts = np.where(kept[of.signatures], of.tf, 0)
    return np.bincount(of.documents, counts, minlength=len(rows.docids)).astype(np.int64)
