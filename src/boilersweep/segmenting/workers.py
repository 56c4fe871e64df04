"""Run tasks in worker processes, with a progress bar."""

import multiprocessing
import os
import signal
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

from boilersweep.collection.format import Format
from boilersweep.collection.recognise import open_collection
from boilersweep.errors import BoilersweepError
from boilersweep.progress import DocumentsBar
from boilersweep.segmenting.tasks import SegmentOptions, Task, segment_task


class _Stopped(Exception):  # noqa: N818
    """The run was interrupted; the worker gives up its task."""


class _Counter:
    """Documents done, bytes read and a stop sign, shared by all workers."""

    def __init__(self) -> None:
        self._shared = multiprocessing.get_context("spawn").Array("q", 3)

    def add(self, documents: int, read_bytes: int) -> None:
        """Count work done; raises _Stopped when the run was interrupted."""
        with self._shared.get_lock():
            values: Any = self._shared.get_obj()
            values[0] += documents
            values[1] += read_bytes
            if values[2]:
                raise _Stopped

    def stop(self) -> None:
        self._shared[2] = 1

    def read(self) -> tuple[int, int]:
        return int(self._shared[0]), int(self._shared[1])


_worker: tuple[Format, _Counter]


def _start_worker(root: Path, options: SegmentOptions, counter: _Counter) -> None:
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells workers to stop
    format_, _ = open_collection(root, options.collection, plain=options.plain)
    _worker = format_, counter


def _work(task: Task) -> None:
    format_, counter = _worker
    segment_task(task, format_, counter.add)


def run_tasks(tasks: Sequence[Task], root: Path, format_: Format, workers: int) -> None:
    """Run the tasks in worker processes, with a progress bar; finished shards stay on error."""
    counter = _Counter()
    bar = DocumentsBar("segment", sum(task.size for task in tasks))
    try:
        if workers == 1 or len(tasks) == 1:

            def count(documents: int, read_bytes: int) -> None:
                counter.add(documents, read_bytes)
                bar.show(*counter.read())

            for task in tasks:
                segment_task(task, format_, count)
        else:
            _run_in_processes(tasks, root, min(workers, len(tasks)), counter, bar)
    finally:
        bar.close()


def _run_in_processes(
    tasks: Sequence[Task], root: Path, workers: int, counter: _Counter, bar: DocumentsBar
) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers, context, _start_worker, (root, tasks[0].options, counter)
    ) as executor:
        pending: set[Future[None]] = {executor.submit(_work, task) for task in tasks}
        try:
            while pending:
                done, pending = wait(pending, timeout=0.2, return_when=FIRST_EXCEPTION)
                bar.show(*counter.read())
                for future in done:
                    future.result()
        except BrokenProcessPool:
            raise BoilersweepError(
                "a worker process died (killed, or out of memory); what was finished is kept: "
                "run the same command again, with fewer --threads if memory is short"
            ) from None
        except BaseException:
            counter.stop()
            executor.shutdown(wait=True, cancel_futures=True)
            raise


def default_workers() -> int:
    """As many workers as this process may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
