"""The program: its commands by name, their help texts, and what calls of them say.

A command is a function: its parameters are the options, its docstring their help text. It registers
itself by a line of `GROUPS`, or in another package by an entry point of the group
`boilersweep.commands`: the command's name, and the function. An entry point of our own would slow
the start: it takes 10 ms to read those of all distributions.
"""

import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, ArgumentCollection, CycloptsError, Group, Parameter
from cyclopts.exceptions import UnknownOptionError, UnusedCliTokensError
from cyclopts.validators import Number

from boilersweep.applications import required
from boilersweep.cli.call import Call, spell
from boilersweep.cli.help import Folding
from boilersweep.errors import UsageError, did_you_mean
from boilersweep.work.progress import log_every

if TYPE_CHECKING:
    from boilersweep.plugins import PluginGroup

# Title -> the names of commands and of their modules, in the order of the help text.
GROUPS = {
    "main jobs": "demo sweep compare index export clean serve",
    "parts of them": "segment search evaluate report",
    "judging": "assess judge train",
    "tools": "check doctor",
}

# The commands of a complete boilersweep.
COMPLETE = " ".join(GROUPS.values()).split()


def _place(name: str) -> str:
    return f"boilersweep.cli.commands.{name}:run"


# Without the commands of applications that were deleted.
COMMANDS = [name for name in COMPLETE if find_spec(_place(name).partition(":")[0])]

# The title of the commands of other packages.
_OTHERS = "plug-ins"

# Functions of other packages, by the names of their commands.
ENTRY_POINTS = "boilersweep.commands"

# Earlier names of commands -> what does the job now.
MOVED = {
    "blogs06": "`boilersweep sweep --preset blogs06`",
    "cleaners": "`boilersweep --list cleaners`",
    "explain": "`boilersweep search --topic`, and of a page `boilersweep clean --explain`",
    "features": "`boilersweep export --features`",
    "pool": "`boilersweep assess --write` and `--read`",
}

Shell = Literal["bash", "zsh", "fish"]

_DESCRIPTION = """Cut web pages into text blocks once, index what every threshold keeps, and see
what each does to retrieval."""
_START = "\n\nStart with: boilersweep demo" if "demo" in COMMANDS else ""

# The options before the name of a command that take a value.
_WITH_VALUE = ("--log-every", "--list", "--print-completion")


def start(
    *,
    list_: Annotated[
        Literal["cleaners", "features"] | None, Parameter("--list")
    ] = None,
    print_completion: Shell | None = None,
    log_every_: Annotated[
        int, Parameter("--log-every", validator=Number(gte=1), metavar="SECONDS")
    ] = 30,
) -> bool:
    """Do what the options before a command's name say.

    Args:
        list_: Print what --keep and --cleaners accept, or what export --features writes.
        print_completion: Print a script that completes commands, options and paths in bash, zsh or
            fish.
        log_every_: How often to log progress when stderr is not a terminal.

    Returns:
        Whether a command may follow.
    """
    log_every(log_every_)
    if list_:
        from boilersweep.cli.lists import LISTS

        LISTS[list_]()
    if print_completion:
        print(make_app(names()).generate_completion(shell=print_completion))
    return not (list_ or print_completion)


def names() -> list[str]:
    """Return the names of all commands, ours first."""
    others = _plugins().names() if _has_plugins() else []
    return [*COMMANDS, *(name for name in others if name not in COMMANDS)]


def make_app(
    wanted: Sequence[str] = (),
    *,
    listing: bool = False,
    heard: Callable[[ArgumentCollection], None] | None = None,
) -> App:
    """Return the program.

    Args:
        wanted: The names of the commands that it has.
        listing: Whether it only lists them: their modules are not imported.
        heard: Is called with the arguments of a call before they become values.
    """

    def listen(_app: App, _commands: object, arguments: ArgumentCollection) -> None:
        if heard:
            heard(arguments)

    app = App(
        name="boilersweep",
        version=_version,
        help=_DESCRIPTION + _START,
        help_format="plaintext",
        help_formatter=Folding(),
        config=(listen,),
        default_parameter=_PARAMETER,
        group_arguments=Group.create_ordered("arguments", sort_key=1),
        group_parameters=Group.create_ordered("options", sort_key=1),
        group_commands=Group.create_ordered("about", sort_key=2),
    )
    app.default(start)
    titles = {
        title: Group.create_ordered(title, sort_key=0) for title in (*GROUPS, _OTHERS)
    }
    for order, name in enumerate(wanted):
        title, place = _registered(name)
        shown: dict[str, Any] = {"group": titles[title], "sort_key": order}
        if listing:
            app.command(place, name, help=_summary(place), **shown)
        else:
            app.command(
                _loaded(name, place), name, default_parameter=_PARAMETER, **shown
            )
    return app


def parse(words: Sequence[str], command: str = "") -> tuple["partial[object]", Call]:
    """Return what a call does, and the call; raise UsageError.

    Args:
        words: The words after the program's name.
        command: The name of the command among them, if there is any.
    """
    call = Call({}, {})

    def hear(arguments: ArgumentCollection) -> None:
        nonlocal call
        call = _call_of(arguments)

    app = make_app([command] if command else names(), listing=not command, heard=hear)
    try:
        function, bound, ignored = app.parse_args(
            words, print_error=False, exit_on_error=False
        )
    except (CycloptsError, UsageError) as error:
        program = f"boilersweep {command}".strip()
        print(f"for all options try: {program} --help", file=sys.stderr)
        if isinstance(error, UsageError):
            spell(error, call)
            raise
        raise UsageError(_message(error, command)) from error
    given = {name: call for name, kind in ignored.items() if kind is Call}
    return partial(function, *bound.args, **bound.kwargs, **given), call


