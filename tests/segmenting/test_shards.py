"""Making a shard: what is in it, what is skipped and why, and what goes wrong."""

import dataclasses
from pathlib import Path
from unittest import mock

import pytest

from boilersweep import OutputError
from boilersweep.pages.segmenter import Segmenter
from boilersweep.segmenting.shards import SAMPLES_PER_REASON
from boilersweep.segmenting.tasks import Task
from boilersweep.store.shard import read_columns, read_docids
from boilersweep.work.processes import HERE, Watch
from tests.segmenting.conftest import jsonl, make, numbered, shard_in


def test_a_shard_is_made(task: Task) -> None:
    HERE.forget()
    facts = make(task)
    shard = shard_in(task.folder)
    assert read_docids(shard) == ["in-0", "in-2"]
    [columns] = read_columns(shard)
    assert columns.texts == ["one two", "three"]
    assert facts.skipped == {"empty page": 1}
    assert [(s.docid, s.place) for s in facts.samples] == [
        ("in-1", "in.jsonl at byte 41")
    ]
    [file] = facts.files
    size = task.files[0][0].stat().st_size
    assert (file["path"], file["bytes"]) == ("in.jsonl", size)
    assert HERE.counted == (3, size)
    assert facts.records == 3


def test_only_some_skipped_records_are_named_but_all_are_counted(task: Task) -> None:
    numbered(task.files[0][0], *[" "] * 20, "x")
    facts = make(task)
    assert facts.skipped == {"empty page": 20}
    assert [sample.docid for sample in facts.samples] == [f"in-{i}" for i in range(5)]
    assert SAMPLES_PER_REASON == 5


def test_a_docid_that_lucene_takes_not_is_skipped(task: Task) -> None:
    docids = ["x" * 32_766, "x" * 32_767, "é" * 16_384, "a" * 32_764 + " "]
    docids.append("\u00a0".join(["b"] * 5_000))
    jsonl(task.files[0][0], *((docid, "<p>one") for docid in docids))
    facts = make(task)
    assert read_docids(shard_in(task.folder)) == [docids[0], "a" * 32_764]
    assert facts.skipped == {"docid too long for Lucene": 3}
    assert [sample.detail for sample in facts.samples] == [
        "32,767 bytes, at most 32,766",
        "32,768 bytes, at most 32,766",
        "34,994 bytes, at most 32,766",  # its white space percent-encoded
    ]
    assert facts.samples[0].docid == "x" * 200


@pytest.mark.parametrize(
    ("error", "skipped", "detail", "lost"),
    [
        (ValueError("some fault"), "unparsable page", "some fault", []),
        (
            MemoryError(),
            "over the memory cap",
            "a page of 8 bytes",
            ["over the memory cap"],
        ),
    ],
)
def test_a_page_that_cannot_be_cut_is_skipped(
    task: Task,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    skipped: str,
    detail: str,
    lost: list[str],
) -> None:
    html = Segmenter.html

    def fail_on_three(self: Segmenter, utf8: bytes) -> object:
        if b"three" in utf8:
            raise error
        return html(self, utf8)

    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    monkeypatch.setattr(Segmenter, "html", fail_on_three)
    facts = make(task)
    assert facts.skipped == {"empty page": 1, skipped: 1}
    assert (facts.samples[1].docid, facts.samples[1].detail) == ("in-2", detail)
    assert read_docids(shard_in(task.folder)) == ["in-0"]
    assert [one.reason for one in facts.lost] == lost


def test_an_interrupted_task_leaves_nothing(
    task: Task,
) -> None:
    with (
        mock.patch.object(Watch, "add", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        make(task)
    assert [path.name for path in task.folder.iterdir()] == ["in.jsonl"]


def test_a_shard_that_cannot_be_written(task: Task, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot write .*nowhere"):
        make(dataclasses.replace(task, folder=tmp_path / "nowhere"))
