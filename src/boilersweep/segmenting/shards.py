"""Make shards, and texts beside them, in worker processes.

`make_shard` reads the files of a task, writes their pages' rows and notes what is skipped. A worker
that is too long at a record is ended, pauses not counted; one that dies is replaced, and its task
done again: `_Attempt.after` tells what the next attempt leaves out and counts.
"""

import gc
import itertools
import traceback
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

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
from boilersweep.outputs.atomic import remove_leftovers, whole_file
from boilersweep.pages.language import clue_of_page, declared_language
from boilersweep.pages.limits import Deadline
from boilersweep.pages.metadata import Metadata, metadata
from boilersweep.segmenting.cutting import Cutter, UncutError, over_memory
from boilersweep.segmenting.input_file import (
    DigestedFile,
    InputNote,
    file_state,
    input_stat,
    note_digests,
)
from boilersweep.segmenting.tasks import (
    Chosen,
    Loss,
    Segmentation,
    Task,
    TextTask,
    allowance,
)
from boilersweep.segmenting.texts import make_texts
from boilersweep.store.shard import (
    SET_ASIDE,
    Lost,
    ShardFacts,
    ShardWriter,
    SkippedSample,
)
from boilersweep.store.shard_columns import METADATA, document
from boilersweep.work.processes import Watch, allow_children, default_workers
from boilersweep.work.progress import DocumentsBar
from boilersweep.work.tasks import ALL, Turns, notes_folder, run_tasks
from boilersweep.work.worker_pool import Death, WorkerPool

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


# So many places of skipped records are kept for each reason and shard.
SAMPLES_PER_REASON = 5

_DOCID_SAMPLE = 200  # characters of a docid that are kept


def make_shard(
    task: Task, format_: Format, watch: Watch, losses: Sequence[Loss] = ()
) -> Path:
    """Make a task's shard, whole or not at all, and return its file, which its content names.

    Args:
        task: The task.
        format_: The format of its files.
        watch: Is told of every record.
        losses: The records and files that earlier attempts died of; they are left out and counted.

    Raises:
        CollectionError: A file cannot be read.
        OutputError: The shard cannot be written.
    """
    facts = ShardFacts(recipe=dict(task.recipe))
    options = task.options
    rows = CutRows(options)
    notes: list[InputNote] = []

    def name() -> str:
        return task.shard([one["sha256"] for one in facts.files]).name

    with (
        whole_file(task.folder / f"shard-{task.name}", name=name) as temporary,
        ShardWriter(temporary, facts, metadata=options.metadata) as writer,
    ):
        maker = _ShardMaker(rows, facts, writer, watch, options.chosen)
        for number, (path, source) in enumerate(task.files):
            lost = {loss.record: loss for loss in losses if loss.file == number}
            if aside := lost.get(None):
                maker.set_aside(source, aside)
                stat = input_stat(path)
                size, digest = stat.st_size, SET_ASIDE
            else:
                watch.begin(number, 0)
                with DigestedFile(path) as raw:
                    maker.add_file(format_, raw, number, source, lost)
                    digest = raw.finish()
                stat, size = raw.stat, raw.count
            facts.files.append({"path": source, "bytes": size, "sha256": digest})
            notes.append((source, stat.st_size, file_state(stat), digest))
        facts.failed = dict(sorted(rows.failed.items()))
        if facts.lost or facts.failed:
            facts.allowed = allowance(options.limits)
    note_digests(notes_folder(task.folder), task.name, notes)
    watch.rest()
    return task.folder / name()


