"""Extractors: from a page's decoded HTML to its main text, for what is no rule over blocks.

An extractor may raise whatever it likes on a hostile page: who calls it counts the page as one
it failed on and goes on with an empty text.

registry    extractors by name: ours, other libraries', plug-ins
cetr        content extraction by tag ratios
ccb         content code blurring
partitions  the blocks in which text outweighs links, lists, forms and images; the largest pagelet
pruning     crawl4ai's filter of elements with little text for their markup
vips        the visual block of a page, as Chromium draws it, with most text
markup      a page as text and tags, which the first three read
plugins     extractors and cleaners of other distributions, and their identity
libraries   trafilatura, resiliparse, jusText, readability, boilerpy3, turbohtml
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number that an extractor may be given behind its name, as in `cetr(4, 3)`."""

    name: str
    default: int
    least: int
    most: int = 100


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An extractor that boilersweep brings.

    Attributes:
        name: The name by which users choose it.
        load: Imports what the extractor needs, and returns the function from a page's HTML to its
            text, which may raise anything. Raises UsageError if a library is missing. It takes
            values of the parameters.
        distribution: The distribution whose version shapes the text; "" for code of our own.
        depends_on: Describes what else shapes the text, such as what detects its language.
        parameters: Numbers that it may be given.
    """

    name: str
    load: Callable[..., Callable[[str], str]]
    distribution: str = ""
    depends_on: Callable[[], str] | None = None
    parameters: tuple[Whole, ...] = ()
