"""What an index says of itself: `boilersweep.json` in its folder, written last.

Before an index counts as one, what it holds is counted. A folder of parallel indexes is an output
whose parts are indexes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import msgspec
from msgspec.structs import asdict, replace

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.duplicates import DEDUP_CODE
from boilersweep.cleaners.page_model import shipped_model
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner, identity_of
from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import anserini_identity, anserini_version
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import count_index
from boilersweep.indexer.options import IndexOptions
from boilersweep.outputs.identity import (
    CodeVersion,
    __version__,
    code_identity,
    differences,
    some_of,
)
from boilersweep.outputs.manifest_file import faults
from boilersweep.outputs.parts import (
    INDEX_MANIFEST,
    Entry,
    Manifest,
    NotChecked,
    Output,
    files_of,
    key_of,
    write_manifest,
)
from boilersweep.outputs.typed_files import as_builtins, as_type
from boilersweep.store.store import BlockStore

MANIFEST = INDEX_MANIFEST

INDEX_CODE = CodeVersion("index", 2)

# Lucene's empty lock file; it stays when the writer has ended.
LOCK = "write.lock"

# The tokens of an index that has not been counted yet.
UNCOUNTED = -1

_REBUILD = "build it again with `boilersweep index --blocks --overwrite`"

# The name of the one part of an index: its folder.
WHOLE = "."


@dataclass(frozen=True, slots=True)
class IndexRecipe:
    """What an index depends on; two indexes of one recipe are the same.

    Attributes:
        store: The fingerprint of the block store.
        cleaner: The identity of the cleaner, see `boilersweep.cleaners.selection.identity_of`.
        analyzer: How texts became tokens.
        layout: What the index holds of a page beside docids and terms.
        anserini: The version and digest of the Anserini jar.
        code: What stands for our code, see `boilersweep.outputs.identity.code_identity`.
        dedup: See `Dedup.identity`; None if duplicates stay.
        languages: The languages of the documents; none for all.
    """

    store: str
    cleaner: Mapping[str, Any]
    analyzer: AnalyzerOptions
    layout: IndexLayout
    anserini: str
    code: Mapping[str, str]
    dedup: Mapping[str, Any] | None = None
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.cleaner.get("text"), str):
            raise TypeError("expected a cleaner with its text")

    @property
    def cleaner_text(self) -> str:
        """The canonical text of the cleaner."""
        return str(self.cleaner["text"])


def index_recipe(store: str, cleaner: Cleaner, options: IndexOptions) -> IndexRecipe:
    """Return what an index that is built here and now depends on.

    Args:
        store: The fingerprint of the block store.
        cleaner: The cleaner.
        options: How the index is built.

    Raises:
        JavaError: Anserini is not installed.
    """
    dedup = options.dedup
    identity = identity_of(cleaner)
    if options.layout.classes:
        identity["fields"] = identity_of(shipped_model())
    if stored := options.stored_rules:
        identity["stored"] = [*map(identity_of, stored)]
    return IndexRecipe(
        store=store,
        cleaner=identity,
        analyzer=options.analyzer,
        layout=options.layout,
        anserini=anserini_identity(),
        code=code_identity(CLEAN_CODE, INDEX_CODE, *([DEDUP_CODE] if dedup else [])),
        dedup=dedup.identity() if dedup else None,
        languages=tuple(sorted(set(options.languages))),
    )


class ShardEntry(TypedDict):
    """A shard of the store in an index.

    Attributes:
        fingerprint: See `BlockStore.fingerprint_for`.
        documents: The number of indexed documents from this shard.
        placed: How many words of matched texts are in blocks, as of the index.
    """

    fingerprint: str
    documents: int
    placed: Mapping[str, AlignmentCounts]


class IndexFacts(msgspec.Struct, kw_only=True):
    """What the manifest of an index says of the whole.

    Attributes:
        documents: The number of indexed documents.
        empty: The number of documents that the cleaner left without a token; they are not indexed.
        tokens: The number of tokens in the index, with repeats.
        skipped: How many records of the collection became no document, by reason.
        versions: The versions of the software that built the index.
        shards: The shards of the store, if documents say which shard they are from.
        placed: By the name of texts that are matched to blocks, how many words were matched.
        duplicates: The number of documents left out for their twins, which DUPLICATES names.
        other_languages: The number of documents left out for their language, by language.
        by_lucene: The documents whose texts Lucene's own analyzer read, ALL_TEXTS or a sample; for
            all others Lucene was given terms that were counted before.
    """

    documents: int
    empty: int
    tokens: int
    skipped: dict[str, int] = msgspec.field(default_factory=dict)
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    shards: dict[str, ShardEntry] = msgspec.field(default_factory=dict)
    placed: dict[str, AlignmentCounts] = msgspec.field(default_factory=dict)
    duplicates: int = 0
    other_languages: dict[str, int] = msgspec.field(default_factory=dict)
    by_lucene: str = ""


class IndexManifest(IndexFacts, kw_only=True):
    """An index that is whole; identity: what it depends on."""

    identity: IndexRecipe

    def __repr__(self) -> str:
        return (
            f"<IndexManifest: {self.documents:,} documents with {self.tokens:,} tokens, "
            f"{self.empty:,} left empty by {self.identity.cleaner_text}>"
        )


def _verify(
    _: Path, manifest: Manifest[IndexFacts], store: BlockStore | None
) -> Iterator[str]:
    """Compare the counts of an index with those of the store that it was built from."""
    facts = manifest.facts
    if store is None:
        yield NotChecked("the block store it was built from, which is not here")
        return
    if manifest.recipe["store"] != store.fingerprint:
        yield f"it was built from another block store than {store.path}"
        return
    others = sum(facts.other_languages.values())
    there = store.documents_of_all_languages
    if facts.documents + facts.empty + facts.duplicates + others != there:
        duplicates = f", {facts.duplicates:,} duplicates" if facts.duplicates else ""
        languages = f", {others:,} in other languages" if others else ""
        yield (
            f"{facts.documents:,} documents indexed, {facts.empty:,} left "
            f"empty{duplicates}{languages} are not the {there:,} of {store.path}"
        )


def _has_lost_its_manifest(path: Path) -> bool:
    return any(path.glob("segments_*")) and not (path / MANIFEST).is_file()


INDEX = Output(
    name="index",
    command="index",
    facts=IndexFacts,
    recipe=IndexRecipe,
    manifest=MANIFEST,
    error=IndexingError,
    verify=_verify,
    marks=_has_lost_its_manifest,
    unmarked=f"has no {MANIFEST}: another program built this index, or the file was removed; only "
    "indexes of `boilersweep index` can be checked",
)


class ParallelFacts(msgspec.Struct, kw_only=True):
    """What the manifest of a folder of parallel indexes says; boilersweep: who wrote it."""

    boilersweep: str = __version__


PARALLEL = Output(
    name="parallel indexes",
    command="index",
    facts=ParallelFacts,
    grows=("cleaners",),
    error=IndexingError,
)


def write_index_manifest(index: Path, manifest: IndexManifest) -> IndexManifest:
    """Write the manifest of an index with all files that it consists of, and return it."""
    values = asdict(manifest)
    recipe = as_builtins(values.pop("identity"))
    entry = Entry(key=key_of(recipe), files=files_of(index, WHOLE))
    write_manifest(INDEX, index, IndexFacts(**values), recipe, {WHOLE: entry})
    return manifest


def read_manifest(index: Path) -> IndexManifest | None:
    """Return the manifest of an index, or None if there is none.

    Raises:
        IndexingError: The manifest is damaged, or boilersweep did not write it.
    """
    manifest = INDEX.read(index)
    return None if manifest is None else typed(manifest)


def typed(manifest: Manifest[IndexFacts]) -> IndexManifest:
    """Return the manifest of an index with its recipe as a type."""
    recipe = as_type(manifest.recipe, IndexRecipe)
    return IndexManifest(identity=recipe, **asdict(manifest.facts))


def unchanged_manifest(index: Path) -> IndexManifest:
    """Return the manifest of an index that is as it was written, by this version of our code.

    Files are read only if their state is not the listed one, as after a copy.

    Raises:
        IndexingError: There is none, something else changed the index, or it is of another version.
    """
    whole = INDEX.read(index)
    if whole is None:
        raise IndexingError(
            f"{index} has no {MANIFEST}, so that nothing says where its documents' blocks begin; "
            "build an index that knows it with `boilersweep index --blocks`"
        )
    new = {path.name for path in index.iterdir()} - {MANIFEST, LOCK, *whole.files}
    if changes := [*faults(index, whole.files), *(f"{name} is new" for name in new)]:
        raise INDEX.rejection(
            index,
            f"was changed by something else than boilersweep: {some_of(changes)}",
            _REBUILD,
        )
    manifest = typed(whole)
    ours = {stage.name: str(stage.number) for stage in (CLEAN_CODE, INDEX_CODE)}
    made = {name: manifest.identity.code.get(name) for name in ours}
    if changes := differences(made, ours):
        raise INDEX.rejection(
            index, f"was built by other code: {some_of(changes)}", _REBUILD
        )
    return manifest


def indexes_in(folder: Path) -> list[Path]:
    """Return the indexes of boilersweep that are in a folder, by name."""
    return sorted(path.parent for path in folder.glob(f"[!.]*/{MANIFEST}"))


def versions() -> dict[str, str]:
    """Return the versions of boilersweep, pyserini, Anserini, Lucene and Java; the JVM must run."""
    from importlib.metadata import version

    from jnius import autoclass

    from boilersweep.indexer.jvm import java_version

    return {
        "boilersweep": __version__,
        "pyserini": version("pyserini"),
        "anserini": anserini_version(),
        "lucene": str(autoclass("org.apache.lucene.util.Version").LATEST.toString()),
        "java": java_version(),
    }


def complete_manifest(
    folder: Path, added: IndexManifest, store: BlockStore
) -> IndexManifest:
    """Reopen a committed index, compare it with what was added, and write its manifest.

    Args:
        folder: The folder of the index.
        added: What the index should hold; `tokens` is UNCOUNTED if Lucene alone counts them.
        store: The store whose counts tell how many documents are empty and which records were
            skipped.

    Returns:
        The manifest.

    Raises:
        IndexingError: The index holds something else.
    """
    documents, tokens = count_index(folder)
    if added.documents != documents or added.tokens not in (UNCOUNTED, tokens):
        raise IndexingError(
            f"the index for {added.identity.cleaner_text} was given {added.documents:,} documents "
            f"with {max(added.tokens, 0):,} tokens, but holds {documents:,} with "
            f"{tokens:,}; build it again"
        )
    left_out = added.duplicates + sum(added.other_languages.values())
    whole = replace(
        added,
        tokens=tokens,
        empty=store.documents_of_all_languages - added.documents - left_out,
        skipped=dict(store.skipped),
        versions=versions(),
    )
    (folder / LOCK).unlink(missing_ok=True)
    return write_index_manifest(folder, whole)
