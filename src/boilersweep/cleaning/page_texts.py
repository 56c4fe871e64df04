"""Texts that extractors take from pages: as cleaners, and for the blocks that they contain."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

from boilersweep.cleaners.registry import find_text_cleaner
from boilersweep.cleaners.selection import Cleaner, texts_within
from boilersweep.errors import PageError, UsageError
from boilersweep.extractors.registry import Extractor
from boilersweep.pages.columns import BlockColumns
from boilersweep.work.watch import Watch


def extracted(extractor: Extractor, utf8: bytes, watch: Watch | None = None) -> str:
    """Return the text that an extractor takes from a page.

    Args:
        extractor: The extractor.
        utf8: The page as UTF-8.
        watch: Is told of the call.

    Raises:
        PageError: The extractor fails.
    """
    if not utf8:
        return ""
    try:
        with watch.call() if watch else nullcontext():
            return extractor.text(utf8.decode("utf-8", "replace"))
    except UsageError:
        raise
    except Exception as error:  # foreign code, which raises what it likes
        message = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PageError(f"{extractor.name} failed on the page ({message})") from error


class PageTexts:
    """Takes the texts that stand for blocks in the rules of some cleaners."""

    def __init__(self, cleaners: Iterable[Cleaner]) -> None:
        """Find the extractors; raises UsageError for one that does not exist."""
        self._extractors = [find_text_cleaner(name) for name in texts_within(list(cleaners))]

    @property
    def names(self) -> list[str]:
        """The names of the texts."""
        return [extractor.name for extractor in self._extractors]

    def of(self, utf8: bytes, watch: Watch | None = None) -> dict[str, str]:
        """Return a page's texts by name; raises PageError if an extractor fails."""
        return {e.name: extracted(e, utf8, watch) for e in self._extractors}

    def beside(self, columns: BlockColumns, texts: Sequence[Mapping[str, str]]) -> BlockColumns:
        """Return the columns of some pages with the texts of each."""
        page_texts = {name: [of_page[name] for of_page in texts] for name in self.names}
        return replace(columns, page_texts=page_texts)
