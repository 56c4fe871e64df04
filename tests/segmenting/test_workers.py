"""Worker processes: their errors, their deaths, and what becomes of the pages they died at."""

import multiprocessing
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BoilersweepError, OutputError, Segmentation, segment_collection
from boilersweep.outputs.atomic import remove_made
from boilersweep.pages.limits import Limits
from boilersweep.segmenting import shards as workers_module
from boilersweep.segmenting.shards import AnyTask, make_files
from boilersweep.segmenting.tasks import Task, reason_of_loss
from boilersweep.store.shard import read_docids, read_facts
from boilersweep.work import pool, tasks
from boilersweep.work.pool import DeadRecord
from boilersweep.work.processes import HERE
from tests.segmenting.conftest import OPTIONS, jsonl, make, place
from tests.segmenting.conftest import planned as planned_files

NEEDS_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in "abc":
        jsonl(tmp_path / "in" / f"{name}.jsonl", (name, "<p>one two"))
    (tmp_path / "out").mkdir()
    return tmp_path / "in"


def planned(root: Path, output: Path, options: Segmentation = OPTIONS) -> list[Task]:
    return planned_files(root, sorted(root.iterdir()), output, options)


def made(tasks: Sequence[AnyTask], workers: int) -> list[Path]:
    """Make some files as the one writer of a folder; return them in the order of the tasks."""
    found: dict[Any, Path] = {}
    try:
        make_files(
            tasks, workers, lambda task, made: found.update({task.name: place(made)})
        )
    finally:
        for task in tasks:
            remove_made(task.folder)
    return [found[task.name] for task in tasks]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_error_in_a_worker_comes_out_and_finished_shards_stay(
    root: Path, tmp_path: Path
) -> None:
    before = multiprocessing.active_children()
    tasks = planned(root, tmp_path / "out")
    tasks[1] = replace(tasks[1], folder=tmp_path / "nowhere")
    make(tasks[0])
    with pytest.raises(OutputError, match=r"cannot write .*nowhere"):
        made(tasks[1:], 2)
    assert len([*(tmp_path / "out").glob("shard-*")]) in (1, 2)
    assert not [name for name in names(tmp_path / "out") if name.startswith(".")]
    assert set(multiprocessing.active_children()) <= set(before)


def piped(path: Path) -> bytes:
    """Put a named pipe in the place of a file, and return the file's content."""
    content = path.read_bytes()
    path.unlink()
    os.mkfifo(path)
    return content


@NEEDS_PIPES
def test_a_worker_killed_from_outside_is_replaced_and_nothing_is_lost(
    root: Path, tmp_path: Path
) -> None:
    before = multiprocessing.active_children()
    content = piped(root / "b.jsonl")

    def kill_then_serve() -> None:
        # Waits until a worker reads
        descriptor = os.open(root / "b.jsonl", os.O_WRONLY)
        [worker] = set(multiprocessing.active_children()).difference(before)
        worker.kill()
        wait([worker.sentinel])
        os.close(descriptor)
        # Waits until a worker reads
        descriptor = os.open(root / "b.jsonl", os.O_WRONLY)
        os.write(descriptor, content)
        os.close(descriptor)

    helper = threading.Thread(target=kill_then_serve, daemon=True)
    helper.start()
    tasks = planned(root, tmp_path / "out")
    shards = made(tasks, 1)
    helper.join(timeout=120)
    assert not helper.is_alive()
    assert [*map(read_docids, shards)] == [["a"], ["b"], ["c"]]
    assert names(tmp_path / "out") == sorted(one.name for one in shards)


@NEEDS_PIPES
def test_a_file_that_hangs_its_readers_is_set_aside_and_named(
    root: Path, tmp_path: Path
) -> None:
    """A worker that neither works nor is stopped ages, too."""
    piped(root / "b.jsonl")  # nobody writes: reading it hangs
    limits = Limits(seconds=0.5)
    tasks = planned(root, tmp_path / "out", Segmentation("jsonl", limits=limits))
    shards = made(tasks, 2)
    facts = read_facts(shards[1])
    assert facts.skipped == {"file set aside": 1}
    assert facts.samples[0].place == "b.jsonl at byte 0"
    assert [(lost.reason, lost.records) for lost in facts.lost] == [
        ("file set aside", 1)
    ]
    assert facts.records == 1
    assert read_docids(shards[0]) + read_docids(shards[2]) == ["a", "c"]


