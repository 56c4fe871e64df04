"""The site filter: of what a cleaner keeps, the blocks whose text does not recur on their host.

Sources: see `boilersweep.features.recurrence`.
"""

from dataclasses import dataclass

from boilersweep.cleaners.rules import CLEANER, RECURRENCE, TEXTS, Filter, Parameter
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, recurrence_of

# The default number of pages: two pages may both quote, or be versions of one.
PAGES = 3


@dataclass(frozen=True, slots=True)
class Site(Filter):
    """Drops, of what a cleaner keeps, the blocks whose text recurs on pages of their host.

    Pages with the same title count once; hosts with fewer than five are left as the cleaner has
    them. Texts must be identical, character for character, after white space is folded.

    Attributes:
        pages: On how many pages a text must occur to be dropped, a whole number from 2; another
            number raises UsageError.
    """

    name = "site"
    parameters = (CLEANER, Parameter("PAGES", "a number", optional=True))
    summary = (
        "of what a cleaner keeps the blocks that do not recur on 3 pages of their host"
    )
    source = "after Bar-Yossef and Rajagopalan 2002, Gibson et al. 2005"
    own_needs = TEXTS | RECURRENCE

    pages: float = PAGES

    def __post_init__(self) -> None:
        if self.pages < 2 or not float(self.pages).is_integer():
            raise UsageError(
                f"{self.name}: expected a whole number of pages from 2, got {self.pages:g}"
            )

    def mask(self, columns: BlockColumns) -> BoolArray:
        recurs = recurrence_of(columns, self) >= self.pages
        mask: BoolArray = self.cleaner.mask(columns) & ~recurs
        return mask
