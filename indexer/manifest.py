"""What an index says of itself: `boilersweep.json` in its folder, written last.

Before an index counts as one, what it holds is counted; before one that is there is used again,
its recipe is compared, and its files with their digests. `check_index` does the latter for
`boilersweep check`, and compares counts with the store's.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner, identity_of
from boilersweep.errors import BoilersweepError, IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import anserini_identity, anserini_version
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import count_index
from boilersweep.indexer.options import ALL_TEXTS, IndexOptions
from boilersweep.outputs.atomic import output_errors, remove_folder
from boilersweep.outputs.folder import (
    ADVICE,
    INDEX_MANIFEST,
    Checked,
    CheckRequest,
    OutputCheck,
    OutputFolder,
    OutputKind,
)
from boilersweep.outputs.identity import Stage, __version__, code_identity, some_of
from boilersweep.outputs.manifest_file import Listing, OutputManifest
from boilersweep.store.duplicates import DEDUP_CODE, DUPLICATES
from boilersweep.store.store import BlockStore

MANIFEST = INDEX_MANIFEST

INDEX_CODE = Stage("index", 2)

# Lucene's empty lock file; it stays when the writer has ended.
LOCK = "write.lock"

# The tokens of an index that has not been counted yet.
UNCOUNTED = -1


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
        identity["fields"] = identity_of(Learned())
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


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """An index that is whole.

    Attributes:
        identity: What the index depends on.
        documents: The number of indexed documents.
        empty: The number of documents that the cleaner left without a token; they are not indexed.
        tokens: The number of tokens in the index, with repeats.
        skipped: How many records of the collection became no document, by reason.
        versions: The versions of the software that built the index.
        shards: The shards of the store, if documents say which shard they are from.
        placed: By the name of texts that are matched to blocks, how many words were matched.
        files: The files of Lucene's commit. They differ between indexes of one recipe, as Lucene
            draws random ids.
        duplicates: The number of documents left out for their twins, which DUPLICATES names.
        other_languages: The number of documents left out for their language, by language.
        by_lucene: The documents whose texts Lucene's own analyzer read, ALL_TEXTS or a sample; for
            all others Lucene was given terms that were counted before.
    """

    identity: IndexRecipe
    documents: int
    empty: int
    tokens: int
    skipped: dict[str, int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    shards: dict[str, ShardEntry] = field(default_factory=dict)
    placed: Mapping[str, AlignmentCounts] = field(default_factory=dict)
    files: Listing = field(default_factory=dict, compare=False)
    duplicates: int = 0
    other_languages: dict[str, int] = field(default_factory=dict)
    by_lucene: str = ""

    def __repr__(self) -> str:
        return (
            f"<IndexManifest: {self.documents:,} documents with {self.tokens:,} tokens, "
            f"{self.empty:,} left empty by {self.identity.cleaner['text']}>"
        )


INDEX = OutputKind(
    name="index",
    command="index",
    manifest_type=IndexManifest,
    is_exact=True,
    strict=lambda _: ("",),
    unlisted=(LOCK,),
    manifest=MANIFEST,
    error=IndexingError,
)


# The list of the indexes that a folder of parallel indexes consists of.
LISTING = OutputKind(
    name="parallel indexes",
    command="index",
    manifest_type=OutputManifest,
    unlisted=("*",),
    manifest="indexes.json",
    error=IndexingError,
)


def list_indexes(folder: Path) -> None:
    """Write the list of a folder's parallel indexes unless it is right; raise OutputError."""
    names = [f"{path.name}/{MANIFEST}" for path in indexes_in(folder)]
    listing = OutputFolder(folder, LISTING)
    listed = listing.read(overwrite=True)
    if listed is None or list(listed.files) != names or listing.damage(listed):
        listing.seal({}, {}, names)


def write_manifest(index: Path, manifest: IndexManifest) -> IndexManifest:
    """Write the manifest of an index with all files that it consists of, and return it."""
    values = asdict(manifest)
    identity, _ = values.pop("identity"), values.pop("files")
    return OutputFolder(index, INDEX).seal(values, identity, _names(index))


