"""From a record of the input to its row in a shard: cut, or taken over from the shard before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from boilersweep.collection.record import Item, Reason, Record, SourceLocation
from boilersweep.errors import StoreError
from boilersweep.pages.deadline import Deadline
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.language import clue_of_page, declared_language
from boilersweep.pages.metadata import Metadata, metadata
from boilersweep.segmenting.cutting import Cutter, over_memory
from boilersweep.segmenting.tasks import SegmentOptions, Task
from boilersweep.segmenting.texts import GivenTexts, TextSources
from boilersweep.store.shard import Lost, ShardFacts, ShardWriter, read_facts, read_rows
from boilersweep.store.shard_columns import METADATA, document, document_of
from boilersweep.work.watch import Watch

# The share of a record's time that metadata may take: it must not cost the page
_FOR_METADATA = 0.4


class CutRows:
    """Rows of pages that are cut, with what extractors take from them and with given texts.

    Args:
        options: How pages become blocks.
        extractors: The names of the extractors.
        given: The given texts.
        watch: Is told of every call of an extractor.
        before: Records that were lost before, and are not tried again.
    """

    def __init__(
        self,
        options: SegmentOptions,
        extractors: Sequence[str],
        given: Sequence[GivenTexts],
        watch: Watch,
        before: Sequence[Lost] = (),
    ) -> None:
        self._cutter = Cutter(options.limits, borders=options.borders)
        self._sources = TextSources(extractors, given, watch)
        self._metadata = options.metadata
        self._without_metadata: Counter[str] = Counter()
        self._seconds = _FOR_METADATA * options.limits.seconds
        self._lost = {(one.place, one.docid): one for one in before}

    @property
    def failed(self) -> Mapping[str, int]:
        """The number of documents by what could not be taken from them.

        That is the text of an extractor, by its name, or the metadata, by the error.
        """
        return {**self._sources.failed, **self._without_metadata}

    def add(self, record: Record, writer: ShardWriter) -> None:
        """Write the row of a record; raise UncutError for a record without a row."""
        cut = self._cutter.cut(record.body, record.charset, plain=record.plain)
        html = b"" if record.plain else cut.utf8
        try:
            clue = clue_of_page(cut.packed, declared_language(html, record.language))
            stated = self._stated(html, cut.packed.title, record.url)
            texts = self._sources.texts(record.docid, cut.utf8, plain=record.plain)
        except MemoryError as error:
            raise over_memory(record.body) from error
        one = document(record, cut.encoding, cut.packed, texts, stated)
        writer.add(one, record, clue)

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
            self._without_metadata[f"metadata ({type(error).__name__})"] += 1
            found = Metadata()
        values = {**asdict(found), "canonical_url": found.url}
        return {name: values[name] for name in METADATA}

    def lost(self, item: Item) -> Lost | None:
        """Return why a record was lost before, or None."""
        return self._lost.get((str(item.place), item.docid)) if self._lost else None

    def lost_file(self, name: str) -> Lost | None:
        """Return why a file was set aside before, or None."""
        lost = self._lost.get((str(SourceLocation(name, 0)), None))
        return lost if lost and lost.reason == Reason.SET_ASIDE else None

    def pass_over(self, place: SourceLocation, docid: str) -> None:
        """Note that nothing is written of a record."""

    def pass_over_file(self, name: str) -> None:
        """Note that nothing is written of a file."""

    def finish(self, facts: ShardFacts) -> None:
        """Note that all was read; raise StoreError if the facts contradict the shard before."""


class KeptRows(CutRows):
    """Rows of the shard before, with the texts of those extractors that it lacks.

    A record without a row there gets none here, for the same reason.
    """

    def __init__(self, task: Task, before: Path, watch: Watch) -> None:
        self._before = before
        self._facts = read_facts(before)
        had = self._facts.task["extractors"]
        wanted = task.identity["extractors"]
        self._new = [name for name in wanted if wanted[name] != had.get(name)]
        super().__init__(task.options, self._new, (), watch, self._facts.lost)
        self._rows = read_rows(before)
        self._row = next(self._rows, None)

    @property
    def failed(self) -> Mapping[str, int]:
        """The failures of the shard before, those of new extractors replaced."""
        kept = self._facts.failed_extractions
        return {n: kept[n] for n in kept if n not in self._new} | dict(super().failed)

    def add(self, record: Record, writer: ShardWriter) -> None:
        """Write the record's row of the shard before, with the new texts.

        Raises:
            UncutError: The record has no row, as before.
            StoreError: The shard before lacks the record's row.
        """
        row = self._row
        if row is None or not self._is_next(record.place, record.docid):
            # This raises, and says why
            self._cutter.cut(record.body, record.charset, plain=record.plain)
            raise self._unlike(f"{record.docid} ({record.place}) has no row")
        self._row = next(self._rows, None)
        try:
            utf8 = to_utf8(record.body, record.charset).utf8
            texts = self._sources.texts(record.docid, utf8, plain=record.plain)
        except MemoryError as error:
            raise over_memory(record.body) from error
        writer.add(document_of(row, texts), record, None)

    def pass_over(self, place: SourceLocation, docid: str) -> None:
        """Leave out the row of a record."""
        if self._is_next(place, docid):
            self._row = next(self._rows, None)

    def pass_over_file(self, name: str) -> None:
        """Leave out the rows of a file."""
        while self._row and self._row["source"] == name:
            self._row = next(self._rows, None)

    def finish(self, facts: ShardFacts) -> None:
        """Raise StoreError if the input differs from that of the shard before."""
        then = {one["path"]: one["sha256"] for one in self._facts.files}
        for one in facts.files:
            if one["sha256"] and one["sha256"] != then[one["path"]]:
                raise self._unlike(f"{one['path']} has changed")
        if self._row:
            raise self._unlike(f"{self._row['docid']} of {self._row['source']} is gone")

    def _is_next(self, place: SourceLocation, docid: str) -> bool:
        row = self._row
        wanted = (place.source, place.offset, docid)
        return (
            row is not None and (row["source"], row["offset"], row["docid"]) == wanted
        )

    def _unlike(self, what: str) -> StoreError:
        return StoreError(f"the input is not what {self._before} was made of: {what}")
