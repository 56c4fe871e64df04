"""A store on executors: what one process makes."""

import pickle
from concurrent.futures import (
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from pathlib import Path
from typing import Any

import pytest

from boilersweep import (
    BlockStore,
    BoilersweepError,
    BusyError,
    OutputError,
    Segmentation,
    segment_collection,
)
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.parts import Part
from boilersweep.segmenting.tasks import Made
from boilersweep.store.shard import ShardFacts
from boilersweep.work.processes import CONTEXT
from boilersweep.work.workers import Answer
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


def test_a_second_process_is_told_at_once(pages: Path, tmp_path: Path) -> None:
    with (
        only_writer(tmp_path / "store"),
        pytest.raises(BusyError, match="store is being written by process"),
    ):
        segment(pages, tmp_path / "store", workers=1)


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
        made = Made(
            Part("x", {}),
            Path("/nowhere/x"),
            {"bytes": 0, "sha256": ""},
            ShardFacts({}),
        )
        return super().submit(Answer, pickle.dumps(made), 1, 1)


def test_workers_without_the_folder_are_named(pages: Path, tmp_path: Path) -> None:
    with (
        Elsewhere(1) as executor,
        pytest.raises(OutputError, match="does not see; workers need `output`"),
    ):
        segment(pages, tmp_path / "out", executor=executor)
