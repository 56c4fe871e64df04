"""Which shards in a store's folder are those requested; `OutputFolder` rejects the others."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.collection.irds import Documents
from boilersweep.errors import BoilersweepError, StoreError
from boilersweep.outputs.folder import MANIFEST, OutputFolder
from boilersweep.outputs.identity import differences, file_digest
from boilersweep.outputs.manifest_file import fault
from boilersweep.segmenting.input_file import input_stat
from boilersweep.segmenting.manifest import withdraw
from boilersweep.segmenting.tasks import Task, file_state
from boilersweep.store.shard import ShardFacts, read_facts
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
    """Return whether the task's shard is there, and is the one asked for.

    verify_input: see `keep_what_fits`. Raises StoreError that names what differs where there is
    another.
    """
    if not task.shard.exists():
        return False
    if changes := list(_changes(task, read_facts(task.shard), verify=verify_input)):
        raise _rejection(task.shard.parent, [f"{task.shard.name}: {changes[0]}", *changes[1:]])
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

    before: the complete store in the folder. overwrite: remove shards that do not match the request
    or that differ in a byte from what `before` lists, the manifest first. verify_input: know files
    by their digests even if size, times of change and inode are unchanged. dependents: the results
    that are removed first.
    Raises StoreError that names each difference where there is something else and it is to stay.
    """
    facts = {path: _facts(path) for path in shards_in(output)}
    listed = before.manifest.listing if before else {}
    wanted = {task.shard: task for task in tasks}
    others: list[Path] = []
    changes: list[str] = []
    for path, found in facts.items():
        task = wanted.get(path)
        if found is None or (path.name in listed and fault(path, listed[path.name])):
            differing = [f"{path.name} is damaged"]
        elif task is None:
            differing = [f"input file {one['path']} is gone" for one in found.files]
        else:
            differing = list(_changes(task, found, verify=verify_input))
        if task is None or differing:
            others.append(path)
            changes += differing or [f"{path.name} is not of it"]
    if (output / MANIFEST).exists() and not dependents.may_grow:
        known = {one["path"] for found in facts.values() if found for one in found.files}
        files = [name for task in tasks if task.shard not in facts for _, name in task.files]
        changes += [f"input file {name} is new" for name in files if name not in known]
    if changes and not overwrite:
        raise _rejection(output, _net(changes))
    if changes:
        dependents.make_way()
        withdraw(output)
        for path in others:
            path.unlink()
    return [task for task in tasks if task.shard in others or task.shard not in facts]


def require_no_others(output: Path, names: Collection[str]) -> None:
    """Raise StoreError where a store's folder has shards beside those of some names."""
    if others := [path.name for path in shards_in(output) if path.name not in names]:
        raise _rejection(output, [f"{name} is of input that is gone" for name in others])


def shards_in(output: Path) -> list[Path]:
    """Return the shards in a store's folder, of the store or not, by name."""
    return sorted(output.glob("shard-*.parquet"))


def _facts(shard: Path) -> ShardFacts | None:
    """Return what a shard says of itself, None where it is damaged."""
    try:
        return read_facts(shard)
    except StoreError:
        return None


def _changes(task: Task, found: ShardFacts, *, verify: bool) -> Iterator[str]:
    """Yield what has changed since the shard was made, a clause each; verify: see `is_as_read`."""
    made = {key: value for key, value in found.task.items() if key != "files"}
    yield from differences(made, task.identity)
    files = {name: path for path, name in task.files}
    yield from input_changes(found.files, files, verify=verify).clauses()


@dataclass(frozen=True, slots=True)
class Changes:
    """What has become of the files that shards were made from: their names."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def __str__(self) -> str:
        new = f"{len(self.new):,} file{'' if len(self.new) == 1 else 's'} new"
        return f"{new}, {len(self.changed):,} changed, {len(self.gone):,} gone"

    def clauses(self) -> list[str]:
        """Return a clause for each file."""
        kinds = {"is gone": self.gone, "is new": self.new, "has changed": self.changed}
        return [f"input file {name} {what}" for what, names in kinds.items() for name in names]


def input_changes(
    read: Iterable[Mapping[str, Any]], files: Mapping[str, Path], *, verify: bool
) -> Changes:
    """Compare the files that shards were made from with the files of the input.

    Args:
        read: The files as shards list them.
        files: The files of the input by the names by which a store knows them.
        verify: See `is_as_read`.

    Returns:
        What has changed.
    """
    then = {str(one["path"]): one for one in read}
    changed = [
        name
        for name, path in files.items()
        if name in then and not is_as_read(then[name], path, verify=verify)
    ]
    new = [name for name in files if name not in then]
    return Changes(tuple(new), tuple(changed), tuple(name for name in then if name not in files))


def is_as_read(read: Mapping[str, Any], path: Path, *, verify: bool) -> bool:
    """Return whether an input file is as a shard says that it was read.

    A file is known by its size and its state (see `file_state`) and, where the state differs or
    `verify` asks, by its SHA-256; documents of ir_datasets by their number and its version, and
    likewise.
    """
    stat = input_stat(path)
    if not isinstance(path, Documents) and stat.st_size != read["bytes"]:
        return False
    if file_state(stat) == read.get("state") and not verify:
        return True
    return read["sha256"] is not None and file_digest(path) == read["sha256"]


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
