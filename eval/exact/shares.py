"""An exact sweep in shares: rows of each, statistics added up, lists of each, lists joined.

store --a share--> rows and statistics --all statistics--> lists of a share --all lists--> runs

A process holds the rows of one share at a time, whatever the collection's size, and the result
does not depend on how it was divided: a document's score needs of the others only the statistics.
"""

import json
from dataclasses import asdict, dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path

from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import StoreError, UsageError
from boilersweep.eval.exact.engine import ExactPlan
from boilersweep.eval.exact.share_files import (
    complete_division,
    read_lists,
    read_rows,
    read_totals,
    recipe_name,
    share_file,
    write_lists,
    write_rows,
)
from boilersweep.eval.exact.top_hits import (
    Lists,
    Totals,
    combine_lists,
    depth,
    join_lists,
    rank_rows,
    totals_of,
)
from boilersweep.eval.exact.vectors import dense_of
from boilersweep.eval.hits import PackedDocids
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.shares import java_turn
from boilersweep.outputs.files import make_folder, remove_leftovers
from boilersweep.outputs.identity import code_identity
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.progress import steps
from boilersweep.work.shares import Share, division
from boilersweep.work.tasks import run_tasks

ROWS = "rows"
RANKED = "ranked"


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
        if self.hits < 1:
            raise UsageError(f"hits: expected at least 1, got {self.hits}")

    def shares(self) -> list[Share]:
        """The shares whose rows are there, if those of all are; else none."""
        return complete_division(self.rows_folder)

    def collect(self, share: Share) -> Path:
        """Write the rows of a share; those that are there stay.

        Raises OutputError, StoreError, JavaError.
        """
        file = share_file(self.rows_folder, share)
        if not file.exists():
            rows = self.plan.collect(self.store.part(share))
            _make(file.parent)
            write_rows(file, rows, totals_of(rows, self.plan.terms), self._rows_recipe)
        return file

    def rank(self, share: Share) -> Path:
        """Write the ranked lists of a share, when the rows of all are there; those there stay.

        Raises OutputError, StoreError.
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
        """The ranked lists of the collection, of which these are the totals; raises StoreError.

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
        return _named(self.parts, ROWS, self._rows_recipe)

    @property
    def _lists_folder(self) -> Path:
        return _named(self.parts, RANKED, self._lists_recipe)

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
            "code": code_identity("clean", "index", "rank"),
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


def _named(parts: Path, what: str, recipe: str) -> Path:
    return parts / recipe_name(what, recipe)


def _make(folder: Path) -> None:
    make_folder(folder)
    remove_leftovers(folder)


def sweep_on(cluster: ClusterPool, sweep: SharedSweep, *, heap: str | None = None) -> None:
    """Have the rows of all shares collected, then their documents ranked.

    heap: of each worker's JVM. Raises BoilersweepError that names the shares that failed.
    """
    work = _Work(sweep.plan, sweep.hits, sweep.store.path.resolve(), sweep.parts.resolve(), heap)
    shares = division(sweep.rows_folder, len(sweep.store.manifest["shards"]), len(cluster))
    run = partial(run_tasks, unit="shares", name=_name, cluster=cluster)
    run(partial(_collect, work), shares, what="analyse")
    run(partial(_rank, work), sweep.shares(), what="rank")


@dataclass(frozen=True, slots=True)
class _Work:
    """What all tasks have in common: a shared sweep, with its store by its folder."""

    plan: ExactPlan
    hits: int
    store: Path
    parts: Path
    heap: str | None

    def sweep(self) -> SharedSweep:
        return SharedSweep(self.plan, self.hits, open_store(self.store), self.parts)


def _collect(work: _Work, share: Share) -> None:
    with java_turn(work.heap):
        work.sweep().collect(share)


def _rank(work: _Work, share: Share) -> None:
    work.sweep().rank(share)


def _name(share: Share) -> str:
    return f"share {share}"
