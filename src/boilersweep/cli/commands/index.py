"""`boilersweep index`: a block store to Lucene indexes."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.variants import collect_variants
from boilersweep.cli import arguments
from boilersweep.cli import cluster_arguments as shared
from boilersweep.cli import options as chosen
from boilersweep.errors import UsageError
from boilersweep.indexer.layout import IndexLayout

if TYPE_CHECKING:
    from boilersweep.indexer.manifest import IndexManifest
    from boilersweep.indexer.parallel import ParallelIndex
    from boilersweep.store.near_duplicates import Dedup
    from boilersweep.store.store import BlockStore
    from boilersweep.work.crew import Crew

_OF_ONE_INDEX = (
    (
        "update",
        "parallel indexes are built anew",
        "an update indexes only what is new, in one process",
    ),
    (
        "dedup",
        "parallel indexes are of all documents",
        "near-duplicates are looked for in the whole store, by one process",
    ),
    (
        "languages",
        "parallel indexes are of all documents",
        "one process chooses the documents",
    ),
)
"""Options of --keep in one process, and why not with parallel indexes or many processes."""


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "index",
        help="build parallel Lucene indexes, or one cleaned index to deploy",
        description="With --sweep and --cleaners: an index for every threshold and cleaner, all in "
        "one pass over the block store, in DIR/words-011 and so on. With --keep: one index of what "
        "a cleaner keeps, with positions, in DIR itself. pyserini opens them.",
    )
    arguments.add_store(parser)
    arguments.add_output(parser, "where the indexes go")
    arguments.add_sweeps(parser, "")
    arguments.add_cleaners(parser, "cleaners to build an index for")
    parser.add_argument(
        "--keep",
        type=arguments.checked(parse_cleaner),
        metavar="CLEANER",
        help="what to keep, such as 'words>=11', 'density>=10.5 & link_density<=0.33' or bte",
    )
    arguments.add_layout(parser)
    arguments.add_languages(parser, "with --keep: ")
    arguments.add_dedup(parser, "With --keep. ")
    arguments.add_analyzer(parser)
    shared.add_shared(parser, "of the indexes, for `boilersweep merge`")
    arguments.add_reuse(
        parser,
        update="with --keep, documents of shards that are new or have changed are added, those of "
        "shards that are gone or have changed leave, and all others stay",
    )
    arguments.add_threads(parser)
    arguments.add_java(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if bool(options.sweeps or options.cleaners) == bool(options.keep):
        raise UsageError(
            "index: expected either --sweep and --cleaners (parallel indexes) or --keep (one index)"
        )
    layout = chosen.layout(options)
    if not options.keep and layout != replace(IndexLayout(), docvectors=layout.docvectors):
        raise UsageError(
            "index: --storeContents, --storeRaw, --fields and --optimize go with --keep"
        )
    for flag, why_kept, why_one in _OF_ONE_INDEX:
        if getattr(options, flag):
            if not options.keep:
                raise UsageError(f"index: --{flag} goes with --keep; {why_kept}")
            if options.share or options.cluster or options.scheduler:
                raise UsageError(
                    f"index: --{flag} does not go with --share, --cluster or --scheduler: {why_one}"
                )
    dedup = chosen.dedup(options)
    from boilersweep.cleaners.extractor_blocks import AlignmentCounts, alignment_of_json
    from boilersweep.cli.messages import describe_index, note, report_alignment
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.store.store import open_store

    store = open_store(options.store)
    chosen.note_languages(options, store)
    start_jvm(options.heap)
    with shared.crew(options) as crew:
        if options.keep:
            manifest = _one(options, store, crew, dedup)
            print(f"{describe_index(options.output, manifest)} by {options.keep}")
            report_alignment(alignment_of_json(manifest.placed))
        else:
            placed: dict[str, AlignmentCounts] = {}
            for index in _parallel(options, store, crew):
                print(describe_index(index.path, index.manifest))
                placed |= alignment_of_json(index.manifest.placed)
            report_alignment(placed)
    if options.share:
        note(f"share {options.share} is done; `boilersweep merge {options.output}` joins all")
    return 0


def _one(
    options: argparse.Namespace, store: "BlockStore", crew: "Crew | None", dedup: "Dedup | None"
) -> "IndexManifest":
    from boilersweep.indexer.on_cluster import build_index_on
    from boilersweep.indexer.shares import build_index_share
    from boilersweep.indexer.single import build_index

    build: Callable[..., IndexManifest] = partial(
        build_index, store, dedup=dedup, languages=options.languages, update=options.update
    )
    if options.share:
        build = partial(build_index_share, store, options.share)
    elif crew:
        build = partial(build_index_on, crew, store, heap=options.heap)
    return build(
        options.keep,
        options.output,
        analyzer=chosen.analyzer(options),
        layout=chosen.layout(options),
        threads=chosen.threads(options),
        overwrite=options.overwrite,
    )


def _parallel(
    options: argparse.Namespace, store: "BlockStore", crew: "Crew | None"
) -> "list[ParallelIndex]":
    from boilersweep.indexer.manifest import require_no_others
    from boilersweep.indexer.on_cluster import builder
    from boilersweep.indexer.shares import build_parallel_share

    variants = collect_variants(options.sweeps or (), options.cleaners)
    names = [variant.name for variant in variants]
    require_no_others(options.output, names, overwrite=options.overwrite)
    build: Callable[..., list[ParallelIndex]] = partial(
        builder(crew, options.heap, overwrite=options.overwrite), store
    )
    if options.share:
        build = partial(build_parallel_share, store, options.share, overwrite=options.overwrite)
    return build(
        variants,
        options.output,
        analyzer=chosen.analyzer(options),
        docvectors=options.storeDocvectors,
        threads=chosen.threads(options),
    )
