"""Segment on a cluster: a task makes one shard, as a process of one machine does."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from boilersweep.segmenting.reuse import is_done
from boilersweep.segmenting.tasks import SegmentOptions, Task
from boilersweep.segmenting.workers import run_tasks
from boilersweep.work.crew import Crew


def run_on(crew: Crew, tasks: Sequence[Task], options: SegmentOptions, _: int) -> None:
    """As `boilersweep.segmenting.workers.run_tasks`, on the workers of a cluster.

    Each page is cut in a child of the worker, so one that crashes or hangs costs no worker: it is
    left out and counted as on one machine.
    """
    there = [_absolute(task) for task in tasks]
    make = partial(_make, options)
    crew.run(make, there, name=_name, what="segment", unit="shards")


def _absolute(task: Task) -> Task:
    """The task as a worker can read it, which works in another folder."""
    files = tuple((path.resolve(), name) for path, name in task.files)
    before = task.before and task.before.resolve()
    return replace(task, shard=task.shard.resolve(), files=files, before=before)


def _make(options: SegmentOptions, task: Task) -> None:
    if not is_done(task):
        run_tasks([task], options, workers=1)


def _name(task: Task) -> str:
    names = [name for _, name in task.files]
    more = f" and {len(names) - 3:,} more files" if len(names) > 3 else ""
    return f"{task.shard.name} (of {', '.join(names[:3])}{more})"
