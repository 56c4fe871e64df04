"""Tasks: some files that become one shard, or a shard's pages that become texts.

A file is named by the key of its recipe. So whatever has its name need not be made again, and
nothing else ever has that name. `Chosen` are the documents that a task keeps.
"""

import hashlib
import heapq
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from boilersweep.collection.format import (
    USUAL,
    Format,
    Reading,
    Reason,
    Record,
    as_token,
)
from boilersweep.collection.inputs import Input, Inputs, as_inputs, dataset_id
from boilersweep.errors import CollectionError, StoreError, reason_of
from boilersweep.extractors.registry import extractor_identity
from boilersweep.outputs.identity import __version__
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.manifest_file import FileEntry
from boilersweep.outputs.parts import Part, key_of
from boilersweep.outputs.streams import read_input
from boilersweep.pages.compiled import parser_identity
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import detector
from boilersweep.pages.limits import Limits
from boilersweep.pages.words import dictionary
from boilersweep.redaction import without_secrets
from boilersweep.segmenting.input_file import DigestedFile, is_piped
from boilersweep.store.manifest import OnDuplicate
from boilersweep.store.shard import ShardFacts, TextFacts
from boilersweep.store.shard_columns import VERSION
from boilersweep.store.store import BlockStore
from boilersweep.work.pool import DeadRecord


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents to segment; all others are skipped and counted.

    Attributes:
        docids: The docids to keep.
        sample: The number of other documents that are kept besides.
        seed: What that sample depends on beside the docids.
    """

    docids: frozenset[str]
    sample: int = 0
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return what tells one choice from another."""
        digest = hashlib.sha256("\n".join(sorted(self.docids)).encode())
        return {"documents": len(self.docids), "sha256": digest.hexdigest()}


def with_sample(chosen: Chosen, format_: Format, files: Sequence[Path]) -> Chosen:
    """Return a choice with the docids of its sample, which needs a pass over the collection.

    Equal docids, sample size and seed give an equal sample, in whatever order the files are read.

    Raises:
        CollectionError: No chosen document is in the collection, or a file cannot be read.
    """
    if not chosen.sample:
        return chosen
    others = {docid for docid in _docids(format_, files) if docid not in chosen.docids}
    seed = str(chosen.seed).encode()
    sample = heapq.nsmallest(
        chosen.sample,
        others,
        key=lambda docid: hashlib.sha256(seed + b"\n" + docid.encode()).digest(),
    )
    return Chosen(chosen.docids.union(sample))


def read_docids(path: Path) -> frozenset[str]:
    """Read a file of docids, one per line.

    Raises:
        CollectionError: It cannot be read, or has none.
    """
    try:
        text = read_input(path).decode()
    except (OSError, ValueError) as error:
        raise CollectionError(
            f"{path}: expected a UTF-8 file of docids, got: {reason_of(error)}"
        ) from error
    docids = frozenset(line.strip() for line in text.splitlines() if line.strip())
    if not docids:
        raise CollectionError(f"{path}: expected docids, one per line, found none")
    return docids


def _docids(format_: Format, files: Sequence[Path]) -> Iterator[str]:
    for path in files:
        with DigestedFile(path) as raw:
            for item in format_.read(cast(Any, raw), path.name):
                if isinstance(item, Record):
                    yield as_token(item.docid)


# Limits that only tell which pages are lost, see `allowance`.
_MACHINE_LIMITS = ("seconds", "worker_bytes")

# About the least number of groups of many files, and the least usual size of such a group.
_GROUPS = 32
_LEAST_GROUP = 64

# How a worker ends that runs out of memory, or that somebody kills.
_KILLED = "signal SIGKILL"

# A file of the input: where it is, and the name by which a store knows it.
NamedFile = tuple[Path, str]


