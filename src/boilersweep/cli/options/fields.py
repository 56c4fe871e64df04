"""Options that set the fields of a dataclass and take their defaults from it."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, Generic, TypeVar

from boilersweep.cli.parser import declare, number

Built = TypeVar("Built")


def default_of(built: Any, field: str) -> Any:
    """The default of a dataclass's field."""
    return next(one.default for one in fields(built) if one.name == field)


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
        """options: field -> its option, as `declare` takes it.

        types: by field, if metavar and default do not give it. units: field -> how many of its unit
        make one of what the option counts.
        """
        self._built = built
        self._options = options
        self._types = types or {}
        self._units = units or {}

    def add(self, group: argparse._ActionsContainer) -> None:
        """Declare the options."""
        for field, option in self._options.items():
            default = default_of(self._built, field)
            if field in self._units:
                default //= self._units[field]
            dest = self._dest(option)
            kind = self._types.get(field, number if isinstance(default, float) else None)
            types = {dest: kind} if kind else {}
            declare(group, option, types=types, defaults={dest: default})

    def build(self, args: argparse.Namespace, before: Any = None, **more: Any) -> Built:
        """The dataclass that the options describe. more: its other fields.

        before: a dataclass that only the options in the call change. Raises UsageError.
        """
        given = {field: getattr(args, self._dest(text)) for field, text in self._options.items()}
        for field, unit in self._units.items():
            given[field] *= unit
        given |= more
        if before is None:
            return self._built(**given)
        typed = [name for name, text in self._options.items() if self._dest(text) in args.typed]
        changed: Built = replace(before, **{field: given[field] for field in typed})
        return changed

    def _dest(self, option: str) -> str:
        return option.split()[0].lstrip("-").replace("-", "_")
