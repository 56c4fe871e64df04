"""Tasks: some files that become one shard."""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lxml import etree

from boilersweep import __version__
from boilersweep.collection.format import Format
from boilersweep.collection.record import Reason, Record
from boilersweep.encoding import to_utf8
from boilersweep.errors import StoreError
from boilersweep.files import whole_file
from boilersweep.segmentation import Segmenter
from boilersweep.segmenting.inputs import InputFile
from boilersweep.store.shard import VERSION, ShardFacts, ShardWriter, SkippedSample, read_facts

SAMPLES_PER_REASON = 5
"""Skipped records of one reason whose places are kept, a shard."""


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """What shapes the blocks; a store is made with one set of options.

    collection: the format's name. plain: JSONL contents are plain text.
    inline_tags_transparent: see `Segmenter`.
    """

    collection: str
    plain: bool = False
    inline_tags_transparent: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """Some files that become one shard. files: path on disk and path relative to the input."""

    shard: Path
    files: tuple[tuple[Path, str], ...]
    options: SegmentOptions

    def description(self) -> dict[str, Any]:
        """What the shard depends on; a shard with the same description need not be made again."""
        return {
            "store_version": VERSION,
            "boilersweep": __version__,
            "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
            "options": asdict(self.options),
            "files": [[name, path.stat().st_size] for path, name in self.files],
        }

    @property
    def size(self) -> int:
        """Bytes of the input files."""
        return sum(path.stat().st_size for path, _ in self.files)


@cache
def _segmenter(*, inline_tags_transparent: bool) -> Segmenter:
    return Segmenter(inline_tags_transparent=inline_tags_transparent)


def plan_tasks(
    root: Path, files: Sequence[Path], format_: Format, output: Path, options: SegmentOptions
) -> list[Task]:
    """Which files make which shard, in the order of the files."""
    base = root if root.is_dir() else root.parent
    named = [(path, _writable(path.relative_to(base).as_posix())) for path in files]
    step = format_.files_per_task
    return [
        Task(output / f"shard-{number:05d}.parquet", tuple(named[start : start + step]), options)
        for number, start in enumerate(range(0, len(named), step))
    ]


def _writable(name: str) -> str:
    """A file's name that can be written as UTF-8; one that is not UTF-8 is read as Latin-1."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("latin-1")
    return name


def is_done(task: Task) -> bool:
    """Whether the task's shard is there already.

    Raises StoreError where there is a shard made with other options or from other files.
    """
    if not task.shard.exists():
        return False
    made, wanted = read_facts(task.shard).task, task.description()
    if made == wanted:
        return True
    differing = sorted(
        key for key in made.keys() | wanted.keys() if made.get(key) != wanted.get(key)
    )
    raise StoreError(
        f"{task.shard} was made with other {' and '.join(differing)}; "
        "choose another --output, or delete that store to make it anew"
    )


def segment_task(task: Task, format_: Format, count: Callable[[int, int], None]) -> None:
    """Make one shard, whole or not at all.

    count: called with the documents and the bytes read since its last call.
    Raises CollectionError where a file cannot be read, OutputError where the shard cannot be
    written.
    """
    facts = ShardFacts(task=task.description())
    segmenter = _segmenter(inline_tags_transparent=task.options.inline_tags_transparent)
    with whole_file(task.shard) as temporary, ShardWriter(temporary, facts) as writer:
        for path, name in task.files:
            raw = InputFile(path)
            try:
                counted = 0
                for item in format_.read(raw, name):  # type: ignore[arg-type]
                    if isinstance(item, Record):
                        _segment_record(item, segmenter, writer, facts)
                    else:
                        _note_skipped(
                            facts,
                            SkippedSample(item.reason, str(item.place), item.docid, item.detail),
                        )
                    count(1, raw.count - counted)
                    counted = raw.count
                digest = raw.finish()
            finally:
                raw.release()
            count(0, raw.count - counted)
            facts.files.append({"path": name, "bytes": raw.count, "sha256": digest})


def _segment_record(
    record: Record, segmenter: Segmenter, writer: ShardWriter, facts: ShardFacts
) -> None:
    decoded = to_utf8(record.body, record.charset)
    try:
        page = (segmenter.plain if record.plain else segmenter.html)(decoded.utf8)
    except ValueError as error:
        _note_skipped(
            facts,
            SkippedSample(Reason.UNPARSABLE, str(record.place), record.docid, str(error)),
        )
        return
    if any(map(str.isspace, record.docid)):
        record = replace(record, docid=as_token(record.docid))
    writer.add(record, decoded.encoding, page)


def as_token(docid: str) -> str:
    """The docid with its white space percent-encoded: runs and qrels have columns of tokens."""
    return "".join(quote(char) if char.isspace() else char for char in docid)


def _note_skipped(facts: ShardFacts, sample: SkippedSample) -> None:
    count = facts.skipped.get(sample.reason, 0) + 1
    facts.skipped[sample.reason] = count
    if count <= SAMPLES_PER_REASON:
        facts.samples.append(sample)