@dataclass(frozen=True, slots=True)
class Segmentation:
    """How a collection becomes a store.

    Attributes:
        collection: A format's name, None to recognise it.
        reading: What users say of its records.
        follow_links: Also read linked folders below the input, and files outside of it that links
            lead to.
        borders: Where a block ends: at block elements, as browsers show text, or at every tag but
            a, as in the paper.
        metadata: Store what pages state: headline, author, dates of publication and of changes,
            site, image and canonical address.
        limits: What one page may cost.
        extractors: Names of those to run over every page.
        given: Name -> file of texts by docid (see `read_texts`), to stand where an extractor's
            would.
        on_duplicate: If a docid is duplicate: stop with an error, keep its first document, or keep
            the document with the latest date, the last of several.
        chosen: The documents to keep, None for all.
    """

    collection: str | None = None
    reading: Reading = USUAL
    follow_links: bool = False
    borders: Borders = "block"
    metadata: bool = False
    limits: Limits = field(default_factory=Limits)
    extractors: Sequence[str] = ()
    given: Mapping[str, Path] = field(default_factory=dict)
    on_duplicate: OnDuplicate = "error"
    chosen: Chosen | None = None


def recipe_of(options: Segmentation) -> dict[str, Any]:
    """Return what all shards of a store depend on, beside their files; a manifest has it, too.

    `boilersweep` and `store_version` stand for our code: a version of the package, and a number
    that changes with what becomes of a page.

    Args:
        options: The options, with the collection's format.
    """
    limits = asdict(options.limits)
    for name in _MACHINE_LIMITS:
        del limits[name]
    return {
        "store_version": VERSION,
        "boilersweep": __version__,
        "parser": parser_identity(),
        "dictionary": dictionary(),
        "detector": detector(),
        "options": {
            "collection": options.collection,
            "reading": asdict(options.reading),
            "borders": options.borders,
            "metadata": options.metadata,
            "limits": limits,
            "chosen": options.chosen and options.chosen.as_json(),
        },
    }


def versions(options: Segmentation) -> dict[str, Any]:
    """Return what files of a store depend on where they are made, beside packages of all work."""
    return {
        "recipe": recipe_of(options),
        "extractors": {name: extractor_identity(name) for name in options.extractors},
    }


def reading_in(store: BlockStore) -> Reading:
    """Return how the records of a store's input are read; raise StoreError for another option."""
    stated: dict[str, Any] = store.manifest.options["reading"]
    try:
        return Reading(**stated)
    except TypeError as error:
        raise StoreError(
            f"{store.path}: its manifest has an unknown option: {error}"
        ) from error


def allowance(limits: Limits) -> dict[str, float]:
    """Return what pages may cost of this machine; what is lost with less may not be with more."""
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    memory = pages * os.sysconf("SC_PAGE_SIZE") if pages else 0
    return {
        "seconds": float(limits.seconds),
        "worker_bytes": float(min(limits.worker_bytes, memory or limits.worker_bytes)),
    }


