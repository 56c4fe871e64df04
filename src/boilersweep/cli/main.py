"""Parse, run the command, turn errors into messages and exit statuses."""

import errno
import io
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from boilersweep.cli.app import parse, split, start
from boilersweep.cli.call import Call, spell
from boilersweep.errors import BoilersweepError, UsageError, exhausted, reason_of
from boilersweep.redaction import printable

# Errors of the machine that can happen anywhere -> what to do.
_OF_THE_MACHINE = {
    errno.EMFILE: "raise the limit of open files (ulimit -n), or use fewer --threads",
    errno.ENFILE: "the machine has too many files open; try again later",
    errno.EIO: "a disk is failing; check the machine",
    errno.ENOMEM: "free memory, raise the limit (ulimit -v), or use fewer --threads",
    errno.EAGAIN: "raise the limits of processes and memory (ulimit -u, -v); use fewer --threads",
    errno.EACCES: "check the permissions of this path and of the folders above it",
    errno.EPERM: "check the permissions of this path and of the folders above it",
    errno.ENAMETOOLONG: "give a shorter path",
    errno.ELOOP: "symbolic links form a cycle; give the intended path",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line.

    Args:
        arguments: The words after the program's name (default: those of this process).

    Returns:
        The exit status: 0, 1 for a failure, 2 for wrong usage.
    """
    signal.signal(signal.SIGTERM, _terminate)
    if sys.stderr is None:  # closed by the caller (2>&-)
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:
        # The reader closed our output; keep Python from failing again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    except (Exception, KeyboardInterrupt) as error:
        message, status = _explain(error)
        print(f"boilersweep: {printable(message)}", file=sys.stderr)
        return status


def _run(arguments: Sequence[str]) -> int:
    """Parse a command line and run its command; return the exit status."""
    _require_stdout()
    before, command, words = split(arguments)
    may_go_on = parse(before)[0]() if before else start()
    if not may_go_on:
        return 0
    if not command:
        raise UsageError("expected a command; `boilersweep --help` lists them")
    do, call = parse(words, command)
    _complete_installation(call)
    try:
        status = do()
    except BoilersweepError as error:
        spell(error, call)
        raise
    sys.stdout.flush()
    return status if isinstance(status, int) else 0


def _complete_installation(call: Call) -> None:
    """Install pyserini, which the extra `lucene` cannot declare, for the first command with Java.

    A terminal is asked.
    """
    from boilersweep.extras import missing_for_lucene

    if "heap" in call.spelled and missing_for_lucene() == ["pyserini"]:
        from boilersweep.cli.commands.doctor import install

        install(ask=sys.stdin is not None and sys.stdin.isatty())


def _explain(error: BaseException) -> tuple[str, int]:
    """Return the message and the exit status of an error; raise it if it is a fault of ours."""
    if isinstance(error, BoilersweepError):
        return str(error), error.exit_status
    if isinstance(error, KeyboardInterrupt):
        message = (
            "interrupted; finished files are kept and none is incomplete; "
            "run the same command again"
        )
        return message, 128 + signal.SIGINT
    if isinstance(error, ModuleNotFoundError) and (command := _command_for(error)):
        return f"this needs {error.name}, which is not installed; run: {command}", 2
    error = exhausted(error) or error
    if isinstance(error, MemoryError):
        return f"out of memory: {_OF_THE_MACHINE[errno.ENOMEM]}", 1
    if isinstance(error, OSError) and (advice := _advice(error)):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{reason_of(error)}; {advice}", 1
    raise error


def _command_for(error: ModuleNotFoundError) -> str | None:
    """Return the command that installs a missing module."""
    from boilersweep.extras import command_for

    return command_for(error.name)


def _advice(error: OSError) -> str | None:
    """Return what to do about an error of the machine, None for all other errors."""
    if error.errno == errno.ENOENT and Path().stat().st_nlink == 0:
        return "the current folder was deleted; change to another one with cd"
    from boilersweep.outputs.atomic import DISK_ADVICE

    return (DISK_ADVICE | _OF_THE_MACHINE).get(error.errno or 0)


def _require_stdout() -> None:
    """Raise UsageError if the caller closed standard output (>&-)."""
    if sys.stdout is None:
        raise UsageError(
            "standard output is closed; redirect it to a file or to /dev/null"
        )
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Names of files may be no UTF-8
        sys.stdout.reconfigure(errors="backslashreplace")


def _terminate(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