def _version() -> str:
    from boilersweep.outputs.identity import __version__

    return f"boilersweep {__version__}"


def split(words: Sequence[str]) -> tuple[list[str], str, list[str]]:
    """Return the options before the command's name, the name, and the words from there on.

    Raises:
        UsageError: There is no such command, or its application was deleted.
    """
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 1 + (words[at] in _WITH_VALUE)
    name = words[at] if at < len(words) else ""
    if name in MOVED:
        raise UsageError(f"`{name}` is now {MOVED[name]}")
    if name in COMPLETE and name not in COMMANDS:
        required(_place(name), f"`{name}`")
    if name and name not in COMMANDS and name not in names():
        raise UsageError(
            f"expected a command, got {name!r}{did_you_mean(name, names())}; "
            "`boilersweep --help` lists them"
        )
    return list(words[:at]), name, list(words[at:])


def options_of(command: str) -> dict[str, Any]:
    """Return the options of a command, with what they take."""
    arguments = make_app([command])[command].assemble_argument_collection()
    return {
        name: argument
        for argument in arguments.filter_by(parse=True, show=True)
        for name in argument.names
    }


def _registered(name: str) -> tuple[str, str]:
    """Return the title of a command's group, and the place of its function; raise UsageError."""
    for title, listed in GROUPS.items():
        if name in listed.split():
            return title, _place(name)
    point = _plugins().find(name)
    if point is None:
        raise UsageError(f"expected a command, got {name!r}")
    return _OTHERS, point.value


def _loaded(name: str, place: str) -> Callable[..., object]:
    """Import the function of a command; raise UsageError for a plug-in that fails."""
    module, _, function = place.partition(":")
    try:
        command: Callable[..., object] = getattr(import_module(module), function)
    except Exception as error:  # foreign code raises what it likes
        if name in COMMANDS:
            raise
        raise UsageError(
            f"command {name!r} cannot be imported ({type(error).__name__}: {error}); uninstall the "
            "package that declares it, or install what it needs"
        ) from error
    return command


def _plugins() -> "PluginGroup":
    from boilersweep.plugins import PluginGroup

    return PluginGroup(ENTRY_POINTS, "command")


def _has_plugins() -> bool:
    """Return whether any distribution may have commands; parsing all of them takes 50 ms."""
    files = (
        path
        for folder in sys.path
        for path in Path(folder).glob("*-info/entry_points.txt")
    )
    return any(ENTRY_POINTS.encode() in path.read_bytes() for path in files)


def _summary(place: str) -> str:
    """Return the first line of a function's docstring without importing its module."""
    module, _, function = place.partition(":")
    spec = find_spec(module)
    source = Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
    docstring = re.search(
        rf'(?s)^def {function}\(.*?"""(.*?)["\n]', source, re.MULTILINE
    )
    return docstring[1] if docstring else ""


def _shown(default: object) -> str | None:
    """Return a default as help texts show it, None to leave it out."""
    if default is None or default is False or default == () or default == []:
        return None
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, tuple):
        return " ".join(map(str, default))
    return str(default)


# Parameters of the package -> the options that say them in another form.
_OTHERWISE = {
    "plain": "--contents",
    "worker_bytes": "--max-worker-memory",
    "title": "--no-title",
}

# What all options have in common: no --no-OPTION, no --empty-OPTION.
_PARAMETER = Parameter(negative=(), show_default=_shown)


def _call_of(arguments: ArgumentCollection) -> Call:
    """Return what a call says; raise UsageError for words that no option can have."""
    typed: dict[str, list[str]] = {}
    for argument in arguments:
        for token in argument.tokens:
            if token.value.encode(errors="replace").decode() != token.value:
                raise UsageError(
                    f"{token.keyword}: expected text in UTF-8, got {token.value!a}"
                )
            if not token.keyword:
                _require_value(token.value, arguments)
                continue
            words = typed.setdefault(argument.name, [])
            if not (words and argument.parameter.consume_multiple):
                words.append(token.keyword)
            if argument.hint is not bool:
                words.append(token.value)
    spelled = {one.field_info.name: one.name for one in arguments if one.parse}
    for parameter, option in _OTHERWISE.items():
        if option in spelled.values():
            spelled.setdefault(parameter, option)
    return Call(typed, spelled)


def _require_value(word: str, arguments: ArgumentCollection) -> None:
    """Raise UsageError for an argument that looks like an option."""
    if word.startswith("-") and word != "-":
        known = [name for argument in arguments for name in argument.names]
        raise UsageError(f"Unknown option: {word}{did_you_mean(word, known)}")


def _message(error: CycloptsError, command: str) -> str:
    """Return the message of a mistake, with what may have been meant."""
    if isinstance(error, UnusedCliTokensError):
        return f"{error} Separate the values of a list by commas"
    if isinstance(error, UnknownOptionError):
        option = str(error.token.keyword if error.token else "").partition("=")[0]
        if option == "--log-every":
            return (
                f"{error}: an option of `boilersweep`, before the name of the command"
            )
        if command in ("sweep", "export", "index") and option in options_of("segment"):
            return (
                f"Unknown option: {option}: an option of `boilersweep segment`, whose store "
                "--store takes"
            )
    return str(error)
