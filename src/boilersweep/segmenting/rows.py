"""From a record of the input to its row in a shard."""

from collections import Counter
from dataclasses import asdict

from boilersweep.collection.format import Record
from boilersweep.pages.deadline import Deadline
from boilersweep.pages.language import clue_of_page, declared_language
from boilersweep.pages.metadata import Metadata, metadata
from boilersweep.segmenting.cutting import Cutter, over_memory
from boilersweep.segmenting.tasks import Segmentation
from boilersweep.store.shard import ShardWriter
from boilersweep.store.shard_columns import METADATA, document

# The share of a record's time that metadata may take: it must not cost the page
_FOR_METADATA = 0.4


class CutRows:
    """Rows of pages that are cut.

    Args:
        options: How pages become blocks.

    Attributes:
        failed: The number of documents whose metadata could not be read, by the error.
    """

    def __init__(self, options: Segmentation) -> None:
        self._cutter = Cutter(options.limits, borders=options.borders)
        self._metadata = options.metadata
        self._seconds = _FOR_METADATA * options.limits.seconds
        self.failed: Counter[str] = Counter()

    def add(self, record: Record, writer: ShardWriter) -> None:
        """Write the row of a record; raise UncutError for a record without a row."""
        cut = self._cutter.cut(record.body, record.charset, plain=record.plain)
        html = b"" if record.plain else cut.utf8
        try:
            clue = clue_of_page(cut.packed, declared_language(html, record.language))
            stated = self._stated(html, cut.packed.title, record.url)
        except MemoryError as error:
            raise over_memory(record.body) from error
        writer.add(document(record, cut.encoding, cut.packed, stated), record, clue)

    def _stated(
        self, html: bytes, title: str, url: str | None
    ) -> dict[str, str | None]:
        """Return the columns METADATA of a page, if the store has them."""
        if not self._metadata:
            return {}
        try:
            found = metadata(html, title, url, Deadline(self._seconds))
        except MemoryError:
            raise
        except Exception as error:  # no page may end the run, whatever it states
            self.failed[f"metadata ({type(error).__name__})"] += 1
            found = Metadata()
        values = {**asdict(found), "canonical_url": found.url}
        return {name: values[name] for name in METADATA}
