"""Make shards, and texts beside them, in worker processes.

`make_shard` reads the files of a task, writes their pages' rows and notes what is skipped. A worker
that is too long at a record is ended, pauses not counted; one that dies is replaced, and its task
done again (`work/pool.py`): what killed two is left out and counted.
"""

import contextlib
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from boilersweep.collection.cutting import Cutter, UncutError, over_memory
from boilersweep.collection.format import (
    LOSSES,
    MAX_DOCID_BYTES,
    Format,
    Reason,
    Record,
    Skipped,
    SourceLocation,
    as_token,
)
from boilersweep.collection.formats import named_format
from boilersweep.errors import BoilersweepError
from boilersweep.outputs.atomic import hidden_file
from boilersweep.outputs.locations import for_each
from boilersweep.outputs.manifest_file import listing
from boilersweep.pages.language import clue_of_page, declared_language
from boilersweep.pages.limits import Deadline
from boilersweep.pages.metadata import Metadata, metadata
from boilersweep.segmenting.input_file import DigestedFile, file_state, input_size
from boilersweep.segmenting.tasks import (
    Chosen,
    Made,
    Segmentation,
    Task,
    TextTask,
    allowance,
    reason_of_loss,
    versions,
    without,
)
from boilersweep.segmenting.texts import make_texts
from boilersweep.store.shard import (
    SET_ASIDE,
    InputFile,
    LostRecord,
    ShardFacts,
    ShardWriter,
    SkippedSample,
)
from boilersweep.store.shard_columns import METADATA, document
from boilersweep.work.pool import DeadRecord, PoolOptions
from boilersweep.work.processes import HERE, default_workers
from boilersweep.work.tasks import Work, make_all

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
            stated = metadata(html, title, url, Deadline(self._seconds))
        except MemoryError:
            raise
        except Exception as error:  # no page may end the run, whatever it states
            self.failed[f"metadata ({type(error).__name__})"] += 1
            stated = Metadata()
        values = {**asdict(stated), "canonical_url": stated.url}
        return {name: values[name] for name in METADATA}


# So many places of skipped records are kept for each reason and shard.
SAMPLES_PER_REASON = 5

_DOCID_SAMPLE = 200  # characters of a docid that are kept


def make_shard(task: Task, format_: Format, losses: Sequence[DeadRecord] = ()) -> Made:
    """Make a task's shard, whole or not at all.

    Args:
        task: The task.
        format_: The format of its files.
        losses: The records and files that earlier attempts died of; they are left out and counted.

    Raises:
        CollectionError: A file cannot be read.
        OutputError: The shard cannot be written.
    """
    facts = ShardFacts(recipe=dict(task.recipe))
    options = task.options
    rows = CutRows(options)
    known: list[InputFile] = []
    with (
        contextlib.ExitStack() as last,
        hidden_file(task.folder / f"shard-{task.name}") as (temporary, hidden),
    ):
        with ShardWriter(temporary, facts, metadata=options.metadata) as writer:
            maker = _ShardMaker(rows, facts, writer, options.chosen)
            for index, (path, source) in enumerate(task.files):
                lost = {loss.record: loss for loss in losses if loss.file == index}
                if aside := lost.get(None):
                    maker.set_aside(source, aside)
                    size, digest, state = input_size(path), SET_ASIDE, ""
                else:
                    HERE.begin(index, 0)
                    with DigestedFile(path) as raw:
                        for record, item in raw.records(format_, index, source):
                            maker.add(item, lost.get(record))
                        digest = raw.finish()
                    size, state = raw.stat.st_size, file_state(raw.stat)
                facts.files.append({"path": source, "bytes": size, "sha256": digest})
                known.append(InputFile(**facts.files[-1], state=state))
            facts.failed = dict(sorted(rows.failed.items()))
            if facts.lost or facts.failed:
                facts.allowed = allowance(options.limits)
        last.enter_context(HERE.waiting())  # until it is where the store is
        entry = listing(temporary.parent, [temporary.name])[temporary.name]
    part = task.part([file["sha256"] for file in facts.files], without(facts))
    return Made(part, hidden, entry, replace(facts, files=known))


