"""Parse, run the command, turn errors into messages and exit statuses."""

import errno
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

from boilersweep.cli.completion import add_completion
from boilersweep.cli.parser import Parser
from boilersweep.errors import BoilersweepError, reason_of
from boilersweep.extras import command_for
from boilersweep.outputs.identity import __version__
from boilersweep.work.progress import log_every

COMMANDS = (
    "demo sweep compare report assess pool serve explain segment extract render index export merge "
    "search evaluate clean cleaners features judge train blogs06 check doctor"
).split()
"""The names of the commands and of their modules, in the order of the help text."""

_OF_THE_MACHINE = {
    errno.EMFILE: "raise the limit of open files (ulimit -n), or use fewer --threads",
    errno.ENFILE: "the machine has too many files open; try again later",
    errno.ENOSPC: "free some space, or choose an --output on another disk",
    errno.EDQUOT: "free some space, or choose an --output on another disk",
    errno.EIO: "a disk is failing; check the machine",
    errno.ENOMEM: "the machine has no memory left; use fewer --threads",
    errno.EAGAIN: "the limit of processes is reached (ulimit -u); use fewer --threads",
    errno.EACCES: "check the permissions of this path and of the folders above it",
    errno.EPERM: "check the permissions of this path and of the folders above it",
    errno.ENAMETOOLONG: "give a shorter path",
    errno.ELOOP: "symbolic links form a cycle; give the intended path",
}
"""Errors of the machine that can happen anywhere -> what to do."""


def make_parser(names: Sequence[str] = COMMANDS) -> Parser:
    """The parser of the command line, with some commands or all."""
    parser = Parser(
        prog="boilersweep",
        description="Cut web pages into text blocks once, index what every threshold keeps, "
        "and see what each does to retrieval.",
        epilog="Start with: boilersweep demo",
    )
    parser.add_argument("--version", action="version", version=f"boilersweep {__version__}")
    add_completion(parser)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in names:
        command = import_module(f"boilersweep.cli.commands.{name}")
        summary, _, description = (command.__doc__ or "").partition("\n\n")
        command_parser = commands.add_parser(
            name,
            help=summary[0].lower() + summary[1:].rstrip("."),
            description=description,
        )
        command.add_options(command_parser)
        command_parser.set_defaults(run=command.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit status: 0, 1 for a failure, 2 for wrong usage."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        given = sys.argv[1:] if arguments is None else arguments
        # A command's own parser takes a millisecond, all take twenty.
        names = given[:1] if given and given[0] in COMMANDS else COMMANDS
        args = make_parser(names).parse_args(given)
        log_every(getattr(args, "log_every", None))
        status: int = args.run(args)
        sys.stdout.flush()
    except BoilersweepError as error:
        print(f"boilersweep: {error}", file=sys.stderr)
        return error.exit_status
    except ModuleNotFoundError as error:
        command = command_for(error.name)
        if command is None:
            raise
        print(
            f"boilersweep: this needs {error.name}, which is not installed; run: {command}",
            file=sys.stderr,
        )
        return 2
    except KeyboardInterrupt:
        print(
            "boilersweep: interrupted; completed work is kept, run the same command to continue",
            file=sys.stderr,
        )
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # The reader closed our output; keep Python from failing again at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + getattr(signal, "SIGPIPE", 13)
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            raise
        where = f"{error.filename}: " if error.filename else ""
        advice = _OF_THE_MACHINE[error.errno]
        print(f"boilersweep: {where}{reason_of(error)}; {advice}", file=sys.stderr)
        return 1
    return status


def _terminate(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
