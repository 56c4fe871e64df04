"""Making a shard: what is in it, what is skipped and why, and what goes wrong."""

import json
import multiprocessing
from pathlib import Path

import pytest

from boilersweep.collection.jsonl import JSONL
from boilersweep.errors import CollectionError, OutputError
from boilersweep.pages.segmenter import Segmenter
from boilersweep.segmenting.shards import SAMPLES_PER_REASON, make_shard
from boilersweep.segmenting.tasks import Task, segment_identity
from boilersweep.store.shard import read_columns, read_docids, read_facts
from boilersweep.work.watch import Watch
from tests.segmenting.conftest import OPTIONS, numbered

CONTEXT = multiprocessing.get_context("spawn")


def test_a_shard_is_made(task: Task) -> None:
    watch = Watch(CONTEXT)
    make_shard(task, JSONL, watch)
    assert read_docids(task.shard) == ["in-0", "in-2"]
    [columns] = read_columns(task.shard)
    assert columns.texts == ["one two", "three"]
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 1}
    assert [(s.docid, s.place) for s in facts.samples] == [("in-1", "in.jsonl at byte 41")]
    [file] = facts.files
    assert (file["path"], file["bytes"]) == ("in.jsonl", task.size)
    assert watch.take() == (3, task.size)
    assert facts.records == 3


def test_only_some_skipped_records_are_named_but_all_are_counted(tmp_path: Path) -> None:
    path = numbered(tmp_path / "in.jsonl", *[" "] * 20, "x")
    task = Task(tmp_path / "s.parquet", ((path, "in.jsonl"),), OPTIONS, segment_identity(OPTIONS))
    make_shard(task, JSONL, Watch(CONTEXT))
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 20}
    assert [sample.docid for sample in facts.samples] == [f"in-{i}" for i in range(5)]
    assert SAMPLES_PER_REASON == 5


def test_a_docid_that_lucene_takes_not_is_skipped(tmp_path: Path) -> None:
    docids = ["x" * 32_766, "x" * 32_767, "é" * 16_384, "a" * 32_764 + " "]
    lines = [json.dumps({"id": docid, "contents": "<p>one"}) for docid in docids]
    lines.append(json.dumps({"id": "\u00a0".join(["b"] * 5_000), "contents": "<p>one"}))
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    files = ((tmp_path / "in.jsonl", "in.jsonl"),)
    task = Task(tmp_path / "s.parquet", files, OPTIONS, segment_identity(OPTIONS))
    make_shard(task, JSONL, Watch(CONTEXT))
    facts = read_facts(task.shard)
    assert read_docids(task.shard) == [docids[0], "a" * 32_764]
    assert facts.skipped == {"docid too long for Lucene": 3}
    assert [sample.detail for sample in facts.samples] == [
        "32,767 bytes, at most 32,766",
        "32,768 bytes, at most 32,766",
        "34,994 bytes, at most 32,766",  # its white space percent-encoded
    ]
    assert facts.samples[0].docid == "x" * 200


def test_a_page_that_cannot_be_parsed_is_skipped(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = Segmenter.html

    def fail_on_three(self: Segmenter, utf8: bytes) -> object:
        if b"three" in utf8:
            raise ValueError("some fault")
        return html(self, utf8)

    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    monkeypatch.setattr(Segmenter, "html", fail_on_three)
    make_shard(task, JSONL, Watch(CONTEXT))
    facts = read_facts(task.shard)
    assert facts.skipped == {"empty page": 1, "unparsable page": 1}
    assert (facts.samples[1].docid, facts.samples[1].detail) == ("in-2", "some fault")
    assert read_docids(task.shard) == ["in-0"]


def test_an_interrupted_task_leaves_nothing(task: Task) -> None:
    class StopError(Exception):
        pass

    class StoppingWatch(Watch):
        def add(self, *_: int) -> None:
            raise StopError

    with pytest.raises(StopError):
        make_shard(task, JSONL, StoppingWatch(CONTEXT))
    assert [path.name for path in task.shard.parent.iterdir()] == ["in.jsonl"]


def test_a_file_that_cannot_be_read(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    path = task.files[0][0]
    description = task.description()
    monkeypatch.setattr(Task, "description", lambda _: description)
    path.unlink()
    with pytest.raises(CollectionError, match=r"cannot read .*in\.jsonl: No such file"):
        make_shard(task, JSONL, Watch(CONTEXT))
    assert list(task.shard.parent.iterdir()) == []


def test_a_shard_that_cannot_be_written(task: Task) -> None:
    nowhere = Task(
        task.shard.parent / "nowhere" / "s.parquet", task.files, OPTIONS, segment_identity(OPTIONS)
    )
    with pytest.raises(OutputError, match=r"cannot write .*s\.parquet"):
        make_shard(nowhere, JSONL, Watch(CONTEXT))
