"""What several processes that make one block store agree on: `plan.json` in its folder.

It is there from the first process that takes a share until the store is whole.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import StoreError
from boilersweep.outputs.files import only_writer, read_regular, remove_leftovers, write_json
from boilersweep.outputs.identity import differences, some_of
from boilersweep.segmenting.manifest import OnDuplicate, complete_store
from boilersweep.segmenting.reuse import require_no_others
from boilersweep.segmenting.tasks import Task
from boilersweep.store.shard import read_facts
from boilersweep.store.store import BlockStore

PLAN = "plan.json"

_NAMED = 5  # differences in a message
_OTHER_ORDER = "its files are in another order"


@dataclass(frozen=True, slots=True)
class Plan:
    """A block store to be.

    root: the input, as text. options: of the segmentation, as JSON has them. identity: what all
    shards depend on beside their files. tasks: shard's file name -> names and sizes of its files,
    in the store's order. reading: how the input was listed and what of it is not read.
    """

    root: str
    options: dict[str, Any]
    on_duplicate: OnDuplicate
    identity: dict[str, Any]
    tasks: dict[str, list[list[Any]]]
    reading: dict[str, Any]

    def description(self, shard: str) -> dict[str, Any]:
        """What a shard says that it was made from."""
        return {**self.identity, "files": self.tasks[shard]}


def plan_of(
    tasks: Sequence[Task],
    root: str,
    options: dict[str, Any],
    on_duplicate: OnDuplicate,
    reading: dict[str, Any],
) -> Plan:
    """The plan of all tasks of a store."""
    files = {task.shard.name: task.description()["files"] for task in tasks}
    identity = dict(tasks[0].identity) if tasks else {}
    plan = Plan(root, options, on_duplicate, identity, files, reading)
    # Through JSON, as a plan that is read comes through it.
    return Plan(**json.loads(json.dumps(asdict(plan))))


def agree(output: Path, plan: Plan) -> None:
    """Write the plan of a store, or find that it is the one written before.

    What to do with duplicates may change: it shapes no shard. Raises StoreError that names what
    differs where another plan is there, OutputError.
    """
    written = _read(output) or plan
    # The root may have another name on every host.
    if written.identity != plan.identity or written.tasks != plan.tasks:
        changes = [*differences(written.identity, plan.identity), *_changed_files(written, plan)]
        more = f"; and {len(changes) - _NAMED:,} more" if len(changes) > _NAMED else ""
        raise StoreError(
            f"{output / PLAN} was written for another store: {'; '.join(changes[:_NAMED])}{more}; "
            "all shares of a store need the same input and options: choose another --output, or "
            "delete that store to rebuild it"
        )
    if written is plan or written.on_duplicate != plan.on_duplicate:
        write_json(output / PLAN, asdict(plan))


def _changed_files(written: Plan, plan: Plan) -> list[str]:
    """What has become of the input's files, a clause each."""
    then, now = _sizes(written), _sizes(plan)
    changes = [f"input file {name} is gone" for name in then if name not in now]
    changes += [f"input file {name} is new" for name in now if name not in then]
    changes += [
        f"input file {name} had {then[name]:,} bytes, has {size:,}"
        for name, size in now.items()
        if then.get(name, size) != size
    ]
    return changes if changes or written.tasks == plan.tasks else [_OTHER_ORDER]


def _sizes(plan: Plan) -> dict[str, int]:
    return {name: size for files in plan.tasks.values() for name, size in files}


def _read(output: Path) -> Plan | None:
    try:
        return Plan(**json.loads(read_regular(output / PLAN)))
    except FileNotFoundError:  # whoever finishes the store removes it
        return None
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(
            f"{output / PLAN} is not the plan of a block store ({error}); delete it and run "
            "`boilersweep segment` again"
        ) from error


def finish_store(output: Path) -> BlockStore:
    """Make the store whole that shares of its plan have left all shards of.

    Raises StoreError where there is no plan, or a shard is missing or not of it, and what
    `complete_store` raises.
    """
    plan = _read(output)
    if plan is None:
        raise StoreError(
            f"{output} holds no shards to merge (it has no {PLAN}); make them with "
            "`boilersweep segment --share`"
        )
    require_no_others(output, plan.tasks)
    shards = [output / name for name in plan.tasks]
    missing = [shard.name for shard in shards if not shard.exists()]
    if missing:
        more = f" and {len(missing) - 3:,} more" if len(missing) > 3 else ""
        raise StoreError(
            f"{output} lacks {len(missing):,} of {len(shards):,} shards ({', '.join(missing[:3])}"
            f"{more}); run `boilersweep segment --share` for the shares that did not end well"
        )
    for shard in shards:
        if changes := differences(read_facts(shard).task, plan.description(shard.name)):
            raise StoreError(
                f"{shard} is not what {output / PLAN} asks for: {some_of(changes)}; delete it and "
                "run `boilersweep segment --share` again"
            )
    with only_writer(output):
        remove_leftovers(output)
        store = complete_store(
            output, shards, plan.root, plan.options, plan.on_duplicate, plan.reading
        )
        forget(output)
    return store


def forget(output: Path) -> None:
    """Remove the plan of a store that is whole."""
    (output / PLAN).unlink(missing_ok=True)
