"""An argparse parser that takes options as data, and reports every mistake in a call at once.

A command's options are a sequence of parts: `Options`, groups of parts, checks, and defaults.
Checks run when the whole call is parsed. A check that reads an option with a mistake is skipped:
the mistake is reported already.

`Fields` are options that the fields of a dataclass declare, beside name, type and default. The
metadata of a field may have

option  the option's text, as `Options` takes it
parse   a function from the text of the value to the field's value, if metavar and default do not
        say it
unit    the factor from the option's unit to the field's
choices the values that it may be, where the option's metavar does not list them
range   the numbers that it may be (`Range` of the ranking formulas)
"""

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, cast

from boilersweep.errors import UsageError, did_you_mean

# Raises UsageError for a parsed call.
Check = Callable[[argparse.Namespace], object]

_MISTAKE = object()


class _StopError(Exception):
    """argparse cannot go on."""


class _MistakenError(Exception):
    """A check reads an option whose value is a mistake."""


class Arguments(argparse.Namespace):
    """A parsed call without the options that have a mistake."""

    def __init__(self, values: dict[str, Any], mistaken: set[str]) -> None:
        super().__init__(
            **{name: values[name] for name in values if name not in mistaken}
        )
        object.__setattr__(self, "_mistaken", mistaken)

    def __getattr__(self, name: str) -> Any:
        if name in object.__getattribute__(self, "_mistaken"):
            raise _MistakenError
        raise AttributeError(name)


def destination(option: str) -> str:
    """Return the name in a parsed call of an option, given by its flags or its whole text."""
    flags, *_ = option.split(maxsplit=1)
    return flags.split("/")[-1].lstrip("-").replace("-", "_")


def given(args: argparse.Namespace) -> set[str]:
    """Return the flags in a call, as opposed to those at their defaults."""
    return {words[0] for words in args.typed.values() if words}


def needs(option: str, *others: str) -> Check:
    """Return a check that a call has an option with one of some others alone."""

    def check(args: argparse.Namespace) -> None:
        if option in given(args) and given(args).isdisjoint(others):
            raise UsageError(f"{option} requires {' or '.join(others)}")

    return check


def apart(option: str, *others: str) -> Check:
    """Return a check that a call has an option without any of some others."""

    def check(args: argparse.Namespace) -> None:
        found = [other for other in others if other in given(args)]
        if option in given(args) and found:
            raise UsageError(f"{option} cannot be used with {', '.join(found)}")

    return check


