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
from boilersweep.outputs.identity import code_identity
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import detector
from boilersweep.pages.words import dictionary
from boilersweep.segmenting.input_file import input_stat
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.texts import GivenTexts
from boilersweep.store.layout import VERSION


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """What shapes the blocks; a store is made with one set of options.

    collection: the format's name. reading: what users say of its records.
    borders: see `Segmenter`. metadata: store what pages state of themselves. limits: what one page
    may cost. extractors: names of those that run over the pages. given: texts that take an
    extractor's place.
    """

    collection: str
    reading: Reading = USUAL
    borders: Borders = "block"
    metadata: bool = False
    limits: Limits = field(default_factory=Limits)
    extractors: tuple[str, ...] = ()
    given: tuple[GivenTexts, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The options as JSON has them; `extractors` names the given texts, too."""
        options = asdict(self)
        options["given"] = [{"name": one.name, "sha256": one.sha256} for one in self.given]
        options["extractors"] = [*self.extractors, *(one.name for one in self.given)]
        return options


NamedFile = tuple[Path, str]
"""A file of the input: where it is, and the name by which a store knows it."""


@dataclass(frozen=True, slots=True)
class Task:
    """Some files that become one shard. files: path on disk and path relative to the input.

    identity: what the shard depends on beside the files, the same for all shards of a store.
    before: a shard of the same files that lacks some texts of extractors, whose blocks are taken
    over; None to cut the pages.
    """

    shard: Path
    files: tuple[NamedFile, ...]
    options: SegmentOptions
    identity: Mapping[str, Any]
    before: Path | None = None

    def description(self) -> dict[str, Any]:
        """What the shard depends on, but for the content of the files."""
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

    file: its number in the task. record: its number in the file, None for the whole file.
    records: how many of the file are known.
    """

    file: int
    record: int | None
    reason: Reason
    detail: str
    records: int = 1


def plan_tasks(
    root: Path, files: Sequence[Path], format_: Format, output: Path, options: SegmentOptions
) -> list[Task]:
    """Which files make which shard, in the order of the files."""
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
    """The name of a shard's file."""
    return f"shard-{number:05d}.parquet"


def named_files(root: Path, files: Sequence[Path]) -> list[NamedFile]:
    """Files of the input, each with the name by which a store knows it."""
    base = root if root.is_dir() else root.parent
    return [(path, _writable(path.relative_to(base).as_posix())) for path in files]


def _writable(name: str) -> str:
    """A file's name that can be written as UTF-8; one that is not UTF-8 is read as Latin-1."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("latin-1")
    return name


def segment_identity(options: SegmentOptions) -> dict[str, Any]:
    """What all shards depend on, beside their files; raises UsageError for unknown extractors."""
    return {
        "store_version": VERSION,
        "code": code_identity("segment"),
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "words": dictionary(),
        "detector": detector(),
        "options": options.as_json(),
        "extractors": {name: extractor_identity(name) for name in options.extractors},
    }


def file_facts(
    name: str, stat: os.stat_result, size: int, sha256: str | None
) -> dict[str, str | int | list[int] | None]:
    """What a shard says of a file it was made from. size: bytes read. sha256: None: not read."""
    return {"path": name, "bytes": size, "state": file_state(stat), "sha256": sha256}


def file_state(stat: os.stat_result) -> list[int]:
    """What changes with a file's content: times of change in nanoseconds, and the inode.

    The second time and the inode, of files of this machine alone, tell a file from another of its
    size and first time: they change when two files swap names or a time is set back.
    """
    if isinstance(stat, os.stat_result):
        return [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
    nanoseconds = getattr(stat, "st_mtime_ns", None)  # stores of objects know whole seconds
    return [int(stat.st_mtime * 10**9) if nanoseconds is None else int(nanoseconds)]
