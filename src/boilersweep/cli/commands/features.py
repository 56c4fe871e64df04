"""`boilersweep features`: the features of a block store's blocks as a table."""

import argparse
from pathlib import Path

from boilersweep.cli import arguments

FAMILIES = ("kohlschuetter", "schaefer")


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "features",
        help="write the papers' features of every block as a table",
        description="Write one row per block of a store: docid, block, and the 67 features of "
        "Kohlschütter et al. 2010 or the 37 of Schäfer, as Parquet or CSV. Without --output, list "
        "what each feature is and where it is from.",
    )
    parser.add_argument("--features", choices=FAMILIES, default=FAMILIES[0])
    parser.add_argument(
        "--store",
        type=Path,
        metavar="DIR",
        help="a block store, as `boilersweep segment` makes it",
    )
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where they go: a .parquet or .csv file"
    )
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.errors import UsageError
    from boilersweep.store.feature_table import FAMILIES as LISTED
    from boilersweep.store.feature_table import write_features
    from boilersweep.store.store import open_store

    if bool(options.store) != bool(options.output):
        raise UsageError("features: --store and --output go together; without both, it lists them")
    if not options.output:
        for feature in LISTED[options.features]:
            print(f"{feature.name}: {feature.description} ({feature.source})")
        return 0
    rows = write_features(open_store(options.store), options.output, options.features)
    print(f"{options.output}: {rows:,} blocks")
    return 0
