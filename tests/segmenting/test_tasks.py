"""Tasks: which files make which shard, and when one is done."""

import json
import multiprocessing
from pathlib import Path

import pytest

from boilersweep.collection.htmlfolder import HTML
from boilersweep.collection.jsonl import jsonl_format
from boilersweep.errors import StoreError
from boilersweep.segmenting import tasks as tasks_module
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import SegmentOptions, Task, is_done, plan_tasks
from boilersweep.segmenting.watch import Watch

CONTEXT = multiprocessing.get_context("spawn")
JSONL = jsonl_format(plain=False)
OPTIONS = SegmentOptions("jsonl")


def jsonl(path: Path, *contents: str) -> Path:
    lines = [json.dumps({"id": f"{path.stem}-{i}", "contents": c}) for i, c in enumerate(contents)]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def task(tmp_path) -> Task:
    path = jsonl(tmp_path / "in.jsonl", "<p>one two", " ", "<p>three")
    return Task(tmp_path / "shard-00000.parquet", ((path, "in.jsonl"),), OPTIONS)


def test_a_task_for_every_file_or_for_many(tmp_path):
    files = [tmp_path / "a" / f"{number:04d}.html" for number in range(501)]
    options = SegmentOptions("html")
    tasks = plan_tasks(tmp_path, files, HTML, tmp_path / "out", options)
    assert [len(task.files) for task in tasks] == [500, 1]
    assert tasks[1].files == ((files[500], "a/0500.html"),)
    assert [task.shard.name for task in tasks] == ["shard-00000.parquet", "shard-00001.parquet"]
    tasks = plan_tasks(tmp_path, files[:3], JSONL, tmp_path / "out", options)
    assert [task.files[0][1] for task in tasks] == ["a/0000.html", "a/0001.html", "a/0002.html"]


def test_a_root_that_is_a_file_gives_its_name(tmp_path):
    path = jsonl(tmp_path / "x.jsonl", "one")
    [task] = plan_tasks(path, [path], JSONL, tmp_path, OPTIONS)
    assert task.files == ((path, "x.jsonl"),)


def test_done_once_its_shard_is_there(task):
    assert not is_done(task)
    make_shard(task, JSONL, Watch(CONTEXT))
    assert is_done(task)


def test_a_shard_made_otherwise_is_refused(task, monkeypatch):
    make_shard(task, JSONL, Watch(CONTEXT))
    other = Task(task.shard, task.files, SegmentOptions("jsonl", inline_tags_transparent=True))
    with pytest.raises(StoreError, match="made with other options; choose another --output"):
        is_done(other)
    with task.files[0][0].open("a") as file:
        file.write("\n")
    with pytest.raises(StoreError, match="made with other files;"):
        is_done(task)
    monkeypatch.setattr(tasks_module, "__version__", "999")
    with pytest.raises(StoreError, match="made with other boilersweep and files and options;"):
        is_done(other)


def test_a_damaged_shard_is_refused(task):
    task.shard.write_bytes(b"garbage")
    with pytest.raises(StoreError, match="delete it and run"):
        is_done(task)
