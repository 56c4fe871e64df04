"""Worker processes: their errors, their deaths, and what they leave behind."""

import json
import multiprocessing
import os
import signal
import threading
from pathlib import Path

import pytest

from boilersweep.collection.jsonl import jsonl_format
from boilersweep.errors import BoilersweepError, OutputError
from boilersweep.segmenting import workers as workers_module
from boilersweep.segmenting.collection import segment_collection
from boilersweep.segmenting.tasks import SegmentOptions, Task, is_done, plan_tasks, segment_task
from boilersweep.segmenting.workers import _Counter, _Stopped, default_workers, run_tasks

JSONL = jsonl_format(plain=False)


def jsonl(path: Path) -> Path:
    path.write_text(json.dumps({"id": path.stem, "contents": "<p>one two"}) + "\n")
    return path


@pytest.fixture
def root(tmp_path) -> Path:
    root = tmp_path / "in"
    root.mkdir()
    for name in "abc":
        jsonl(root / f"{name}.jsonl")
    (tmp_path / "out").mkdir()
    return root


def planned(root: Path, output: Path) -> list[Task]:
    return plan_tasks(root, sorted(root.iterdir()), JSONL, output, SegmentOptions("jsonl"))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_counter_adds_up_and_stops():
    counter = _Counter()
    counter.add(1, 10)
    counter.add(0, 5)
    assert counter.read() == (1, 15)
    counter.stop()
    with pytest.raises(_Stopped):
        counter.add(1, 1)


def test_one_worker_is_this_process(root, tmp_path, monkeypatch):
    monkeypatch.delattr(workers_module, "ProcessPoolExecutor")
    tasks = planned(root, tmp_path / "out")
    run_tasks(tasks[:2], root, JSONL, 1)
    run_tasks(tasks[2:], root, JSONL, 8)  # one task needs no second process
    assert all(map(is_done, tasks))


def test_an_error_in_a_worker_comes_out_and_finished_shards_stay(root, tmp_path):
    tasks = planned(root, tmp_path / "out")
    tasks[1] = Task(tmp_path / "nowhere" / "shard.parquet", tasks[1].files, tasks[1].options)
    segment_task(tasks[0], JSONL, lambda *_: None)
    with pytest.raises(OutputError, match=r"cannot write .*nowhere"):
        run_tasks(tasks[1:], root, JSONL, 2)
    assert is_done(tasks[0])
    assert not [name for name in names(tmp_path / "out") if name.startswith(".")]
    assert multiprocessing.active_children() == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_killed_worker_is_an_error_and_finished_shards_stay(root, tmp_path):
    output = tmp_path / "out"
    tasks = planned(root, output)
    segment_task(tasks[0], JSONL, lambda *_: None)
    inode = tasks[0].shard.stat().st_ino
    # A worker that opens a pipe waits for its other end: there it can be killed in its task.
    (root / "b.jsonl").unlink()
    os.mkfifo(root / "b.jsonl")

    def kill_the_worker_in_the_pipe() -> None:
        descriptor = os.open(root / "b.jsonl", os.O_WRONLY)
        for process in multiprocessing.active_children():
            process.kill()
        os.close(descriptor)

    killer = threading.Thread(target=kill_the_worker_in_the_pipe, daemon=True)
    killer.start()
    with pytest.raises(BoilersweepError, match=r"a worker process died .* run the same command"):
        run_tasks(tasks[1:], root, JSONL, 2)
    killer.join(timeout=10)
    assert not killer.is_alive()
    (root / "b.jsonl").unlink()
    jsonl(root / "b.jsonl")
    store = segment_collection(root, output, workers=1)
    assert [docid for columns in store.columns() for docid in columns.docids] == ["a", "b", "c"]
    assert tasks[0].shard.stat().st_ino == inode
    assert not [name for name in names(output) if name.startswith(".")]


def test_workers_leave_ctrl_c_to_the_parent(root, monkeypatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(workers_module, "_worker", None, raising=False)
    try:
        workers_module._start_worker(root, SegmentOptions("jsonl"), _Counter())
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_default_workers_are_at_most_the_processors():
    assert 1 <= default_workers() <= (os.cpu_count() or 1)
