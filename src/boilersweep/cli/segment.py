"""`boilersweep segment`: a collection to a block store."""

import argparse

from boilersweep.cli import arguments, chosen


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "segment",
        help="cut the pages of a collection into text blocks",
        description="Cut every page of a collection into text blocks and keep them in a block "
        "store: Parquet shards that pandas, polars and DuckDB read. Called again it skips what "
        "is done.",
    )
    arguments.add_collection(parser)
    arguments.add_limits(parser)
    arguments.add_extractors(parser)
    arguments.add_output(parser, "the block store")
    arguments.add_threads(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    chosen.segmented(options, options.output, options.collection)
    print(options.output / "manifest.json")
    return 0