class Options:
    """Options, declared by their help text.

    Each option begins at the left with its flag and metavar; two blanks or a new line, and what it
    does follow, which goes on in indented lines. `{a,b}` lists the choices, `...` behind the
    metavar allows the option again, and an option without metavar is a switch; a name without
    dashes is an argument without flag. The metavar gives the type: N is a positive number, DIR and
    FILE are paths.
    """

    def __init__(
        self,
        text: str,
        *,
        types: Mapping[str, Callable[[str], Any]] | None = None,
        defaults: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        """Keep the declaration.

        Args:
            text: The help text.
            types: Destination -> a function from the text of the value to the value.
            defaults: Destination -> the default.
            settings: More keywords for `add_argument`, for all options of the text.
        """
        self._text = text
        self._types = types or {}
        self._defaults = defaults or {}
        self._settings = settings

    def declare(self, group: argparse._ActionsContainer) -> None:
        """Add the options to a parser or a group."""
        for entry in re.split(r"\n(?=\S)", textwrap.dedent(self._text).strip()):
            head, about = re.split(r" {2,}|\n", entry, maxsplit=1)
            flags, _, metavar = head.partition(" ")
            names = flags.split("/")
            dest = destination(flags)
            about = " ".join(about.split())
            default = self._defaults.get(dest, self._settings.get("default"))
            keywords: dict[str, Any] = {"default": default}
            if "(default" not in about and default not in (None, (), []) and metavar:
                shown = f"{default:g}" if isinstance(default, float) else default
                about += f" (default: {shown})"
            if not metavar:
                action = "store_false" if default else "store_true"
                keywords = {"default": bool(default), "action": action}
            elif metavar.startswith("{"):
                keywords["choices"] = metavar.strip("{}").split(",")
            else:
                metavar, _, again = metavar.partition(" ")
                keywords |= {"metavar": metavar, "type": _TYPES.get(metavar, str)}
                if again:
                    keywords["action"] = "append"
            if dest in self._types:
                keywords["type"] = self._types[dest]
            group.add_argument(*names, help=about, **keywords | self._settings)


class Group:
    """Parts of a command's options under a title, or of which a call may have only one."""

    def __init__(
        self,
        *parts: "Part",
        title: str | None = None,
        about: str = "",
        exclusive: bool = False,
    ) -> None:
        self.parts = parts
        self.title = title
        self.about = about or None
        self.exclusive = exclusive


Part = Options | Group | Check | Mapping[str, Any]


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are collected."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._checks: dict[Check, None] = {}  # each once, in order
        self._mistakes: dict[str, None] = {}
        self._mistaken: set[str] = set()
        self._typed: dict[str, list[str]] = {}  # dest -> the words of the call
        self._stopped = False
        self._required: list[argparse.Action] = []
        # `of_segment`: the names of options that `segment` has, and this command had to leave out.
        self.set_defaults(parser=self, of_segment=())

    def take(
        self, *parts: Part, within: argparse._ActionsContainer | None = None
    ) -> None:
        """Declare options; a mapping sets defaults, and a function checks each parsed call."""
        container = within or self
        for part in parts:
            if isinstance(part, Options):
                part.declare(container)
            elif isinstance(part, Mapping):
                self.set_defaults(**part)
            elif not isinstance(part, Group):
                self._checks[part] = None
            elif part.title:
                self.take(
                    *part.parts, within=self.add_argument_group(part.title, part.about)
                )
            elif part.exclusive:
                self.take(*part.parts, within=container.add_mutually_exclusive_group())
            else:
                self.take(*part.parts, within=container)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return the parsed and checked call.

        `typed` maps the names of the options in the call, as opposed to those at their defaults, to
        their words. If there are mistakes, the usage is printed first: the last line of a log is a
        reason.

        Raises:
            UsageError: With all mistakes, one per line.
        """
        found, unknown = self.parse_known_args(args, namespace)
        command: Parser = found.parser
        mistakes = self._mistakes | command._mistakes
        if unknown:
            mistakes[
                f"unrecognized arguments: {' '.join(unknown)}{_advice(unknown, command)}"
            ] = None
        checked = Arguments(vars(found), command._mistaken)
        checked.typed = command._typed
        if not (self._stopped or command._stopped):
            mistakes |= dict.fromkeys(command._failed_checks(checked))
        if mistakes:
            print(command._hint(), file=sys.stderr)
            raise UsageError("\nboilersweep: ".join(mistakes))
        return checked

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse as argparse does; after a broken rule, parse again without it to find others."""
        self._required = self._required or [
            one for one in self._actions if one.required
        ]
        words = sys.argv[1:] if args is None else list(args)
        self._typed = {}
        found = argparse.Namespace() if namespace is None else namespace
        try:
            return super().parse_known_args(words, found)
        except _StopError as stop:
            message = str(stop)
        self._mistakes[message] = None
        if "not allowed with argument" in message:
            self._mutually_exclusive_groups = []
        elif "are required" in message and self._subparsers is None:
            for action in self._required:
                if getattr(found, action.dest) is None:
                    self._mistaken.add(action.dest)
                action.required = False
        else:
            self._stopped = True
            return found, []
        return self.parse_known_args(words)

    def error(self, message: str) -> NoReturn:
        """Raise an error for a mistake that argparse found."""
        raise _StopError(message.removeprefix("argument "))

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print as argparse does, but raise OSError if the text cannot be written."""
        print(message, end="", file=file or sys.stderr, flush=True)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        has_value = isinstance(action, argparse._StoreAction) and action.option_strings
        if has_value and action.dest in self._typed:
            self._keep(
                action, "expected once, got it again; the first value would be ignored"
            )
        self._typed[action.dest] = [*action.option_strings[-1:], *arg_strings]
        return cast(Any, super())._get_values(action, arg_strings)

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        try:
            return cast(Any, super())._get_value(action, _checked_text(action, text))
        except (UsageError, argparse.ArgumentError) as error:
            self._keep(
                action, error.message if hasattr(error, "message") else str(error)
            )
            return _MISTAKE

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if value is _MISTAKE or action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        message = (
            f"expected {some_of(known)}, got {value!r}{did_you_mean(str(value), known)}"
        )
        if not isinstance(action, argparse._StoreAction):  # it would act on the value
            name = "/".join(action.option_strings) or "command"
            raise _StopError(f"{name}: {message}")
        self._keep(action, message)

    def _keep(self, action: argparse.Action, message: str) -> None:
        name = "/".join(action.option_strings) or str(action.metavar or action.dest)
        self._mistakes[f"{name}: {message}"] = None
        self._mistaken.add(action.dest)

    def _failed_checks(self, checked: Arguments) -> Iterable[str]:
        for check in self._checks:
            try:
                check(checked)
            except UsageError as error:
                yield str(error)
            except _MistakenError:
                continue

    def _hint(self) -> str:
        required = [
            " ".join(
                [*action.option_strings[:1], str(action.metavar or action.dest.upper())]
            )
            for action in self._required
            if action.nargs != argparse.ZERO_OR_MORE
        ]
        words = " ".join([self.prog, *required, "[OPTION ...]"])
        return f"usage: {words}; for all options try: {self.prog} --help"


def _checked_text(action: argparse.Action, text: str) -> str:
    """Return the text of an argument; raise UsageError for text that no argument can have."""
    if not text and action.metavar in _PATHS:
        raise UsageError("expected a path, got an empty text")
    if action.option_strings and text.encode(errors="replace").decode() != text:
        raise UsageError(f"expected text in UTF-8, got {text!a}")
    return text


def some_of(known: Sequence[str]) -> str:
    """Return the choices as text for a message."""
    return f"one of {', '.join(known)}" if len(known) > 2 else " or ".join(known)


def positive(text: str) -> int:
    """Return a whole number of at least 1; raise UsageError for another text."""
    if not text.isdigit() or int(text) < 1:
        raise UsageError(f"expected a whole number of at least 1, got {text!r}")
    return int(text)


def number(text: str) -> float:
    """Return a number, whose range its user checks; raise UsageError for another text."""
    if "," in text:
        raise UsageError(
            f"expected one number, got {text}; `boilersweep compare` takes several"
        )
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"expected a number, got {text!r}") from None


_PATHS = ("DIR", "FILE", "PATH")
_TYPES = {"N": positive, "DIR": Path, "FILE": Path}


def _advice(unknown: Sequence[str], command: "Parser") -> str:
    """Say what may have been meant by words that the command does not know."""
    if not unknown[0].startswith("-"):
        lists = [
            one.option_strings[0] for one in command._actions if one.metavar == "LIST"
        ]
        given = [name for name in lists if name[2:].replace("-", "_") in command._typed]
        return "; separate the values of a list by commas" if given else ""
    if destination(unknown[0].partition("=")[0]) in command.get_default("of_segment"):
        return ": an option of `boilersweep segment`, whose store --store takes"
    if unknown[0].startswith("--log-every"):
        return ": an option of `boilersweep`, before the name of the command"
    known = [option for action in command._actions for option in action.option_strings]
    return did_you_mean(unknown[0], known)


if TYPE_CHECKING:
    from boilersweep.eval.ranking.formulas import Range

Built = TypeVar("Built")


def in_range(allowed: "Range", parse: Callable[[str], Any], text: str) -> Any:
    """Parse a number; raise UsageError if it is not in the range that a parameter allows."""
    value = parse(text)
    allowed.require(value)
    return value


class Fields(Generic[Built]):
    """The options of one dataclass."""

    def __init__(
        self, built: Callable[..., Built], texts: Mapping[str, str] | None = None
    ) -> None:
        """Keep the options.

        Args:
            built: The dataclass.
            texts: Field -> its option, for fields that do not declare it themselves.
        """
        declared: Any = built
        self._built = built
        found = {
            field: (texts or {}).get(field.name) or field.metadata.get("option")
            for field in fields(declared)
        }
        self._fields = {field: text for field, text in found.items() if text}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the options in a parsed call."""
        return tuple(map(destination, self._fields.values()))

    def options(self, *names: str) -> Group:
        """Return the options, of the fields with some names or of all."""
        declared = self._fields.items()
        wanted = [pair for pair in declared if not names or pair[0].name in names]
        return Group(*(_option(field, text) for field, text in wanted))

    def build(self, args: argparse.Namespace, **more: Any) -> Built:
        """Return the dataclass that the options describe; raise UsageError.

        Args:
            args: The parsed call; fields whose option the command lacks have their defaults.
            more: The other fields.
        """
        given: dict[str, Any] = {}
        for field, text in self._fields.items():
            if hasattr(args, destination(text)):
                value = getattr(args, destination(text))
                unit = field.metadata.get("unit")
                given[field.name] = value * unit if unit else value
        return self._built(**{**given, **more})


def _whole(text: str) -> float:
    return float(positive(text))


def _option(field: "Field[Any]", text: str) -> Options:
    """Return the option of a field."""
    default: Any = field.default
    parse = field.metadata.get("parse")
    if "unit" in field.metadata:
        default //= field.metadata["unit"]
    if "range" in field.metadata:
        parse = number if isinstance(default, float) else positive
        parse = partial(in_range, field.metadata["range"], parse)
    elif isinstance(default, float):
        parse = _whole
    name = destination(text)
    types = {name: parse} if parse else {}
    known = (
        {"choices": field.metadata["choices"]} if "choices" in field.metadata else {}
    )
    return Options(text, types=types, defaults={name: default}, **known)