class _ShardMaker:
    def __init__(
        self,
        rows: CutRows,
        facts: ShardFacts,
        writer: ShardWriter,
        chosen: Chosen | None,
    ) -> None:
        self._rows = rows
        self._chosen = chosen
        self._facts = facts
        self._writer = writer

    def add(self, item: Record | Skipped, loss: DeadRecord | None) -> None:
        """Add the document of a record; note what is skipped, or was lost."""
        self._facts.records += 1
        if loss:
            self._skip(
                Skipped(item.place, reason_of_loss(loss), item.docid, loss.detail)
            )
        elif isinstance(item, Record):
            self._add(item)
        else:
            self._skip(item)

    def set_aside(self, name: str, loss: DeadRecord) -> None:
        """Count the records that are known of a file that is left out."""
        self._facts.records += loss.records
        self._skip(
            Skipped(SourceLocation(name, 0), reason_of_loss(loss), None, loss.detail),
            loss.records,
        )

    def _add(self, record: Record) -> None:
        docid = as_token(record.docid)
        if self._chosen and docid not in self._chosen.docids:
            self._skip(Skipped(record.place, Reason.NOT_CHOSEN, docid))
            return
        size = len(docid.encode())
        if size > MAX_DOCID_BYTES:
            detail = f"{size:,} bytes, at most {MAX_DOCID_BYTES:,}"
            self._skip(Skipped(record.place, Reason.LONG_DOCID, record.docid, detail))
            return
        try:
            self._rows.add(replace(record, docid=docid), self._writer)
        except UncutError as error:
            self._skip(Skipped(record.place, error.reason, record.docid, error.detail))

    def _skip(self, item: Skipped, records: int = 1) -> None:
        before = self._facts.skipped.get(item.reason, 0)
        self._facts.skipped[item.reason] = before + records
        if before < SAMPLES_PER_REASON:
            docid = item.docid and item.docid[:_DOCID_SAMPLE]
            sample = SkippedSample(item.reason, str(item.place), docid, item.detail)
            self._facts.samples.append(sample)
        if item.reason in LOSSES:
            lost = LostRecord(
                item.reason, str(item.place), item.docid, item.detail, records
            )
            self._facts.lost.append(lost)


AnyTask = Task | TextTask


def make_files(
    tasks: Sequence[AnyTask],
    workers: int | Executor | None,
    done: Callable[[Any, Made], object],
) -> None:
    """Make the files of some tasks, at least one, with a progress bar.

    Finished files stay if a task fails.

    Args:
        tasks: Tasks of one kind with the same options.
        workers: The most processes of this machine; None for one per processor. Or an executor,
            whose workers see the input and the store at the same paths as this process.
        done: Called with each task that is done and its file, which it gives its name.

    Raises:
        BoilersweepError: A task fails, workers die whatever they are given, or the executor is
            lost.
    """
    limits = tasks[0].options.limits
    files = [path for task in tasks for path, _ in task.files]
    sizes = dict(zip(files, for_each(input_size, files), strict=True))
    work = Work(
        "extract" if isinstance(tasks[0], TextTask) else "segment",
        "bytes",
        size=lambda task: sum(sizes[path] for path, _ in task.files),
        watched=PoolOptions(seconds=limits.seconds, worker_bytes=limits.worker_bytes),
        versions=partial(versions, tasks[0].options),
    )
    make_all(tasks, make_file, work, workers or default_workers(), done)


def make_file(task: AnyTask, losses: Sequence[DeadRecord]) -> Made:
    """Make a task's file; an unexpected error names the record at which it came."""
    format_ = named_format(task.options.collection or "", task.options.reading)
    try:
        if isinstance(task, TextTask):
            return make_texts(task, format_, losses)
        return make_shard(task, format_, losses)
    except BoilersweepError:
        raise
    except Exception as error:
        file, record = HERE.place
        place = f"{task.files[file][1]}, record {record + 1:,}"
        if isinstance(error, MemoryError):
            raise BoilersweepError(
                f"{place}: not enough memory to read it; raise "
                "`boilersweep segment --max-worker-memory`"
            ) from None
        # A bug of ours, of which the traceback does not come to the parent by itself.
        raise RuntimeError(f"{place}:\n{traceback.format_exc()}") from None
