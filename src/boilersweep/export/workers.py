"""Export shards in worker processes of this machine."""

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed

from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.outputs.files import remove_leftovers
from boilersweep.work.processes import has_semaphores, worker_pool
from boilersweep.work.progress import steps


def run_tasks(tasks: Sequence[ShardTask], workers: int) -> None:
    """Export all shards, with a progress bar; in this process with one worker.

    So, too, where the machine lacks what a pool of processes needs.
    Raises what a task raises (finished shards stay), and BoilersweepError where a worker dies.
    """
    documents = sum(task.store.documents for task in tasks)
    with steps("export", documents, "documents") as bar:
        if min(workers, len(tasks)) < 2 or not has_semaphores():
            for task in tasks:
                bar.update(export_shard(task))
            return
        try:
            for done in _in_processes(tasks, min(workers, len(tasks))):
                bar.update(done)
        finally:
            # What workers that died, or were ended, have left half written.
            for folder in {(task.output / name).parent for task in tasks for name in task.names()}:
                remove_leftovers(folder)


def _in_processes(tasks: Sequence[ShardTask], workers: int) -> Iterator[int]:
    """The documents of each task, as soon as it is done."""
    advice = "what was finished is kept: run the same command again"
    with worker_pool(workers, advice) as pool:
        for future in as_completed([pool.submit(export_shard, task) for task in tasks]):
            yield future.result()
