"""Collections and tasks, and what is in stores."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from boilersweep import BlockStore, Segmentation
from boilersweep.collection.jsonl import JSONL
from boilersweep.outputs.atomic import place_file
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Made, Task, named_files, recipe_of
from boilersweep.store.shard import ShardFacts, read_facts
from boilersweep.work.pool import DeadRecord

OPTIONS = Segmentation("jsonl")


def jsonl(path: Path, *documents: tuple[str, str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"id": docid, "contents": contents}) for docid, contents in documents
    ]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def numbered(path: Path, *contents: str) -> Path:
    return jsonl(path, *((f"{path.stem}-{n}", text) for n, text in enumerate(contents)))


def place(made: Made) -> Path:
    """Give a file its name, as the client does."""
    final = made.hidden.with_name(made.part.name)
    place_file(made.hidden, final)
    return final


def make(task: Task, losses: Sequence[DeadRecord] = ()) -> ShardFacts:
    return read_facts(place(make_shard(task, JSONL, losses)))


def losing(losses: Sequence[Sequence[DeadRecord]]) -> Callable[..., None]:
    """Return what makes shards in the place of `make_files`, without what each task loses."""

    def make_some(
        tasks: Sequence[Task],
        _workers: object,
        done: Callable[[Task, Made], object] = lambda *_: None,
    ) -> None:
        for number, task in enumerate(tasks):
            lost = losses[number] if number < len(losses) else ()
            done(task, make_shard(task, JSONL, lost))

    return make_some


def shard_in(folder: Path) -> Path:
    [shard] = folder.glob("shard-*.parquet")
    return shard


def planned(
    root: Path, files: Sequence[Path], output: Path, options: Segmentation = OPTIONS
) -> list[Task]:
    """Return a task for each file."""
    return [
        Task(output, (named,), options, recipe_of(options))
        for named in named_files(root, files)
    ]


def documents(store: BlockStore) -> list[tuple[str, list[str]]]:
    return [
        (docid, columns.texts[start:stop])
        for columns in store.columns()
        for docid, start, stop in zip(
            columns.docids, columns.starts[:-1], columns.starts[1:], strict=True
        )
    ]


def shards(folder: Path) -> dict[str, tuple[int, int]]:
    """Return which shard is which file and when it was written."""
    return {
        path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.glob("shard-*")
    }


@pytest.fixture
def task(tmp_path: Path) -> Task:
    path = numbered(tmp_path / "in.jsonl", "<p>one two", " ", "<p>three")
    return Task(tmp_path, ((path, "in.jsonl"),), OPTIONS, recipe_of(OPTIONS))
