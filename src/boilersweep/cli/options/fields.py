"""Options that set the fields of a dataclass and take their defaults from it."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from boilersweep.cli.parser import Group, Options, number, positive

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
        self,
        built: Callable[..., Built],
        options: Mapping[str, str],
        *,
        types: Mapping[str, Callable[[str], Any]] | None = None,
        units: Mapping[str, int] | None = None,
    ) -> None:
        """Keep the options.

        Args:
            built: The dataclass.
            options: Field -> its option, as `Options` takes it.
            types: Field -> a parser of its text, if metavar and default do not give it.
            units: Field -> the factor from the option's unit to the field's.
        """
        self._built = built
        self._options = options
        self._types = types or {}
        self._units = units or {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the options in a parsed call."""
        return tuple(map(self._dest, self._options.values()))

    def options(self) -> Group:
        """Return the options."""
        declared: list[Options] = []
        built: Any = self._built
        for field in fields(built):
            if field.name not in self._options:
                continue
            default: Any = field.default
            if field.name in self._units:
                default //= self._units[field.name]
            kind = self._types.get(
                field.name, number if isinstance(default, float) else None
            )
            for allowed in field.metadata.values():
                kind = partial(in_range, allowed, kind or positive)
            option = self._options[field.name]
            dest = self._dest(option)
            types = {dest: kind} if kind else {}
            declared.append(Options(option, types=types, defaults={dest: default}))
        return Group(*declared)

    def build(self, args: argparse.Namespace, **more: Any) -> Built:
        """Return the dataclass that the options describe; raise UsageError.

        Args:
            args: The parsed call.
            more: The other fields.
        """
        given = {
            field: getattr(args, self._dest(text))
            for field, text in self._options.items()
        }
        for field, unit in self._units.items():
            given[field] *= unit
        return self._built(**{**given, **more})

    def _dest(self, option: str) -> str:
        return option.split()[0].lstrip("-").replace("-", "_")
