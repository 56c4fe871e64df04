"""Export on a cluster: a task is one shard, as a process of one machine does it."""

from collections.abc import Sequence
from dataclasses import replace

from boilersweep.export.manifest import receipt_of
from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.outputs.locations import is_remote
from boilersweep.work.crew import Crew


def run_on(crew: Crew, tasks: Sequence[ShardTask], _: int) -> None:
    """As `boilersweep.export.workers.run_tasks`, on the workers of a cluster."""
    there = [_absolute(task) for task in tasks]
    crew.run(_export, there, name=_name, what="export", unit="shards")


def _absolute(task: ShardTask) -> ShardTask:
    """The task as a worker can do it, which works in another folder."""
    path = task.store.path
    store = replace(task.store, path=path if is_remote(path) else path.resolve())
    return replace(task, store=store, output=task.output.resolve())


def _export(task: ShardTask) -> None:
    if receipt_of(task) is None:
        export_shard(task)


def _name(task: ShardTask) -> str:
    (shard,) = task.store.manifest["shards"]
    return str(shard["file"])
