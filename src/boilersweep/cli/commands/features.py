"""Write the papers' features of every block as a table.

Write one row per block of a store: docid, block, and the 67 features of Kohlschütter et al. 2010,
the 37 of Schäfer, or what the shipped model of learned says of the block's class and the page's
kind, as Parquet or CSV. Without --output, list every feature with its source.
"""

import argparse

from boilersweep.cli import options
from boilersweep.cli.parser import Options
from boilersweep.errors import UsageError
from boilersweep.store.feature_table import FAMILIES, write_features
from boilersweep.store.store import open_store


def _check(args: argparse.Namespace) -> None:
    if bool(args.store) != bool(args.output):
        raise UsageError(
            "--store and --output require each other; without both, list the features"
        )


OPTIONS = (
    Options(
        f"--features {{{','.join(FAMILIES)}}}  whose features, or what learned says",
        defaults={"features": "kohlschuetter"},
    ),
    options.collection.store(required=False),
    options.output.file("the .parquet or .csv file to write"),
    options.work.LOG_EVERY,
    _check,
)


def run(args: argparse.Namespace) -> None:
    if not args.output:
        for feature in FAMILIES[args.features]:
            print(f"{feature.name}: {feature.description} ({feature.source})")
        return
    rows = write_features(open_store(args.store), args.output, args.features)
    print(f"{args.output}: {rows:,} blocks")
