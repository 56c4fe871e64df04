"""Write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch.

Write what each cleaner keeps of every document into a folder of its own, one file per shard of the
store. Documents without kept text are left out and counted. If run again, it skips completed work.
"""

import argparse

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.cli import options
from boilersweep.cli.messages import describe_export
from boilersweep.cli.stores import own_store, report_losses
from boilersweep.export.export import export_store
from boilersweep.export.manifest import EXPORT
from boilersweep.store.store import open_store
from boilersweep.work.cluster import cluster_executor

OPTIONS = (
    options.collection.pages(store=True),
    options.cleaners.several(
        "the cleaners whose text to write", option="--keep", required=True
    ),
    options.output.folder(
        "the folder for the files, with a folder for each cleaner", anywhere=True
    ),
    options.export.FILES,
    options.collection.languages(),
    options.export.near_duplicates(),
    options.work.CLUSTER,
    options.output.overwrite(),
    options.output.VERIFY_INPUT,
    options.work.THREADS,
    options.work.LOG_EVERY,
)


def run(args: argparse.Namespace) -> int:
    existing = open_store(args.store) if args.store else None
    args.metadata = args.metadata or bool(args.fields)
    with cluster_executor(args.cluster) as executor:
        store = existing or own_store(args, EXPORT, executor)
        manifest = export_store(
            store,
            collect_variants((), args.cleaners),
            args.output,
            options.export.options(args),
            workers=options.work.threads(args),
            executor=executor,
            overwrite=args.overwrite,
        )
    print(*describe_export(args.output, manifest), sep="\n")
    return report_losses(args, store)
