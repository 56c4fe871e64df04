"""Which shards in a store's folder are those requested; `OutputFolder` rejects the others.

An update makes those that bring a store to the state of its input. A file stays in its shard while
all files of that shard are as they were read. Where one of them has changed or is gone, those that
are left are cut again, together, into a new shard; new files become new shards, too. What has a
name keeps it, and new shards take the lowest numbers that are free: an update that is taken up
again comes to the same shards.
"""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boilersweep.errors import BoilersweepError, StoreError
from boilersweep.outputs.folder import MANIFEST, OutputFolder
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.manifest_file import fault
from boilersweep.segmenting.input_file import input_changes, is_as_read
from boilersweep.segmenting.manifest import withdraw
from boilersweep.segmenting.tasks import Task, input_of, shard_name
from boilersweep.store.shard import InputFile, ShardFacts, read_facts
from boilersweep.store.store import STORE, BlockStore


@dataclass(frozen=True, slots=True)
class Dependents:
    """Results in the folder of a store that were made from it.

    Attributes:
        make_way: A function that removes them; it is called before documents change.
        may_grow: Whether a complete store accepts new files without being rebuilt.
    """

    make_way: Callable[[], None] = lambda: None
    may_grow: bool = True


NOTHING = Dependents()


def is_done(task: Task, *, verify_input: bool = False) -> bool:
    """Return whether a task's shard is there; raise StoreError if it is that of another task.

    The message names what differs; for `verify_input` see `keep_what_fits`.
    """
    if not task.shard.exists():
        return False
    if changes := list(_changes(task, read_facts(task.shard), verify=verify_input)):
        raise _rejection(
            task.shard.parent, [f"{task.shard.name}: {changes[0]}", *changes[1:]]
        )
    return True


def keep_what_fits(
    output: Path,
    tasks: Sequence[Task],
    before: BlockStore | None = None,
    *,
    overwrite: bool = False,
    verify_input: bool = False,
    dependents: Dependents,
) -> list[Task]:
    """Return the tasks whose shards are missing in a store's folder.

    Args:
        output: The folder.
        tasks: All tasks of the store.
        before: The complete store in the folder.
        overwrite: Remove shards that do not match the request, or that differ in a byte from what
            `before` lists; the manifest goes first.
        verify_input: Compare input files by SHA-256 even if size, times of change and inode are
            unchanged.
        dependents: The results that are removed before any shard.

    Raises:
        StoreError: There are such shards, and they are to stay; the message names the differences.
    """
    there = shards_in(output)
    listed = before.manifest.listing if before else {}
    wanted = {task.shard: task for task in tasks}
    others: list[Path] = []
    changes: list[str] = []
    known: set[str] = set()  # names of the input files of all shards
    for path in there:
        task = wanted.get(path)
        try:
            found = read_facts(path)
        except StoreError:
            found = None
        if found is None or (path.name in listed and fault(path, listed[path.name])):
            differing = [f"{path.name} is damaged"]
        elif task is None:
            differing = [f"input file {one['path']} is gone" for one in found.files]
        else:
            differing = list(_changes(task, found, verify=verify_input))
        if task is None or differing:
            others.append(path)
            changes += differing or [f"{path.name} is not of it"]
        known |= {one["path"] for one in found.files} if found else set()
    if (output / MANIFEST).exists() and not dependents.may_grow:
        files = [
            name for task in tasks if task.shard not in there for _, name in task.files
        ]
        changes += [f"input file {name} is new" for name in files if name not in known]
    if changes and not overwrite:
        raise _rejection(output, _net(changes))
    if changes:
        dependents.make_way()
        withdraw(output)
        for path in others:
            path.unlink()
    return [task for task in tasks if task.shard in others or task.shard not in there]


def require_no_others(output: Path, names: Collection[str]) -> None:
    """Raise StoreError where a store's folder has shards beside those of some names."""
    if others := [path.name for path in shards_in(output) if path.name not in names]:
        raise _rejection(
            output, [f"{name} is of input that is gone" for name in others]
        )


def shards_in(output: Path) -> list[Path]:
    """Return the shards in a store's folder, of the store or not, by name."""
    return sorted(output.glob("shard-*.parquet"))


def _changes(task: Task, found: ShardFacts, *, verify: bool) -> Iterator[str]:
    """Yield what has changed since the shard was made, a clause each; verify: see `is_as_read`."""
    yield from differences(identity_of(found), task.identity)
    files = {name: path for path, name in task.files}
    yield from input_changes(found.files, files, verify=verify).clauses()


def identity_of(facts: ShardFacts) -> dict[str, Any]:
    """Return what a shard depends on beside its files, which is the same for all of a store."""
    return {key: value for key, value in facts.task.items() if key != "files"}


