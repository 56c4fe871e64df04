"""Commands and scripts in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

Ended = subprocess.CompletedProcess[str]

# The command line in a process of its own, whose Java compiles for work of a second, not of hours.
PROGRAM = (
    sys.executable,
    "-c",
    "import sys, jnius_config; jnius_config.add_options('-XX:TieredStopAtLevel=1'); "
    "from boilersweep.__main__ import main; sys.exit(main())",
)


# Variables with which the Java of any other program does so, too; it says on stderr that it does.
QUICK_JAVA = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}


class Killed(BaseException):
    """Ends work as a kill would, but for locks and temporary files."""


def run(
    *words: object,
    status: int | None = 0,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    seconds: float = 300,
) -> Ended:
    """Run a command.

    Args:
        *words: The command and its arguments.
        status: What it must end with; None for anything.
        cwd: The folder that it runs in.
        env: Variables of its environment besides those of this process.
        stdin: What it reads.
        seconds: How long it may take.

    Returns:
        The ended process, with its output as text.
    """
    ended = subprocess.run(
        list(map(str, words)),
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        input=stdin,
        timeout=seconds,
    )
    assert status is None or ended.returncode == status, ended.stdout + ended.stderr
    return ended


def python(*words: object, **how: object) -> Ended:
    """Run Python with some arguments; `how` is that of `run`."""
    return run(sys.executable, *words, **how)  # type: ignore[arg-type]


def boilersweep(*words: object, **how: object) -> Ended:
    """Run the command line; `how` is that of `run`."""
    return run(*PROGRAM, *words, **how)  # type: ignore[arg-type]
