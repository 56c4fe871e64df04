"""Tasks: which files make which shard, and when one is done."""

from pathlib import Path

from boilersweep.collection.html_folder import HTML
from boilersweep.collection.jsonl import JSONL
from boilersweep.segmenting.tasks import SegmentOptions, plan_tasks
from tests.segmenting.conftest import OPTIONS, numbered


def test_a_task_for_every_file_or_for_many(tmp_path: Path) -> None:
    files = [tmp_path / "a" / f"{number:04d}.html" for number in range(501)]
    options = SegmentOptions("html")
    tasks = plan_tasks(tmp_path, files, HTML, tmp_path / "out", options)
    assert [len(task.files) for task in tasks] == [500, 1]
    assert tasks[1].files == ((files[500], "a/0500.html"),)
    assert [task.shard.name for task in tasks] == [
        "shard-00000.parquet",
        "shard-00001.parquet",
    ]
    tasks = plan_tasks(tmp_path, files[:3], JSONL, tmp_path / "out", options)
    assert [task.files[0][1] for task in tasks] == [
        "a/0000.html",
        "a/0001.html",
        "a/0002.html",
    ]


def test_a_root_that_is_a_file_gives_its_name(tmp_path: Path) -> None:
    path = numbered(tmp_path / "x.jsonl", "one")
    [task] = plan_tasks(path, [path], JSONL, tmp_path, OPTIONS)
    assert task.files == ((path, "x.jsonl"),)
