"""From a block store to files of what cleaners keep.

Every file is named by what it is made of, so what exists need not be made again. Several processes
that see the same folder divide the work.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from boilersweep.cleaners.language.grammar import Cleaners
from boilersweep.cleaners.language.variants import Variant, collect_variants
from boilersweep.cleaners.selection import leaving_text
from boilersweep.export.manifest import (
    ExportManifest,
    export_identity,
    exported_of,
    require_no_strangers,
    seal,
    whole_export,
)
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.outputs.atomic import make_folder, remove_leftovers
from boilersweep.outputs.locations import is_remote, output_location
from boilersweep.outputs.locks import Claims, only_writer
from boilersweep.store.near_duplicates import by_shard, duplicates_csv, find_duplicates
from boilersweep.store.store import BlockStore, as_store
from boilersweep.work.tasks import Turns, key_of, make_missing, notes_folder, run_tasks


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
    identity = export_identity(store, variants, options)
    store.require_for([variant.cleaner for variant in variants])
    if options.fields:
        store.require_metadata()
    chosen = store.in_languages(options.languages)
    output = output_location(output)
    with Claims(notes_folder(output)) as claims:
        if manifest := whole_export(output, identity, overwrite=overwrite):
            return manifest
        require_no_strangers(output, identity)
        tasks, duplicates = _planned(chosen, variants, output, options, identity)
        folders = [output / variant.name for variant in variants]
        _write(tasks, folders, claims, executor or workers)
        with only_writer(output, waits=True):
            return whole_export(output, identity, overwrite=overwrite) or seal(
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
        make_missing(tasks, lambda task: exported_of(task) is not None, make, claims)
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
