"""Weights: the blocks that a cleaner keeps count more often than the rest of the page.

Dropping a block and counting it like all others are the two extremes; in between, a word of the
main text counts as much as several words of the rest.
"""

from dataclasses import dataclass
from typing import Any, Self

from boilersweep.cleaners.rules import CLEANER, Named, Need, Parameter, Rule
from boilersweep.errors import UsageError

MOST_TIMES = 100


@dataclass(frozen=True, slots=True)
class Weighted(Named):
    """Counts the blocks that a cleaner keeps several times, and the page's other blocks once.

    Term frequencies and document lengths are those of a text with `times` copies of the kept
    blocks. It drops nothing, so it is no rule, and no rule contains it.

    Attributes:
        cleaner: The cleaner.
        times: A whole number from 1, which is everything, to MOST_TIMES; another number raises
            UsageError.
    """

    name = "weighted"
    parameters = (CLEANER, Parameter("TIMES", "a number"))
    summary = "everything, what a cleaner keeps counted several times; in no rule"
    source = "Robertson, Zaragoza and Taylor, CIKM 2004, section 3"

    cleaner: Rule
    times: int

    def __post_init__(self) -> None:
        if not 1 <= self.times <= MOST_TIMES or self.times != int(self.times):
            raise UsageError(
                f"{self.name}: expected to count 1 to {MOST_TIMES} times, in whole numbers, got "
                f"{self.times:g}"
            )

    @classmethod
    def made_of(cls, *arguments: Any, **_switches: bool) -> Self:
        """Return what a text asks for, with a whole number of times as int."""
        cleaner, times = arguments
        return cls(cleaner, int(times) if float(times).is_integer() else times)

    @property
    def needs(self) -> frozenset[Need]:
        """What the cleaner reads beside the columns of numbers."""
        return self.cleaner.needs
