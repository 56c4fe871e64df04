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
    shares: int,
) -> dict[str, Any]:
    """Run a command; with shares, each in a process of its own, all at the same time."""
    command = [*_BOILERSWEEP, *arguments]
    commands = [
        [*command, "--share", f"{n}/{shares}"] if arguments[0] == "index" else command
        for n in range(1, shares + 1)
    ] or [command]
    processes = [subprocess.Popen(command) for command in commands]
    statuses = [process.wait() for process in processes]
    if any(statuses):
        raise RuntimeError(f"{' '.join(command)} ended with {statuses}")
    marks.mark(arguments[0])
    return {"shares": shares}
