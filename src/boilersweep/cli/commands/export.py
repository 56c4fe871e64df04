"""Write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch.

Write what each cleaner keeps of every document into a folder of its own, one file per shard of the
store. Documents without kept text are left out and counted. If run again, it skips completed work.
"""

import argparse

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.cli import options
from boilersweep.cli.messages import describe_export, note, note_probabilities
from boilersweep.cli.parser import Parser
from boilersweep.cli.stores import own_store, report_losses
from boilersweep.export.export import export_store
from boilersweep.export.manifest import EXPORT, make_way
from boilersweep.store.store import open_store


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
    existing = open_store(args.store) if args.store else None
    args.metadata = args.metadata or bool(args.fields)
    with options.work.cluster(args) as cluster:
        store = existing or own_store(args, EXPORT, make_way, cluster)
        note_probabilities(store, args.cleaners)
        manifest = export_store(
            store,
            collect_variants((), args.cleaners),
            args.output,
            options.export.options(args),
            share=args.share,
            workers=options.work.threads(args),
            cluster=cluster,
            overwrite=args.overwrite,
        )
    if manifest is None:
        note(f"share {args.share} is done; other shares are unfinished")
        return 0
    for line in describe_export(args.output, manifest):
        print(line)
    return report_losses(args, store)
