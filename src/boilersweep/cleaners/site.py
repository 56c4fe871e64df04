"""The site filter: of what a cleaner keeps, the blocks whose text does not recur on their host.

Sources: see `boilersweep.features.recurrence`.
"""

from dataclasses import dataclass

from boilersweep.cleaners.rules import (
    RECURRENCE,
    TEXTS,
    NamedRule,
    Need,
    Parameter,
    Rule,
    number_text,
)
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, recurrence_of

PAGES = 3
"""From so many on: two pages may both quote, or be versions of one."""


@dataclass(frozen=True, slots=True)
class Site(NamedRule):
    """Drops of what the cleaner keeps the blocks whose text occurs on so many pages of their host.

    Pages of one title count once, and hosts with fewer than five are left as the cleaner has them.
    Texts are compared with white space folded, to the character.

    pages: a whole number from 2; raises UsageError otherwise.
    """

    name = "site"
    parameters = (
        Parameter("CLEANER", "a cleaner"),
        Parameter("PAGES", "a number", optional=True),
    )
    summary = "of what a cleaner keeps the blocks that do not recur on 3 pages of their host"
    source = "after Bar-Yossef and Rajagopalan 2002, Gibson et al. 2005"

    cleaner: Rule
    pages: float = PAGES

    def __post_init__(self) -> None:
        if self.pages < 2 or not float(self.pages).is_integer():
            raise UsageError(
                f"{self.name}: expected a whole number of pages from 2, got {self.pages:g}"
            )

    @property
    def needs(self) -> frozenset[Need]:
        return self.cleaner.needs | TEXTS | RECURRENCE

    def mask(self, columns: BlockColumns) -> BoolArray:
        recurs = recurrence_of(columns, self) >= self.pages
        mask: BoolArray = self.cleaner.mask(columns) & ~recurs
        return mask

    def __str__(self) -> str:
        return f"{self.name}({self.cleaner}, {number_text(self.pages)})"
