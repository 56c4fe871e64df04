"""Shares of indexes, built by separate commands or on a cluster's workers, and joined.

`boilersweep.indexer.merging` joins them.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import Cleaner
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.manifest import IndexManifest, index_recipe, sealed_index
from boilersweep.indexer.merging import merge_indexes
from boilersweep.indexer.options import IndexOptions, ParallelOptions
from boilersweep.indexer.parallel import (
    IndexBuilder,
    ParallelIndex,
    build_parallel_indexes,
    unfinished,
)
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.progress import Labels
from boilersweep.work.shares import Share, division, parts_folder
from boilersweep.work.tasks import run_tasks

_TURN = threading.Lock()


def build_parallel_share(
    store: BlockStore,
    share: Share,
    variants: Sequence[Variant],
    output: Path,
    options: ParallelOptions | None = None,
) -> list[ParallelIndex]:
    """Build a share of the indexes of `build_parallel_indexes`, and raise what it raises.

    Processes that see the same folders may build other shares at the same time, in any order.
    Variants whose whole index is finished are left out.
    """
    options = options or ParallelOptions()
    missing = unfinished(store, variants, output, options)
    if not missing:
        return []
    part = parts_folder(output) / share.name
    return build_parallel_indexes(store.part(share), list(missing), part, options)


def build_index_share(
    store: BlockStore,
    share: Share,
    cleaner: Cleaner,
    output: Path,
    options: IndexOptions | None = None,
) -> IndexManifest:
    """Build a share of the index of `build_index`, and raise what it raises."""
    options = options or IndexOptions()
    whole = _whole_index(store, cleaner, output, options)
    part = parts_folder(output) / share.name
    return whole or build_index(store.part(share), cleaner, part, options)


def _whole_index(
    store: BlockStore, cleaner: Cleaner, output: Path, options: IndexOptions
) -> IndexManifest | None:
    recipe = index_recipe(store.fingerprint, cleaner, options)
    return sealed_index(output, recipe, overwrite=options.overwrite)


def builder(
    cluster: ClusterPool | None, heap: str | None, *, overwrite: bool = False
) -> IndexBuilder:
    """Return a function that builds parallel indexes, on a cluster if there is one.

    Args:
        cluster: The cluster's workers; None for this process.
        heap: The heap of each worker's JVM.
        overwrite: Rebuild indexes that do not match, or are damaged.
    """

    def build(
        store: BlockStore, variants: Sequence[Variant], output: Path, options: ParallelOptions
    ) -> list[ParallelIndex]:
        options = replace(options, overwrite=overwrite)
        if cluster:
            return build_parallel_on(cluster, store, variants, output, options, heap=heap)
        return build_parallel_indexes(store, variants, output, options)

    return build


def build_parallel_on(
    cluster: ClusterPool,
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    options: ParallelOptions,
    *,
    heap: str | None = None,
) -> list[ParallelIndex]:
    """Build parallel indexes on the workers of a cluster, see `build_parallel_indexes`.

    Args:
        cluster: The workers.
        store: The block store.
        variants: The variants, each of which gets an index.
        output: The folder of the indexes.
        options: How to build them.
        heap: The heap of each worker's JVM.
    """
    if unfinished(store, variants, output, options):
        share = partial(
            build_parallel_share,
            variants=tuple(variants),
            output=output.resolve(),
            options=replace(options, threads=1),
        )
        _build_shares(cluster, store, share, output, heap)
    return build_parallel_indexes(store, variants, output, replace(options, overwrite=False))


def build_index_on(
    cluster: ClusterPool,
    store: BlockStore,
    cleaner: Cleaner,
    output: Path,
    options: IndexOptions,
    *,
    heap: str | None = None,
) -> IndexManifest:
    """Build an index on the workers of a cluster, see `build_index` and `build_parallel_on`."""
    if _whole_index(store, cleaner, output, options) is None:
        share = partial(
            build_index_share,
            cleaner=cleaner,
            output=output.resolve(),
            options=replace(options, threads=1),
        )
        _build_shares(cluster, store, share, output, heap)
    return build_index(store, cleaner, output, replace(options, overwrite=False))


def _build_shares(
    cluster: ClusterPool,
    store: BlockStore,
    build: Callable[[BlockStore, Share], object],
    output: Path,
    heap: str | None,
) -> None:
    """Build all shares on the workers, and join them here."""
    shares = division(parts_folder(output), len(store.manifest.shards), len(cluster))
    work = partial(_on_worker, build, store.path.resolve(), heap)
    run_tasks(work, shares, Labels("index", "shares", share_label), cluster=cluster)
    merge_indexes(output)


def share_label(share: Share) -> str:
    """Return what messages call a share."""
    return f"share {share}"


def _on_worker(
    build: Callable[[BlockStore, Share], object], store: Path, heap: str | None, share: Share
) -> None:
    opened = open_store(store)
    with java_turn(heap):
        build(opened, share)


@contextlib.contextmanager
def java_turn(heap: str | None) -> Iterator[None]:
    """Hold the JVM of a worker process for one task at a time.

    A worker may run tasks in several threads, where pyjnius would mix up their methods.
    """
    with _TURN:
        start_jvm(heap)
        yield
