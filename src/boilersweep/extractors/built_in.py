"""What an extractor of boilersweep's own declares of itself."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """An extractor that boilersweep brings.

    Attributes:
        name: The name by which users choose it.
        load: Imports what the extractor needs, and returns the function from a page's HTML to its
            text, which may raise anything. Raises UsageError if a library is missing.
        distribution: The distribution whose version shapes the text; "" for code of our own.
        depends_on: Describes what else shapes the text, such as what detects its language.
    """

    name: str
    load: Callable[[], Callable[[str], str]]
    distribution: str = ""
    depends_on: Callable[[], str] | None = None
