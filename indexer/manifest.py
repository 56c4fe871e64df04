"""What an index says of itself: `boilersweep.json` in its folder, written last.

Before an index counts as one, what it holds is counted; before one that is there is used again,
its recipe is compared, and its files with their digests.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypedDict

from boilersweep.cleaners.extractor_blocks import (
    AlignmentCounts,
    AlignmentJson,
    alignment_json,
    sum_alignments,
)
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.selection import Cleaner, identity_of
from boilersweep.errors import IndexingError, UsageError, reason_of
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.jvm import anserini_identity, anserini_version
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import count_index
from boilersweep.outputs.files import output_errors, remove_folder
from boilersweep.outputs.folder import ADVICE, INDEX_MANIFEST, KIND, Kind, OutputFolder
from boilersweep.outputs.identity import __version__, code_identity, some_of
from boilersweep.outputs.manifest_file import Listing
from boilersweep.store.near_duplicates import DUPLICATES, Dedup
from boilersweep.store.store import BlockStore

MANIFEST = INDEX_MANIFEST

LOCK = "write.lock"
"""Lucene's, empty, of whoever writes or wrote last."""

ALL_TEXTS = "all documents"

_PLACED = {str: {"words": int, "placed": int}}

INDEX = Kind(
    name="index",
    command="index",
    shape={
        "identity": {
            "store": str,
            "cleaner": {"text": str},
            "analyzer": {
                "language": str,
                "stemmer": str,
                "keep_stopwords": bool,
                "pretokenized": bool,
            },
            "layout": {
                "fields": [str],
                **{one.name: bool for one in fields(IndexLayout) if one.name != "fields"},
            },
            "anserini": str,
            "code": {str: str},
        },
        "documents": int,
        "empty": int,
        "tokens": int,
        "skipped": {str: int},
        "shards": {str: {"fingerprint": str, "documents": int, "placed": _PLACED}},
        "placed": _PLACED,
        "versions": {str: str},
        "duplicates": int,
        "other_languages": {str: int},
        "by_lucene": str,
    },
    strict=lambda _: ("",),
    unlisted=(LOCK,),
    manifest=MANIFEST,
    error=IndexingError,
)


@dataclass(frozen=True, slots=True)
class IndexRecipe:
    """What an index depends on; two indexes of one recipe are the same.

    store: fingerprint of the block store. cleaner: see
    `boilersweep.cleaners.selection.identity_of`.
    layout: what it holds of a page beside that. anserini: version and digest of its jar. code: see
    `boilersweep.outputs.identity.code_identity`. dedup: see `Dedup.identity`, None where
    duplicates stay.
    languages: of the documents; none for all.
    """

    store: str
    cleaner: Mapping[str, Any]
    analyzer: AnalyzerOptions
    layout: IndexLayout
    anserini: str
    code: Mapping[str, str]
    dedup: Mapping[str, Any] | None = None
    languages: Sequence[str] = ()

    @property
    def cleaner_text(self) -> str:
        """The cleaner as it is written."""
        return str(self.cleaner["text"])


def index_recipe(
    store: str,
    cleaner: Cleaner,
    analyzer: AnalyzerOptions,
    layout: IndexLayout,
    dedup: Dedup | None = None,
    languages: Sequence[str] = (),
) -> IndexRecipe:
    """What an index made here and now depends on; raises JavaError where there is no Anserini."""
    stages = ("clean", "index", "dedup") if dedup else ("clean", "index")
    identity = identity_of(cleaner)
    if layout.classes:
        identity["fields"] = identity_of(Learned())
    return IndexRecipe(
        store,
        identity,
        analyzer,
        layout,
        anserini_identity(),
        code_identity(*stages),
        dedup.identity() if dedup else None,
        tuple(sorted(set(languages))),
    )


class ShardEntry(TypedDict):
    """A shard of the store in an index. fingerprint: see `BlockStore.fingerprint_for`.

    documents: of those that are from it. placed: as of the index.
    """

    fingerprint: str
    documents: int
    placed: AlignmentJson


