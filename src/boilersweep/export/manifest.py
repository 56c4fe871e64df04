"""What an export says of itself: `manifest.json` in its folder, written last.

manifest.json           what it depends on, counts, and every file with its digest
duplicates.csv          with --dedup: the documents that were left out, and their twins
learned/00000.jsonl.gz  what a cleaner keeps of the first shard of the store
unfinished/plan.json    until it is whole: what it depends on,
unfinished/00000.json   and which shards are done
"""

import contextlib
import glob
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import KINDS
from boilersweep.cleaners.selection import identity_of
from boilersweep.errors import OutputError, UsageError, reason_of
from boilersweep.export.formats import is_export_name
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import RECEIPTS, Counts, Receipt, ShardTask
from boilersweep.outputs.atomic import (
    make_folder,
    output_errors,
    remove_folder,
    remove_leftovers,
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
    differences,
    some_of,
)
from boilersweep.outputs.manifest_file import (
    FileEntry,
    faults,
    listing,
    read_manifest,
    write_manifest,
)
from boilersweep.outputs.typed_files import as_builtins, as_type
from boilersweep.pages.words import dictionary
from boilersweep.store.near_duplicates import (
    DEDUP_CODE,
    DUPLICATES,
    check_duplicate_counts,
    is_list_of_duplicates,
)
from boilersweep.store.store import BlockStore

PLAN = "plan.json"

# Where the store of an export is that cuts its pages itself.
STORE = "store"


_CODE = Stage("export", ("boilersweep.export", "boilersweep.pages.words"))


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
        kinds: The counts of each kind of page, if the export has them; see `Receipt`.
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
    unlisted=(RECEIPTS, STORE),
)


