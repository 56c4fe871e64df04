"""From a block store to files of what cleaners keep, in one process or in several."""

import contextlib
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import leaving_text
from boilersweep.errors import BusyError, OutputError
from boilersweep.export.manifest import (
    ExportManifest,
    export_identity,
    receipt_of,
    seal,
    take_up,
    whole_export,
)
from boilersweep.export.options import ExportOptions
from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.outputs.atomic import remove_leftovers, write_text
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.locations import is_remote
from boilersweep.outputs.locks import only_writer
from boilersweep.store.near_duplicates import (
    DUPLICATES,
    by_shard,
    duplicates_csv,
    find_duplicates,
)
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import Share, all_shares
from boilersweep.work.tasks import run_tasks


def export_store(
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    options: ExportOptions | None = None,
    *,
    share: Share | None = None,
    workers: int = 1,
    executor: Executor | None = None,
    overwrite: bool = False,
) -> ExportManifest | None:
    """Write what each variant keeps of a store into a folder of its name.

    Files that are there already are not written again. A document of which a variant keeps no word
    is left out there, and counted.

    Args:
        store: The store.
        variants: What to write.
        output: The folder.
        options: How documents are exported.
        share: The share of the files to write; other processes that see the same folders may write
            other shares at the same time, in any order, if all are told the same.
        workers: Processes.
        executor: Does the work instead of processes of this machine. Its workers see the store and
            the output at the same paths.
        overwrite: Rebuild another or a damaged export.

    Returns:
        The manifest; None if other shares are unfinished.

    Raises:
        UsageError: The store lacks a text that a variant is or reads, or a variant counts some text
            several times.
        StoreError: A shard is missing or damaged.
        OutputError: Another export or something else is in the folder.
    """
    options = options or ExportOptions()
    chosen, identity, tasks = _planned(store, variants, output, options)
    lock = f".share-{share.name}.lock" if share else ".lock"
    with only_writer(output, lock):
        if (
            manifest := whole_export(output, identity, overwrite=overwrite)
        ) is not None:
            return manifest
        take_up(output, identity, tasks, overwrite=overwrite)
        tasks = _without_duplicates(tasks, chosen, variants, output, options)
        _run(tasks, workers, share, executor)
        receipts = [receipt for task in tasks if (receipt := receipt_of(task))]
        if share is None:
            return seal(output, chosen, identity, receipts)
        if len(receipts) == len(tasks):
            with contextlib.suppress(BusyError), only_writer(output):
                return seal(output, chosen, identity, receipts)
        return whole_export(output, identity)  # another share may have come to the end


def _planned(
    store: BlockStore, variants: Sequence[Variant], output: Path, options: ExportOptions
) -> tuple[BlockStore, dict[str, Any], list[ShardTask]]:
    for variant in variants:
        leaving_text(variant.cleaner, "export")
    cleaners = [variant.cleaner for variant in variants]
    identity = export_identity(store, variants, options)
    digest = digest_of(identity)
    store.require_for(cleaners)
    if options.fields:
        store.require_metadata()
    chosen = store.in_languages(options.languages)
    parts = map(chosen.part, all_shares(len(store.manifest.shards)))
    tasks = [
        ShardTask(part, number, tuple(variants), output, options, digest)
        for number, part in enumerate(parts)
    ]
    return chosen, identity, tasks


def _without_duplicates(
    tasks: Sequence[ShardTask],
    store: BlockStore,
    variants: Sequence[Variant],
    output: Path,
    options: ExportOptions,
) -> list[ShardTask]:
    """Return the tasks without duplicates, and write the list of these, if the options say so."""
    cleaners = [variant.cleaner for variant in variants]
    if options.dedup is None:
        return list(tasks)
    found = find_duplicates(store, cleaners, options.dedup, output)
    names = [variant.name for variant in variants]
    write_text(
        output / DUPLICATES, duplicates_csv(dict(zip(names, found, strict=True)))
    )
    numbers = [by_shard(some) for some in found]
    files = [shard["file"] for shard in store.manifest.shards]
    return [
        replace(task, duplicates=[frozenset(some.get(file, ())) for some in numbers])
        for task, file in zip(tasks, files, strict=True)
    ]


def _run(
    tasks: Sequence[ShardTask],
    workers: int,
    share: Share | None,
    executor: Executor | None,
) -> None:
    """Export the shards, of all or of a share, that are not exported yet."""
    mine = share.take(tasks) if share else tasks
    to_do = [task for task in mine if receipt_of(task, verify=True) is None]
    if executor:  # its workers run in other folders
        to_do = [_from_anywhere(task) for task in to_do]
    try:
        run_tasks(
            export_shard,
            to_do,
            "export",
            "documents",
            size=lambda task: task.store.documents,
            workers=workers,
            executor=executor,
        )
        if executor and (unseen := [one for one in to_do if receipt_of(one) is None]):
            raise OutputError(
                f"workers wrote {len(unseen):,} shards below {unseen[0].output}, which this "
                "process does not see; workers need --output in a folder that all machines share "
                "under the same path"
            )
    finally:
        # Workers that died or were ended may have left files half written.
        for folder in {
            (task.output / name).parent for task in tasks for name in task.names()
        }:
            remove_leftovers(folder)


def _from_anywhere(task: ShardTask) -> ShardTask:
    """Return a task that does the same in every working directory."""
    path = task.store.path
    store = task.store if is_remote(path) else replace(task.store, path=path.absolute())
    return replace(task, store=store, output=task.output.absolute())
