"""Shares of indexes, built by separate commands or on a cluster's workers, and joined.

`boilersweep.indexer.merging` joins them.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.manifest import IndexManifest, index_recipe, sealed_index
from boilersweep.indexer.merging import merge_indexes
from boilersweep.indexer.parallel import (
    IndexBuilder,
    ParallelIndex,
    Proof,
    build_parallel_indexes,
    unfinished,
)
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.shares import Share, division, parts_folder
from boilersweep.work.tasks import run_tasks

_TURN = threading.Lock()


def build_parallel_share(
    store: BlockStore,
    share: Share,
    variants: Sequence[Variant],
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    proof: Proof | None = None,
    threads: int = 2,
    overwrite: bool = False,
) -> list[ParallelIndex]:
    """Build a share of the indexes of `build_parallel_indexes`, and raise what it raises.

    Processes that see the same folders may build other shares at the same time, in any order.
    Variants whose whole index is finished are left out.
    """
    recipes = unfinished(
        store,
        variants,
        output,
        analyzer=analyzer,
        docvectors=docvectors,
        proof=proof,
        overwrite=overwrite,
    )
    if not recipes:
        return []
    return build_parallel_indexes(
        store.part(share),
        list(recipes),
        parts_folder(output) / share.name,
        analyzer=analyzer,
        docvectors=docvectors,
        proof=proof,
        threads=threads,
        overwrite=overwrite,
    )


def build_index_share(
    store: BlockStore,
    share: Share,
    cleaner: Cleaner,
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    layout: IndexLayout | None = None,
    threads: int = 2,
    overwrite: bool = False,
) -> IndexManifest:
    """Build a share of the index of `build_index`, and raise what it raises."""
    options, layout = analyzer or AnalyzerOptions(), layout or IndexLayout()
    recipe = index_recipe(store.fingerprint, cleaner, options, layout)
    if (whole := sealed_index(output, recipe, overwrite=overwrite)) is not None:
        return whole
    return build_index(
        store.part(share),
        cleaner,
        parts_folder(output) / share.name,
        analyzer=options,
        layout=layout,
        threads=threads,
        overwrite=overwrite,
    )


def builder(
    cluster: ClusterPool | None, heap: str | None, *, overwrite: bool = False
) -> IndexBuilder:
    """What builds parallel indexes: the workers of a cluster, or this process if there is none.

    heap: of each worker's JVM. overwrite: rebuild indexes that do not match, or are damaged.
    """
    if cluster:
        return partial(build_parallel_on, cluster, heap=heap, overwrite=overwrite)
    return partial(build_parallel_indexes, overwrite=overwrite)


def build_parallel_on(
    cluster: ClusterPool,
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    proof: Proof | None = None,
    threads: int = 2,
    heap: str | None = None,
    overwrite: bool = False,
) -> list[ParallelIndex]:
    """As `build_parallel_indexes`, on the workers of a cluster. heap: of each worker's JVM."""
    build = partial(
        build_parallel_indexes,
        analyzer=analyzer,
        docvectors=docvectors,
        proof=proof,
    )
    if unfinished(store, variants, output, overwrite=overwrite, **build.keywords):
        share = partial(
            build_parallel_share,
            variants=tuple(variants),
            output=output.resolve(),
            threads=1,
            overwrite=overwrite,
            **build.keywords,
        )
        _build_shares(cluster, store, share, output, heap)
    return build(store, variants, output, threads=threads)


def build_index_on(
    cluster: ClusterPool,
    store: BlockStore,
    cleaner: Cleaner,
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    layout: IndexLayout | None = None,
    threads: int = 2,
    heap: str | None = None,
    overwrite: bool = False,
) -> IndexManifest:
    """As `build_index`, on the workers of a cluster. heap: of each worker's JVM."""
    options, layout = analyzer or AnalyzerOptions(), layout or IndexLayout()
    recipe = index_recipe(store.fingerprint, cleaner, options, layout)
    if sealed_index(output, recipe, overwrite=overwrite) is None:
        share = partial(
            build_index_share,
            cleaner=cleaner,
            output=output.resolve(),
            analyzer=options,
            layout=layout,
            threads=1,
            overwrite=overwrite,
        )
        _build_shares(cluster, store, share, output, heap)
    return build_index(store, cleaner, output, analyzer=options, layout=layout, threads=threads)


def _build_shares(
    cluster: ClusterPool,
    store: BlockStore,
    build: Callable[[BlockStore, Share], object],
    output: Path,
    heap: str | None,
) -> None:
    """Build all shares on the workers, and join them here."""
    shares = division(parts_folder(output), len(store.manifest["shards"]), len(cluster))
    work = partial(_on_worker, build, store.path.resolve(), heap)
    run_tasks(work, shares, what="index", unit="shares", name=_name, cluster=cluster)
    merge_indexes(output)


def _name(share: Share) -> str:
    return f"share {share}"


def _on_worker(
    build: Callable[[BlockStore, Share], object], store: Path, heap: str | None, share: Share
) -> None:
    opened = open_store(store)
    with java_turn(heap):
        build(opened, share)


@contextlib.contextmanager
def java_turn(heap: str | None) -> Iterator[None]:
    """The JVM of a worker process, for one task at a time.

    A worker may run tasks in several threads, where pyjnius would mix up their methods.
    """
    with _TURN:
        start_jvm(heap)
        yield
