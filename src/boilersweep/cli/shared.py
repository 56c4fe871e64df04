"""Arguments of work that several processes share."""

import argparse

from boilersweep.cli.arguments import checked
from boilersweep.errors import UsageError
from boilersweep.shares import parse_share


def add_shard(parser: argparse.ArgumentParser, what: str) -> None:
    """--shard."""
    group = parser.add_argument_group("several processes or machines with one shared folder")
    group.add_argument(
        "--shard",
        type=checked(parse_share),
        metavar="I/N",
        help=f"do the I-th of N parts {what}; in any order, also at the same time",
    )


def check_sweep_shard(options: argparse.Namespace) -> None:
    """Raises UsageError where a share of a sweep has nothing to share."""
    if not options.shard:
        return
    if options.engine != "exact":
        raise UsageError(
            "sweep --shard goes with --engine exact; for real indexes share `boilersweep index`, "
            "with --output SWEEP/indexes"
        )
    if not options.store:
        raise UsageError(
            "sweep --shard goes with --store, a finished block store; make it with "
            "`boilersweep segment --shard`"
        )
