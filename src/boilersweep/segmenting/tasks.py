"""Tasks: some files that become one shard."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from boilersweep.collection.format import USUAL, Format, Reading
from boilersweep.collection.formats import open_collection
from boilersweep.collection.irds import dataset_id
from boilersweep.collection.record import Reason
from boilersweep.errors import StoreError
from boilersweep.extractors.registry import extractor_identity
from boilersweep.outputs.identity import Stage, code_identity
from boilersweep.outputs.locations import is_remote
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import detector
from boilersweep.pages.words import dictionary
from boilersweep.segmenting.chosen import Chosen
from boilersweep.segmenting.input_file import input_stat, is_piped
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.texts import GivenTexts
from boilersweep.store.manifest import OnDuplicate
from boilersweep.store.shard_columns import VERSION
from boilersweep.store.store import BlockStore


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
        options["given"] = [
            {"name": one.name, "sha256": one.sha256} for one in self.given
        ]
        options["extractors"] = [*self.extractors, *(one.name for one in self.given)]
        options.pop("chosen")
        return options | ({"chosen": self.chosen.as_json()} if self.chosen else {})


def options_of(store: BlockStore) -> SegmentOptions:
    """Return the options that a store was made with; given texts are known by their digests alone.

    Raises:
        StoreError: Its manifest has an unknown option.
    """
    options = store.manifest.options
    if options.chosen:
        raise StoreError(
            f"{store.path} has chosen documents alone, and the choice is not kept; run "
            "`boilersweep segment` again into another folder"
        )
    given = tuple(GivenTexts(one["name"], "", one["sha256"]) for one in options.given)
    others = [one.name for one in given]
    stated: dict[str, Any] = options.reading
    limited: dict[str, Any] = options.limits
    try:
        reading, limits = Reading(**stated), Limits(**limited)
    except TypeError as error:
        raise StoreError(
            f"{store.path}: its manifest has an unknown option: {error}"
        ) from error
    return SegmentOptions(
        options.collection,
        reading,
        options.borders,
        options.metadata,
        limits,
        tuple(name for name in options.extractors if name not in others),
        given,
    )


@dataclass(frozen=True, slots=True)
class StoreInput:
    """The input of a store as it is now.

    Attributes:
        options: The options of the store.
        files: The files by the names by which the store knows them.
        reading: How the input is listed and what of it is not read, for the manifest.
    """

    options: SegmentOptions
    files: dict[str, Path]
    reading: dict[str, Any]


def input_of(store: BlockStore, root: Path) -> StoreInput:
    """Find the input of a store again, wherever it is now.

    Raises CollectionError where nothing of the store's format is there.
    """
    options = options_of(store)
    follow_links = store.manifest.follow_links
    opened = open_collection(
        root, options.collection, reading=options.reading, follow_links=follow_links
    )
    files = {name: path for path, name in named_files(root, opened.files)}
    reading = {"follow_links": follow_links, **opened.left_out.as_json()}
    return StoreInput(options, files, reading)


SEGMENT_CODE = Stage(
    "segment",
    (
        "boilersweep.collection",
        "boilersweep.pages.compiled",
        "boilersweep.pages.content_kind",
        "boilersweep.pages.deadline",
        "boilersweep.pages.elements",
        "boilersweep.pages.encoding",
        "boilersweep.pages.invisible",
        "boilersweep.pages.language",
        "boilersweep.pages.libxml2",
        "boilersweep.pages.metadata",
        "boilersweep.pages.packed",
        "boilersweep.pages.page",
        "boilersweep.pages.schema",
        "boilersweep.pages.segmenter",
        "boilersweep.pages.structure",
        "boilersweep.pages.surrogates",
        "boilersweep.pages.unlabelled",
        "boilersweep.pages.words",
        "boilersweep.segmenting.chosen",
        "boilersweep.segmenting.cutting",
        "boilersweep.segmenting.limits",
        "boilersweep.segmenting.nesting",
        "boilersweep.segmenting.rows",
        "boilersweep.segmenting.shards",
        "boilersweep.segmenting.texts",
        "boilersweep.store.shard_columns",
        "boilersweep.store.shard",
    ),
)

# A file of the input: where it is, and the name by which a store knows it.
NamedFile = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class Task:
    """Some files that become one shard.

    Attributes:
        shard: The file of the shard.
        files: The files, each with its name in the store.
        options: How their pages become blocks.
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
        file: The number of the file in the task.
        record: The number of the record in the file; None for the whole file.
        reason: The reason for which it is skipped.
        detail: More about the reason.
        records: How many records of the file are known.
    """

    file: int
    record: int | None
    reason: Reason
    detail: str
    records: int = 1


@dataclass(frozen=True, slots=True)
class Stated:
    """What the manifest of a store states beside what its shards do.

    Attributes:
        root: The input, as text.
        on_duplicate: What was done with duplicate docids.
        reading: How the input was listed and what of it is not read.
    """

    root: str
    on_duplicate: OnDuplicate
    reading: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """A store to be made.

    Attributes:
        tasks: The tasks of its shards, in its order.
        stated: What its manifest will state.
    """

    tasks: list[Task]
    stated: Stated


def plan_tasks(
    root: Path,
    files: Sequence[Path],
    format_: Format,
    output: Path,
    options: SegmentOptions,
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


def input_text(root: Path) -> str:
    """Return the input as a manifest names it."""
    is_path = not (is_piped(root) or is_remote(root) or dataset_id(root))
    path = root.resolve() if is_path else str(root)
    return os.fsencode(path).decode("utf-8", "replace")


def named_files(root: Path, files: Sequence[Path]) -> list[NamedFile]:
    """Return files of the input, each with the name by which a store knows it."""
    base = root if root.is_dir() else root.parent
    return [(path, _writable(path.relative_to(base).as_posix())) for path in files]


def _writable(name: str) -> str:
    """Return a file's name that can be written as UTF-8; another name is read as Latin-1."""
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
