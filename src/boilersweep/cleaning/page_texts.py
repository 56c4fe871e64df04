"""Texts that extractors take from pages: as cleaners, and for the blocks that they hold."""

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
    """The text that an extractor takes from a page; raises PageError where it fails.

    watch: is told of the call.
    """
    if not utf8:
        return ""
    try:
        with watch.call() if watch else nullcontext():
            return extractor.text(utf8.decode("utf-8", "replace"))
    except UsageError:
        raise
    except Exception as error:  # foreign code, which raises what it likes
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
        raise PageError(f"{extractor.name} failed on the page ({said})") from error


class PageTexts:
    """Takes the texts that stand for blocks in some cleaners' rules.

    Raises UsageError for an extractor that there is not.
    """

    def __init__(self, cleaners: Iterable[Cleaner]) -> None:
        self._extractors = [find_text_cleaner(name) for name in texts_within(list(cleaners))]

    @property
    def names(self) -> list[str]:
        """The names of the texts."""
        return [one.name for one in self._extractors]

    def of(self, utf8: bytes, watch: Watch | None = None) -> dict[str, str]:
        """Those of a page, by name; raises PageError where an extractor fails."""
        return {one.name: extracted(one, utf8, watch) for one in self._extractors}

    def beside(self, columns: BlockColumns, texts: Sequence[Mapping[str, str]]) -> BlockColumns:
        """The columns of some pages with the texts of each."""
        page_texts = {name: [one[name] for one in texts] for name in self.names}
        return replace(columns, page_texts=page_texts)
