"""What an export says of itself: `manifest.json` in its folder, written last.

manifest.json           what it depends on, counts, and every file with its digest
duplicates.csv          with --dedup: the documents that were left out, and their twins
learned/00000.jsonl.gz  what a cleaner keeps of the first shard of the store
unfinished/plan.json    until it is whole: what it depends on,
unfinished/00000.json   and which shards are done
"""

import contextlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boilersweep.cleaners.selection import identity_of
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import OutputError, UsageError, reason_of
from boilersweep.export.formats import is_export_name
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import RECEIPTS, Counts, Receipt, ShardTask
from boilersweep.outputs.files import (
    make_folder,
    only_writer,
    output_errors,
    remove_folder,
    remove_leftovers,
)
from boilersweep.outputs.identity import __version__, code_identity, differences, some_of
from boilersweep.outputs.manifests import faults, listing, read_manifest, write_manifest
from boilersweep.pages.words import dictionary
from boilersweep.store.language_selection import LanguageSelection
from boilersweep.store.near_duplicates import DUPLICATES, is_list_of_duplicates
from boilersweep.store.store import BlockStore

MANIFEST = "manifest.json"
PLAN = "plan.json"
KIND = "export"
"""The key of a manifest that tells it from others."""

STORE = "store"
"""Where the store of an export stands that cuts its pages itself."""

_VERSION = 1
_ADVICE = "choose another --output, or have it made anew with --overwrite"


def export_identity(
    store: BlockStore, variants: Sequence[Variant], options: ExportOptions
) -> dict[str, Any]:
    """What an export depends on, as nested JSON.

    Raises UsageError where a variant's folder would have a name that has another meaning.
    """
    for variant in variants:
        if variant.name in (STORE, RECEIPTS):
            raise UsageError(
                f"{variant} cannot be exported: a folder of that name has another meaning; name "
                "the texts otherwise"
            )
    stages = ("clean", "export", "dedup") if options.dedup else ("clean", "export")
    return {
        "store": store.fingerprint,
        "cleaners": {variant.name: identity_of(variant.cleaner) for variant in variants},
        **options.as_json(),
        **({"words": dictionary()} if options.passages else {}),
        "code": code_identity(*stages),
    }


def whole_export(
    output: Path, identity: Mapping[str, Any], *, overwrite: bool = False
) -> dict[str, Any] | None:
    """The manifest of the export in a folder, None where there is none that is whole.

    overwrite: remove another or a damaged one. Raises OutputError where it is to stay, or where
    something else is in the way.
    """
    manifest = read_export(output, overwrite=overwrite)
    if manifest is None:
        if (output / MANIFEST).exists():
            _clear(output, identity["cleaners"])  # a damaged one
        return None
    if changes := differences(manifest["identity"], identity):
        wrong = f"has another export than the one asked for: {some_of(changes)}"
    elif found := [*faults(output, manifest["files"]), *strangers(output, manifest)]:
        wrong = f"is not as it was written: {some_of(found)}"
    else:
        _forget(output)  # where a kill has left it after the manifest was written
        return manifest
    if not overwrite:
        raise OutputError(f"{output} {wrong}; {_ADVICE}")
    _clear(output, manifest["identity"]["cleaners"])
    return None


def make_way(output: Path, *, overwrite: bool = False) -> None:
    """Remove an export before the store in its folder changes.

    Raises OutputError where it is whole and is to stay.
    """
    with only_writer(output):
        manifest, plan = read_export(output, overwrite=overwrite), _plan(output)
        if manifest is not None and not overwrite:
            raise OutputError(
                f"{output} has a whole export, but the block store in it is not whole; {_ADVICE}"
            )
        names = {*(manifest["identity"]["cleaners"] if manifest else ()), *_cleaners(plan)}
        _clear(output, names)


