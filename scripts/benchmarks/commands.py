"""Commands of boilersweep as jobs: one, or all shares of one at the same time."""

import subprocess
import sys
from typing import Any

from benchmarks.marks import Marks

_BOILERSWEEP = [sys.executable, "-m", "boilersweep"]


def run_command(marks: Marks, *, output: str, arguments: list[str], shares: int) -> dict[str, Any]:
    """Run a command with --output; with more than one share, each in a process, all at once."""
    command = [*_BOILERSWEEP, *arguments, "--output", output]
    commands = [command]
    if shares > 1:
        commands = [[*command, "--shard", f"{n}/{shares}"] for n in range(1, shares + 1)]
    processes = [subprocess.Popen(command) for command in commands]
    statuses = [process.wait() for process in processes]
    if any(statuses):
        raise RuntimeError(f"{' '.join(command)} ended with {statuses}")
    marks.mark(arguments[0])
    return {"shares": shares}