@dataclass(frozen=True, slots=True)
class Task:
    """Some files that become one shard.

    Attributes:
        folder: The folder of the store.
        files: The files, each with its name in the store.
        options: How their pages become blocks.
        recipe: See `recipe_of`.
    """

    folder: Path
    files: tuple[NamedFile, ...]
    options: Segmentation
    recipe: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What tells the task from others of its store, whatever its files contain."""
        return key_of([name for _, name in self.files])

    def part(self, digests: Sequence[str], without: Mapping[str, Any]) -> Part:
        """Return the shard of files with some contents.

        Args:
            digests: The SHA-256 of each file's content.
            without: See `without`.
        """
        names = [name for _, name in self.files]
        files = list(zip(names, digests, strict=True))
        return named_by_key("shard", {**self.recipe, "files": files, **without})


@dataclass(frozen=True, slots=True)
class TextSource:
    """Where the texts beside the blocks come from.

    Attributes:
        name: The name of the texts, and of the extractor if they come from one.
        identity: What the texts depend on beside the pages.
        given: A file of texts that replace an extractor's; None for an extractor.
    """

    name: str
    identity: str
    given: Path | None = None


@dataclass(frozen=True, slots=True)
class TextTask:
    """A shard's pages that become texts beside it.

    Attributes:
        shard: The file of the shard.
        files: As `Task` has them.
        options: As `Task` has them.
        source: Where the texts come from.
    """

    shard: Path
    files: tuple[NamedFile, ...]
    options: Segmentation
    source: TextSource

    def part(self, without: Mapping[str, Any]) -> Part:
        """Return the file of the texts; see `without`."""
        made_of = {"name": self.source.name, "identity": self.source.identity}
        return named_by_key("texts", {**made_of, "shard": self.shard.name, **without})

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        return self.shard.parent

    @property
    def name(self) -> tuple[str, str]:
        """What tells the task from others of its store."""
        return self.source.name, self.shard.name


def named_by_key(kind: str, recipe: Mapping[str, Any]) -> Part:
    """Return a part that is named by the key of its recipe."""
    return Part(f"{kind}-{key_of(recipe)}.parquet", recipe)


def without(facts: ShardFacts | TextFacts) -> dict[str, Any]:
    """Return what tells a file from the one that another run may make, if it lost something."""
    if not (facts.allowed or facts.lost):
        return {}
    return {
        "allowed": facts.allowed,
        "failed": facts.failed,
        "lost": [[lost.reason, lost.place] for lost in facts.lost],
    }


def is_final(facts: ShardFacts | TextFacts, limits: Limits) -> bool:
    """Return whether a file has lost nothing that another run with these limits may not lose.

    What a page costs may be more than before. Files that were set aside, and pages at which workers
    were killed, are tried again in any run: the reason is not their content.
    """
    if any(
        lost.reason == Reason.SET_ASIDE or lost.detail == _KILLED for lost in facts.lost
    ):
        return False
    now = allowance(limits)
    return all(now[name] <= most for name, most in facts.allowed.items())


@dataclass(frozen=True, slots=True)
class Made:
    """A file that a worker has made.

    Attributes:
        part: What it is.
        hidden: Where it is, until the client gives it its name.
        entry: Its size and digest.
        facts: What it counts.
    """

    part: Part
    hidden: Path
    entry: FileEntry
    facts: ShardFacts | TextFacts


def reason_of_loss(loss: DeadRecord) -> Reason:
    """Return the reason for which what workers died of is skipped."""
    if loss.record is None:
        return Reason.SET_ASIDE
    return Reason.OVER_TIME if loss.over_time else Reason.CRASHED


def grouped(named: Sequence[NamedFile], usual: int) -> Iterator[tuple[NamedFile, ...]]:
    """Yield neighbouring files that make a shard.

    A group of several files begins where the digest of a name says so, and so a new or missing file
    changes the group that it is in, and hardly ever another one.

    Args:
        named: The files in the order of the store.
        usual: The usual number of files in a group; the greatest is four times as much.
    """
    group: list[NamedFile] = []
    for path, name in named:
        digest = hashlib.sha256(name.encode()).digest()
        begins = int.from_bytes(digest[:8], "big") % usual == 0
        if group and (begins or len(group) == 4 * usual):
            yield tuple(group)
            group = []
        group.append((path, name))
    if group:
        yield tuple(group)


def group_size(files: int, most: int) -> int:
    """Return the usual number of files in a group, so that many workers have something to do.

    It changes at powers of four, so that a file more regroups few stores.

    Args:
        files: The number of files.
        most: The greatest usual number.
    """
    if files <= most or most == 1:
        return most
    power = math.floor(math.log(files / _GROUPS, 4))
    return min(most, max(_LEAST_GROUP, int(4**power)))


def is_here(root: Path) -> bool:
    """Return whether an input is a file or folder of this machine."""
    return not (is_piped(root) or is_remote(root) or dataset_id(root))


def input_text(root: Input) -> str:
    """Return the input as a manifest names it: several by the folder that has all."""
    if isinstance(root, Inputs):
        return root.folder
    path = root.resolve() if is_here(root) else without_secrets(root)
    return os.fsencode(path).decode("utf-8", "replace")


def named_files(root: Input, files: Sequence[Path]) -> list[NamedFile]:
    """Return files of the input, each with the name by which a store knows it."""
    if dataset_id(str(root)):
        return [(path, str(path)) for path in files]
    inputs = as_inputs(root)
    return [(path, _writable(inputs.name(path))) for path in files]


def _writable(name: str) -> str:
    """Return a file's name that can be written as UTF-8; another name is read as Latin-1."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("latin-1")
    return name
