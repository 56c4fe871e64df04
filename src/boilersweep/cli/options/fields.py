"""Options that the fields of a dataclass declare, beside name, type and default.

The metadata of a field may have

option  the option's text, as `Options` takes it
parse   a function from the text of the value to the field's value, if metavar and default do not
        say it
unit    the factor from the option's unit to the field's
choices the values that it may be, where the option's metavar does not list them
range   the numbers that it may be (`Range` of the ranking formulas)
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from boilersweep.cli.parser import Group, Options, destination, number, positive

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