def read_export(output: Path, *, overwrite: bool = False) -> dict[str, Any] | None:
    """The manifest of the export in a folder, None where there is none.

    overwrite: one that was changed or damaged counts as none. Raises OutputError for such a one,
    and for that of something else.
    """
    path = output / MANIFEST
    try:
        manifest = read_manifest(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        # Of our stores the folder has shards; what has none is a manifest of ours, once.
        if overwrite and not any(output.glob("shard-*.parquet")):
            return None
        raise OutputError(
            f"{path} is not the manifest of an export ({reason_of(error)}); {_ADVICE}"
        ) from error
    if manifest.get(KIND) != _VERSION:
        raise OutputError(
            f"{path} is in the way: it is not that of an export; choose another --output"
        )
    return manifest


def strangers(output: Path, manifest: Mapping[str, Any]) -> list[str]:
    """A sentence for each file in a variant's folder that is not of the export.

    Whoever reads the folder would read them, too.
    """
    there = _files(output, manifest["identity"]["cleaners"])
    return [f"{name} is not of the export" for name in there if name not in manifest["files"]]


def take_up(
    output: Path,
    identity: Mapping[str, Any],
    tasks: Sequence[ShardTask],
    *,
    overwrite: bool = False,
) -> None:
    """Begin an export, or go on with one. tasks: all of it.

    overwrite: remove an unfinished export that is another. Raises OutputError where that is to
    stay, or where something else is in the way.
    """
    folder = output / RECEIPTS
    plan = _plan(output)
    if plan is not None and (changes := differences(plan, identity)):
        if not overwrite:
            raise OutputError(
                f"{output} has another unfinished export than the one asked for: "
                f"{some_of(changes)}; {_ADVICE}"
            )
        _clear(output, _cleaners(plan))
        plan = None
    if plan is None and not _is_ours(folder):
        raise OutputError(
            f"{folder} is in the way: it is not that of an unfinished export; move it, or choose "
            "another --output"
        )
    if identity["dedup"] and (output / DUPLICATES).exists() and not _has_list(output):
        raise OutputError(
            f"{output / DUPLICATES} is in the way: it names no duplicates of an export; move it, "
            "or choose another --output"
        )
    names = list(identity["cleaners"])
    expected = {name for task in tasks for name in task.names()}
    if strange := [name for name in _files(output, names) if name not in expected]:
        raise OutputError(
            f"{output} has files that are not of this export: {some_of(strange)}; move them, or "
            "choose another --output"
        )
    for path in (folder, *(output / name for name in names)):
        make_folder(path)
        remove_leftovers(path)
    if plan is None:
        write_manifest(folder / PLAN, identity)


def receipt_of(task: ShardTask, *, verify: bool = False) -> Receipt | None:
    """The receipt of a task's shard; None where it is not there, of another, or a file is missing.

    verify: compare the files with their digests, too, and not by their sizes alone.
    """
    try:
        said = read_manifest(task.receipt)
        counts = {name: Counts(**one) for name, one in said["counts"].items()}
        receipt = Receipt(said["identity"], counts, said["files"])
        sizes = [(task.output / name).stat().st_size for name in receipt.files]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if receipt.identity != task.identity or set(receipt.files) != set(task.names()):
        return None
    if sizes != [entry["bytes"] for entry in receipt.files.values()]:
        return None
    return None if verify and faults(task.output, receipt.files) else receipt


def seal(
    output: Path,
    chosen: LanguageSelection,
    identity: Mapping[str, Any],
    receipts: Sequence[Receipt],
) -> dict[str, Any]:
    """Write the manifest of an export of which all files are there. chosen: what it is of.

    Raises OutputError where documents are missing.
    """
    store = chosen.store
    counts = {name: Counts() for name in identity["cleaners"]}
    files: dict[str, Any] = {}
    for receipt in receipts:
        files |= receipt.files
        for name, one in receipt.counts.items():
            counts[name].add(one)
    for name, one in counts.items():
        if one.total != store.documents:
            raise OutputError(
                f"{output / name} has {one.documents:,} documents, {one.empty:,} left empty and "
                f"{one.duplicates:,} duplicates, the store has {store.documents:,} documents; have "
                "it made anew with --overwrite"
            )
    if identity["dedup"]:
        files |= listing(output, [DUPLICATES])
    manifest = {
        KIND: _VERSION,
        "boilersweep": __version__,
        "store": str(store.path),
        "documents": store.documents,
        "other_languages": chosen.others,
        "counts": {name: asdict(one) for name, one in counts.items()},
        "identity": identity,
        "files": files,
    }
    write_manifest(output / MANIFEST, manifest)
    _forget(output)
    return manifest


def _clear(output: Path, names: Collection[str]) -> None:
    """Remove an export of some variants, whole or not, the manifest first. Other folders stay."""
    with output_errors(output):
        (output / MANIFEST).unlink(missing_ok=True)
        _forget(output)
        if _has_list(output):
            (output / DUPLICATES).unlink()
        for path in [output / name for name in sorted(names)]:
            if path.is_dir() and not path.is_symlink() and _is_of_a_variant(path):
                remove_folder(path)


def _forget(output: Path) -> None:
    """Remove what tells which shards are done; another share may do so at the same time."""
    with output_errors(output), contextlib.suppress(FileNotFoundError):
        if _is_ours(output / RECEIPTS):
            remove_folder(output / RECEIPTS)


def _is_ours(receipts: Path) -> bool:
    """Whether a folder of receipts is one, or may become one: it holds nothing else."""
    if not receipts.is_dir():
        return not receipts.exists()
    names = (path.name for path in receipts.iterdir() if not path.name.startswith("."))
    return all(name == PLAN or re.fullmatch(r"\d{5,}\.json", name) for name in names)


def _has_list(output: Path) -> bool:
    """Whether a folder has a list of duplicates that is one of ours."""
    path = output / DUPLICATES
    return path.is_file() and is_list_of_duplicates(path)


def _cleaners(plan: Mapping[str, Any] | None) -> Collection[str]:
    """The variants of a plan, less what is no name of a folder."""
    found = plan.get("cleaners") if plan else None
    return [name for name in found if Path(name).name == name] if isinstance(found, dict) else []


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
    names = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    return bool(names) and all(map(is_export_name, names))


def _files(output: Path, names: Collection[str]) -> list[str]:
    """The files in the folders of some variants, below the output."""
    return [
        f"{name}/{path.name}"
        for name in names
        if (output / name).is_dir()
        for path in sorted((output / name).iterdir())
        if not path.name.startswith(".")
    ]
