"""Commands of boilersweep as jobs: one, or several at the same time that divide the work."""

import subprocess
import sys
from typing import Any

from benchmarks.marks import Marks

_BOILERSWEEP = [sys.executable, "-m", "boilersweep"]


def run_command(
    marks: Marks,
    *,
    output: str,  # noqa: ARG001 - its size is measured
    arguments: list[str],
    processes: int,
) -> dict[str, Any]:
    """Run a command in several processes, which divide the work, at the same time."""
    command = [*_BOILERSWEEP, *arguments]
    running = [subprocess.Popen(command) for _ in range(processes)]
    statuses = [process.wait() for process in running]
    if any(statuses):
        raise RuntimeError(f"{' '.join(command)} ended with {statuses}")
    marks.mark(arguments[0])
    return {"processes": processes}