def read_manifest(index: Path) -> IndexManifest | None:
    """Return the manifest of an index, or None if there is none.

    Raises:
        IndexingError: Boilersweep did not write the manifest.
    """
    return OutputFolder(index, INDEX).read()


def unchanged_manifest(index: Path) -> IndexManifest:
    """Return the manifest of an index whose files have the names and sizes that it lists.

    Raises:
        IndexingError: There is none, or something else changed the index.
    """
    manifest = read_manifest(index)
    sizes = {name: (index / name).stat().st_size for name in _names(index)}
    if manifest is None or sizes != {
        name: entry["bytes"] for name, entry in manifest.files.items()
    }:
        raise IndexingError(
            f"{index} is not as `boilersweep index` wrote it: something else changed its files, or "
            "they are damaged; build it again with --overwrite"
        )
    return manifest


def indexes_in(folder: Path) -> list[Path]:
    """Return the indexes of boilersweep that are in a folder, by name."""
    return [path for path in index_folders(folder) if (path / MANIFEST).is_file()]


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


# The names of Lucene's files.
_LUCENE_FILE = re.compile(
    r"(pending_)?segments_[0-9a-z]+|_[0-9a-z]+(_[A-Za-z0-9_]+)?\.[a-z]+"
)


def seal(folder: Path, added: IndexManifest, store: BlockStore) -> IndexManifest:
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
    return write_manifest(folder, whole)


def sealed_index(
    path: Path,
    recipe: IndexRecipe,
    *,
    overwrite: bool = False,
    by_lucene: str = "",
    advice: str = ADVICE,
) -> IndexManifest | None:
    """Return the manifest of a whole index of this recipe; None if there is no index.

    Args:
        path: The folder of the index.
        recipe: What it should depend on.
        overwrite: Remove another or a damaged index; anything that is no index stays.
        by_lucene: Also remove an index of this recipe for which Lucene's analyzer read neither
            these texts nor all.
        advice: What to do about an index of another state of the store.

    Raises:
        IndexingError: Something else is there.
    """
    wrong = index_fault(path, recipe)
    if wrong is None:
        manifest = read_manifest(path)
        if (
            manifest is None
            or not by_lucene
            or manifest.by_lucene in (ALL_TEXTS, by_lucene)
        ):
            return manifest
    elif not _is_index(path):
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise IndexingError(
                f"{path} already exists and is not an index of boilersweep; move it, or choose "
                "another --output"
            )
        return None
    elif not overwrite:
        before = read_manifest(path)
        is_older = before and not index_fault(
            path, replace(recipe, store=before.identity.store)
        )
        raise OutputFolder(path, INDEX).rejection(wrong, advice if is_older else ADVICE)
    with output_errors(path):
        remove_folder(path)
    return None


def index_to_update(path: Path, recipe: IndexRecipe) -> IndexManifest | None:
    """Return the manifest of an index that differs from a recipe only in the store's state.

    Return None if there is no index, or if it is of the recipe already.

    Raises:
        IndexingError: The index has another recipe, or is damaged.
    """
    manifest = read_manifest(path)
    if manifest is None or manifest.identity == recipe:
        return None
    if (
        wrong := index_fault(path, replace(recipe, store=manifest.identity.store))
    ) is not None:
        raise OutputFolder(path, INDEX).rejection(
            wrong,
            "--update brings a complete index that was built in the same way to a new state of "
            "the store: choose another --output, or pass --overwrite instead of --update to "
            "rebuild it",
        )
    return manifest


def require_no_others(
    folder: Path, names: Collection[str], *, overwrite: bool = False
) -> None:
    """Require that a folder has no other indexes than these names; hidden ones do not count.

    Args:
        folder: The folder of parallel indexes.
        names: The names of the indexes that may be there.
        overwrite: Remove other indexes.

    Raises:
        IndexingError: There are others; the message names them.
    """
    others = [path for path in index_folders(folder) if path.name not in names]
    if others and not overwrite:
        raise IndexingError(
            f"{folder} has indexes that are not asked for: "
            f"{some_of([path.name for path in others])}; {ADVICE}"
        )
    for path in others:
        with output_errors(path):
            remove_folder(path)
    if overwrite:
        (folder / LISTING.manifest).unlink(missing_ok=True)


