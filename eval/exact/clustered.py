"""The exact engine's pass on the workers of a cluster: a task is a share of the store."""

from functools import partial
from pathlib import Path

from boilersweep.cluster.running import Crew
from boilersweep.eval.exact.engine import RowsPlan
from boilersweep.indexer.clustered import java_turn
from boilersweep.shares import Share, division
from boilersweep.store.store import BlockStore, open_store


def collect_on(
    crew: Crew, plan: RowsPlan, store: BlockStore, parts: Path, *, heap: str | None = None
) -> None:
    """Have the rows of all shares written below `parts`, where an `ExactSweep` takes them.

    heap: of each worker's JVM. Raises BoilersweepError that names the shares that failed.
    """
    there = parts / plan.recipe(store).name
    crew.run(
        partial(_collect, plan, store.path.resolve(), parts.resolve(), heap),
        division(there, len(store.manifest["shards"]), len(crew)),
        name=lambda share: f"share {share}",
        what="analyse",
        unit="shares",
    )


def _collect(plan: RowsPlan, store: Path, parts: Path, heap: str | None, share: Share) -> None:
    with java_turn(heap):
        plan.collect_share(open_store(store), share, parts)
