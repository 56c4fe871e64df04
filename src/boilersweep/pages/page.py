"""Text blocks and what is counted on them: words, text density, link density.

Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
WSDM 2010, section 3; Equation 1 for the text density. As in the authors' own boilerpipe, the
tokens that are wrapped into lines are the words: a bare "|" between two links is none. What a word
is in scripts without spaces says `boilersweep.pages.words`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from boilersweep.pages.schema import column, columns_in
from boilersweep.pages.structure import PageStructure
from boilersweep.pages.words import measured


@dataclass(slots=True)
class Page:
    """One page as columns, one entry per block, in the order of the page.

    Attributes:
        title: The text of the title element, folded; it is no block.
        texts: The blocks' texts, white space folded to single spaces.
        words: What `boilersweep.pages.words` takes for words, at least 1.
        density: Text density, words per line (Equation 1), at least 1.
        link_words: The words that stand, if only in part, within an A element.
        tags: The nearest enclosing container element's name (`CONTAINERS`), "body" if there is
            none.
        structure: Where the blocks are among the page's elements, if that was asked for.
    """

    title: str = ""
    texts: list[str] = column("block")
    words: list[int] = column("block")
    density: list[float] = column("block")
    link_words: list[int] = column("block")
    tags: list[str] = column("block")
    structure: PageStructure | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def count_unspaced(self, borders: Mapping[int, list[int]]) -> None:
        """Fill in what is counted on the blocks with a script without spaces, all of them at once.

        Args:
            borders: Number of the block -> where linked text begins and ends in it, as `measured`
                takes them.
        """
        if borders:
            counts = measured(
                [self.texts[number] for number in borders], list(borders.values())
            )
            for number, words, density, links in zip(borders, *counts, strict=True):
                self.words[number], self.density[number] = words, density
                self.link_words[number] = links


PAGE_COLUMNS = columns_in(Page)
