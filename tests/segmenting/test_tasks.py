"""Tasks: which files make which shard, when one is done, and what goes wrong in one."""

import json
from pathlib import Path

import pytest

from boilersweep.collection.htmlfolder import HTML
from boilersweep.collection.jsonl import jsonl_format
from boilersweep.errors import CollectionError, OutputError, StoreError
from boilersweep.segmentation import Segmenter
from boilersweep.segmenting import tasks as tasks_module
from boilersweep.segmenting.tasks import (
    SAMPLES_PER_REASON,
    SegmentOptions,
    Task,
    is_done,
    plan_tasks,
    segment_task,
)
from boilersweep.store.shard import read_columns, read_docids, read_facts

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


class Counts:
    def __init__(self) -> None:
        self.documents = self.bytes = 0

    def __call__(self, documents: int, read_bytes: int) -> None:
        self.documents += documents
        self.bytes += read_bytes


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


def test_a_shard_is_made(task):
    counts = Counts()
    segment_task(task, JSONL, counts)
    assert read_docids(task.shard) == ["in-0", "in-2"]
    [columns] = read_columns(task.shard)
    assert columns.texts == ["one two", "three"]
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 1}
    assert [(s.docid, s.place) for s in facts.samples] == [("in-1", "in.jsonl at byte 41")]
    [file] = facts.files
    assert (file["path"], file["bytes"]) == ("in.jsonl", task.size)
    assert (counts.documents, counts.bytes) == (3, task.size)


def test_done_once_its_shard_is_there(task):
    assert not is_done(task)
    segment_task(task, JSONL, Counts())
    assert is_done(task)


def test_a_shard_made_otherwise_is_refused(task, monkeypatch):
    segment_task(task, JSONL, Counts())
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


def test_only_some_skipped_records_are_named_but_all_are_counted(tmp_path):
    path = jsonl(tmp_path / "in.jsonl", *[" "] * 20, "x")
    task = Task(tmp_path / "s.parquet", ((path, "in.jsonl"),), OPTIONS)
    segment_task(task, JSONL, Counts())
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 20}
    assert [sample.docid for sample in facts.samples] == [f"in-{i}" for i in range(5)]
    assert SAMPLES_PER_REASON == 5


def test_a_page_that_cannot_be_parsed_is_skipped(task, monkeypatch):
    html = Segmenter.html

    def fail_on_three(self: Segmenter, utf8: bytes) -> object:
        if b"three" in utf8:
            raise ValueError("some fault")
        return html(self, utf8)

    monkeypatch.setattr(Segmenter, "html", fail_on_three)
    segment_task(task, JSONL, Counts())
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 1, "unparsable page": 1}
    assert (facts.samples[1].docid, facts.samples[1].detail) == ("in-2", "some fault")
    assert read_docids(task.shard) == ["in-0"]


def test_an_interrupted_task_leaves_nothing(task):
    class StopError(Exception):
        pass

    def stop(_documents: int, _bytes: int) -> None:
        raise StopError

    with pytest.raises(StopError):
        segment_task(task, JSONL, stop)
    assert [path.name for path in task.shard.parent.iterdir()] == ["in.jsonl"]


def test_a_file_that_cannot_be_read(task, monkeypatch):
    path = task.files[0][0]
    description = task.description()
    monkeypatch.setattr(Task, "description", lambda _: description)
    path.unlink()
    with pytest.raises(CollectionError, match=r"cannot read .*in\.jsonl: No such file"):
        segment_task(task, JSONL, Counts())
    assert list(task.shard.parent.iterdir()) == []


def test_a_shard_that_cannot_be_written(task):
    nowhere = Task(task.shard.parent / "nowhere" / "s.parquet", task.files, OPTIONS)
    with pytest.raises(OutputError, match=r"cannot write .*s\.parquet"):
        segment_task(nowhere, JSONL, Counts())
