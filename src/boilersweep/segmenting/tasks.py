"""Tasks: some files that become one shard."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from boilersweep.collection.format import USUAL, Format, Reading
from boilersweep.collection.record import Reason
from boilersweep.extractors.registry import extractor_identity
from boilersweep.outputs.identity import Stage, code_identity
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import detector
from boilersweep.pages.words import dictionary
from boilersweep.segmenting.chosen import Chosen
from boilersweep.segmenting.input_file import input_stat
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.texts import GivenTexts
from boilersweep.store.layout import VERSION
from boilersweep.store.shard import InputFile


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """What shapes the blocks; a store is made with one set of options.

    Attributes:
        collection: The format's name.
        reading: What users say of its records.
        borders: See `Segmenter`.
        metadata: Store what pages state of themselves.
        limits: What one page may cost.
        extractors: Names of those that run over the pages.
        given: Texts that take an extractor's place.
        chosen: The documents to keep, None for all.
    """

    collection: str
    reading: Reading = USUAL
    borders: Borders = "block"
    metadata: bool = False
    limits: Limits = field(default_factory=Limits)
    extractors: tuple[str, ...] = ()
    given: tuple[GivenTexts, ...] = ()
    chosen: Chosen | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the options as JSON has them; `extractors` names the given texts, too."""
        options = asdict(self)
        options["given"] = [{"name": one.name, "sha256": one.sha256} for one in self.given]
        options["extractors"] = [*self.extractors, *(one.name for one in self.given)]
        options.pop("chosen")
        return options | ({"chosen": self.chosen.as_json()} if self.chosen else {})


SEGMENT_CODE = Stage(
    "segment",
    (
        "boilersweep.collection",
        "boilersweep.pages.compiled",
        "boilersweep.pages.content_kind",
        "boilersweep.pages.deadline",
        "boilersweep.pages.elements",
        "boilersweep.pages.encoding",
        "boilersweep.pages.language",
        "boilersweep.pages.libxml2",
        "boilersweep.pages.metadata",
        "boilersweep.pages.packed",
        "boilersweep.pages.page",
        "boilersweep.pages.schema",
        "boilersweep.pages.segmenter",
        "boilersweep.pages.structure",
        "boilersweep.pages.surrogates",
        "boilersweep.pages.words",
        "boilersweep.segmenting.chosen",
        "boilersweep.segmenting.cutting",
        "boilersweep.segmenting.limits",
        "boilersweep.segmenting.nesting",
        "boilersweep.segmenting.rows",
        "boilersweep.segmenting.shards",
        "boilersweep.segmenting.texts",
        "boilersweep.store.layout",
        "boilersweep.store.shard",
    ),
)

# A file of the input: where it is, and the name by which a store knows it.
NamedFile = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class Task:
    """Some files that become one shard. files: path on disk and path relative to the input.

    Attributes:
        identity: What the shard depends on beside the files, the same for all shards of a store.
        before: A shard of the same files that lacks some texts of extractors, whose blocks are
            taken over; None to cut the pages.
    """

    shard: Path
    files: tuple[NamedFile, ...]
    options: SegmentOptions
    identity: Mapping[str, Any]
    before: Path | None = None

    def description(self) -> dict[str, Any]:
        """Return what the shard depends on, but for the content of the files."""
        return {
            **self.identity,
            "files": [[name, input_stat(path).st_size] for path, name in self.files],
        }

    @property
    def size(self) -> int:
        """Bytes of the input files."""
        return sum(input_stat(path).st_size for path, _ in self.files)


@dataclass(frozen=True, slots=True)
class Loss:
    """What an earlier attempt at a task died of.

    Attributes:
        file: Its number in the task.
        record: Its number in the file, None for the whole file.
        records: How many of the file are known.
    """

    file: int
    record: int | None
    reason: Reason
    detail: str
    records: int = 1


def plan_tasks(
    root: Path, files: Sequence[Path], format_: Format, output: Path, options: SegmentOptions
) -> list[Task]:
    """Return which files make which shard, in the order of the files."""
    named = named_files(root, files)
    step = format_.files_per_task
    identity = segment_identity(options)
    return [
        Task(
            output / shard_name(number),
            tuple(named[start : start + step]),
            options,
            identity,
        )
        for number, start in enumerate(range(0, len(named), step))
    ]


def shard_name(number: int) -> str:
    """Return the name of a shard's file."""
    return f"shard-{number:05d}.parquet"


def named_files(root: Path, files: Sequence[Path]) -> list[NamedFile]:
    """Return files of the input, each with the name by which a store knows it."""
    base = root if root.is_dir() else root.parent
    return [(path, _writable(path.relative_to(base).as_posix())) for path in files]


def _writable(name: str) -> str:
    """Return a file's name that can be written as UTF-8.

    One that is not UTF-8 is read as Latin-1.
    """
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("latin-1")
    return name


def segment_identity(options: SegmentOptions) -> dict[str, Any]:
    """Return what all shards depend on, beside their files.

    Raises UsageError for unknown extractors.
    """
    return {
        "store_version": VERSION,
        "code": code_identity(SEGMENT_CODE),
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "words": dictionary(),
        "detector": detector(),
        "options": options.as_json(),
        "extractors": {name: extractor_identity(name) for name in options.extractors},
    }


def file_facts(name: str, stat: os.stat_result, size: int, sha256: str | None) -> InputFile:
    """Return a shard's entry of an input file.

    Args:
        name: The name below the input.
        stat: The state of the file.
        size: The number of bytes read.
        sha256: The digest; None for a file that was not read.

    Returns:
        The entry.
    """
    return {"path": name, "bytes": size, "state": file_state(stat), "sha256": sha256}


def file_state(stat: os.stat_result) -> list[int]:
    """Return what changes with a file's content: times of change in nanoseconds, and the inode.

    The second time and the inode, of files of this machine alone, tell a file from another of its
    size and first time: they change when two files swap names or a time is set back.
    """
    if isinstance(stat, os.stat_result):
        return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
    nanoseconds = getattr(stat, "st_mtime_ns", None)  # stores of objects know whole seconds
    return [int(stat.st_mtime * 10**9) if nanoseconds is None else int(nanoseconds)]
