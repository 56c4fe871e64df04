"""A step of datatrove's pipelines that cleans pages.

    from boilersweep.cleaning.datatrove import BoilersweepExtractor
    from datatrove.pipeline.readers import WarcReader

    pipeline = [WarcReader("warcs"), BoilersweepExtractor("learned"), ...]

Needs datatrove, which boilersweep does not install.
"""

from datatrove.pipeline.extractors.base import BaseExtractor

from boilersweep.cleaning.clean import clean, clean_many
from boilersweep.errors import PageError


class BoilersweepExtractor(BaseExtractor):  # type: ignore[misc]
    """Cleans each page as `boilersweep.clean`; drops pages that are left empty."""

    name = "boilersweep"

    def __init__(self, cleaner: str = "learned", timeout: float = 30) -> None:
        """Prepare to clean.

        Args:
            cleaner: As text, see `boilersweep.cleaners.syntax.grammar`.
            timeout: Seconds that a page may take, the first page with all imports; a page that
                takes longer is dropped.

        Raises:
            UsageError: The cleaner does not exist.
        """
        super().__init__(timeout)
        clean_many((), cleaner=cleaner)  # raises here, and not for every page
        self.cleaner = cleaner

    def extract(self, text: str) -> str:
        """Return the kept text of a page's HTML; "" if it cannot be cleaned."""
        try:
            return clean(text, self.cleaner)
        # Any error would end datatrove's process, and the next page start one
        except PageError:
            return ""
