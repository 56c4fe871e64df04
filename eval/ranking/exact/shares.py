"""An exact sweep in shares: rows of each, statistics added up, lists of each, lists joined.

store --a share--> rows and statistics --all statistics--> lists of a share --all lists--> runs

A process holds the rows of one share at a time, whatever the collection's size, and the result
does not depend on how it was divided: a document's score needs of the others only the statistics.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import StoreError
from boilersweep.eval.ranking.exact.engine import RANK_CODE, ExactPlan
from boilersweep.eval.ranking.exact.share_files import (
    RANKED,
    ROWS,
    complete_division,
    read_lists,
    read_rows,
    read_totals,
    recipe_name,
    share_file,
    write_lists,
    write_rows,
)
from boilersweep.eval.ranking.exact.top_hits import (
    Lists,
    Totals,
    combine_lists,
    depth,
    join_lists,
    rank_rows,
    require_hits,
    totals_of,
)
from boilersweep.eval.ranking.exact.vectors import dense_of
from boilersweep.eval.ranking.hits import PackedDocids
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.indexer.shares import java_turn, share_label
from boilersweep.outputs.atomic import make_folder, remove_leftovers
from boilersweep.outputs.identity import code_identity
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.progress import Labels, steps
from boilersweep.work.shares import Share, division
from boilersweep.work.tasks import run_tasks


@dataclass(frozen=True, slots=True)
class SharedSweep:
    """An exact sweep that processes do together. hits: per topic. parts: where shares leave files.

    Raises UsageError for fewer than one hit.
    """

    plan: ExactPlan
    hits: int
    store: BlockStore
    parts: Path

    def __post_init__(self) -> None:
        require_hits(self.hits)

    def shares(self) -> list[Share]:
        """Return the shares whose rows are there, if those of all are; else none."""
        return complete_division(self.rows_folder)

    def collect(self, share: Share) -> Path:
        """Write the rows of a share; those that are there stay.

        Raises:
            OutputError: The output cannot be written.
            StoreError: The store cannot be read.
            JavaError: No Java can be started.
        """
        file = share_file(self.rows_folder, share)
        if not file.exists():
            rows = self.plan.collect(self.store.part(share))
            _make(file.parent)
            write_rows(file, rows, totals_of(rows, self.plan.terms), self._rows_recipe)
        return file

    def rank(self, share: Share) -> Path:
        """Write the ranked lists of a share, when the rows of all are there; those there stay.

        Raises:
            OutputError: The output cannot be written.
            StoreError: The store cannot be read.
        """
        file = share_file(self._lists_folder, share)
        if not file.exists():
            lists = self._ranked(share, self.totals())
            _make(file.parent)
            write_lists(file, lists, self._lists_recipe)
        return file

    def totals(self) -> Totals:
        """Statistics of the collection; raises StoreError where the rows of a share are missing."""
        shares = self.shares()
        if not shares:
            there = sorted(path.stem for path in self.rows_folder.glob("*.npz"))
            raise StoreError(
                f"{self.rows_folder} lacks the rows of some shares: it has "
                f"{', '.join(there) or 'none'}; run `boilersweep sweep --share` for the others"
            )
        files = (share_file(self.rows_folder, share) for share in shares)
        return reduce(add, (read_totals(file, self._rows_recipe) for file in files))

    def lists(self, totals: Totals) -> Lists:
        """Return the ranked lists of the collection with these totals; raise StoreError.

        Those of a share that are not there are made, and not kept.
        """
        shares = self.shares()
        joined = Lists(PackedDocids([]), {})
        with steps("rank", len(shares), "shares") as bar:
            for share in shares:
                file = share_file(self._lists_folder, share)
                lists = (
                    read_lists(file, self._lists_recipe)
                    if file.exists()
                    else self._ranked(share, totals)
                )
                joined = join_lists(joined, lists, depth(self.plan.formula, self.hits))
                bar.update()
        return combine_lists(joined, self.plan.formula, len(self.plan.cleaners), self.hits)

    def _ranked(self, share: Share, totals: Totals) -> Lists:
        rows = read_rows(share_file(self.rows_folder, share), self._rows_recipe)
        return rank_rows(rows, self.plan.queries, self.plan.formula, self.hits, totals)

    @property
    def rows_folder(self) -> Path:
        """Where the rows of shares are."""
        return self.parts / recipe_name(ROWS, self._rows_recipe)

    @property
    def _lists_folder(self) -> Path:
        return self.parts / recipe_name(RANKED, self._lists_recipe)

    @property
    def _rows_recipe(self) -> str:
        """What rows depend on, as JSON; of the formula the name, which stands for the lengths."""
        dense = dense_of(self.plan.formula)
        by_vectors = {"vectors": repr(dense), "topics": list(self.plan.queries)} if dense else {}
        recipe = {
            "store": self.store.fingerprint,
            "languages": self.store.chosen_languages,
            "cleaners": list(map(identity_of, self.plan.cleaners)),
            "terms": self.plan.terms,
            "analyzer": asdict(self.plan.analyzer),
            "formula": type(self.plan.formula).__name__,
            **by_vectors,
            "anserini": anserini_identity(),
            "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE),
        }
        return json.dumps(recipe, sort_keys=True)

    @property
    def _lists_recipe(self) -> str:
        """What ranked lists depend on beside the rows, as JSON."""
        recipe = {
            "rows": self._rows_recipe,
            "queries": self.plan.queries,
            "formula": repr(self.plan.formula),
            "hits": self.hits,
        }
        return json.dumps(recipe)


def _make(folder: Path) -> None:
    make_folder(folder)
    remove_leftovers(folder)


def sweep_on(cluster: ClusterPool, sweep: SharedSweep, *, heap: str | None = None) -> None:
    """Have a cluster collect the rows of all shares, then rank their documents.

    Args:
        cluster: The workers.
        sweep: The sweep.
        heap: The heap of each worker's JVM.

    Raises:
        BoilersweepError: Some shares failed; the message names them.
    """
    shares = division(sweep.rows_folder, len(sweep.store.manifest.shards), len(cluster))
    of_store = partial(SharedSweep, sweep.plan, sweep.hits, parts=sweep.parts.resolve())
    store = sweep.store.path.resolve()
    collect, rank = Labels("analyse", "shares", share_label), Labels("rank", "shares", share_label)
    run_tasks(partial(_collect, of_store, store, heap), shares, collect, cluster=cluster)
    run_tasks(partial(_rank, of_store, store), sweep.shares(), rank, cluster=cluster)


def _collect(
    of_store: Callable[..., SharedSweep], store: Path, heap: str | None, share: Share
) -> None:
    with java_turn(heap):
        of_store(store=open_store(store)).collect(share)


def _rank(of_store: Callable[..., SharedSweep], store: Path, share: Share) -> None:
    of_store(store=open_store(store)).rank(share)
