"""The blocks of one page as columns."""

from dataclasses import dataclass
from itertools import compress
from typing import Any

from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.registry import nearly
from boilersweep.cleaners.rules import Classifying, Rule
from boilersweep.cleaners.selection import Cleaner, PageText, text_of_a_page
from boilersweep.cleaning.page_cleaner import Html, cut_page
from boilersweep.cleaning.page_texts import PageTexts
from boilersweep.errors import UsageError
from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray, IntArray, columns_of
from boilersweep.segmenting.cutting import CutPage


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The b blocks of a page, in its order.

    columns: all that rules and feature tables read, the structure, too. tags: (b,) the nearest
    enclosing container element, such as "p", "li" or "body". kept: (b,) True where the cleaner
    keeps the block; None without a cleaner. rule: the cleaner.
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
        """Of `learned`, "main text", "headline", "comment" and "rest" -> (b,) probabilities."""
        if not isinstance(self.rule, Classifying):
            return {}
        return self.rule.class_probabilities(self.columns)

    @property
    def text(self) -> str:
        """What the cleaner keeps, or all without one, one block per line."""
        return "\n".join(self.texts if self.kept is None else compress(self.texts, self.kept))

    def as_dict(self) -> dict[str, Any]:
        """Name -> column, as `pandas.DataFrame` and `polars.DataFrame` take it."""
        names = ["texts", "tags", "words", "density", "link_density"]
        if self.kept is not None:
            names.append("kept")
        return {name: getattr(self, name) for name in names} | self.classes

    def __len__(self) -> int:
        return len(self.texts)


def blocks(html: Html, cleaner: Cleaner | str | None = None) -> Blocks:
    """The blocks of a page, and which of them a cleaner keeps.

    html: as `boilersweep.clean` takes it. cleaner: a rule; None for the blocks alone.
    Raises PageError for a page over the limits, that cannot be parsed or on which an extractor
    fails that the rule names; UsageError for an extractor alone, which takes a text and keeps no
    blocks, and for what counts some blocks several times.
    """
    rule = None if cleaner is None else text_of_a_page(as_cleaner(cleaner), "blocks")
    if isinstance(rule, PageText):
        raise UsageError(
            f"blocks: expected a cleaner that keeps or drops blocks, got {rule}, which would be "
            f"an extractor: it takes a text{nearly(rule.name)}"
        )
    return blocks_of(cut_page(html), rule)


def blocks_of(cut: CutPage, rule: Rule | None) -> Blocks:
    """The same of a page that was cut, with its structure; raises PageError and UsageError."""
    page = cut.page()
    columns = columns_of([""], [page])
    if rule is not None:
        texts = PageTexts([rule])
        columns = texts.beside(columns, [texts.of(cut.utf8)])
    return Blocks(
        columns,
        page.tags,
        None if rule is None else rule.mask(columns),
        rule,
    )
