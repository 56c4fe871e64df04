"""What several processes that make one block store agree on: `plan.json` in its folder.

It is there from the first process that takes a share until the store is whole.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import StoreError
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.identity import differences, some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.typed_files import decode_json, json_text, read_json
from boilersweep.segmenting.manifest import complete_store
from boilersweep.segmenting.reuse import require_no_others
from boilersweep.segmenting.tasks import Plan, Stated
from boilersweep.store.shard import read_facts
from boilersweep.store.store import BlockStore

PLAN = "plan.json"


@dataclass(frozen=True, slots=True)
class SharePlan:
    """A block store to be.

    Attributes:
        stated: What its manifest will state.
        identity: What all shards depend on beside their files.
        tasks: Shard's file name -> names and sizes of its files, in the store's order.
    """

    stated: Stated
    identity: dict[str, Any]
    tasks: dict[str, list[tuple[str, int]]]


def agree(output: Path, planned: Plan) -> None:
    """Write the plan of a store, or find that it is the one written before.

    The treatment of duplicates may change, as it shapes no shard.

    Raises:
        StoreError: Another plan was written; the message names what differs.
        OutputError: The plan cannot be written.
    """
    files = {task.shard.name: task.description()["files"] for task in planned.tasks}
    identity = dict(planned.tasks[0].identity)
    text = json_text(SharePlan(planned.stated, identity, files))
    plan = decode_json(text, SharePlan)  # as a plan from a file
    written = _read(output) or plan
    if written.identity != plan.identity or written.tasks != plan.tasks:
        changes = differences(_comparable(written), _comparable(plan)) or [
            "its files are in another order"
        ]
        raise StoreError(
            f"{output / PLAN} was written for another store: {some_of(changes)}; "
            "all shares of a store need the same input and options: choose another --output, or "
            "delete that store to rebuild it"
        )
    if written is plan or written.stated.on_duplicate != plan.stated.on_duplicate:
        write_text(output / PLAN, text)


def _comparable(plan: SharePlan) -> dict[str, Any]:
    """Return what all shares of a store need in common; they may name its root differently."""
    sizes = {name: size for files in plan.tasks.values() for name, size in files}
    return {**plan.identity, "bytes of": sizes}


def _read(output: Path) -> SharePlan | None:
    try:
        return read_json(output / PLAN, SharePlan)
    except FileNotFoundError:  # whoever finishes the store removes it
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{output / PLAN} is not the plan of a block store ({error}); delete it and run "
            "`boilersweep segment` again"
        ) from error


def finish_store(output: Path) -> BlockStore:
    """Complete the store whose shards all shares have made.

    Raises:
        StoreError: There is no plan, or a shard is missing or differs from it.
        BoilersweepError: As `complete_store` raises it.
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
        asked = {**plan.identity, "files": plan.tasks[shard.name]}
        if changes := differences(read_facts(shard).task, asked):
            raise StoreError(
                f"{shard} is not what {output / PLAN} asks for: {some_of(changes)}; delete it and "
                "run `boilersweep segment --share` again"
            )
    with only_writer(output):
        store = complete_store(output, shards, plan.stated)
        forget(output)
    return store


def forget(output: Path) -> None:
    """Remove the plan of a store that is whole."""
    (output / PLAN).unlink(missing_ok=True)
