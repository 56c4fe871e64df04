"""Add what extractors take from the pages to a block store that is finished, without cutting again.

The new shards are made in a folder within the store, their manifest last. Then the store's manifest
goes, the new shards take the place of the old ones, and the new manifest comes. So a kill leaves
the old store, or one that says that it is unfinished; the same call goes on from there.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from boilersweep.errors import StoreError, UsageError
from boilersweep.extractors.registry import find_extractor
from boilersweep.outputs.atomic import (
    make_folder,
    move_files,
    output_errors,
    remove_leftovers,
)
from boilersweep.outputs.folder import MANIFEST
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.locations import as_location, is_remote
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.manifest_file import fault, faults
from boilersweep.segmenting.input_file import readable
from boilersweep.segmenting.manifest import complete_store
from boilersweep.segmenting.reuse import identity_of, is_done, require_same_input
from boilersweep.segmenting.tasks import (
    Plan,
    Stated,
    Task,
    input_of,
    input_text,
    segment_identity,
)
from boilersweep.segmenting.workers import make_shards
from boilersweep.store.shard import read_facts
from boilersweep.store.store import EXTRACTING, BlockStore, open_store


def add_extractors(
    root: Path | str,
    store: Path | str,
    extractors: Sequence[str],
    *,
    workers: int | None = None,
    overwrite: bool = False,
    verify_input: bool = False,
) -> BlockStore:
    """Run extractors over the pages of a block store, and keep their texts beside the blocks.

    The store is then the one that `segment_collection` makes with these extractors after those that
    it has; texts that it has already are not made again.

    Args:
        root: The input that the store was made from, wherever it is now.
        store: The folder of the store.
        extractors: The names of the extractors.
        workers: The number of processes; None for one per processor.
        overwrite: Rebuild texts of another version of an extractor.
        verify_input: Compare input files by SHA-256 even if size, times of change and inode are
            unchanged.

    Raises:
        UsageError: An extractor does not exist.
        StoreError: There is no whole store, or it was made from other input or by other code.
        CollectionError: The input cannot be read.
        OutputError: The store cannot be written.
    """
    root, output = as_location(root), as_location(store)
    names = tuple(dict.fromkeys(find_extractor(name).name for name in extractors))
    if not names:
        raise UsageError("expected the names of extractors, got none")
    if is_remote(output):
        raise UsageError(
            f"{output}: texts are added to a store of this machine; copy it first"
        )
    if not (output / EXTRACTING).is_dir():
        open_store(output)  # before a folder is made where there is none
    with readable(root, output) as pages, only_writer(output):
        _finish(output)
        before = open_store(output)
        plan = _planned(
            pages, before, names, overwrite=overwrite, verify_input=verify_input
        )
        if not plan.tasks:
            before.require_shards()
            return before
        to_do = _to_do(plan, before, verify_input=verify_input)
        make_shards(to_do, workers)
        complete_store(
            output / EXTRACTING, [task.shard for task in plan.tasks], plan.stated
        )
        with output_errors(output):
            (output / MANIFEST).unlink()
            _put_in_place(output)
        return open_store(output)


def _planned(
    root: Path,
    store: BlockStore,
    names: Sequence[str],
    *,
    overwrite: bool,
    verify_input: bool,
) -> Plan:
    """Return a task for every shard of the store with the new texts; none if all texts exist."""
    had = input_of(store, root)
    if taken := [one.name for one in had.options.given if one.name in names]:
        raise UsageError(
            f"{store.path} has given texts of the name {taken[0]}: they would be lost"
        )
    extractors = tuple(dict.fromkeys([*had.options.extractors, *names]))
    options = replace(had.options, extractors=extractors)
    made = identity_of(read_facts(store.path / store.manifest.shards[0]["file"]))
    now = segment_identity(replace(options, extractors=tuple(names)))
    of_texts = {"options": now["options"], "extractors": now["extractors"]}
    if changes := differences(made | of_texts, now):
        raise StoreError(
            f"{store.path} was made by other code or options: {some_of(changes)}; rebuild "
            "it, with these extractors, with `boilersweep segment --overwrite`"
        )
    require_same_input(store, root, had.files, verify=verify_input)
    versions = {**made["extractors"], **now["extractors"]}
    there = {name: versions[name] for name in made["extractors"]}
    if not overwrite and (changes := differences(made["extractors"], there)):
        raise StoreError(
            f"{store.path} has texts of other versions: {some_of(changes)}; pass --overwrite "
            "to extract them again"
        )
    identity = {**now, "options": options.as_json(), "extractors": versions}
    tasks = [
        Task(
            store.path / EXTRACTING / shard["file"],
            tuple((had.files[one["path"]], one["path"]) for one in shard["input"]),
            options,
            identity,
            store.path / shard["file"],
        )
        for shard in store.manifest.shards
    ]
    stated = Stated(input_text(root), store.manifest.on_duplicate, had.reading)
    return Plan(tasks if versions != made["extractors"] else [], stated)


def _to_do(plan: Plan, store: BlockStore, *, verify_input: bool) -> list[Task]:
    """Return the tasks of the missing new shards; raise StoreError for damaged old ones."""
    folder = store.path / EXTRACTING
    make_folder(folder)
    remove_leftovers(folder)
    to_do = [
        task for task in plan.tasks if not _is_there(task, verify_input=verify_input)
    ]
    listed = store.manifest.listing
    names = [task.shard.name for task in to_do]
    if found := faults(store.path, {name: listed[name] for name in names}):
        raise StoreError(
            f"{store.path}: {found[0]}; delete it and run `boilersweep segment` again"
        )
    return to_do


def _is_there(task: Task, *, verify_input: bool) -> bool:
    """Return whether a task's new shard is there; one of another task is removed."""
    try:
        return is_done(task, verify_input=verify_input)
    except StoreError:
        task.shard.unlink()
        return False


def _finish(output: Path) -> None:
    """Finish an earlier call that was killed while the new shards took their places."""
    if (output / MANIFEST).exists() or not (output / EXTRACTING / MANIFEST).exists():
        return
    for shard in open_store(output / EXTRACTING).manifest.shards:
        made, moved = output / EXTRACTING / shard["file"], output / shard["file"]
        if what := fault(made if made.exists() else moved, shard):
            raise StoreError(
                f"{moved} {what}; delete {output} and run `boilersweep segment` again"
            )
    with output_errors(output):
        _put_in_place(output)


def _put_in_place(output: Path) -> None:
    """Have the new shards take the places of the old ones, then the manifest; raises OSError."""
    folder = output / EXTRACTING
    shards = [shard["file"] for shard in open_store(folder).manifest.shards]
    move_files([name for name in shards if (folder / name).exists()], folder, output)
    move_files([MANIFEST], folder, output)
    shutil.rmtree(folder)
