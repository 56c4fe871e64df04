"""Which shards bring a block store to the state of its input.

A file stays in its shard while all files of that shard are as they were read. Where one of them has
changed or is gone, those that are left are cut again, together, into a new shard; new files become
new shards, too. What has a name keeps it, and new shards take the lowest numbers that are free: an
update that is taken up again comes to the same shards.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.outputs.folder import OutputFolder
from boilersweep.outputs.identity import differences
from boilersweep.segmenting.reuse import is_as_read, shards_in
from boilersweep.segmenting.tasks import NamedFile, Task, shard_name
from boilersweep.store.shard import read_facts
from boilersweep.store.store import STORE


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
    output: Path, tasks: Sequence[Task], files_per_task: int, *, verify_input: bool = False
) -> UpdatePlan:
    """Return which shards there are to be, and which of them are there.

    tasks: as a store would be made at once of the files that are there now.
    Raises StoreError where a shard is damaged, or was made with other options or by other code.
    """
    there = {path: read_facts(path) for path in shards_in(output)}
    left = {file[1]: file for task in tasks for file in task.files}
    order = {name: number for number, name in enumerate(left)}
    kept: list[Task] = []
    broken: list[list[str]] = []
    for path, facts in there.items():
        made = {key: value for key, value in facts.task.items() if key != "files"}
        if changes := differences(made, tasks[0].identity):
            raise OutputFolder(output, STORE).rejection(
                STORE.another([f"{path.name}: {changes[0]}", *changes[1:]]),
                "--update adds input with the same options and code: choose another --output, or "
                "pass --overwrite instead of --update to rebuild it",
            )
        names = [str(one["path"]) for one in facts.files]
        if all(
            name in left and is_as_read(one, left[name][0], verify=verify_input)
            for name, one in zip(names, facts.files, strict=True)
        ):
            files = tuple(left.pop(name) for name in names)
            kept.append(replace(tasks[0], shard=path, files=files))
        else:
            broken.append(names)
    groups = [[left.pop(name) for name in names if name in left] for names in broken]
    groups += _groups(list(left.values()), files_per_task)
    free = (path for path in map(output.joinpath, _names()) if path not in there)
    to_do = [
        replace(tasks[0], shard=path, files=tuple(group))
        for group, path in zip(filter(None, groups), free, strict=False)
    ]
    wanted = sorted([*kept, *to_do], key=lambda task: order[task.files[0][1]])
    named = {task.shard for task in kept}
    return UpdatePlan(wanted, to_do, [path for path in there if path not in named])


def _groups(files: Sequence[NamedFile], size: int) -> Iterator[list[NamedFile]]:
    return (list(files[start : start + size]) for start in range(0, len(files), size))


def _names() -> Iterator[str]:
    return map(shard_name, itertools.count())
