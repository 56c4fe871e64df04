"""Parse, run the command, turn errors into messages and exit statuses."""

import argparse
import ast
import errno
import io
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from boilersweep.cli.parser import Parser, positive
from boilersweep.errors import BoilersweepError, UsageError, printable, reason_of
from boilersweep.extras import command_for, missing_for_lucene
from boilersweep.outputs.atomic import DISK_ADVICE
from boilersweep.outputs.identity import __version__
from boilersweep.work.progress import log_every

# Title -> the names of commands and of their modules, in the order of the help text.
GROUPS = {
    "main jobs": "demo sweep compare index export clean serve",
    "parts of them": "segment search evaluate report",
    "judging": "assess judge train",
    "tools": "check doctor",
}

COMMANDS = " ".join(GROUPS.values()).split()

# Earlier names of commands -> what does the job now.
MOVED = {
    "blogs06": "`boilersweep sweep --preset blogs06`",
    "cleaners": "`boilersweep --list cleaners`",
    "explain": "`boilersweep search --topic`, and of a page `boilersweep clean --explain`",
    "features": "`boilersweep export --features`",
    "pool": "`boilersweep assess --write` and `--read`",
}

# What --list knows; `cli.lists` prints it.
LISTED = ("cleaners", "features")

# What --print-completion knows.
SHELLS = ("bash", "zsh", "tcsh")

# Errors of the machine that can happen anywhere -> what to do.
_OF_THE_MACHINE = {
    errno.EMFILE: "raise the limit of open files (ulimit -n), or use fewer --threads",
    errno.ENFILE: "the machine has too many files open; try again later",
    **DISK_ADVICE,
    errno.EIO: "a disk is failing; check the machine",
    errno.ENOMEM: "the machine has no memory left; use fewer --threads",
    errno.EAGAIN: "the limit of processes is reached (ulimit -u); use fewer --threads",
    errno.EACCES: "check the permissions of this path and of the folders above it",
    errno.EPERM: "check the permissions of this path and of the folders above it",
    errno.ENAMETOOLONG: "give a shorter path",
    errno.ELOOP: "symbolic links form a cycle; give the intended path",
}


class _GroupedCommands(argparse.HelpFormatter):
    """Help text with a title above each group of commands."""

    def _format_action(self, action: argparse.Action) -> str:
        text = super()._format_action(action)
        titles = {names.split()[0]: title for title, names in GROUPS.items()}
        return f"\n  {titles[action.dest]}:\n{text}" if action.dest in titles else text


class _PrintCompletion(argparse.Action):
    """Print a script that lets a shell complete commands, options and paths."""

    def __call__(
        self, parser: argparse.ArgumentParser, _given: Any, shell: Any, *_: Any
    ) -> None:
        import shtab

        paths = {"DIR": shtab.DIRECTORY, "FILE": shtab.FILE, "PATH": shtab.FILE}
        for action in _actions(parser):
            if action.metavar in paths:
                action.complete = paths[action.metavar]  # type: ignore[attr-defined]
        print(shtab.complete(parser, shell))
        parser.exit()


class _List(argparse.Action):
    """Print what can be given to an option."""

    def __call__(
        self, parser: argparse.ArgumentParser, _given: Any, what: Any, *_: Any
    ) -> None:
        from boilersweep.cli.lists import LISTS

        LISTS[what]()
        parser.exit()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def make_parser(names: Sequence[str] = COMMANDS, *, listing: bool = False) -> Parser:
    """Return the parser of the command line.

    Args:
        names: The commands that it knows.
        listing: Whether it only lists the commands, without their options.
    """
    parser = Parser(
        prog="boilersweep",
        description="Cut web pages into text blocks once, index what every threshold keeps, "
        "and see what each does to retrieval.",
        epilog="Start with: boilersweep demo",
        formatter_class=_GroupedCommands,
    )
    parser.add_argument(
        "--version", action="version", version=f"boilersweep {__version__}"
    )
    parser.add_argument(
        "--list",
        action=_List,
        choices=LISTED,
        help="print what --keep and --cleaners accept, or what export --features writes",
    )
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=SHELLS,
        metavar="SHELL",
        help="print a script that completes commands, options and paths in bash, zsh or tcsh",
    )
    parser.add_argument(
        "--log-every",
        type=positive,
        default=30,
        metavar="SECONDS",
        help="how often to log progress when stderr is not a terminal (default: 30)",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        summary, description = _documentation(name)
        command_parser = commands.add_parser(
            name,
            help=summary[0].lower() + summary[1:].rstrip("."),
            description=description,
            formatter_class=argparse.HelpFormatter,
        )
        if not listing:
            command = import_module(f"boilersweep.cli.commands.{name}")
            command_parser.take(*command.OPTIONS)
            command_parser.set_defaults(run=command.run)
    return parser


def _documentation(name: str) -> tuple[str, str]:
    """Return a command's summary and description without importing its module."""
    path = Path(__file__).parent / "commands" / f"{name}.py"
    # `ast.parse` leaves out docstrings under -OO, from Python 3.14 on.
    tree: Any = compile(path.read_bytes(), path, "exec", ast.PyCF_ONLY_AST, optimize=0)
    summary, _, description = (ast.get_docstring(tree) or "").partition("\n\n")
    return summary, description


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
    first = _first(arguments)
    if first in MOVED:
        raise UsageError(f"`{first}` is now {MOVED[first]}")
    # Importing a command takes up to half a second, as it imports all that it uses.
    parser = make_parser(
        names=[first] if first in COMMANDS else COMMANDS,
        listing=first not in (*COMMANDS, "--print-completion"),
    )
    args = parser.parse_args(arguments)
    log_every(args.log_every)
    _complete_installation(args)
    status: int = args.run(args) or 0
    sys.stdout.flush()
    return status


def _first(arguments: Sequence[str]) -> str:
    """Return the first word that is neither --log-every nor its value, "" without any."""
    words = iter(arguments)
    for word in words:
        if word == "--log-every":
            next(words, None)
        elif not word.startswith("--log-every="):
            return word
    return ""


def _complete_installation(args: argparse.Namespace) -> None:
    """Install pyserini, which the extra `lucene` cannot declare, for the first command with Java.

    A terminal is asked.
    """
    if hasattr(args, "heap") and missing_for_lucene() == ["pyserini"]:
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
    if isinstance(error, MemoryError):
        return f"out of memory: {_OF_THE_MACHINE[errno.ENOMEM]} (or raise ulimit -v)", 1
    if isinstance(error, ModuleNotFoundError) and (command := command_for(error.name)):
        return f"this needs {error.name}, which is not installed; run: {command}", 2
    if isinstance(error, OSError) and (advice := _advice(error)):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{reason_of(error)}; {advice}", 1
    raise error


def _advice(error: OSError) -> str | None:
    """Return what to do about an error of the machine, None for all other errors."""
    if error.errno == errno.ENOENT and Path().stat().st_nlink == 0:
        return "the current folder was deleted; change to another one with cd"
    return _OF_THE_MACHINE.get(error.errno or 0)


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
