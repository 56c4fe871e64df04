"""What a cleaner keeps counts more often than the rest of the page, which stays.

Dropping a block and counting it like all others are the two ends: between them stands how many
times a word of the main text counts for one of the rest.
"""

from dataclasses import dataclass
from typing import Any, Self

from boilersweep.cleaners.rules import Named, Need, Parameter, Rule
from boilersweep.errors import UsageError

MOST_TIMES = 100


@dataclass(frozen=True, slots=True)
class Weighted(Named):
    """Counts what a cleaner keeps so many times, and the rest of the page's blocks once.

    Term frequencies and document lengths are those of a text in which the kept blocks stand
    `times` times. It drops nothing, so it is no rule and is in none.

    times: a whole number from 1, which is everything, to MOST_TIMES; raises UsageError otherwise.
    """

    name = "weighted"
    parameters = (Parameter("CLEANER", "a cleaner"), Parameter("TIMES", "a number"))
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
        cleaner, times = arguments
        return cls(cleaner, int(times) if float(times).is_integer() else times)

    @property
    def needs(self) -> frozenset[Need]:
        """What the cleaner reads beside the columns of numbers."""
        return self.cleaner.needs

    def __str__(self) -> str:
        return f"{self.name}({self.cleaner}, {self.times})"
