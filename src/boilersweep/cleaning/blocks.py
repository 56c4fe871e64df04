"""The blocks of one page as columns."""

from dataclasses import dataclass
from itertools import compress
from typing import Any

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.registry import nearly
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaners.selection import Cleaner, PageText, text_of_a_page
from boilersweep.cleaning.page_cleaner import Html, cut_page
from boilersweep.cleaning.page_texts import PageTexts
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray, IntArray, columns_of
from boilersweep.segmenting.cutting import CutPage


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The b blocks of a page, in its order.

    Attributes:
        columns: All that rules and feature tables read, with the structure.
        tags: (b,) The nearest enclosing container element, such as "p", "li" or "body".
        kept: (b,) True for blocks that the cleaner keeps; None without a cleaner.
        rule: The cleaner.
    """

    columns: BlockColumns
    tags: list[str]
    kept: BoolArray | None = None
    rule: Rule | None = None

    @property
    def title(self) -> str:
        """The text of the title element, which is no block."""
        return self.columns.titles[0]

    @property
    def texts(self) -> list[str]:
        """(b,) the blocks' texts, white space folded."""
        return self.columns.texts

    @property
    def words(self) -> IntArray:
        """(b,) tokens with a letter or a digit."""
        return self.columns.words

    @property
    def density(self) -> FloatArray:
        """(b,) text density, words a line of 80 characters."""
        return self.columns.density

    @property
    def link_density(self) -> FloatArray:
        """(b,) the share of the words that are in links."""
        return self.columns.link_density

    @property
    def classes(self) -> dict[str, FloatArray]:
        """Class of blocks -> (b,) probabilities, if the cleaner is `learned`; else nothing."""
        if not isinstance(self.rule, Learned):
            return {}
        return self.rule.class_probabilities(self.columns)

    @property
    def text(self) -> str:
        """The kept text, or all text without a cleaner, one block per line."""
        return "\n".join(self.texts if self.kept is None else compress(self.texts, self.kept))

    def as_dict(self) -> dict[str, Any]:
        """Return name -> column, as `pandas.DataFrame` and `polars.DataFrame` take it."""
        names = ["texts", "tags", "words", "density", "link_density"]
        if self.kept is not None:
            names.append("kept")
        return {name: getattr(self, name) for name in names} | self.classes

    def __len__(self) -> int:
        return len(self.texts)


def blocks(html: Html, cleaner: Cleaner | str | None = None) -> Blocks:
    """Cut a page into blocks, and see which of them a cleaner keeps.

    Args:
        html: As `boilersweep.clean` takes it.
        cleaner: A rule; None for the blocks alone.

    Raises:
        PageError: The page exceeds a limit or cannot be parsed, or an extractor in the rule fails.
        UsageError: The cleaner is an extractor, which takes a text and keeps no blocks, or counts
            some blocks several times.
    """
    rule = None if cleaner is None else text_of_a_page(as_cleaner(cleaner), "blocks")
    if isinstance(rule, PageText):
        raise UsageError(
            f"blocks: expected a cleaner that keeps or drops blocks, got {rule}, which would be "
            f"an extractor: it takes a text{nearly(rule.name)}"
        )
    return blocks_of(cut_page(html), rule)


def blocks_of(cut: CutPage, rule: Rule | None) -> Blocks:
    """Return the blocks of a page that was cut with its structure; raises as `blocks`."""
    page = cut.page()
    columns = columns_of([""], [page])
    if rule is not None:
        texts = PageTexts([rule])
        columns = texts.beside(columns, [texts.of(cut.utf8)])
    return Blocks(columns, page.tags, None if rule is None else rule.mask(columns), rule)