def _net(changes: Sequence[str]) -> list[str]:
    """Return each clause once, and none of a file that only went from one shard to another."""
    moved = {c.removesuffix(" is new") for c in changes if c.endswith(" is new")} & {
        c.removesuffix(" is gone") for c in changes if c.endswith(" is gone")
    }
    net = [c for c in dict.fromkeys(changes) if c.rpartition(" is ")[0] not in moved]
    return net or ["its files are in another order"]


def _rejection(output: Path, changes: Sequence[str]) -> BoilersweepError:
    return OutputFolder(output, STORE).rejection(
        STORE.another(changes),
        "choose another --output, add new input to the store with `boilersweep segment --update`, "
        "or pass --overwrite to rebuild it",
    )


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """The shards that an update leaves.

    Attributes:
        tasks: The tasks of the whole store, in the order of their first files in the input.
        to_do: Those of them whose shards are to be made.
        outdated: Shards that are not of it.
    """

    tasks: list[Task]
    to_do: list[Task]
    outdated: list[Path]


def plan_update(
    output: Path,
    tasks: Sequence[Task],
    files_per_task: int,
    *,
    verify_input: bool = False,
) -> UpdatePlan:
    """Plan which shards an update keeps, makes and removes.

    Args:
        output: The folder of the store.
        tasks: The tasks that would make a new store from the present files.
        files_per_task: The number of new files in a task.
        verify_input: See `keep_what_fits`.

    Raises:
        StoreError: A shard is damaged, or was made with other options or by other code.
    """
    there = {path: read_facts(path) for path in shards_in(output)}
    left = {file[1]: file for task in tasks for file in task.files}
    order = {name: number for number, name in enumerate(left)}
    kept: list[Task] = []
    # The files of shards that are made again; after a kill, one may be in a new shard already.
    broken: list[list[str]] = []
    for path, facts in there.items():
        if changes := differences(identity_of(facts), tasks[0].identity):
            raise OutputFolder(output, STORE).rejection(
                STORE.another([f"{path.name}: {changes[0]}", *changes[1:]]),
                "--update adds input with the same options and code: choose another --output, or "
                "pass --overwrite instead of --update to rebuild it",
            )
        names = [one["path"] for one in facts.files]
        if all(
            name in left and is_as_read(one, left[name][0], verify=verify_input)
            for name, one in zip(names, facts.files, strict=True)
        ):
            files = tuple(left.pop(name) for name in names)
            kept.append(replace(tasks[0], shard=path, files=files))
        else:
            broken.append(names)
    groups = [[left.pop(name) for name in names if name in left] for names in broken]
    new = list(left.values())
    groups += (
        new[at : at + files_per_task] for at in range(0, len(new), files_per_task)
    )
    paths = (output / shard_name(number) for number in itertools.count())
    free = (path for path in paths if path not in there)
    to_do = [
        replace(tasks[0], shard=path, files=tuple(group))
        for group, path in zip(filter(None, groups), free, strict=False)
    ]
    wanted = sorted([*kept, *to_do], key=lambda task: order[task.files[0][1]])
    named = {task.shard for task in kept}
    return UpdatePlan(wanted, to_do, [path for path in there if path not in named])


def files_read(store: BlockStore | None, output: Path) -> list[InputFile]:
    """Return what a store was made from, or else the shards that an unfinished one has."""
    if store:
        return [one for shard in store.manifest.shards for one in shard["input"]]
    return [one for shard in shards_in(output) for one in read_facts(shard).files]


def require_same_input(
    store: BlockStore, root: Path, files: Mapping[str, Path], *, verify: bool
) -> None:
    """Raise StoreError if the input has other files than the store was made from.

    Args:
        store: The store.
        root: The input.
        files: Its files by the names by which a store knows them.
        verify: See `is_as_read`.
    """
    read = files_read(store, store.path)
    if changes := input_changes(read, files, verify=verify).clauses():
        raise StoreError(
            f"{store.path} was made of other input than {root}: {some_of(changes)}; name the "
            "--input that it was made of, or have it take in what is new with `boilersweep segment "
            "--update` first"
        )


def check_input(store: BlockStore, root: Path) -> Iterator[str]:
    """Yield what has changed in the input of a block store, a sentence for each file.

    Files are compared by SHA-256; of a file that was set aside, the store knows the size alone.

    Args:
        store: The store.
        root: Where the input is now.

    Raises:
        CollectionError: No file there has the store's format.
    """
    files = input_of(store, root).files
    read = {one["path"]: one for one in files_read(store, store.path)}
    changes = input_changes(read.values(), files, verify=True)
    yield from (f"{name} is missing" for name in changes.gone)
    for name in changes.changed:
        one = read[name]
        if one["sha256"] is not None or files[name].stat().st_size != one["bytes"]:
            yield f"{name} was changed after it was read"
    yield from (f"{name} is new" for name in changes.new)
