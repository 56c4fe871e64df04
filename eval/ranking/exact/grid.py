"""Runs at every place of a grid, from the rows of one pass.

Rows are kept by the masks of the two sweeps, a bit for each of their values; a pair keeps what both
bits keep. So memory does not grow with the pairs: these are ranked one after the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from boilersweep.cleaners.language.variants import Grid, GridCell
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.eval.ranking.exact.engine import ExactRun, plan_exact, run_of
from boilersweep.eval.ranking.exact.rows import Rows, TermRows
from boilersweep.eval.ranking.exact.top_hits import (
    Queries,
    docid_ranks,
    queries_of,
    require_hits,
)
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.runs import as_written, top_of
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.pages.columns import BoolArray, IntArray
from boilersweep.store.store import BlockStore

_BEHIND = 10  # hits behind those wanted that are ranked, to see where the last one's ties end


class ExactGrid:
    """Gives for every place of a grid the run that SimpleSearcher gives on an index built for it.

    Memory: 12 bytes for each term, document and set of values of the sweeps that keep a block
    with that term, as many for each document and such set, and one byte per document and value.
    """

    def __init__(
        self,
        store: BlockStore,
        grid: Grid,
        queries: Mapping[str, str],
        model: RankingModel,
        *,
        hits: int,
        analyzer: AnalyzerOptions | None = None,
        threads: int = 1,
    ) -> None:
        """Pass over the store once. hits: of a topic in a run.

        Raises what `plan_exact` raises, StoreError, and UsageError for fewer than one hit.
        """
        require_hits(hits)
        rules: list[Cleaner] = [*grid.rules[0], *grid.rules[1]]
        self._plan = plan_exact(rules, queries, model, analyzer=analyzer)
        self._rows = self._plan.collect(store, lengths=True, threads=threads)
        self._ranks = docid_ranks(self._rows.docids)
        self._first_of_second = grid.shape[0]
        self._hits = hits

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """By name of the texts that are matched to blocks, how much of them was matched."""
        return self._rows.placed

    def run(self, place: GridCell, topics: Sequence[str] | None = None) -> ExactRun:
        """Return the run at a place; of all topics, or of some."""
        return self._run(self._rows_at(place), queries_of(self._plan.queries, topics), self._hits)

    def top(self, place: GridCell, topics: Sequence[str], depth: int) -> ExactRun:
        """Return the written run's first hits: `depth`, and those that tie with the last one.

        What looks at `depth` hits finds in these what it finds in the whole run.
        """
        rows, queries = self._rows_at(place), queries_of(self._plan.queries, topics)
        ranked_hits = min(depth + _BEHIND, self._hits)
        found = self._run(rows, queries, ranked_hits)
        run = as_written(found.run)
        unsure = [
            topic
            for topic, hits in run.items()
            if len(hits) == ranked_hits < self._hits and hits[-1][1] == hits[depth - 1][1]
        ]
        if unsure:
            run |= as_written(self._run(rows, queries_of(queries, unsure), self._hits).run)
        return replace(found, run={topic: top_of(hits, depth) for topic, hits in run.items()})

    def _run(self, rows: Rows, queries: Queries, hits: int) -> ExactRun:
        return run_of(rows, 0, queries, self._plan.formula, self._ranks, hits)

    def _rows_at(self, place: GridCell) -> Rows:
        """Return the collection as it is left there, by one cleaner."""
        rows, kept = self._rows, self._kept(place)
        tokens = _summed(rows, rows.lengths, kept)
        lengths = tokens - _summed(rows, rows.stacked, kept) if rows.stacked else tokens
        return replace(
            rows,
            signatures=kept[:, None],
            codes=self._plan.formula.encode(lengths)[None],
            documents=np.array([(lengths > 0).sum()]),
            tokens=np.array([tokens.sum()]),
        )

    def _kept(self, place: GridCell) -> BoolArray:
        """(s,) True for the signatures that stay."""
        i, j = place
        kept: BoolArray = np.ones(len(self._rows.signatures), dtype=bool)
        if i is not None:
            kept &= self._rows.signatures[:, i].astype(bool)
        if j is not None:
            kept &= self._rows.signatures[:, self._first_of_second + j].astype(bool)
        return kept


def _summed(rows: Rows, of: TermRows | None, kept: BoolArray) -> IntArray:
    """(N,) what of these rows every document has in the blocks of the kept signatures."""
    if of is None:
        raise ValueError("rows without lengths")
    counts = np.where(kept[of.signatures], of.tf, 0)
    return np.bincount(of.documents, counts, minlength=len(rows.docids)).astype(np.int64)
