"""Commands and scripts in processes of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
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


# Runs command lines, a JSON list of words a line, and answers with the status of each. The program
# that its argument names begins each; its other argument is the file of standard output. Commands
# and what they start have an empty standard input, and find the folder and variables of the first.
_WARM = """
import json, os, sys, traceback
import jnius_config
from boilersweep.cli.main import main

jnius_config.add_options("-XX:TieredStopAtLevel=1")
before, output = sys.argv[1:]
lines, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(os.open(output, os.O_WRONLY | os.O_APPEND), 1)
folder, variables = os.getcwd(), dict(os.environ)
for line in lines:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    exec(before)
    try:
        status = main(json.loads(line))
    except SystemExit as error:
        status = error.code
    except Exception:
        traceback.print_exc()
        status = -1
    sys.stdout.flush()
    sys.stderr.flush()
    print(json.dumps(status), file=answers, flush=True)
"""


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


class WarmProgram:
    """The command line in a process that runs one command after the other, and imports once.

    Args:
        folder: For what the commands print; made.
        env: Variables of its environment besides those of this process.
        before: A program that runs before each command, such as one that forgets what an earlier
            one has read.
    """

    def __init__(
        self, folder: Path, env: Mapping[str, str], before: str = "pass"
    ) -> None:
        folder.mkdir()
        self._printed = (folder / "stdout", folder / "stderr")
        for path in self._printed:
            path.touch()
        with self._printed[1].open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _WARM, before, str(self._printed[0])],
                env={**os.environ, **env},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )

    def run(self, *words: object, status: int = 0) -> Ended:
        """Run a command, which must end with a status.

        Returns:
            What a process of its own would return.
        """
        assert self._process.stdin
        assert self._process.stdout
        begun = [path.stat().st_size for path in self._printed]
        print(json.dumps([*map(str, words)]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        out, err = self._said(begun)
        assert answer, out + err
        assert json.loads(answer) == status, out + err
        return Ended([*map(str, words)], status, out, err)

    def end(self) -> None:
        """End the process, which waits for a command; nothing may go wrong at its exit."""
        begun = [path.stat().st_size for path in self._printed]
        self._process.communicate()
        _, err = self._said(begun)
        assert self._process.returncode == 0, err
        assert "Traceback" not in err, err

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _said(self, begun: Iterable[int]) -> list[str]:
        """Return what was printed since the files had these sizes."""
        return [
            path.read_bytes()[start:].decode()
            for path, start in zip(self._printed, begun, strict=True)
        ]
