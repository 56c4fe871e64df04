"""Text blocks and what is counted on them: words, text density, link density.

Source: Kohlschütter, Fankhauser and Nejdl, Boilerplate Detection using Shallow Text Features,
WSDM 2010, section 3; Equation 1 for the text density. As in the authors' own boilerpipe, the
tokens that are wrapped into lines are the words: a bare "|" between two links is none.
"""

from dataclasses import dataclass, field

from boilersweep.pages.structure import PageStructure

LINE_WIDTH = 80
"""w_max of Equation 1, in characters."""


@dataclass(slots=True)
class Page:
    """One page as columns, one entry per block, in the order of the page.

    title: the text of the title element, folded; it is no block.
    texts: the blocks' texts, white space folded to single spaces.
    words: tokens with a letter or a digit, at least 1.
    density: text density, words per line (Equation 1), at least 1.
    link_words: the words that stand, if only in part, within an A element.
    tags: the nearest enclosing container element's name (`CONTAINERS`), "body" if there is none.
    structure: where the blocks stand among the page's elements, if that was asked for.
    """

    title: str = ""
    texts: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    density: list[float] = field(default_factory=list)
    link_words: list[int] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    structure: PageStructure | None = None

    def __len__(self) -> int:
        return len(self.texts)


def is_word(token: str) -> bool:
    """Whether a token without white space has at least one letter or digit."""
    return token.isalnum() or any(map(str.isalnum, token))


def text_density(text: str, words: int) -> float:
    """Text density of a block (Equation 1 with w_max = 80).

    text: the block's words joined by single spaces; words: how many they are, at least 1.
    Words on all lines but the last, divided by the number of those lines; the number of words
    where there is one line. A word longer than a line has a line of its own.
    """
    lines = 0
    start = 0
    length = len(text)
    while length - start > LINE_WIDTH:
        end = text.rfind(" ", start, start + LINE_WIDTH + 1)
        if end < 0:
            end = text.find(" ", start + LINE_WIDTH + 1)
            if end < 0:
                break
        lines += 1
        start = end + 1
    if lines == 0:
        return float(words)
    return (words - text.count(" ", start) - 1) / lines
