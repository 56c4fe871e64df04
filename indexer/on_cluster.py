"""Build indexes on the workers of a cluster: a task is a share, and they are joined here."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.layout import IndexLayout, parallel_layout
from boilersweep.indexer.manifest import IndexManifest, index_recipe, sealed_index
from boilersweep.indexer.merging import merge_indexes
from boilersweep.indexer.parallel import IndexBuilder, ParallelIndex, build_parallel_indexes
from boilersweep.indexer.shares import build_index_share, build_parallel_share, unfinished
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.shares import Share, division, parts_folder
from boilersweep.work.tasks import run_tasks

_TURN = threading.Lock()


@contextlib.contextmanager
def java_turn(heap: str | None) -> Iterator[None]:
    """The JVM of a worker process, for one task at a time.

    A worker may run tasks in several threads, where pyjnius would mix up their methods.
    """
    with _TURN:
        start_jvm(heap)
        yield


def builder(
    cluster: ClusterPool | None, heap: str | None, *, overwrite: bool = False
) -> IndexBuilder:
    """What builds parallel indexes: the workers of a cluster, this process where there is none.

    heap: of each worker's JVM. overwrite: rebuild indexes that do not match, or are damaged.
    """
    if cluster:
        return partial(build_parallel_on, cluster, heap=heap, overwrite=overwrite)
    return partial(build_parallel_indexes, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class _Indexing:
    """What all tasks have in common. store: its folder. output: where the whole is to be.

    overwrite: rebuild indexes that do not match, or are damaged. by_lucene: as for
    `build_parallel_indexes`.
    """

    store: Path
    output: Path
    analyzer: AnalyzerOptions
    layout: IndexLayout
    heap: str | None
    overwrite: bool
    by_lucene: bool = False


def build_parallel_on(
    cluster: ClusterPool,
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    by_lucene: bool = False,
    threads: int = 2,
    heap: str | None = None,
    overwrite: bool = False,
) -> list[ParallelIndex]:
    """As `build_parallel_indexes`, on the workers of a cluster. heap: of each worker's JVM."""
    options, layout = analyzer or AnalyzerOptions(), parallel_layout(docvectors=docvectors)
    if unfinished(
        store, variants, output, options, layout, overwrite=overwrite, by_lucene=by_lucene
    ):
        indexing = _Indexing(
            store.path.resolve(), output.resolve(), options, layout, heap, overwrite, by_lucene
        )
        _run(cluster, store, partial(_parallel_share, indexing, tuple(variants)), output)
        merge_indexes(output)
    return build_parallel_indexes(
        store,
        variants,
        output,
        analyzer=options,
        docvectors=docvectors,
        by_lucene=by_lucene,
        threads=threads,
    )


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
        indexing = _Indexing(
            store.path.resolve(), output.resolve(), options, layout, heap, overwrite
        )
        _run(cluster, store, partial(_index_share, indexing, cleaner), output)
        merge_indexes(output)
    return build_index(store, cleaner, output, analyzer=options, layout=layout, threads=threads)


def _run(
    cluster: ClusterPool, store: BlockStore, work: Callable[[Share], None], output: Path
) -> None:
    shares = division(parts_folder(output), len(store.manifest["shards"]), len(cluster))
    run_tasks(work, shares, what="index", unit="shares", name=_name, cluster=cluster)


def _name(share: Share) -> str:
    return f"share {share}"


def _parallel_share(indexing: _Indexing, variants: Sequence[Variant], share: Share) -> None:
    store = open_store(indexing.store)
    with java_turn(indexing.heap):
        build_parallel_share(
            store,
            share,
            variants,
            indexing.output,
            analyzer=indexing.analyzer,
            docvectors=indexing.layout.docvectors,
            by_lucene=indexing.by_lucene,
            threads=1,
            overwrite=indexing.overwrite,
        )


def _index_share(indexing: _Indexing, cleaner: Cleaner, share: Share) -> None:
    store = open_store(indexing.store)
    with java_turn(indexing.heap):
        build_index_share(
            store,
            share,
            cleaner,
            indexing.output,
            analyzer=indexing.analyzer,
            layout=indexing.layout,
            threads=1,
            overwrite=indexing.overwrite,
        )
