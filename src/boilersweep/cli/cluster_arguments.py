"""Arguments of work that several processes share."""

import argparse
import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from boilersweep.cli.arguments import checked
from boilersweep.errors import UsageError
from boilersweep.work.connection import connected_crew, local_crew, parse_cluster
from boilersweep.work.shares import Share, parse_share

if TYPE_CHECKING:
    from boilersweep.eval.exact.shares import SharedSweep
    from boilersweep.work.crew import Crew


def add_shared(parser: argparse.ArgumentParser, what: str) -> None:
    """--share, --cluster and --scheduler."""
    group = parser.add_argument_group("several processes or machines with one shared folder")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--share",
        type=checked(parse_share),
        metavar="I/N",
        help=f"do the I-th of N shares {what}; in any order, also at the same time",
    )
    which.add_argument(  # the old name
        "--shard", dest="share", type=checked(parse_share), help=argparse.SUPPRESS
    )
    which.add_argument(
        "--cluster",
        type=checked(parse_cluster),
        metavar="local:N",
        help="do the work on N worker processes of Dask on this machine",
    )
    which.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="do the work on the workers of a running Dask cluster, such as tcp://host:8786",
    )


@contextlib.contextmanager
def crew(options: argparse.Namespace) -> "Iterator[Crew | None]":
    """The workers of the cluster that the arguments name, None for no cluster."""
    if options.cluster:
        with local_crew(options.cluster) as workers:
            yield workers
    elif options.scheduler:
        with connected_crew(options.scheduler) as workers:
            yield workers
    else:
        yield None


def check_sweep_share(options: argparse.Namespace) -> None:
    """Raises UsageError where a share of a sweep has nothing to share."""
    if not options.share:
        return
    if options.engine != "exact":
        raise UsageError(
            "sweep --share goes with --engine exact; for real indexes share `boilersweep index`, "
            "with --output SWEEP/indexes"
        )
    if not options.store:
        raise UsageError(
            "sweep --share goes with --store, a finished block store; make it with "
            "`boilersweep segment --share`"
        )


def sweep_share(sweep: "SharedSweep", share: Share) -> int:
    """Do what is next of a share of a sweep; the exit status."""
    from boilersweep.cli.messages import note

    if share in sweep.shares():
        print(sweep.rank(share))
        note(f"share {share} is ranked; without --share the same command uses all")
    else:
        print(sweep.collect(share))
        note(f"share {share} is analysed; when all are, the same command ranks it")
    return 0
