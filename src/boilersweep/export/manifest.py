"""What an export says of itself: `manifest.json` in its folder, written last.

manifest.json           what it depends on, counts, and every file with its digest, in the order of
                        the store
duplicates.csv          with --dedup: the documents that were left out, and their twins
learned/KEY.jsonl.gz    what a cleaner keeps of a shard of the store
.tasks/KEY.json         what was counted in the files of a shard
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import KINDS
from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import OutputError, UsageError
from boilersweep.export.formats import is_export_name
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import Counts, Exported, ShardTask
from boilersweep.outputs.atomic import output_errors, write_text
from boilersweep.outputs.folder import (
    Checked,
    OutputCheck,
    OutputFolder,
    OutputKind,
    visible,
)
from boilersweep.outputs.identity import (
    Stage,
    __version__,
    code_identity,
    some_of,
)
from boilersweep.outputs.manifest_file import (
    FileEntry,
    faults,
    listing,
    read_manifest,
)
from boilersweep.outputs.typed_files import as_type
from boilersweep.pages.words import dictionary
from boilersweep.store.near_duplicates import (
    DEDUP_CODE,
    DUPLICATES,
    is_list_of_duplicates,
)
from boilersweep.store.store import BlockStore
from boilersweep.work.tasks import KEY, NOTES, replacing

# Where the store of an export is that cuts its pages itself.
STORE = "store"


EXPORT_CODE = Stage("export", 1)


class ExportIdentity(msgspec.Struct, kw_only=True):
    """What readers of an export know of its identity.

    Attributes:
        store: The fingerprint of the block store.
        cleaners: The cleaners' identities by the names of their folders.
        passages: The options of passages; None for whole documents.
        dedup: The identity of the deduplication; None if duplicates stay.
    """

    store: str
    cleaners: dict[str, dict[str, Any]]
    passages: Any = None
    dedup: Any = None


class ExportManifest(msgspec.Struct, kw_only=True):
    """The manifest of an export.

    Attributes:
        identity: What the export depends on.
        files: The files that the export consists of.
        documents: The number of the store's documents in the chosen languages.
        other_languages: The numbers of the other documents by language.
        counts: The counts of each cleaner's folder.
        kinds: The counts of each kind of page, if the export has them; see `Exported`.
    """

    identity: ExportIdentity
    files: dict[str, FileEntry]
    documents: int
    other_languages: dict[str, int]
    counts: dict[str, Counts]
    kinds: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)


EXPORT = OutputKind(
    name="export",
    command="export",
    manifest_type=ExportManifest,
    strict=lambda manifest: manifest.identity.cleaners,
    unlisted=(STORE,),
    begun=(f"*/{KEY}.*",),
    follows=("store",),
)


def export_identity(
    store: BlockStore, variants: Sequence[Variant], options: ExportOptions
) -> dict[str, Any]:
    """Return what an export depends on, as nested JSON.

    Raises:
        UsageError: The folder name of a variant is reserved.
    """
    for variant in variants:
        if variant.name == STORE:
            raise UsageError(
                f"{variant} cannot be exported: its folder name is reserved; rename the texts"
            )
    stages = [CLEAN_CODE, EXPORT_CODE, *([DEDUP_CODE] if options.dedup else [])]
    return {
        "store": store.fingerprint,
        "cleaners": {
            variant.name: identity_of(variant.cleaner) for variant in variants
        },
        **options.as_json(),
        **({"model": Learned().model_digest()} if options.classes else {}),
        **({"words": dictionary()} if options.passages else {}),
        "code": code_identity(*stages),
    }


def whole_export(
    output: Path, identity: Mapping[str, Any], *, overwrite: bool = False
) -> ExportManifest | None:
    """Return the manifest of the whole export in a folder, or None.

    Args:
        output: The folder.
        identity: What the export is to depend on.
        overwrite: Treat another or a damaged export as missing.

    Raises:
        OutputError: There is another or a damaged export, and it is to stay.
    """
    manifest = OutputFolder(output, EXPORT).finished(identity, overwrite=overwrite)
    if manifest is not None:
        with _replacing(output, manifest, manifest.files):
            pass
    return manifest


def require_no_strangers(output: Path, identity: Mapping[str, Any]) -> None:
    """Raise OutputError if something is in the way that no export has written."""
    listed = output / DUPLICATES
    if identity["dedup"] and listed.exists() and not is_list_of_duplicates(listed):
        raise OutputError(
            f"{listed} already exists and names no duplicates of an export; move it, or choose "
            "another --output"
        )
    there = [
        f"{name}/{path.name}"
        for name in identity["cleaners"]
        if (output / name).is_dir()
        for path in visible(output / name)
    ]
    if strange := [name for name in there if not _is_own(name)]:
        raise OutputError(
            f"{output} contains files that are not of this export: {some_of(strange)}; move them, "
            "or choose another --output"
        )


def exported_of(task: ShardTask) -> Exported | None:
    """Return what was written of a task's shard; None if its files are not as they were written."""
    try:
        exported = as_type(read_manifest(task.note), Exported)
    except (OSError, ValueError):
        return None
    is_whole = set(exported.files) == set(task.names())
    return exported if is_whole and not faults(task.output, exported.files) else None


