"""`boilersweep index`: a block store to Lucene indexes."""

import argparse
from typing import TYPE_CHECKING

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cli import arguments, chosen, shared
from boilersweep.errors import UsageError
from boilersweep.sweeps import collect_variants

if TYPE_CHECKING:
    from boilersweep.store.store import BlockStore


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
    parser.add_argument(
        "--storeContents", action="store_true", help="with --keep: store the cleaned text, too"
    )
    arguments.add_analyzer(parser)
    shared.add_shard(parser, "of the indexes, for `boilersweep merge`")
    arguments.add_threads(parser)
    arguments.add_java(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    if bool(options.sweeps or options.cleaners) == bool(options.keep):
        raise UsageError(
            "index: expected either --sweep and --cleaners (parallel indexes) or --keep (one index)"
        )
    if options.storeContents and not options.keep:
        raise UsageError("index: --storeContents goes with --keep")
    from boilersweep.cli.summary import describe_index
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.indexer.parallel import build_parallel_indexes
    from boilersweep.indexer.single import build_index
    from boilersweep.store.store import open_store

    store = open_store(options.store)
    analyzer = chosen.analyzer(options)
    start_jvm(options.heap)
    if options.shard:
        return _share(options, store)
    if options.keep:
        manifest = build_index(
            store,
            options.keep,
            options.output,
            analyzer=analyzer,
            store_contents=options.storeContents,
            threads=chosen.threads(options),
        )
        print(f"{describe_index(options.output, manifest)} by {options.keep}")
        return 0
    variants = collect_variants(options.sweeps or (), options.cleaners)
    for index in build_parallel_indexes(
        store,
        variants,
        options.output,
        analyzer=analyzer,
        threads=chosen.threads(options),
    ):
        print(describe_index(index.path, index.manifest))
    return 0


def _share(options: argparse.Namespace, store: "BlockStore") -> int:
    from boilersweep.cli.summary import describe_index, note
    from boilersweep.indexer.shares import build_index_share, build_parallel_share

    analyzer, threads = chosen.analyzer(options), chosen.threads(options)
    if options.keep:
        manifest = build_index_share(
            store,
            options.shard,
            options.keep,
            options.output,
            analyzer=analyzer,
            store_contents=options.storeContents,
            threads=threads,
        )
        print(f"{describe_index(options.output, manifest)} by {options.keep}")
    else:
        variants = collect_variants(options.sweeps or (), options.cleaners)
        for index in build_parallel_share(
            store, options.shard, variants, options.output, analyzer=analyzer, threads=threads
        ):
            print(describe_index(index.path, index.manifest))
    note(f"shard {options.shard} is done; `boilersweep merge {options.output}` joins all of them")
    return 0
