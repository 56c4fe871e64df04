"""How the work is done: threads, clusters, Java's memory and progress."""

import argparse

from boilersweep.cli.parser import Group, Options, positive
from boilersweep.work.cluster import parse_cluster
from boilersweep.work.processes import default_workers


def _heap(text: str) -> str:
    # `segment` has no Java, and starts faster without this.
    from boilersweep.indexer.jvm import checked_heap

    return checked_heap(text)


THREADS = Options(
    "--threads N  number of worker processes and threads (default: one per processor)"
)
HEAP = Options(
    "--heap SIZE  Java's maximum heap, such as 4g (default: a quarter of the memory)",
    types={"heap": _heap},
)
# `cli.main` reads it.
LOG_EVERY = Options(
    "--log-every SECONDS  how often to log progress when stderr is not a terminal",
    types={"log_every": positive},
    defaults={"log_every": 30},
)
ALL = Group(THREADS, HEAP, LOG_EVERY)


CLUSTER = Group(
    Options(
        """
        --cluster ADDRESS  do the work on a cluster: a Dask scheduler, such as tcp://host:8786, or a
            Ray cluster, ray://host:10001, or auto for the one of this machine. Its workers need the
            same versions, and input and output at the same paths
        """,
        types={"cluster": parse_cluster},
    ),
    title="several machines",
)


def threads(args: argparse.Namespace) -> int:
    """Return the number of workers to use."""
    return args.threads or default_workers()
