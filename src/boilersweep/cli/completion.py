"""`--print-completion SHELL`: a script that lets a shell complete commands, options and paths."""

import argparse
from collections.abc import Iterator
from typing import Any

SHELLS = ("bash", "zsh", "tcsh")


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Declare --print-completion, as shtab names it."""
    parser.add_argument(
        "--print-completion",
        action=_PrintCompletion,
        choices=SHELLS,
        metavar="SHELL",
        help="print a script that completes commands, options and paths in bash, zsh or tcsh",
    )


class _PrintCompletion(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, _given: Any, shell: Any, *_: Any) -> None:
        import shtab

        paths = {"DIR": shtab.DIRECTORY, "FILE": shtab.FILE, "PATH": shtab.FILE}
        for action in _actions(parser):
            if action.metavar in paths:
                action.complete = paths[action.metavar]  # type: ignore[attr-defined]
        print(shtab.complete(parser, shell))
        parser.exit()


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield all arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
