"""Parallel indexes on executors: what one process builds."""

import pickle
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boilersweep import (
    BlockStore,
    BoilersweepError,
    BusyError,
    IndexingError,
    OutputError,
    collect_variants,
)
from boilersweep.indexer import (
    ParallelOptions,
    build_parallel_indexes,
    parallel_indexes,
)
from boilersweep.indexer.manifest import PARALLEL
from boilersweep.outputs.locks import only_writer
from boilersweep.outputs.plan import unfinished_kind
from boilersweep.work.workers import Answer
from tests.comparing import comparable, differences

pytestmark = pytest.mark.java

VARIANTS = collect_variants(["words=1:5"], ["bte", "density>=4"])


@pytest.fixture(scope="module")
def alone(
    store: BlockStore, java: None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    build_parallel_indexes(store, VARIANTS, folder)
    return folder


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return what will be built in passes of three indexes at most, by name."""
    monkeypatch.setattr(parallel_indexes, "_TOGETHER", 3)
    run = parallel_indexes._Pass.run
    built: list[list[str]] = []

    def noted(self: Any) -> None:
        built.append([one.path.name for one in self._targets])
        run(self)

    monkeypatch.setattr(parallel_indexes._Pass, "run", noted)
    return built


def names(*numbers: int) -> list[str]:
    return [VARIANTS[number].name for number in numbers]


def assert_same(output: Path, alone: Path) -> None:
    assert not differences(comparable(output), comparable(alone))


def on(executor: Executor) -> ParallelOptions:
    return ParallelOptions(executor=executor, threads=1)


def build(store: BlockStore, variants: Any, output: Path, **more: Any) -> Any:
    """Build indexes on an executor, so that a task has some of them."""
    with ThreadPoolExecutor(1) as executor:
        options = replace(on(executor), **more)
        return build_parallel_indexes(store, variants, output, options)


def test_in_parts(
    store: BlockStore, alone: Path, tmp_path: Path, passes: list[list[str]]
) -> None:
    """The parts differ by one at most, and depend on nothing but what is asked for."""
    built = build(store, VARIANTS, tmp_path)
    assert passes == [names(0, 1), names(2, 3), names(4, 5, 6)]
    assert tuple(one.variant for one in built) == VARIANTS
    assert_same(tmp_path, alone)
    assert build(store, VARIANTS, tmp_path) == built
    assert len(passes) == 3


def test_of_a_part_the_missing_ones(
    store: BlockStore, alone: Path, tmp_path: Path, passes: list[list[str]]
) -> None:
    build_parallel_indexes(store, [VARIANTS[0], VARIANTS[4]], tmp_path)
    passes.clear()
    build(store, VARIANTS, tmp_path)
    assert passes == [names(1), names(2, 3), names(5, 6)]
    assert_same(tmp_path, alone)


def test_a_run_that_was_ended_is_continued(
    store: BlockStore,
    alone: Path,
    tmp_path: Path,
    passes: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = parallel_indexes._Pass.run

    def fails(self: Any) -> None:
        if passes:
            raise ZeroDivisionError
        run(self)

    with monkeypatch.context() as patch:
        patch.setattr(parallel_indexes._Pass, "run", fails)
        with pytest.raises(BoilersweepError, match="failed: ZeroDivisionError"):
            build(store, VARIANTS, tmp_path)
    assert passes == [names(0, 1)]
    assert unfinished_kind(tmp_path) == "parallel indexes"
    build(store, VARIANTS, tmp_path)
    assert passes[1:] == [names(2, 3), names(4, 5, 6)]
    assert_same(tmp_path, alone)


def test_indexes_that_a_request_leaves_out_stay(
    store: BlockStore, alone: Path, tmp_path: Path
) -> None:
    build_parallel_indexes(store, VARIANTS[:3], tmp_path)
    build_parallel_indexes(store, VARIANTS[3:], tmp_path)
    assert_same(tmp_path, alone)
    assert list(PARALLEL.check(tmp_path)) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_an_executor_builds_the_same(
    store: BlockStore,
    alone: Path,
    tmp_path: Path,
    passes: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
    threads: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(threads) as executor:
        build_parallel_indexes(store, VARIANTS, "out", on(executor))
    assert len(passes) == 3
    assert_same(tmp_path / "out", alone)


def test_others_are_rejected_before_any_work(
    store: BlockStore, tmp_path: Path, passes: list[list[str]]
) -> None:
    build_parallel_indexes(store, VARIANTS[3:4], tmp_path)
    with pytest.raises(IndexingError, match="docvectors was false, is true"):
        build(store, VARIANTS, tmp_path, docvectors=True)
    assert len(passes) == 1
    build(store, VARIANTS, tmp_path, docvectors=True, overwrite=True)
    assert len(passes) == 4


def test_a_second_process_is_told(
    store: BlockStore, tmp_path: Path, passes: list[list[str]]
) -> None:
    with only_writer(tmp_path), pytest.raises(BusyError):
        build_parallel_indexes(store, VARIANTS, tmp_path)
    assert not passes


class Elsewhere(ThreadPoolExecutor):
    """Works in another folder, as workers without a shared folder do."""

    def submit(self, *_: Any, **__: Any) -> Any:
        file: Any = {"bytes": 1, "sha256": ""}
        name = names(0)[0]
        built = [parallel_indexes._Built(name, "", {f"{name}/segments_1": file})]
        return super().submit(Answer, pickle.dumps(built), 0, 0)


def test_workers_without_the_folder_are_named(
    store: BlockStore, tmp_path: Path
) -> None:
    with (
        Elsewhere(1) as executor,
        pytest.raises(
            OutputError, match="as this process sees it; workers need `output`"
        ),
    ):
        build_parallel_indexes(store, VARIANTS, tmp_path, on(executor))


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [(0, 4, []), (1, 4, [1]), (4, 4, [4]), (5, 4, [2, 3]), (120, 32, [30] * 4)],
)
def test_groups(count: int, size: int, expected: list[int]) -> None:
    numbers: Any = range(count)
    groups: Callable[..., list[Any]] = parallel_indexes._groups
    found = groups(numbers, size)
    assert [len(some) for some in found] == expected
    assert [one for some in found for one in some] == [*range(count)]