def seal(
    output: Path,
    store: BlockStore,
    identity: Mapping[str, Any],
    tasks: Sequence[ShardTask],
    duplicates: str | None,
) -> ExportManifest:
    """Write the manifest of an export whose files all exist; then those that it replaces go.

    Args:
        output: The folder, which the caller holds.
        store: The store in the chosen languages.
        identity: What the export depends on.
        tasks: The tasks of all shards.
        duplicates: The text of the list of near-duplicates, None for none.

    Raises:
        OutputError: Documents or files are missing.
    """
    counts = {name: Counts() for name in identity["cleaners"]}
    kinds: dict[str, Counter[str]] = {}
    files: dict[str, Any] = {}
    for task in tasks:
        if (exported := exported_of(task)) is None:
            raise OutputError(
                f"{output} was changed by another process meanwhile; run the command again"
            )
        files |= exported.files
        for kind, some in exported.kinds.items():
            kinds.setdefault(kind, Counter()).update(some)
        for name, one in exported.counts.items():
            counts[name].add(one)
    for name, one in counts.items():
        if one.total != store.documents:
            raise OutputError(
                f"{output / name} has {one.documents:,} documents, {one.empty:,} left empty and "
                f"{one.duplicates:,} duplicates, the store has {store.documents:,} documents; "
                "pass --overwrite to rebuild it"
            )
    folder = OutputFolder(output, EXPORT)
    names = [*files, *([] if duplicates is None else [DUPLICATES])]
    with _replacing(output, folder.read(overwrite=True), names):
        if duplicates is not None:
            with output_errors(output):
                folder.manifest.unlink(missing_ok=True)  # it may list another list
            write_text(output / DUPLICATES, duplicates)
            files |= listing(output, [DUPLICATES])
        said: dict[str, Any] = {
            "boilersweep": __version__,
            "store": str(store.path),
            "documents": store.documents,
            "other_languages": store.other_languages,
            "counts": {name: asdict(one) for name, one in counts.items()},
        }
        if identity["classes"]:
            said["kinds"] = {kind: dict(kinds[kind]) for kind in KINDS if kind in kinds}
        return folder.seal(said, identity, files)


def _replacing(
    output: Path, before: ExportManifest | None, files: Iterable[str]
) -> AbstractContextManager[None]:
    """Let the files go that an export had or killed runs left, and the notes of them."""
    notes = {f"{NOTES}/{PurePosixPath(name).name.split('.')[0]}.json" for name in files}
    new = {*files, *notes}
    left = OutputFolder(output, EXPORT).names(
        chain.from_iterable(map(output.glob, (*EXPORT.begun, f"{NOTES}/*.json")))
    )
    known = {PurePosixPath(name).parts[0] for name in new}
    old = {name for name in left if PurePosixPath(name).parts[0] in known}
    return replacing(output, {*old, *(before.files if before else ())}, new, _is_own)


def check_export(output: Path, store: BlockStore | None) -> Checked:
    """Compare an export with its manifest; `store` is the one it was made from, if known."""
    checked = OutputFolder(output, EXPORT).check(
        lambda said: _wrong_counts(said, store)
    )
    checked.unseen += (
        [] if store else ["the block store it was made from, which is not here"]
    )
    return checked


def _wrong_counts(manifest: ExportManifest, store: BlockStore | None) -> Iterator[str]:
    for name, counts in manifest.counts.items():
        if counts.total != manifest.documents:
            yield f"{name} has {counts.total:,} documents, the store {manifest.documents:,}"
    others = sum(manifest.other_languages.values())
    if store and manifest.documents + others != store.documents:
        yield (
            f"its {manifest.documents:,} documents and {others:,} in other languages are not "
            f"the {store.documents:,} of {store.path}"
        )
    if store and store.fingerprint != manifest.identity.store:
        yield f"it was made from another block store than {store.path}"


def _is_own(name: str) -> bool:
    """Return whether a file below an export has a name that exports give."""
    folder, _, file = name.rpartition("/")
    if folder == NOTES:
        return fnmatch(file, f"{KEY}.json")
    return name == DUPLICATES or (bool(folder) and is_export_name(file))


CHECK = OutputCheck(
    check=lambda path, request: [check_export(path, request.store)],
    manifest=EXPORT.name,
    marks=EXPORT.begun,
)
