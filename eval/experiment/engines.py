"""Build the indexes that an experiment searches, and give the engine that searches them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path

from boilersweep.cleaners.selection import AlignmentCounts, needs_of
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.ranking.search import IndexEngine, Searched, SearchOptions
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.options import IndexOptions, ParallelOptions, Proof
from boilersweep.indexer.parallel_indexes import ParallelIndex, build_parallel_indexes
from boilersweep.indexer.searcher import open_index
from boilersweep.indexer.single import ALL_BLOCKS, build_index
from boilersweep.store.store import BlockStore

# Builds parallel indexes as parts of an output, see `build_into`.
IndexBuilder = Callable[
    [BlockStore, Sequence[Variant], ParallelOptions], list[ParallelIndex]
]


def parallel_engine(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    indexes: Path | IndexBuilder,
    options: SearchOptions,
    *,
    docvectors: bool = False,
    proof: Proof | None = None,
    executor: Executor | None = None,
) -> IndexEngine:
    """Build the missing indexes of some variants, one for each, and return what searches them.

    Args:
        store: The block store.
        variants: The variants.
        queries: The text of each query by its topic id.
        indexes: The folder of the indexes, or what builds them.
        options: How topics are run.
        docvectors: Whether the indexes store document vectors even if the model reads none.
        proof: See `ParallelOptions`.
        executor: See `ParallelOptions`; each of its workers builds with one thread.
    """
    build_options = ParallelOptions(
        analyzer=options.analyzer,
        docvectors=docvectors or options.model.reads_vectors,
        proof=proof,
        threads=1 if executor else options.threads,
        executor=executor,
        heap=options.heap,
    )
    if isinstance(indexes, Path):
        built = build_parallel_indexes(store, variants, indexes, build_options)
    else:
        built = indexes(store, variants, build_options)
    searched, placed = {}, dict[str, AlignmentCounts]()
    for index in built:
        counts = index.manifest
        searched[index.variant] = Searched(
            index.variant, counts.documents, counts.empty, counts.tokens, index.path
        )
        placed |= counts.placed
    return IndexEngine(searched, queries, options, placed)


@contextmanager
def block_engine(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    index: Path,
    options: SearchOptions,
) -> Iterator[IndexEngine]:
    """Build one index of blocks, and give what searches it under some variants.

    Args:
        store: The block store.
        variants: The variants, whose masks the index stores where they read more than columns.
        queries: The text of each query by its topic id.
        index: The folder of the index.
        options: How topics are run.
    """
    cleaners = [variant.cleaner for variant in variants]
    build_options = IndexOptions(
        analyzer=options.analyzer,
        layout=IndexLayout(blocks=True),
        cleaners=tuple(cleaner for cleaner in cleaners if needs_of([cleaner])),
        threads=options.threads,
    )
    placed = build_index(store, ALL_BLOCKS, index, build_options).placed
    with open_index(index, store=store) as searcher:
        searched = {}
        for variant in variants:
            kept = searcher.blocks.kept(variant.cleaner)
            empty = store.documents - kept.documents
            searched[variant] = Searched(
                variant,
                kept.documents,
                empty,
                kept.tokens,
                searcher,
                variant.cleaner,
            )
        yield IndexEngine(searched, queries, options, placed)
