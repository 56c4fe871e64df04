"""An exact sweep on the workers of a cluster: a task is a share of the store."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from boilersweep.eval.exact.engine import ExactPlan
from boilersweep.eval.exact.shares import SharedSweep
from boilersweep.indexer.on_cluster import java_turn
from boilersweep.store.store import open_store
from boilersweep.work.crew import Crew
from boilersweep.work.shares import Share, division


def sweep_on(crew: Crew, sweep: SharedSweep, *, heap: str | None = None) -> None:
    """Have the rows of all shares collected, then their documents ranked.

    heap: of each worker's JVM. Raises BoilersweepError that names the shares that failed.
    """
    work = _Work(sweep.plan, sweep.hits, sweep.store.path.resolve(), sweep.parts.resolve(), heap)
    shares = division(sweep.rows_folder, len(sweep.store.manifest["shards"]), len(crew))
    crew.run(partial(_collect, work), shares, name=_name, what="analyse", unit="shares")
    crew.run(partial(_rank, work), sweep.shares(), name=_name, what="rank", unit="shares")


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
