"""What a command line says: which options it gives, and rules between them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from boilersweep.errors import BoilersweepError, UsageError


@dataclass(frozen=True, slots=True)
class Call:
    """The options of one command line, as opposed to those at their defaults.

    Attributes:
        typed: Option -> the words of the call, the option first, in their order.
        spelled: Parameter -> its option, for all parameters of the command.
    """

    typed: Mapping[str, Sequence[str]]
    spelled: Mapping[str, str]

    def given(self, *options: str) -> list[str]:
        """Return those of some options that the call gives."""
        return [option for option in options if option in self.typed]

    def other_than(self, *options: str) -> list[str]:
        """Return the options of the call beside some, in their order."""
        return [option for option in self.typed if option not in options]

    def needs(self, option: str, *others: str) -> None:
        """Raise UsageError for an option without one of some others."""
        if self.given(option) and not self.given(*others):
            raise UsageError(f"{option} requires {' or '.join(others)}")

    def apart(self, option: str, *others: str) -> None:
        """Raise UsageError for an option with any of some others."""
        if self.given(option) and (excluded := self.given(*others)):
            raise UsageError(f"{option} cannot be used with {', '.join(excluded)}")


# The parameter of a command that wants to know its call; no option.
ThisCall = Annotated[Call, Parameter(parse=False)]

_PARAMETER = re.compile(r"`([a-z]\w*)`")


def spell(error: BoilersweepError, call: Call) -> None:
    """Put the options of a call in place of the parameters that an error names."""
    options = call.spelled

    def option(match: re.Match[str]) -> str:
        return options.get(match[1], match[0])

    error.message = _PARAMETER.sub(option, error.message)
    error.parameter = options.get(error.parameter or "", error.parameter)
