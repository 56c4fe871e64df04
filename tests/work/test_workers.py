"""Tasks on an executor: versions, hosts in errors, and workers that are gone."""

import os
import pickle
import socket
import threading
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from boilersweep import BoilersweepError, OutputError
from boilersweep.work import workers
from boilersweep.work.pool import PoolOptions
from boilersweep.work.processes import HERE
from boilersweep.work.tasks import Work, make_all
from boilersweep.work.workers import LostWorkerError, Remote

HOST = socket.gethostname()


def double(number: int) -> int:
    if number == 13:
        raise OutputError("the disk is full")
    if number == 14:
        raise KeyError("of ours\nin two lines")
    return 2 * number


_bad = threading.local()


def versions() -> Mapping[str, Any]:
    if getattr(_bad, "is_bad", False) == 2:
        raise ImportError("no such package")
    return {"dictionary": "none" if getattr(_bad, "is_bad", False) else "ICU 78"}


WORK = Work("test", "numbers", versions=versions)


class Bad(ThreadPoolExecutor):
    """Has workers of which some lack the dictionary; a cluster's executor avoids them.

    Args:
        avoids: Whether it knows its workers.
        bad: The numbers of the tasks that bad workers get first.
    """

    def __init__(self, *bad: int, avoids: bool, others: bool = True) -> None:
        super().__init__(1)  # so that tasks end in their order
        self._left = {*bad}
        self.avoided: list[str] = []
        if avoids:
            self.avoid = self._avoid
        self._others = others

    def _avoid(self, name: str) -> bool:
        self.avoided.append(name)
        return self._others

    def submit(self, do: Any, task: bytes, /, **_: Any) -> Any:  # type: ignore[override]
        number = pickle.loads(task)  # noqa: S301 - our own
        is_bad = number in self._left
        if self.avoided or not hasattr(self, "avoid"):
            self._left.discard(number)

        def run() -> Any:
            _bad.is_bad = number if is_bad else False
            return do(task)

        return super().submit(run)


@pytest.mark.parametrize("avoids", [True, False])
def test_a_worker_of_other_versions_does_nothing_and_others_go_on(avoids: bool) -> None:
    with Bad(1, 2, avoids=avoids) as executor:
        assert make_all([0, 1, 2, 3], double, WORK, executor) == [0, 2, 4, 6]


def test_without_another_worker_the_differences_and_the_host_are_named() -> None:
    with (
        Bad(1, avoids=True, others=False) as executor,
        pytest.raises(
            BoilersweepError,
            match=f"worker on {HOST} has other versions.*: dictionary was none, is ICU 78; "
            "install the same versions there",
        ),
    ):
        make_all([0, 1], double, WORK, executor)
    with (
        Bad(1, avoids=False) as executor,
        pytest.raises(BoilersweepError, match="dictionary was none"),
    ):
        make_all([1], double, WORK, executor)


@pytest.mark.parametrize(
    ("number", "kind", "message"),
    [
        (13, OutputError, rf"^the disk is full \(on the worker {HOST}\)$"),
        (14, BoilersweepError, f"^the worker on {HOST} failed: KeyError: [^\n]*$"),
    ],
)
def test_errors_are_one_line_with_the_host(
    number: int, kind: type[Exception], message: str
) -> None:
    with ThreadPoolExecutor(1) as executor, pytest.raises(kind, match=message):
        make_all([1, number], double, WORK, executor)


class Silent(ThreadPoolExecutor):
    """Takes tasks, and has no worker."""

    def submit(self, *_: Any, **__: Any) -> Any:
        return Future()

    def workers(self) -> int:
        return 0


def test_no_worker_for_long_is_said_and_ends_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seconds in (
        ("_LOOK_AFTER", 0.01),
        ("_PATIENCE", 0.05),
        ("_LONGEST", 0.2),
    ):
        monkeypatch.setattr(workers, name, seconds)
    with (
        Silent(1) as executor,
        pytest.raises(BoilersweepError, match="had no worker for"),
    ):
        make_all([1], double, WORK, executor)
    assert "the work goes on with the next one" in capsys.readouterr().err


class Lost(ThreadPoolExecutor):
    """Loses a task as an executor does whose worker is killed for its memory."""

    def submit(self, *_: Any, **__: Any) -> Any:
        lost: Future[Any] = Future()
        lost.set_exception(BrokenExecutor("killed.\n\nSee the logs. They say more"))
        return lost


def test_what_an_executor_says_is_one_whole_line() -> None:
    message = r"\(BrokenExecutor: killed\. See the logs\. They say more\).*run the same"
    with Lost(1) as executor, pytest.raises(BoilersweepError, match=message):
        make_all([1], double, WORK, executor)


class Losing(ThreadPoolExecutor):
    """Loses the worker of a task some times.

    Args:
        times: The task -> how many times.
    """

    def __init__(self, times: dict[int, int]) -> None:
        super().__init__(1)
        self._times = times

    def submit(self, do: Any, task: bytes, /, **_: Any) -> Any:  # type: ignore[override]
        number = pickle.loads(task)  # noqa: S301 - our own
        if not self._times.get(number):
            return super().submit(do, task)
        self._times[number] -= 1
        lost: Future[Any] = Future()
        lost.set_exception(LostWorkerError(f"of {number}"))
        return lost


@pytest.mark.parametrize("tasks", [[1], [1, 2, 3], [2, 3, 1]])
def test_a_task_whose_worker_is_lost_is_given_to_others_thrice(
    tasks: list[int],
) -> None:
    with Losing({1: 3}) as executor:
        assert make_all(tasks, double, WORK, executor) == [2 * task for task in tasks]
    lost = r"lost a worker .*LostWorkerError: of 1\).*run the same"
    with Losing({1: 4}) as executor, pytest.raises(BoilersweepError, match=lost):
        make_all(tasks, double, WORK, executor)


def crowded(_: int) -> int:
    """Return how many tasks are done in this process at a time."""
    _at_once.append(1)
    threading.Event().wait(0.01)
    found = len(_at_once)
    _at_once.pop()
    return found


_at_once: list[int] = []


def test_four_threads_do_one_task_at_a_time() -> None:
    with ThreadPoolExecutor(4) as executor:
        assert make_all(range(20), crowded, WORK, executor) == [1] * 20


def die_or_count(number: int, losses: Any) -> tuple[int, int]:
    HERE.begin(0, number)
    if number == 7 and not losses:
        os.abort()
    HERE.add(1, 10)
    return os.getpid(), len(losses)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs the child of a worker")
def test_a_child_of_the_worker_dies_and_another_one_stays_for_the_next_tasks() -> None:
    work = Work("test", "bytes", lambda _: 10, PoolOptions(seconds=60))
    with ThreadPoolExecutor(2) as executor:
        found = make_all([1, 2, 7, 3, 4], die_or_count, work, executor)
    assert [lost for _, lost in found] == [0, 0, 1, 0, 0]
    assert os.getpid() not in {pid for pid, _ in found}
    assert len({pid for pid, _ in found}) <= 4
    workers._children.end()


def test_the_bytes_and_documents_of_all_workers_are_counted() -> None:
    remote = Remote(die_or_count, PoolOptions(seconds=60), versions)
    first, second = (remote(pickle.dumps(number)) for number in (1, 2))
    assert (first.documents, first.read_bytes) == (1, 10)
    assert (second.documents, second.read_bytes) == (1, 10)
    processes = {pickle.loads(one.result)[0] for one in (first, second)}  # noqa: S301 - our own
    assert len(processes) == 1
    workers._children.end()
