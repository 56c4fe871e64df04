"""Make shards, and texts beside them, in worker processes.

A worker that is too long at a record is ended, pauses not counted; one that dies is replaced, and
its task done again: `_Attempt.after` tells what the next attempt leaves out and counts.
"""

import gc
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from boilersweep.collection.format import Format, Reason
from boilersweep.collection.formats import named_format
from boilersweep.errors import BoilersweepError
from boilersweep.outputs.atomic import remove_leftovers
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Loss, Segmentation, Task, TextTask
from boilersweep.segmenting.texts import make_texts
from boilersweep.work.processes import allow_children, default_workers
from boilersweep.work.progress import DocumentsBar
from boilersweep.work.tasks import ALL, Turns, run_tasks
from boilersweep.work.watch import Watch
from boilersweep.work.worker_pool import Death, WorkerPool

AnyTask = Task | TextTask


def make_files(
    tasks: Sequence[AnyTask],
    workers: int | Executor | None,
    turns: Turns = ALL,
) -> int:
    """Make the files of some tasks, with a progress bar.

    Finished files stay if a task fails.

    Args:
        tasks: Tasks of one kind with the same options; without any, nothing is done.
        workers: The most processes of this machine; None for one per processor. Or an executor,
            whose workers see the input and the store at the same paths as this process.
        turns: Which tasks to do; the result of each is its file.

    Returns:
        The number of files made.

    Raises:
        BoilersweepError: A task fails, workers die whatever they are given, or the executor is
            lost.
    """
    if not tasks:
        return 0
    what = "extract" if isinstance(tasks[0], TextTask) else "segment"
    if isinstance(workers, Executor):
        return len(
            run_tasks(_make_alone, tasks, what, "files", workers=workers, turns=turns)
        )
    made = 0
    options = tasks[0].options
    bar = DocumentsBar(what, sum(task.size for task in tasks))
    try:
        with WorkerPool[_Attempt](
            _work,
            options,
            workers=min(workers or default_workers(), len(tasks)),
            seconds=options.limits.seconds,
            worker_bytes=options.limits.worker_bytes,
            advice="what was finished is kept: run the same command again, with fewer --threads",
            imported=True,
        ) as pool:
            queue = _Queue(tasks, turns.take)
            for attempt, outcome in pool.run(
                queue.next, lambda: bar.show(*pool.counted())
            ):
                if isinstance(outcome, Death):
                    queue.add_after(attempt, outcome)
                else:
                    made += 1
                    turns.done(attempt.task, outcome)
    finally:
        bar.close()
        for folder in {task.folder for task in tasks}:
            remove_leftovers(folder)
    return made


def _make_alone(task: AnyTask) -> Path:
    """Make a task's file in a process that this one, a worker of an executor, watches."""
    found: list[Path] = []
    allow_children()
    make_files([task], 1, Turns(done=lambda _, file: found.append(file)))
    return found[0]


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A task, the causes of its failed attempts, and what they leave out.

    Attributes:
        alone: To be done when no other worker is at work.
    """

    task: AnyTask
    deaths: tuple[Loss, ...] = ()
    losses: tuple[Loss, ...] = ()
    alone: bool = False

    def after(self, death: Loss) -> "_Attempt":
        """Return the next attempt.

        A worker may have been killed, or slow, for no fault of the page. After a first death, the
        whole task is tried again; if that took too long, while no other worker is busy. After a
        second death at the same record, the record is left out; after a third, the whole file.
        """
        deaths = (*self.deaths, death)
        following = replace(self, deaths=deaths, alone=False)
        place = (death.file, death.record)
        if place in [(lost.file, lost.record) for lost in self.losses]:
            known = 1 + max(
                other.record or 0 for other in deaths if other.file == death.file
            )
            aside = Loss(death.file, None, Reason.SET_ASIDE, death.detail, known)
            kept = [lost for lost in self.losses if lost.file != death.file]
            return replace(following, losses=(*kept, aside))
        if place in [(earlier.file, earlier.record) for earlier in self.deaths]:
            return replace(following, losses=(*self.losses, death))
        return replace(following, alone=death.reason is Reason.OVER_TIME)


class _Queue:
    def __init__(
        self, tasks: Sequence[AnyTask], take: Callable[[AnyTask], bool]
    ) -> None:
        self._untaken = filter(take, tasks)
        self._waiting: deque[_Attempt] = deque()
        self._alone: deque[_Attempt] = deque()

    def next(self, busy: int) -> _Attempt | None:
        """Return the next attempt while some workers are busy, None if there is none for now."""
        if self._waiting:
            return self._waiting.popleft()
        if task := next(self._untaken, None):
            return _Attempt(task)
        return self._alone.popleft() if self._alone and not busy else None

    def add_after(self, attempt: _Attempt, death: Death) -> None:
        at = death.standing
        reason = Reason.OVER_TIME if death.over_time else Reason.CRASHED
        following = attempt.after(Loss(at.file, at.record, reason, death.detail))
        (self._alone.append if following.alone else self._waiting.appendleft)(following)


def _work(watch: Watch, options: Segmentation) -> Callable[[_Attempt], Path]:
    """Run in a worker process: make one file after the other."""
    gc.freeze()  # what was imported stays
    collection = options.collection or ""
    return partial(_make, named_format(collection, options.reading), watch)


def _make(format_: Format, watch: Watch, attempt: _Attempt) -> Path:
    """Make a task's file; an unexpected error names the record at which it came."""
    task = attempt.task
    try:
        if isinstance(task, TextTask):
            return make_texts(task, format_, watch, attempt.losses)
        return make_shard(task, format_, watch, attempt.losses)
    except BoilersweepError:
        raise
    except Exception as error:
        standing = watch.standing()
        place = f"{task.files[standing.file][1]}, record {standing.record + 1:,}"
        if isinstance(error, MemoryError):
            raise BoilersweepError(
                f"{place}: not enough memory to read it; raise --max-worker-memory"
            ) from None
        # A bug of ours, of which the traceback does not come to the parent by itself.
        raise RuntimeError(f"{place}:\n{traceback.format_exc()}") from None
