"""Write what cleaners keep as JSON lines, Parquet, TREC web, text or for OpenSearch.

Write what each cleaner keeps of every document into a folder of its own, one file per shard of the
store. Documents without kept text are left out and counted. If run again, it skips completed work.
With --features: write the papers' features of every block as one table.
"""

import argparse

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.cli import options
from boilersweep.cli.messages import describe_export
from boilersweep.cli.options.collection import own_store, report_losses
from boilersweep.cli.parser import Group, Options
from boilersweep.errors import UsageError, printable
from boilersweep.export.export import EXPORT, export_store
from boilersweep.outputs.locations import output_path
from boilersweep.store.feature_table import FAMILIES, write_features
from boilersweep.store.store import open_store
from boilersweep.work.cluster import cluster_executor

_WITH_FEATURES = {"features", "store", "output"}


def _check_features(args: argparse.Namespace) -> None:
    """Raise UsageError unless the call asks for kept texts, or for features alone."""
    if args.features is None:
        if not args.cleaners:
            raise UsageError("expected --keep, or --features for a table of the blocks")
        return
    others = [
        f"--{one.replace('_', '-')}" for one in args.typed.keys() - _WITH_FEATURES
    ]
    if others:
        raise UsageError(f"--features cannot be used with {', '.join(sorted(others))}")
    if args.store is None:
        raise UsageError("--features requires --store")
    output_path(args.output)


OPTIONS = (
    options.collection.pages_or_store(),
    options.cleaners.several("the cleaners whose text to write", option="--keep"),
    options.output.folder(
        "the folder for the files, with a folder for each cleaner", anywhere=True
    ),
    options.export.FILES,
    Group(
        Options(
            f"""
            --features {{{",".join(FAMILIES)}}}
                write a row for every block of the --store into the file --output, a .parquet or
                .csv: the 67 features of Kohlschütter et al. 2010, the 37 of Schäfer, or what the
                shipped model of learned says of the block's class and the page's kind;
                `boilersweep --list features` describes them
            """
        ),
        _check_features,
        title="a table of features in place of texts",
    ),
    options.collection.languages(),
    options.export.near_duplicates(),
    options.output.CLUSTER,
    options.output.overwrite(),
    options.output.THREADS,
)


def run(args: argparse.Namespace) -> int:
    if args.features:
        rows = write_features(open_store(args.store), args.output, args.features)
        print(f"{printable(args.output)}: {rows:,} blocks")
        return 0
    existing = open_store(args.store) if args.store else None
    args.metadata = bool(args.fields)
    with cluster_executor(args.cluster) as executor:
        store = existing or own_store(args, EXPORT, executor)
        asked = options.export.options(args)
        facts = export_store(
            store,
            collect_variants((), args.cleaners),
            args.output,
            asked,
            workers=options.output.threads(args),
            executor=executor,
            overwrite=args.overwrite,
        )
    print(*map(printable, describe_export(args.output, facts, asked)), sep="\n")
    return report_losses(args, store)