@pytest.mark.parametrize(
    ("loss", "counts", "sample"),
    [
        (DeadRecord(0, 0, False, "signal SIGSEGV"), (3, 1, 1), "in-0"),
        (DeadRecord(0, 0, True, "more than 60 s"), (3, 1, 1), "in-0"),
        (DeadRecord(0, None, True, "60 s", 148), (148, 0, 148), None),
    ],
)
def test_what_is_left_out_is_counted_and_the_rest_is_there(
    task: Task, loss: DeadRecord, counts: tuple[int, int, int], sample: str | None
) -> None:
    facts = make(task, [loss])
    assert (
        facts.records,
        facts.documents,
        facts.skipped[reason_of_loss(loss)],
    ) == counts
    assert (facts.samples[0].docid, facts.samples[0].detail) == (sample, loss.detail)
    assert [lost.records for lost in facts.lost] == [loss.records]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            MemoryError(),
            BoilersweepError,
            r"b\.jsonl, record 4: not enough memory.*--max-worker",
        ),
        (
            KeyError("x"),
            RuntimeError,
            r"b\.jsonl, record 4:\nTraceback .*KeyError: 'x'",
        ),
        (OutputError("disk"), OutputError, "^disk$"),
    ],
)
def test_what_goes_wrong_at_a_record_names_it(
    root: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    kind: type[Exception],
    message: str,
) -> None:
    def fail(*_: object) -> None:
        HERE.begin(0, 3)
        raise error

    monkeypatch.setattr(workers_module, "make_shard", fail)
    task = planned(root, tmp_path / "out")[1]
    with pytest.raises(kind, match=f"(?s){message}"):
        workers_module.make_file(task, ())


def _abort(*_: object) -> None:
    os.abort()


def test_a_worker_that_cannot_begin_is_an_error(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "_begin", _abort)
    with pytest.raises(BoilersweepError, match="died before it read anything"):
        made(planned(root, tmp_path / "out"), 1)


def test_a_record_too_slow_is_tried_once_more_when_no_other_worker_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extractor that crawls at its first call: without a second try its page were lost."""
    root = tmp_path / "in"
    for name in "abcd":
        jsonl(root / f"{name}.jsonl", (name, f"<p>{name} b"))
    (tmp_path / "plugin_crawls.py").write_text(CRAWLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    given: list[tuple[str, int]] = []
    give = pool._Worker.give

    def noting(worker: Any, attempt: Any) -> None:
        given.append((attempt.task[1].files[0][1], len(attempt.deaths)))
        give(worker, attempt)

    monkeypatch.setattr(pool._Worker, "give", noting)
    options = Segmentation(limits=Limits(seconds=1), extractors=["plugin_crawls:text"])
    store = segment_collection(root, tmp_path / "out", options, workers=2)
    assert list(store.docids()) == ["a", "b", "c", "d"]
    assert (store.skipped, store.lost) == ({}, {})
    assert given[-1] == ("a.jsonl", 1)
    assert len(given) == 4 + 5  # shards and texts


CRAWLS = """
import time
from pathlib import Path

def text(html):
    called = Path(__file__).with_name("called")
    if html == "<p>a b":
        if not called.exists():
            called.touch()
            while True:
                time.sleep(0.01)
    return html
"""


@pytest.mark.slow
def test_a_page_too_slow_is_left_out_and_the_others_stay(tmp_path: Path) -> None:
    """Real time: end tags that a table holds off are looked for in all that is open, each time."""
    slow = "<b><table>" + "<i>" * 150_000 + "three four" + "</b>" * 150_000
    root = jsonl(
        tmp_path / "x.jsonl", ("a", "<p>one two"), ("b", slow), ("c", "<p>five six")
    )
    limits = Limits(seconds=3, nesting=10**18)
    store = segment_collection(
        root, tmp_path / "out", Segmentation(limits=limits), workers=1
    )
    assert list(store.docids()) == ["a", "c"]
    assert store.skipped == {"over the time cap": 1}
    assert store.manifest.skipped_samples["over the time cap"][0]["docid"] == "b"
