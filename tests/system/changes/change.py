"""What a row of the tables says: one thing that differs when a command runs again."""

from dataclasses import dataclass

from tests.system.changes.edits import Edit
from tests.system.works import Argv, commands

CHANGED = "the result changes, or the command fails and names the difference"
SAME = "the result stays, and the command succeeds"
EITHER = "the result may stay, and the command may fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs when a command runs again.

    Attributes:
        name: what changes.
        named: a failing command names one of these.
        of: an input or code that a work must read to meet the change.
        only: the names of the works that meet it.
        edit: changes the world.
        options: put into every command that has the first of them, replacing its values.
        given: whether only commands that are given the option get it.
        before: changes the world before the work is made.
        before_options: as `options`, for the commands that make the work.
        source: a file of the package, a text in it, and its replacement.
        environment: a variable and its value.
        expected: CHANGED, SAME or EITHER.
        exhaustive: whether another row proves the same of a like value, so that only
            `--exhaustive` runs this one.
    """

    name: str
    named: tuple[str, ...] = ()
    of: str = ""
    only: tuple[str, ...] = ()
    edit: Edit | None = None
    options: Argv = ()
    given: bool = False
    before: Edit | None = None
    before_options: Argv = ()
    source: tuple[str, str, str] | None = None
    environment: tuple[str, str] | None = None
    expected: str = CHANGED
    exhaustive: bool = False


def changed_input(name: str, of: str, edit: Edit, named: str = "") -> Change:
    """Return a change of an input, which a failing command names as `named`, else as `of`."""
    return Change(name=name, named=(named or of,), of=of, edit=edit)


def option(
    text: str, *named: str, expected: str = CHANGED, given: bool = False
) -> Change:
    """Return a change of an option.

    Args:
        text: the option and its new values.
        *named: a failing command names one of these.
        expected: what happens.
        given: whether only commands with the option get it.
    """
    ((*words,),) = commands(text)
    return Change(
        name=text, named=named, options=tuple(words), given=given, expected=expected
    )


def option_of(only: str, before: str, text: str, *named: str) -> Change:
    """Return a change of an option of some works, which are made with other options."""
    return Change(
        name=f"{before} -> {text}" if before else text,
        named=named,
        only=tuple(only.split(", ")),
        options=commands(text)[0],
        before_options=commands(before)[0],
    )


def option_with_file(
    text: str, of: str, edit: Edit, *named: str, given: bool = False
) -> Change:
    """Return a change of an option to a file or folder that the edit makes."""
    return Change(
        name=text,
        named=named,
        of=of,
        edit=edit,
        options=commands(text)[0],
        given=given,
    )


def code(stage: str, of: str, file: str, *named: str) -> Change:
    """Return a change of the code of a stage, whose number a file of the package has."""
    return Change(
        name=f"code: {stage}",
        named=("code", stage, *named),
        of=of,
        source=(file, *numbers(stage)),
    )


def numbers(stage: str) -> tuple[str, str]:
    """Return the beginning of a stage's declaration, and the same with a higher number."""
    return f'CodeVersion("{stage}", ', f'CodeVersion("{stage}", 9'


def variable(name: str, value: str) -> Change:
    return Change(
        name=name,
        only=("segment", "index", "sweep exact"),
        environment=(name, value),
        expected=SAME,
    )
