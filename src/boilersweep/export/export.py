"""From a block store to files of what cleaners keep.

Every file is named by what it is made of, so what exists need not be made again. Several processes
that see the same folder divide the work. The manifest is written last:

manifest.json           what it depends on, counts, and every file with its digest, in the order of
                        the store
duplicates.csv          with --dedup: the documents that were left out, and their twins
learned/KEY.jsonl.gz    what a cleaner keeps of a shard of the store
.tasks/KEY.json         what was counted in the files of a shard
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import asdict
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.language.grammar import Cleaners
from boilersweep.cleaners.language.variants import Variant, collect_variants
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import KINDS
from boilersweep.cleaners.selection import identity_of, leaving_text
from boilersweep.errors import OutputError, UsageError, without_secrets
from boilersweep.export.formats import is_export_name
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import Counts, Exported, ShardTask, export_shard
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_leftovers,
    write_text,
)
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
from boilersweep.outputs.locations import is_remote, output_location
from boilersweep.outputs.locks import Claims, only_writer
from boilersweep.outputs.manifest_file import (
    FileEntry,
    faults,
    listing,
    read_manifest,
)
from boilersweep.outputs.typed_files import as_type
from boilersweep.pages.words import dictionary
from boilersweep.store.duplicates import (
    DEDUP_CODE,
    DUPLICATES,
    by_shard,
    duplicates_csv,
    find_duplicates,
    is_list_of_duplicates,
)
from boilersweep.store.store import BlockStore, as_store
from boilersweep.work.tasks import (
    KEY,
    NOTES,
    Turns,
    key_of,
    make_missing,
    notes_folder,
    replacing,
    run_tasks,
)

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


def _export_identity(
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


def _whole_export(
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


def _require_no_strangers(output: Path, identity: Mapping[str, Any]) -> None:
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


def _exported_of(task: ShardTask) -> Exported | None:
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
        if (exported := _exported_of(task)) is None:
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
            "store": without_secrets(store.path),
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


def export_store(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path | str,
    options: ExportOptions | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportManifest:
    """Write what each variant keeps of a store into a folder of its name.

    An export that exists is brought to the state of the store, and stays whole until the new one
    replaces it. A document of which a variant keeps no word is left out there, and counted.

    Args:
        store: The store.
        variants: What to write.
        output: The folder.
        options: How documents are exported.
        workers: Processes.
        executor: Does the work instead of processes of this machine. Its workers see the store and
            the output at the same paths.
        overwrite: Rebuild another or a damaged export.

    Raises:
        UsageError: The store lacks a text that a variant is or reads, or a variant counts some text
            several times.
        StoreError: A shard is missing or damaged.
        OutputError: Another export or something else is in the folder.
    """
    options = options or ExportOptions()
    for variant in variants:
        leaving_text(variant.cleaner, "export")
    identity = _export_identity(store, variants, options)
    store.require_for([variant.cleaner for variant in variants])
    if options.fields:
        store.require_metadata()
    chosen = store.in_languages(options.languages)
    output = output_location(output)
    with Claims(notes_folder(output)) as claims:
        if manifest := _whole_export(output, identity, overwrite=overwrite):
            return manifest
        _require_no_strangers(output, identity)
        tasks, duplicates = _planned(chosen, variants, output, options, identity)
        folders = [output / variant.name for variant in variants]
        _write(tasks, folders, claims, executor or workers)
        with only_writer(output, waits=True):
            return _whole_export(output, identity, overwrite=overwrite) or seal(
                output, chosen, identity, tasks, duplicates
            )


def _write(
    tasks: Sequence[ShardTask],
    folders: Sequence[Path],
    claims: Claims,
    workers: int | Executor,
) -> None:
    """Write the files that are missing.

    Args:
        tasks: The tasks of all shards.
        folders: The folders of the variants.
        claims: What this process holds.
        workers: The number of processes, or what does the work in their place.
    """

    def make(some: Sequence[ShardTask], turns: Turns) -> int:
        done = run_tasks(
            export_shard,
            some,
            "export",
            "documents",
            size=lambda task: task.store.documents,
            workers=workers,
            turns=turns,
        )
        return len(done)

    for folder in folders:
        make_folder(folder)
    try:
        make_missing(tasks, lambda task: _exported_of(task) is not None, make, claims)
    finally:
        # Workers that died or were ended may have left files half written.
        for folder in folders:
            remove_leftovers(folder)


def _planned(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    options: ExportOptions,
    identity: dict[str, object],
) -> tuple[list[ShardTask], str | None]:
    """Return the tasks of the shards and the list of near-duplicates, if the options want one."""
    # Workers run in other folders
    if not is_remote(output):
        output = output.absolute()
    store = store.absolute()
    cleaners = [variant.cleaner for variant in variants]
    found = (
        find_duplicates(store, cleaners, options.dedup, output) if options.dedup else []
    )
    left_out = [by_shard(some) for some in found]
    recipe = {key: value for key, value in identity.items() if key != "store"}
    tasks = []
    for file, shard in store.by_shard():
        duplicates = [sorted(some.get(file, ())) for some in left_out]
        name = key_of([recipe, shard.fingerprint_for(cleaners), duplicates])
        numbers = list(map(frozenset, duplicates))
        tasks.append(ShardTask(shard, name, tuple(variants), output, options, numbers))
    names = [variant.name for variant in variants]
    listed = dict(zip(names, found, strict=True)) if options.dedup else {}
    return tasks, duplicates_csv(listed) if options.dedup else None


def export(
    store: BlockStore | Path | str,
    cleaners: Cleaners,
    output: Path | str,
    options: ExportOptions | None = None,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportManifest:
    """Write what each cleaner keeps of a store as files, into a folder of its name.

    Files are named by what they are made of: called again, it does nothing if the export is whole,
    continues an unfinished one, follows a store that has changed, and refuses an export that was
    made otherwise. So a task of Airflow or Prefect may be repeated at any time.

    Args:
        store: The block store, or its folder.
        cleaners: One cleaner or several, as text or parsed.
        output: The folder, or a URL.
        options: How documents are exported; by default as JSON lines.
        workers: Processes.
        executor: Does the work instead of processes of this machine; see `export_store`.
        overwrite: Rebuild another or a damaged export.

    Returns:
        What was exported: documents, counts and files.

    Raises:
        UsageError: A cleaner does not exist, or the store lacks a text that it is or reads.
        StoreError: There is no store, or a shard is missing or damaged.
        OutputError: Another export or something else is in the folder.
    """
    return export_store(
        as_store(store),
        collect_variants((), cleaners),
        output,
        options,
        workers=workers,
        executor=executor,
        overwrite=overwrite,
    )
