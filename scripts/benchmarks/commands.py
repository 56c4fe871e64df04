"""Commands of boilersweep as jobs: one, or several at the same time that divide the work."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.marks import Marks

_BOILERSWEEP = [sys.executable, "-m", "boilersweep"]


def run_command(
    marks: Marks,
    *,
    output: str,  # noqa: ARG001 - its size is measured
    arguments: list[str],
    processes: int,
    workers: int = 0,
) -> dict[str, Any]:
    """Run a command in several processes, which divide the work, at the same time.

    Args:
        marks: notes the time.
        output: the folder that the command writes.
        arguments: of the command.
        processes: how many run it.
        workers: of a Dask cluster of this machine, on which they do it; 0 for none.
    """
    with _cluster(workers) as options:
        command = [*_BOILERSWEEP, *arguments, *options]
        running = [subprocess.Popen(command) for _ in range(processes)]
        statuses = [process.wait() for process in running]
    if any(statuses):
        raise RuntimeError(f"{' '.join(command)} ended with {statuses}")
    marks.mark(arguments[0])
    return {"processes": processes}


@contextmanager
def _cluster(workers: int) -> Iterator[list[str]]:
    """Yield the options that name a cluster of so many processes of one thread."""
    if not workers:
        yield []
        return
    from distributed import LocalCluster  # of an extra

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, memory_limit=0, dashboard_address=None
    ) as cluster:
        yield ["--cluster", cluster.scheduler_address]
