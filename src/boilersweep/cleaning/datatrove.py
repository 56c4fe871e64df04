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
    """What a cleaner keeps of each page, as `boilersweep.clean`; pages left empty are dropped.

    cleaner: as text, see `boilersweep.cleaners.parsing`. timeout: seconds that a page may take, the
    first with all that is loaded for it; a page that takes longer is dropped.
    Raises UsageError for a cleaner that there is not.
    """

    name = "boilersweep"

    def __init__(self, cleaner: str = "learned", timeout: float = 30) -> None:
        super().__init__(timeout)
        clean_many((), cleaner=cleaner)  # raises here, and not for every page
        self.cleaner = cleaner

    def extract(self, text: str) -> str:
        """The kept text of a page's HTML; "" of one that cannot be cleaned."""
        try:
            return clean(text, self.cleaner)
        except PageError:  # any error would end datatrove's process, and the next page start one
            return ""