class _ShardMaker:
    def __init__(
        self,
        rows: CutRows,
        facts: ShardFacts,
        writer: ShardWriter,
        watch: Watch,
        chosen: Chosen | None,
    ) -> None:
        self._rows = rows
        self._chosen = chosen
        self._facts = facts
        self._writer = writer
        self._watch = watch

    def add_file(
        self,
        format_: Format,
        raw: DigestedFile,
        number: int,
        name: str,
        lost: dict[int | None, Loss],
    ) -> None:
        """Add the documents of a file, without the records in `lost`, by their numbers."""
        items = format_.read(raw, name)  # type: ignore[arg-type]
        counted = 0
        for record in itertools.count():
            self._watch.begin(number, record)
            item = next(items, None)
            if item is None:
                return
            self._facts.records += 1
            if loss := lost.get(record):
                self._skip(
                    Skipped(item.place, Reason(loss.reason), item.docid, loss.detail)
                )
            elif isinstance(item, Record):
                self._add(item)
            else:
                self._skip(item)
            self._watch.add(1, raw.count - counted)
            counted = raw.count

    def set_aside(self, name: str, loss: Loss) -> None:
        """Count the records that are known of a file that is left out."""
        self._facts.records += loss.records
        self._skip(
            Skipped(SourceLocation(name, 0), Reason(loss.reason), None, loss.detail),
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
            lost = Lost(item.reason, str(item.place), item.docid, item.detail, records)
            self._facts.lost.append(lost)


AnyTask = Task | TextTask


def make_files(
    tasks: Sequence[AnyTask],
    workers: int | Executor | None,
    turns: Turns = ALL,
) -> int:
    """Make the files of some tasks, with a progress bar.

    Finished files stay if a task fails.

    Args:
        tasks: Tasks of one kind with the same options; without any, nothing is done.
        workers: The most processes of this machine; None for one per processor. Or an executor,
            whose workers see the input and the store at the same paths as this process.
        turns: Which tasks to do; the result of each is its file.

    Returns:
        The number of files made.

    Raises:
        BoilersweepError: A task fails, workers die whatever they are given, or the executor is
            lost.
    """
    if not tasks:
        return 0
    what = "extract" if isinstance(tasks[0], TextTask) else "segment"
    if isinstance(workers, Executor):
        return len(
            run_tasks(_make_alone, tasks, what, "files", workers=workers, turns=turns)
        )
    made = 0
    options = tasks[0].options
    bar = DocumentsBar(what, sum(task.size for task in tasks))
    try:
        with WorkerPool[_Attempt](
            _work,
            options,
            workers=min(workers or default_workers(), len(tasks)),
            seconds=options.limits.seconds,
            worker_bytes=options.limits.worker_bytes,
            advice="what was finished is kept: run the same command again, with fewer --threads",
            imported=True,
        ) as pool:
            queue = _Queue(tasks, turns.take)
            for attempt, outcome in pool.run(
                queue.next, lambda: bar.show(*pool.counted())
            ):
                if isinstance(outcome, Death):
                    queue.add_after(attempt, outcome)
                else:
                    made += 1
                    turns.done(attempt.task, outcome)
    finally:
        bar.close()
        for folder in {task.folder for task in tasks}:
            remove_leftovers(folder)
    return made


def _make_alone(task: AnyTask) -> Path:
    """Make a task's file in a process that this one, a worker of an executor, watches."""
    found: list[Path] = []
    allow_children()
    make_files([task], 1, Turns(done=lambda _, file: found.append(file)))
    return found[0]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A task, the causes of its failed attempts, and what they leave out.

    Attributes:
        alone: To be done when no other worker is at work.
    """

    task: AnyTask
    deaths: tuple[Loss, ...] = ()
    losses: tuple[Loss, ...] = ()
    alone: bool = False

    def after(self, death: Loss) -> "_Attempt":
        """Return the next attempt.

        A worker may have been killed, or slow, for no fault of the page. After a first death, the
        whole task is tried again; if that took too long, while no other worker is busy. After a
        second death at the same record, the record is left out; after a third, the whole file.
        """
        deaths = (*self.deaths, death)
        following = replace(self, deaths=deaths, alone=False)
        place = (death.file, death.record)
        if place in [(lost.file, lost.record) for lost in self.losses]:
            known = 1 + max(
                other.record or 0 for other in deaths if other.file == death.file
            )
            aside = Loss(death.file, None, Reason.SET_ASIDE, death.detail, known)
            kept = [lost for lost in self.losses if lost.file != death.file]
            return replace(following, losses=(*kept, aside))
        if place in [(earlier.file, earlier.record) for earlier in self.deaths]:
            return replace(following, losses=(*self.losses, death))
        return replace(following, alone=death.reason is Reason.OVER_TIME)


class _Queue:
    def __init__(
        self, tasks: Sequence[AnyTask], take: Callable[[AnyTask], bool]
    ) -> None:
        self._untaken = filter(take, tasks)
        self._waiting: deque[_Attempt] = deque()
        self._alone: deque[_Attempt] = deque()

    def next(self, busy: int) -> _Attempt | None:
        """Return the next attempt while some workers are busy, None if there is none for now."""
        if self._waiting:
            return self._waiting.popleft()
        if task := next(self._untaken, None):
            return _Attempt(task)
        return self._alone.popleft() if self._alone and not busy else None

    def add_after(self, attempt: _Attempt, death: Death) -> None:
        at = death.standing
        reason = Reason.OVER_TIME if death.over_time else Reason.CRASHED
        following = attempt.after(Loss(at.file, at.record, reason, death.detail))
        (self._alone.append if following.alone else self._waiting.appendleft)(following)


def _work(watch: Watch, options: Segmentation) -> Callable[[_Attempt], Path]:
    """Run in a worker process: make one file after the other."""
    gc.freeze()  # what was imported stays
    collection = options.collection or ""
    return partial(_make, named_format(collection, options.reading), watch)


def _make(format_: Format, watch: Watch, attempt: _Attempt) -> Path:
    """Make a task's file; an unexpected error names the record at which it came."""
    task = attempt.task
    try:
        if isinstance(task, TextTask):
            return make_texts(task, format_, watch, attempt.losses)
        return make_shard(task, format_, watch, attempt.losses)
    except BoilersweepError:
        raise
    except Exception as error:
        standing = watch.standing()
        place = f"{task.files[standing.file][1]}, record {standing.record + 1:,}"
        if isinstance(error, MemoryError):
            raise BoilersweepError(
                f"{place}: not enough memory to read it; raise "
                "`boilersweep segment --max-worker-memory`"
            ) from None
        # A bug of ours, of which the traceback does not come to the parent by itself.
        raise RuntimeError(f"{place}:\n{traceback.format_exc()}") from None
