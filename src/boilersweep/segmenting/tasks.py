"""Tasks: some files that become one shard, and whether that is done."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from boilersweep import __version__
from boilersweep.collection.format import Format
from boilersweep.collection.record import Reason
from boilersweep.errors import StoreError
from boilersweep.segmenting.extraction import GivenTexts
from boilersweep.segmenting.limits import Limits
from boilersweep.store.layout import VERSION
from boilersweep.store.shard import read_facts


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """What shapes the blocks; a store is made with one set of options.

    collection: the format's name. plain: JSONL contents are plain text.
    inline_tags_transparent: see `Segmenter`. limits: what one page may cost. extractors: names of
    those that run over the pages. given: texts that take an extractor's place.
    """

    collection: str
    plain: bool = False
    inline_tags_transparent: bool = False
    limits: Limits = field(default_factory=Limits)
    extractors: tuple[str, ...] = ()
    given: tuple[GivenTexts, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The options as JSON has them; `extractors` names the given texts, too."""
        options = asdict(self)
        options["given"] = [{"name": one.name, "sha256": one.sha256} for one in self.given]
        options["extractors"] = [*self.extractors, *(one.name for one in self.given)]
        return options


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
            "options": self.options.as_json(),
            "files": [[name, path.stat().st_size] for path, name in self.files],
        }

    @property
    def size(self) -> int:
        """Bytes of the input files."""
        return sum(path.stat().st_size for path, _ in self.files)


@dataclass(frozen=True, slots=True)
class Loss:
    """What an earlier attempt at a task died of.

    file: its number in the task. record: its number in the file, None for the whole file.
    """

    file: int
    record: int | None
    reason: Reason
    detail: str


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
