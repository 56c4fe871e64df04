"""One store by several processes, and on executors: what one process makes."""

import threading
from concurrent.futures import (
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import (
    BlockStore,
    BoilersweepError,
    OutputError,
    Segmentation,
    StoreError,
    open_store,
    segment_collection,
)
from boilersweep.outputs.locks import Claims
from boilersweep.segmenting.shards import make_files
from boilersweep.work.processes import CONTEXT
from boilersweep.work.tasks import Turns
from tests.segmenting.conftest import jsonl
from tests.stores import contents

OPTIONS = Segmentation(extractors=["cetr", "ccb"])


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "abcdef":
        documents = [(f"{name}{n}", f"<p>text {n} of {name}") for n in range(3)]
        jsonl(tmp_path / "pages" / f"{name}.jsonl", *documents)
    return tmp_path / "pages"


def segment(pages: Path, output: Path, **how: Any) -> BlockStore:
    return segment_collection(pages, output, OPTIONS, **how)


@pytest.mark.slow
def test_several_processes_divide_the_work(pages: Path, tmp_path: Path) -> None:
    alone = segment(pages, tmp_path / "alone", workers=1)
    made: list[str] = []
    found: list[BlockStore] = []
    lock = threading.Lock()

    def counted(tasks: Any, workers: Any, turns: Turns) -> int:
        def note(task: Any, file: Path) -> None:
            with lock:
                made.append(file.name)
            turns.done(task, file)

        return make_files(tasks, workers, Turns(turns.take, note))

    def work() -> None:
        found.append(segment(pages, tmp_path / "together", workers=1))

    with mock.patch("boilersweep.segmenting.segment.make_files", counted):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(made) == len(set(made)) == 18
    assert found == [open_store(tmp_path / "together")] * 3
    assert found[0].fingerprint == alone.fingerprint
    assert contents(tmp_path / "alone") == contents(tmp_path / "together")


def test_what_another_process_holds_is_waited_for_and_taken_over(
    pages: Path, tmp_path: Path
) -> None:
    """Another process holds the first task, and gives it up without making anything."""
    segment(pages, tmp_path / "alone", workers=1)
    waits: list[float] = []
    with Claims(tmp_path / "store" / ".tasks") as others:

        def wait(seconds: float) -> None:
            assert len([*(tmp_path / "store").glob("shard-*")]) == 5
            waits.append(seconds)
            others.give_up(first)

        made = tmp_path / "alone" / ".tasks"
        first = min(path.stem for path in made.glob("*.json"))
        assert others.take(first)
        with mock.patch("boilersweep.work.tasks.time.sleep", wait):
            segment(pages, tmp_path / "store", workers=1)
    assert len(waits) == 1
    assert contents(tmp_path / "store") == contents(tmp_path / "alone")


def test_two_requests_of_one_folder_are_one_store(pages: Path, tmp_path: Path) -> None:
    """Whoever comes last finds another store than the one that it has made."""

    def other(*arguments: Any, **how: Any) -> int:
        with mock.patch("boilersweep.segmenting.segment.make_files", make_files):
            paper = Segmentation(borders="paper")
            if not (tmp_path / "store" / "manifest.json").exists():
                segment_collection(pages, tmp_path / "store", paper, workers=1)
        return make_files(*arguments, **how)

    with (
        mock.patch("boilersweep.segmenting.segment.make_files", other),
        pytest.raises(StoreError, match="borders was paper, is block"),
    ):
        segment(pages, tmp_path / "store", workers=1)
    assert open_store(tmp_path / "store").manifest.options["borders"] == "paper"


def test_texts_of_another_process_are_not_lost(pages: Path, tmp_path: Path) -> None:
    def other(*arguments: Any, **how: Any) -> int:
        with mock.patch("boilersweep.segmenting.segment.make_files", make_files):
            texts = Segmentation(extractors=["cetr-km"])
            segment_collection(pages, tmp_path / "store", texts, workers=1)
        return make_files(*arguments, **how)

    segment_collection(pages, tmp_path / "store", workers=1)
    with (
        mock.patch("boilersweep.segmenting.segment.make_files", other),
        pytest.raises(
            StoreError, match=r"gained texts \(cetr-km\).*run the command again"
        ),
    ):
        segment(pages, tmp_path / "store", workers=1)
    store = segment(pages, tmp_path / "store", workers=1)
    assert store.page_texts == ("cetr-km", "cetr", "ccb")


def test_locks_of_killed_processes_go(pages: Path, tmp_path: Path) -> None:
    locks = tmp_path / "store" / ".tasks"
    locks.mkdir(parents=True)
    (locks / "gone.lock").write_text("process 1 on nowhere")
    segment(pages, tmp_path / "store", workers=1)
    assert {path.suffix for path in locks.iterdir()} == {".json"}


@pytest.mark.parametrize(
    "executor",
    [
        pytest.param(lambda: ProcessPoolExecutor(2, CONTEXT), marks=pytest.mark.slow),
        lambda: ThreadPoolExecutor(1),
    ],
)
def test_an_executor_makes_the_same(pages: Path, tmp_path: Path, executor: Any) -> None:
    segment(pages, tmp_path / "alone", workers=1)
    with executor() as given:
        segment(pages, tmp_path / "there", executor=given)
    assert contents(tmp_path / "alone") == contents(tmp_path / "there")


class Failing(ThreadPoolExecutor):
    """Loses its tasks as a pool does whose workers die."""

    def submit(self, *_: Any, **__: Any) -> Any:
        lost: Future[Any] = Future()
        lost.set_exception(BrokenExecutor("all are gone"))
        return lost


def test_a_lost_executor_is_one_line(pages: Path, tmp_path: Path) -> None:
    with (
        Failing(1) as executor,
        pytest.raises(BoilersweepError, match=r"lost .*all are gone.*run the same"),
    ):
        segment(pages, tmp_path / "out", executor=executor)


class Elsewhere(ThreadPoolExecutor):
    """Writes where this process does not look, as workers without a shared folder do."""

    def submit(self, *_: Any, **__: Any) -> Any:
        return super().submit(Path, "/nowhere/shard-0.parquet")


def test_workers_without_the_folder_are_named(pages: Path, tmp_path: Path) -> None:
    with (
        Elsewhere(1) as executor,
        pytest.raises(OutputError, match="does not see; workers need --output"),
    ):
        segment(pages, tmp_path / "out", executor=executor)
