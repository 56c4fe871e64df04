"""All changes, the works that meet each, and their command lines with its options."""

from functools import cache
from itertools import count

from boilersweep.cli import app
from tests.system.changes.change import Change
from tests.system.changes.code_and_environment import CODE_AND_ENVIRONMENT
from tests.system.changes.inputs import INPUTS
from tests.system.changes.options import OPTIONS
from tests.system.works import WORKS, Argv, Work

CHANGES = (*INPUTS, *OPTIONS, *CODE_AND_ENVIRONMENT)


def works_of(change: Change) -> list[Work]:
    return [work for work in WORKS if _meets(work, change)]


def _meets(work: Work, change: Change) -> bool:
    if change.only:
        return work.name in change.only
    if change.of and change.of not in work.reads.split():
        return False
    if not change.options:
        return True
    if not work.options and change.edit is None:
        return False
    flag = change.options[0]
    knowing = [argv for argv in work.again if flag in options_of(argv[0])]
    return any(flag in argv or not change.given for argv in knowing)


@cache
def options_of(command: str) -> frozenset[str]:
    return frozenset(one for one in app.options_of(command) if one.startswith("--"))


def with_options(argvs: tuple[Argv, ...], options: Argv) -> tuple[Argv, ...]:
    """Put options into every command that has the first of them, in place of their values."""
    if not options:
        return argvs
    changed = []
    for argv in argvs:
        if options[0] in options_of(argv[0]):
            for flag in options:
                argv = _without(argv, flag)
            argv = (*argv, *options)
        changed.append(argv)
    return tuple(changed)


def _without(argv: Argv, flag: str) -> Argv:
    if not flag.startswith("--") or flag not in argv:
        return argv
    start = argv.index(flag)
    values = count(start + 1)
    end = next(n for n in values if n == len(argv) or argv[n].startswith("--"))
    return (*argv[:start], *argv[end:])
