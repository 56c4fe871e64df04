"""Write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch.

Write what each cleaner keeps of every document into a folder of its own, one file per shard of the
store. Documents without kept text are left out and counted. If run again, it skips completed work.
"""

import argparse
from typing import TYPE_CHECKING

from boilersweep.cleaners.variants import collect_variants
from boilersweep.cli import options
from boilersweep.cli.parser import Parser

if TYPE_CHECKING:
    from boilersweep.store.store import BlockStore
    from boilersweep.work.cluster import ClusterPool


def add_options(parser: Parser) -> None:
    options.collection.add(parser, store=True)
    options.cleaners.add(parser, "the cleaners whose text to write", option="--keep", required=True)
    options.output.add(parser, "the folder for the files, with a folder for each cleaner")
    options.export.add(parser)
    options.collection.add_languages(parser)
    options.export.add_dedup(parser)
    options.work.add_shared(parser, "of the store's shards; the last share completes the export")
    options.output.add_overwrite(parser)
    options.output.add_verify_input(parser)
    options.work.add(parser, java=False)
    parser.check(options.work.check_share_of_store, options.work.check_share_overwrites_nothing)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import describe_export, note, note_probabilities
    from boilersweep.export.export import export_share, export_store
    from boilersweep.store.store import open_store

    existing = open_store(args.store) if args.store else None
    requested = (
        collect_variants((), args.cleaners),
        args.output,
        options.export.options(args),
    )
    workers = options.work.threads(args)
    with options.work.cluster(args) as cluster:
        store = existing or _own_store(args, cluster)
        note_probabilities(store, args.cleaners)
        if args.share:
            manifest = export_share(store, args.share, *requested, workers=workers)
        else:
            manifest = export_store(
                store, *requested, workers=workers, cluster=cluster, overwrite=args.overwrite
            )
    if manifest is None:
        note(f"share {args.share} is done; other shares are unfinished")
        return 0
    for line in describe_export(args.output, manifest):
        print(line)
    return options.collection.note_losses(args, store)


def _own_store(args: argparse.Namespace, cluster: "ClusterPool | None") -> "BlockStore":
    """Segment the collection into the export's folder."""
    from boilersweep.export.manifest import EXPORT, STORE, make_way
    from boilersweep.outputs.folder import OutputFolder

    args.metadata = args.metadata or bool(args.fields)
    finished = OutputFolder(args.output, EXPORT).read(overwrite=args.overwrite)
    return options.collection.own_store(args, args.collection, cluster, STORE, finished, make_way)
