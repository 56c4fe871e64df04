"""The long work of a sweep on the workers of a cluster; `run_sweep` then finds it done."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from boilersweep.cluster.running import Crew
from boilersweep.eval.engines import SearchOptions
from boilersweep.eval.exact.clustered import collect_on
from boilersweep.eval.exact.engine import plan_rows
from boilersweep.indexer.clustered import build_parallel_on
from boilersweep.shares import parts_folder
from boilersweep.store.store import BlockStore
from boilersweep.sweeps import Variant


def prepare_sweep_on(
    crew: Crew,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
    *,
    exact: bool,
    heap: str | None = None,
) -> None:
    """Collect the exact engine's rows, or build the indexes, of the sweep in a folder.

    queries: topic id -> text. heap: of each worker's JVM. Raises what building and collecting
    raise, and BoilersweepError that names the shares that failed.
    """
    if exact:
        cleaners = [variant.cleaner for variant in variants]
        _, plan = plan_rows(cleaners, queries, options.model.formula, analyzer=options.analyzer)
        collect_on(crew, plan, store, parts_folder(output), heap=heap)
    else:
        build_parallel_on(
            crew,
            store,
            variants,
            output / "indexes",
            analyzer=options.analyzer,
            threads=options.threads,
            heap=heap,
        )