def export_identity(
    store: BlockStore, variants: Sequence[Variant], options: ExportOptions
) -> dict[str, Any]:
    """Return what an export depends on, as nested JSON.

    Raises:
        UsageError: The folder name of a variant is reserved.
    """
    for variant in variants:
        if variant.name in (STORE, RECEIPTS):
            raise UsageError(
                f"{variant} cannot be exported: its folder name is reserved; rename the texts"
            )
    stages = [CLEAN_CODE, _CODE, *([DEDUP_CODE] if options.dedup else [])]
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
        overwrite: Remove another or a damaged export.

    Raises:
        OutputError: There is another or a damaged export, and it is to stay.
    """
    folder = OutputFolder(output, EXPORT)
    manifest = folder.finished(identity, overwrite=overwrite)
    if manifest is not None:
        _forget(output)  # a kill may have left receipts after the manifest was written
    elif folder.manifest.exists():
        _clear(folder, [identity])
    return manifest


def take_up(
    output: Path,
    identity: Mapping[str, Any],
    tasks: Sequence[ShardTask],
    *,
    overwrite: bool = False,
) -> None:
    """Begin an export, or continue an unfinished one.

    Args:
        output: The folder.
        identity: What the export depends on.
        tasks: All tasks of the export.
        overwrite: Remove another unfinished export.

    Raises:
        OutputError: Another export is to stay, or something else is in the way.
    """
    folder = output / RECEIPTS
    plan = _plan(output)
    if plan is not None and (changes := differences(plan, identity)):
        if not overwrite:
            raise OutputFolder(output, EXPORT).rejection(EXPORT.another(changes))
        _clear(OutputFolder(output, EXPORT), [plan])
        plan = None
    if plan is None and not _is_ours(folder):
        raise OutputError(
            f"{folder} already exists and is not of an unfinished export; move it, or choose "
            "another --output"
        )
    if identity["dedup"] and (output / DUPLICATES).exists() and not _has_list(output):
        raise OutputError(
            f"{output / DUPLICATES} already exists and names no duplicates of an export; move it, "
            "or choose another --output"
        )
    names = list(identity["cleaners"])
    expected = {name for task in tasks for name in task.names()}
    there = [
        f"{name}/{path.name}"
        for name in names
        if (output / name).is_dir()
        for path in visible(output / name)
    ]
    if strange := [name for name in there if name not in expected]:
        raise OutputError(
            f"{output} contains files that are not of this export: {some_of(strange)}; move them, "
            "or choose another --output"
        )
    for path in (folder, *(output / name for name in names)):
        make_folder(path)
        remove_leftovers(path)
    if plan is None:
        write_manifest(folder / PLAN, identity)


def receipt_of(task: ShardTask, *, verify: bool = False) -> Receipt | None:
    """Return the receipt of a task's shard; None without one, or if its files are not whole.

    Args:
        task: The task.
        verify: Compare the files' digests, not only their sizes.
    """
    try:
        receipt = as_type(read_manifest(task.receipt), Receipt)
        sizes = [(task.output / name).stat().st_size for name in receipt.files]
    except (OSError, ValueError):
        return None
    if receipt.identity != task.identity or set(receipt.files) != set(task.names()):
        return None
    if sizes != [entry["bytes"] for entry in receipt.files.values()]:
        return None
    return None if verify and faults(task.output, receipt.files) else receipt


def seal(
    output: Path,
    store: BlockStore,
    identity: Mapping[str, Any],
    receipts: Sequence[Receipt],
) -> ExportManifest:
    """Write the manifest of an export whose files all exist.

    Args:
        output: The folder.
        store: The store in the chosen languages.
        identity: What the export depends on.
        receipts: The receipts of all shards.

    Raises:
        OutputError: Documents are missing.
    """
    counts = {name: Counts() for name in identity["cleaners"]}
    kinds: dict[str, Counter[str]] = {}
    files: dict[str, Any] = {}
    for receipt in receipts:
        files |= receipt.files
        for kind, some in receipt.kinds.items():
            kinds.setdefault(kind, Counter()).update(some)
        for name, one in receipt.counts.items():
            counts[name].add(one)
    for name, one in counts.items():
        if one.total != store.documents:
            raise OutputError(
                f"{output / name} has {one.documents:,} documents, {one.empty:,} left empty and "
                f"{one.duplicates:,} duplicates, the store has {store.documents:,} documents; "
                "pass --overwrite to rebuild it"
            )
    if identity["dedup"]:
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
    manifest = OutputFolder(output, EXPORT).seal(said, identity, files)
    _forget(output)
    return manifest


def check_export(output: Path, store: BlockStore | None) -> Checked:
    """Prove an export again from its files; `store` is the one it was made from, if known."""
    checked = OutputFolder(output, EXPORT).check(
        lambda said: _wrong_counts(output, said, store)
    )
    checked.unseen += (
        [] if store else ["the block store it was made from, which is not here"]
    )
    return checked


def _wrong_counts(
    output: Path, manifest: ExportManifest, store: BlockStore | None
) -> Iterator[str]:
    for name, counts in manifest.counts.items():
        if counts.total != manifest.documents:
            yield f"{name} has {counts.total:,} documents, the store {manifest.documents:,}"
    if manifest.identity.dedup:
        said = {name: counts.duplicates for name, counts in manifest.counts.items()}
        yield from check_duplicate_counts(output, said)
    others = sum(manifest.other_languages.values())
    if store and manifest.documents + others != store.documents:
        yield (
            f"its {manifest.documents:,} documents and {others:,} in other languages are not "
            f"the {store.documents:,} of {store.path}"
        )
    if store and store.fingerprint != manifest.identity.store:
        yield f"it was made from another block store than {store.path}"


def _clear(
    folder: OutputFolder[ExportManifest], identities: Sequence[Mapping[str, Any] | None]
) -> None:
    """Remove an export, whole or not, and the folders of cleaners that `identities` name."""
    manifest = folder.read(overwrite=True)
    known = [*identities, as_builtins(manifest.identity) if manifest else None]
    names = {name for one in known for name in _cleaners(one)}
    own = [
        *([RECEIPTS] if _is_ours(folder.path / RECEIPTS) else []),
        *([DUPLICATES] if _has_list(folder.path) else []),
        *(glob.escape(name) for name in names if _is_of_a_variant(folder.path / name)),
    ]
    folder.clear(own)


def _forget(output: Path) -> None:
    """Remove the receipts; another share may do so at the same time."""
    with output_errors(output), contextlib.suppress(FileNotFoundError):
        if _is_ours(output / RECEIPTS):
            remove_folder(output / RECEIPTS)


def _is_ours(receipts: Path) -> bool:
    """Return whether a folder of receipts is one, or may become one: it holds nothing else."""
    if not receipts.is_dir():
        return not receipts.exists()
    names = (path.name for path in visible(receipts))
    return all(name == PLAN or re.fullmatch(r"\d{5,}\.json", name) for name in names)


def _has_list(output: Path) -> bool:
    """Return whether a folder has a list of duplicates that is one of ours."""
    path = output / DUPLICATES
    return path.is_file() and is_list_of_duplicates(path)


def _cleaners(identity: Mapping[str, Any] | None) -> Collection[str]:
    """Return the names of an export's variants that can be folder names."""
    found = identity.get("cleaners") if identity else None
    return (
        [name for name in found if Path(name).name == name]
        if isinstance(found, dict)
        else []
    )


def _plan(output: Path) -> dict[str, Any] | None:
    try:
        return read_manifest(output / RECEIPTS / PLAN)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise OutputError(
            f"{output / RECEIPTS / PLAN} is not the plan of an export ({reason_of(error)}); "
            f"delete {output / RECEIPTS}, and run the same command again"
        ) from error


def _is_of_a_variant(folder: Path) -> bool:
    if not folder.is_dir() or folder.is_symlink():
        return False
    names = [path.name for path in visible(folder)]
    return bool(names) and all(map(is_export_name, names))


CHECK = OutputCheck(
    check=lambda path, request: [check_export(path, request.store)],
    manifest=EXPORT.name,
    marks=(f"{RECEIPTS}/{PLAN}",),
    parts=(RECEIPTS,),
)
