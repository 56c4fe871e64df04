"""Build parallel Lucene indexes, or one index to deploy: cleaned, or searched under any rule.

With --sweep and --cleaners: an index for every threshold and cleaner, all in one pass over the
block store, in DIR/words-011 and so on. With --keep: one index of what a cleaner keeps, with
positions, in DIR itself. With --blocks: one index of all blocks, which `search --keep` searches as
any rule leaves it; --cleaners names cleaners that then need no block store. pyserini opens the
indexes.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from boilersweep.cleaners.language.variants import Variant, collect_variants
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.cli import options
from boilersweep.cli.messages import describe_index, note, report_alignment
from boilersweep.cli.parser import apart, needs
from boilersweep.errors import UsageError
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.manifest import IndexManifest, list_indexes, require_no_others
from boilersweep.indexer.options import IndexOptions, ParallelOptions
from boilersweep.indexer.parallel_indexes import ParallelIndex, build_parallel_indexes
from boilersweep.indexer.single import ALL_BLOCKS, build_index
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.cluster import cluster_executor


def _check_one_or_parallel(args: argparse.Namespace) -> None:
    parallel = bool(args.sweeps or (args.cleaners and not args.blocks))
    if parallel + bool(args.keep) + args.blocks != 1:
        raise UsageError(
            "expected either --sweep and --cleaners (parallel indexes), --keep (one index), or "
            "--blocks (one index for all rules)"
        )
    layout = options.index.layout(args)
    if parallel and layout != replace(IndexLayout(), docvectors=layout.docvectors):
        raise UsageError(
            "--storeContents, --storeRaw, --fields and --optimize require --keep"
        )


OPTIONS = (
    options.collection.store(),
    options.output.folder("the folder for the indexes"),
    options.cleaners.sweep(),
    options.cleaners.several(
        "cleaners to build an index for; with --blocks: whose masks the index stores"
    ),
    options.cleaners.one(
        "--keep", "what to keep, such as 'words>=11', 'density>=10.5' or bte"
    ),
    options.index.LAYOUT,
    options.collection.languages("with --keep: "),
    options.export.near_duplicates("With --keep. "),
    options.index.ANALYZER,
    options.output.overwrite(
        update="with --keep, add documents of new and changed shards, remove those of deleted and "
        "changed shards, and keep all others"
    ),
    options.output.ALL,
    options.output.CLUSTER,
    _check_one_or_parallel,
    needs("--cluster", "--sweep", "--cleaners"),
    needs("--update", "--keep", "--blocks"),
    needs("--dedup", "--keep"),
    needs("--languages", "--keep", "--blocks"),
    apart("--blocks", "--cluster"),
)


def run(args: argparse.Namespace) -> int:
    store = open_store(args.store)
    one: Cleaner | None = ALL_BLOCKS if args.blocks else args.keep
    variants = collect_variants(args.sweeps or (), args.cleaners) if not one else ()
    store.require_for(
        [one, *args.cleaners] if one else [variant.cleaner for variant in variants]
    )
    options.index.note_languages(args, store)
    if not args.cluster:
        start_jvm(args.heap)
    placed: dict[str, AlignmentCounts] = {}
    status = 0
    if one:
        manifest = _one(args, store, one)
        print(f"{describe_index(args.output, manifest)} by {one}")
        placed = dict(manifest.placed)
        if not manifest.documents:
            note(f"the index has no documents: {one} keeps no text of any; check it")
            status = 1
    else:
        for index in _parallel(args, variants, store):
            print(describe_index(index.path, index.manifest))
            placed |= index.manifest.placed
        list_indexes(args.output)
    report_alignment(placed)
    return status


def _one(
    args: argparse.Namespace, store: BlockStore, cleaner: Cleaner
) -> IndexManifest:
    build_options = IndexOptions(
        analyzer=options.index.analyzer(args),
        layout=options.index.layout(args),
        cleaners=tuple(args.cleaners) if args.blocks else (),
        dedup=args.dedup,
        languages=tuple(args.languages),
        threads=options.output.threads(args),
        overwrite=args.overwrite,
        update=args.update,
    )
    return build_index(store, cleaner, args.output, build_options)


def _parallel(
    args: argparse.Namespace, variants: Sequence[Variant], store: BlockStore
) -> list[ParallelIndex]:
    names = [variant.name for variant in variants]
    require_no_others(args.output, names, overwrite=args.overwrite)
    with cluster_executor(args.cluster) as executor:
        build_options = ParallelOptions(
            analyzer=options.index.analyzer(args),
            docvectors=args.storeDocvectors,
            threads=(args.threads or 1) if executor else options.output.threads(args),
            overwrite=args.overwrite,
            executor=executor,
            heap=args.heap,
        )
        return build_parallel_indexes(store, variants, args.output, build_options)
