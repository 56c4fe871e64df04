"""Make one shard: read the files of a task, cut their pages, note what is skipped."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import quote

from boilersweep.collection.format import Format
from boilersweep.collection.record import (
    LOSSES,
    MAX_DOCID_BYTES,
    Place,
    Reason,
    Record,
    Skipped,
)
from boilersweep.files import whole_file
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.structure import TooManyBlocksError
from boilersweep.segmenting.input_file import InputFile, input_stat
from boilersweep.segmenting.limits import over_limit
from boilersweep.segmenting.nesting import TooDeepError, require_shallow
from boilersweep.segmenting.tasks import Loss, SegmentOptions, Task, file_facts
from boilersweep.segmenting.texts import TextSources
from boilersweep.segmenting.watch import Watch
from boilersweep.store.shard import Lost, ShardFacts, ShardWriter, SkippedSample

SAMPLES_PER_REASON = 5
"""So many places of skipped records are kept for each reason and shard."""

_DOCID_SAMPLE = 200  # characters of a docid that are kept


def make_shard(task: Task, format_: Format, watch: Watch, losses: Sequence[Loss] = ()) -> None:
    """Make a task's shard, whole or not at all.

    watch: is told of every record. losses: what earlier attempts died of, left out and counted.
    Raises CollectionError where a file cannot be read, OutputError where the shard cannot be
    written.
    """
    facts = ShardFacts(task=task.description())
    sources = TextSources(task.options.extractors, task.options.given, watch)
    names = task.options.as_json()["extractors"]
    with whole_file(task.shard) as temporary, ShardWriter(temporary, facts, names) as writer:
        maker = _ShardMaker(task.options, sources, facts, writer, watch)
        for number, (path, name) in enumerate(task.files):
            lost = {loss.record: loss for loss in losses if loss.file == number}
            if aside := lost.get(None):
                maker.set_aside(path, name, aside)
                continue
            watch.begin(number, 0)
            raw = InputFile(path)
            try:
                maker.add_file(format_, raw, number, name, lost)
                digest = raw.finish()
            finally:
                raw.release()
            facts.files.append(file_facts(name, raw.stat, raw.count, digest))
        facts.failed_extractions = dict(sources.failed)
    watch.rest()


class _ShardMaker:
    def __init__(
        self,
        options: SegmentOptions,
        sources: TextSources,
        facts: ShardFacts,
        writer: ShardWriter,
        watch: Watch,
    ) -> None:
        self._sources = sources
        self._segmenter = _segmenter(
            inline_tags_transparent=options.inline_tags_transparent,
            most_blocks=options.limits.page_blocks,
        )
        self._limits = options.limits
        self._facts = facts
        self._writer = writer
        self._watch = watch

    def add_file(
        self, format_: Format, raw: InputFile, number: int, name: str, lost: dict[int | None, Loss]
    ) -> None:
        """Add the documents of a file. lost: what to leave out, by number of the record."""
        items = format_.read(raw, name)  # type: ignore[arg-type]
        counted = 0
        for record in itertools.count():
            self._watch.begin(number, record)
            item = next(items, None)
            if item is None:
                return
            self._facts.records += 1
            if loss := lost.get(record):
                self._skip(Skipped(item.place, loss.reason, item.docid, loss.detail))
            elif isinstance(item, Record):
                self._add(item)
            else:
                self._skip(item)
            self._watch.add(1, raw.count - counted)
            counted = raw.count

    def set_aside(self, path: Path, name: str, loss: Loss) -> None:
        """Count the records that are known of a file that cannot be read, and do not touch it."""
        self._facts.records += loss.records
        self._skip(Skipped(Place(name, 0), loss.reason, None, loss.detail), loss.records)
        stat = input_stat(path)
        self._facts.files.append(file_facts(name, stat, stat.st_size, None))

    def _add(self, record: Record) -> None:
        docid = as_token(record.docid)
        failure = _over_docid_limit(docid) or over_limit(record.body, self._limits)
        if failure is None:
            try:
                decoded = to_utf8(record.body, record.charset)
                if not record.plain:
                    require_shallow(decoded.utf8, self._limits.nesting)
                cut = self._segmenter.plain if record.plain else self._segmenter.html
                page = cut(decoded.utf8)
                texts = (
                    self._sources.texts(docid, decoded.utf8, plain=record.plain)
                    if self._sources
                    else {}
                )
            except (TooDeepError, TooManyBlocksError) as error:
                failure = Reason.TOO_LARGE, str(error)
            except ValueError as error:
                failure = Reason.UNPARSABLE, str(error)
            except MemoryError:
                failure = Reason.OVER_MEMORY, f"a page of {len(record.body):,} bytes"
        if failure is None:
            self._writer.add(replace(record, docid=docid), decoded.encoding, page, texts)
        else:
            self._skip(Skipped(record.place, failure[0], record.docid, failure[1]))

    def _skip(self, item: Skipped, records: int = 1) -> None:
        before = self._facts.skipped.get(item.reason, 0)
        self._facts.skipped[item.reason] = before + records
        if before < SAMPLES_PER_REASON:
            docid = item.docid and item.docid[:_DOCID_SAMPLE]
            sample = SkippedSample(item.reason, str(item.place), docid, item.detail)
            self._facts.samples.append(sample)
        if item.reason in LOSSES:
            lost = Lost(item.reason, str(item.place), item.docid, item.detail, records)
            self._facts.lost.append(lost)


def _over_docid_limit(docid: str) -> tuple[Reason, str] | None:
    size = len(docid.encode())
    if size <= MAX_DOCID_BYTES:
        return None
    return Reason.LONG_DOCID, f"{size:,} bytes, at most {MAX_DOCID_BYTES:,}"


def as_token(docid: str) -> str:
    """The docid with its white space and NULs percent-encoded.

    Runs and qrels have columns of tokens, and trec_eval's end at a NUL.
    """
    if "\0" not in docid and not any(map(str.isspace, docid)):
        return docid
    return "".join(quote(char) if char.isspace() or char == "\0" else char for char in docid)


@cache
def _segmenter(*, inline_tags_transparent: bool, most_blocks: int) -> Segmenter:
    return make_segmenter(
        inline_tags_transparent=inline_tags_transparent, structure=True, most_blocks=most_blocks
    )