def index_folders(folder: Path) -> list[Path]:
    """Return the indexes in a folder, whole or not, by name."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in paths if not path.name.startswith(".") and _is_index(path)]


def _is_index(path: Path) -> bool:
    """Whether a folder holds an index of boilersweep, whole or not, and nothing else."""
    names = _names(path) if path.is_dir() else []
    lucene = [name for name in names if name != DUPLICATES]
    return (path / MANIFEST).is_file() or (
        bool(lucene) and all(map(_LUCENE_FILE.fullmatch, lucene))
    )


def index_fault(path: Path, recipe: IndexRecipe) -> str | None:
    """Return why there is no whole index of a recipe, see `OutputFolder.mismatch`."""
    try:
        return OutputFolder(path, INDEX).mismatch(asdict(recipe))
    except IndexingError as error:
        return f"cannot be used: {error}"


def _names(index: Path) -> list[str]:
    """Return the files that make an index, in the order of their names."""
    return sorted(
        path.name for path in index.iterdir() if path.name not in (MANIFEST, LOCK)
    )


def check_index(path: Path, store: BlockStore | None) -> Checked:
    """Compare an index with its manifest.

    Args:
        path: The folder of the index.
        store: The block store it was built from, where that is known.
    """
    checked = OutputFolder(path, INDEX).check(lambda manifest: _faults(manifest, store))
    checked.unseen += (
        [] if store else ["the block store it was built from, which is not here"]
    )
    return checked


def _faults(manifest: IndexManifest, store: BlockStore | None) -> Iterator[str]:
    if store is None:
        return
    if manifest.identity.store != store.fingerprint:
        yield f"it was built from another block store than {store.path}"
        return
    others = sum(manifest.other_languages.values())
    there = store.documents_of_all_languages
    if manifest.documents + manifest.empty + manifest.duplicates + others != there:
        duplicates = (
            f", {manifest.duplicates:,} duplicates" if manifest.duplicates else ""
        )
        languages = f", {others:,} in other languages" if others else ""
        yield (
            f"{manifest.documents:,} documents indexed, {manifest.empty:,} left "
            f"empty{duplicates}{languages} are not the {there:,} of {store.path}"
        )


def _check(path: Path, request: CheckRequest) -> Iterator[Checked]:
    if _is_index(path) and not (path / MANIFEST).exists():
        checked = Checked("index", path)
        checked.faults.append(
            f"{path} has no {MANIFEST}: another program built this index, or the file was "
            "removed; only indexes of `boilersweep index` can be checked"
        )
        yield checked
        return
    if _is_index(path):
        yield check_index(path, request.store)
        return
    checked = Checked("parallel indexes", path)
    listing = OutputFolder(path, LISTING)
    if listing.manifest.exists():
        checked = listing.check()
    checked.faults += _copies(path)
    if checked.faults or listing.manifest.exists():
        yield checked


def _copies(folder: Path) -> Iterator[str]:
    """Yield a sentence for each parallel index that is a copy of another one beside it."""
    known: list[tuple[IndexManifest, str]] = []
    for path in index_folders(folder):
        try:
            manifest = read_manifest(path)
        except BoilersweepError:  # reported where the index itself is checked
            continue
        if manifest is None or manifest.identity.layout.positions:
            continue
        for other, name in known:
            if other.identity == manifest.identity:
                yield f"{path.name} is a copy of {name}; move it elsewhere"
        known.append((manifest, path.name))


def _is_recognised(path: Path) -> bool:
    return (
        _is_index(path)
        or (path / LISTING.manifest).exists()
        or bool(index_folders(path))
    )


CHECK = OutputCheck(check=_check, recognises=_is_recognised)
