"""Indexes of a share of a store, to be joined by `boilersweep.indexer.merging`."""

from collections.abc import Sequence
from pathlib import Path

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.layout import IndexLayout, parallel_layout
from boilersweep.indexer.manifest import IndexManifest, index_recipe, sealed_index
from boilersweep.indexer.parallel import ParallelIndex, build_parallel_indexes
from boilersweep.indexer.single import build_index
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import Share, parts_folder


def unfinished(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    analyzer: AnalyzerOptions,
    layout: IndexLayout,
    *,
    overwrite: bool = False,
    by_lucene: bool = False,
) -> list[Variant]:
    """The variants of which there is no whole index in `output` yet.

    overwrite, by_lucene: as for `sealed_index`.

    Raises IndexingError where something else stands in the place of one.
    """
    recipes = {v: index_recipe(store.fingerprint, v.cleaner, analyzer, layout) for v in variants}
    return [
        variant
        for variant in variants
        if sealed_index(
            output / variant.name, recipes[variant], overwrite=overwrite, by_lucene=by_lucene
        )
        is None
    ]


def build_parallel_share(
    store: BlockStore,
    share: Share,
    variants: Sequence[Variant],
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    docvectors: bool = False,
    by_lucene: bool = False,
    threads: int = 2,
    overwrite: bool = False,
) -> list[ParallelIndex]:
    """Build a share of the indexes of `build_parallel_indexes`, which see for what is raised.

    Other shares may be built at the same time, in any order, by processes that see the same
    folders. Variants whose whole index is there are left out.
    """
    options = analyzer or AnalyzerOptions()
    layout = parallel_layout(docvectors=docvectors)
    wanted = unfinished(
        store, variants, output, options, layout, overwrite=overwrite, by_lucene=by_lucene
    )
    if not wanted:
        return []
    folder = parts_folder(output) / share.name
    return build_parallel_indexes(
        store.part(share),
        wanted,
        folder,
        analyzer=options,
        docvectors=docvectors,
        by_lucene=by_lucene,
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
    """Build a share of the index of `build_index`, which see for what is raised."""
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