@dataclass(frozen=True, slots=True)
class IndexManifest:
    """An index that is whole.

    documents: indexed. empty: left without a token by the cleaner, and not indexed. duplicates:
    left out for their twins, which DUPLICATES names. other_languages: documents left out for their
    language, by that.
    tokens: in the index, with repeats. skipped: records of the collection that became no
    document, by reason. versions: of what made it. shards: of the store, where documents say which
    they are from. files: of Lucene's commit; they differ between indexes that are the same, as
    Lucene draws random ids. by_lucene: the documents whose text its own analyzer read, ALL_TEXTS
    or a sample; of all others it was given terms that were counted before.
    """

    recipe: IndexRecipe
    documents: int
    empty: int
    tokens: int
    skipped: dict[str, int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    shards: dict[str, ShardEntry] = field(default_factory=dict)
    placed: AlignmentJson = field(default_factory=dict)
    files: Listing = field(default_factory=dict, compare=False)
    duplicates: int = 0
    other_languages: dict[str, int] = field(default_factory=dict)
    by_lucene: str = ""


def write_manifest(index: Path, manifest: IndexManifest) -> IndexManifest:
    """Write the manifest of an index with all files that it consists of, and return it."""
    said = asdict(manifest)
    identity, _ = said.pop("recipe"), said.pop("files")
    written = OutputFolder(index, INDEX).seal(said, identity, _names(index))
    return replace(manifest, files=written["files"])


def read_manifest(index: Path) -> IndexManifest | None:
    """The manifest of the index, None where there is none.

    Raises IndexingError where it is not what boilersweep wrote.
    """
    said = OutputFolder(index, INDEX).read()
    if said is None:
        return None
    try:
        recipe = said.pop("identity")
        analyzer = AnalyzerOptions(**recipe.pop("analyzer"))
        layout = IndexLayout.of_json(recipe.pop("layout"))
        languages = tuple(recipe.pop("languages", ()))
        del said[KIND]
        return IndexManifest(
            recipe=IndexRecipe(**recipe, analyzer=analyzer, layout=layout, languages=languages),
            **said,
        )
    except (UsageError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexingError(
            f"{index / MANIFEST} is not the manifest of an index of this boilersweep "
            f"({reason_of(error)}); rebuild it with --overwrite, or choose another folder"
        ) from error


def indexes_in(folder: Path) -> list[Path]:
    """The indexes of boilersweep that are in a folder, by name."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in folder.iterdir()
        if not path.name.startswith(".") and (path / MANIFEST).is_file()
    )


def versions() -> dict[str, str]:
    """Versions of boilersweep, pyserini, Anserini, Lucene and Java; the JVM must run."""
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


_LUCENE = re.compile(r"(pending_)?segments_[0-9a-z]+|_[0-9a-z]+(_[A-Za-z0-9_]+)?\.[a-z]+")
"""How Lucene names files."""


@dataclass(slots=True)
class IndexedCounts:
    """What was added to an index. tokens: with repeats, None where Lucene alone counts them.

    shards, duplicates, other_languages, by_lucene: see `IndexManifest`. placed: by name of the
    texts that are matched to blocks.
    """

    documents: int = 0
    tokens: int | None = None
    shards: dict[str, ShardEntry] = field(default_factory=dict)
    placed: dict[str, AlignmentCounts] = field(default_factory=dict)
    duplicates: int = 0
    other_languages: dict[str, int] = field(default_factory=dict)
    by_lucene: str = ""

    def add_alignments(self, placed: Mapping[str, AlignmentCounts]) -> None:
        """Add those of more documents."""
        self.placed = sum_alignments(self.placed, placed)


def seal(
    folder: Path, recipe: IndexRecipe, added: IndexedCounts, store: BlockStore
) -> IndexManifest:
    """Reopen a committed index, compare it with what was added, write its manifest into it.

    Raises IndexingError where it holds something else.
    """
    others = sum(added.other_languages.values())
    empty = store.documents_of_all_languages - added.documents - added.duplicates - others
    return seal_counts(folder, recipe, added, empty, store.skipped)


def seal_counts(
    folder: Path, recipe: IndexRecipe, added: IndexedCounts, empty: int, skipped: Mapping[str, int]
) -> IndexManifest:
    """As `seal`, where the store need not be there. empty, skipped: see `IndexManifest`."""
    counts = count_index(folder)
    if added.documents != counts.documents or added.tokens not in (None, counts.tokens):
        raise IndexingError(
            f"the index for {recipe.cleaner_text} was given {added.documents:,} documents with "
            f"{added.tokens or 0:,} tokens, but holds {counts.documents:,} with "
            f"{counts.tokens:,}; build it again"
        )
    (folder / LOCK).unlink(missing_ok=True)
    manifest = IndexManifest(
        recipe=recipe,
        documents=counts.documents,
        empty=empty,
        tokens=counts.tokens,
        skipped=dict(skipped),
        shards=added.shards,
        placed=alignment_json(added.placed),
        versions=versions(),
        duplicates=added.duplicates,
        other_languages=added.other_languages,
        by_lucene=added.by_lucene,
    )
    return write_manifest(folder, manifest)


def sealed_index(
    path: Path, recipe: IndexRecipe, *, overwrite: bool = False, by_lucene: str = ""
) -> IndexManifest | None:
    """The manifest of the index if it is there, whole and of this recipe; None if nothing is.

    overwrite: remove another or a damaged index; what is no index at all stays. by_lucene: remove
    one of this recipe, too, for which Lucene's analyzer did not read these texts, or all.
    Raises IndexingError where something else is there.
    """
    wrong = index_fault(path, recipe)
    if wrong is None:
        manifest = read_manifest(path)
        if manifest is None or not by_lucene or manifest.by_lucene in (ALL_TEXTS, by_lucene):
            return manifest
        with output_errors(path):
            remove_folder(path)
    elif is_index(path):
        if not overwrite:
            raise OutputFolder(path, INDEX).rejection(wrong)
        with output_errors(path):
            remove_folder(path)
    elif path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise IndexingError(
            f"{path} already exists and is not an index of boilersweep; move it, or choose "
            "another --output"
        )
    return None


def index_to_update(path: Path, recipe: IndexRecipe) -> IndexManifest | None:
    """The manifest of an index that only the state of the store tells from that of a recipe.

    None where there is no index, or it is of the recipe already. Raises IndexingError where there
    is another, or a damaged one.
    """
    manifest = read_manifest(path)
    if manifest is None or manifest.recipe == recipe:
        return None
    if (wrong := index_fault(path, replace(recipe, store=manifest.recipe.store))) is not None:
        raise OutputFolder(path, INDEX).rejection(
            wrong,
            "--update brings a complete index that was built in the same way to a new state of "
            "the store: choose another --output, or pass --overwrite instead of --update to "
            "rebuild it",
        )
    return manifest


def require_no_others(folder: Path, names: Collection[str], *, overwrite: bool = False) -> None:
    """See that a folder has no index beside those of some names; those being written are hidden.

    overwrite: remove others. Raises IndexingError that names them where they are to stay.
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


def index_folders(folder: Path) -> list[Path]:
    """The indexes in a folder, whole or not, by name."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in paths if not path.name.startswith(".") and is_index(path)]


def is_index(path: Path) -> bool:
    """Whether a folder holds an index of boilersweep, whole or not, and nothing else."""
    names = _names(path) if path.is_dir() else []
    lucene = [name for name in names if name != DUPLICATES]
    return (path / MANIFEST).is_file() or (bool(lucene) and all(map(_LUCENE.fullmatch, lucene)))


def file_faults(index: Path, manifest: IndexManifest) -> list[str]:
    """What is wrong with the files of an index: missing, changed, or not of it."""
    return OutputFolder(index, INDEX).damage({"files": manifest.files})


def index_fault(path: Path, recipe: IndexRecipe) -> str | None:
    """Why there is no whole index of a recipe, see `OutputFolder.mismatch`."""
    folder = OutputFolder(path, INDEX)
    try:
        read_manifest(path)  # raises for a recipe that cannot be read
        return folder.mismatch(folder.read(), asdict(recipe))
    except IndexingError as error:
        return f"cannot be used: {error}"


def _names(index: Path) -> list[str]:
    """The files that make an index, in the order of their names."""
    return sorted(path.name for path in index.iterdir() if path.name not in (MANIFEST, LOCK))
