"""Commands of boilersweep as jobs: one, or all shares of one at the same time."""

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
    shares: int,
) -> dict[str, Any]:
    """Run a command; with shares, each in a process of its own, all at the same time."""
    command = [*_BOILERSWEEP, *arguments]
    commands = [
        # Processes of `segment` divide the work by themselves
        command if arguments[0] == "segment" else [*command, "--share", f"{n}/{shares}"]
        for n in range(1, shares + 1)
    ] or [command]
    processes = [subprocess.Popen(command) for command in commands]
    statuses = [process.wait() for process in processes]
    if any(statuses):
        raise RuntimeError(f"{' '.join(command)} ended with {statuses}")
    marks.mark(arguments[0])
    return {"shares": shares}
