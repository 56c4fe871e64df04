"""Export shards in worker processes, or on a cluster."""

from collections.abc import Sequence
from dataclasses import replace

from boilersweep.export.manifest import receipt_of
from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.outputs.files import remove_leftovers
from boilersweep.outputs.locations import is_remote
from boilersweep.work import tasks as work
from boilersweep.work.cluster import ClusterPool
from boilersweep.work.shares import Share


def run_tasks(
    tasks: Sequence[ShardTask],
    workers: int,
    *,
    share: Share | None = None,
    cluster: ClusterPool | None = None,
) -> None:
    """Export the shards that are not exported yet; see `boilersweep.work.tasks.run_tasks`."""
    try:
        work.run_tasks(
            export_shard,
            [_absolute(task) for task in tasks] if cluster else tasks,
            what="export",
            unit="documents",
            is_done=_is_done,
            name=_name,
            size=_documents,
            share=share,
            workers=workers,
            cluster=cluster,
        )
    finally:
        # What workers that died, or were ended, have left half written.
        for folder in {(task.output / name).parent for task in tasks for name in task.names()}:
            remove_leftovers(folder)


def _absolute(task: ShardTask) -> ShardTask:
    """The task as a worker can do it, which works in another folder."""
    path = task.store.path
    store = replace(task.store, path=path if is_remote(path) else path.resolve())
    return replace(task, store=store, output=task.output.resolve())


def _is_done(task: ShardTask) -> bool:
    return receipt_of(task, verify=True) is not None


def _documents(task: ShardTask) -> int:
    return task.store.documents


def _name(task: ShardTask) -> str:
    (shard,) = task.store.manifest["shards"]
    return str(shard["file"])
