"""Export shards in worker processes of this machine."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from boilersweep.errors import BoilersweepError
from boilersweep.export.shards import ShardTask, export_shard
from boilersweep.files import remove_leftovers
from boilersweep.progress import steps

_METHODS = multiprocessing.get_all_start_methods()
# Not by fork: a process with a running JVM, or threads, must not be forked.
_METHOD = "forkserver" if "forkserver" in _METHODS else "spawn"


def run_tasks(tasks: Sequence[ShardTask], workers: int) -> None:
    """Export all shards, with a progress bar; in this process with one worker.

    Raises what a task raises (finished shards stay), and BoilersweepError where a worker dies.
    """
    documents = sum(task.store.documents for task in tasks)
    with steps("export", documents, "documents") as bar:
        if min(workers, len(tasks)) < 2:
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
    context = multiprocessing.get_context(_METHOD)
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(workers, context, initializer=_begin) as pool:
        futures = [pool.submit(export_shard, task) for task in tasks]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise BoilersweepError(
                "a worker process died; what was finished is kept: run the same command again, "
                "with fewer --threads if memory is short. A script that calls this needs "
                "`if __name__ == '__main__':`"
            ) from error
        except BaseException:
            # Nobody waits for shards that are half done. Without its workers the pool gives up all
            # that is left, and its end waits until they are gone.
            for child in set(multiprocessing.active_children()) - others:
                child.kill()
            raise


def _begin() -> None:
    """What a worker does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End at once when the parent is gone: the run that takes up its work has workers, too."""
    if parent := multiprocessing.parent_process():
        parent.join()
    os._exit(1)
