"""A divided exact sweep gives what one pass over the whole gives, hit by hit."""

import contextlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from boilersweep import BlockStore, collect_variants, parse_cleaner
from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood, SearchOptions
from boilersweep.eval.ranking.exact.divided import (
    RowFiles,
    RowsTask,
    collect_part,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.exact.plan import plan_exact
from boilersweep.eval.ranking.formulas import RankingModel

pytestmark = pytest.mark.java

COLLECT = "boilersweep.eval.ranking.exact.divided.collect_part"
CLEANERS = tuple(map(parse_cleaner, ["words>=3 & link_density<=0.5", "bte"]))
VARIANTS = collect_variants(
    (parse_sweep("words=1,2,11,999"), parse_sweep("density=4")), CLEANERS
)
PARTS = "boilersweep.eval.ranking.exact.divided._TOGETHER"
MODELS = (BM25(), QueryLikelihood(50.0), Classic(), Lucene29())


@pytest.fixture(autouse=True, params=[1, 20_000])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let every shard be a part, or all be one."""
    monkeypatch.setattr(PARTS, request.param)
    return int(request.param)


def divided(
    store: BlockStore, queries: Mapping[str, str], files: RowFiles, **options: Any
) -> list[RowsTask]:
    cleaners = [variant.cleaner for variant in VARIANTS]
    return files.tasks(store, plan_exact(cleaners, queries, SearchOptions(**options)))


def assert_same(
    files: RowFiles,
    store: BlockStore,
    queries: Mapping[str, str],
    options: SearchOptions,
) -> None:
    whole = ExactEngine(store, VARIANTS, queries, options)
    engine = ExactEngine(store, VARIANTS, queries, options, files)
    some = list(queries)[1:3]
    for variant in VARIANTS:
        assert engine.run(variant) == whole.run(variant)
        assert engine.run(variant, some) == whole.run(variant, some)
    assert engine.placed == whole.placed


@pytest.mark.parametrize("hits", [1000, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_rows_of_shards_give_the_runs_of_one_pass(
    store: BlockStore,
    queries: Mapping[str, str],
    tmp_path: Path,
    model: RankingModel,
    hits: int,
) -> None:
    """With three hits, ties are cut."""
    options = SearchOptions(model=model, hits=hits)
    assert_same(RowFiles(tmp_path / "sweep"), store, queries, options)


def test_executors_collect_the_same(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path
) -> None:
    found = []
    with ThreadPoolExecutor(2) as pool:
        for name, executor in (("sweep", None), ("other", pool)):
            files = RowFiles(tmp_path / name, executor)
            tasks = divided(store, queries, files)
            files.collect(tasks)
            found.append(tasks)
    for task, theirs in zip(*found, strict=True):
        assert task.file.read_bytes() == theirs.file.read_bytes()


def test_only_what_is_missing_is_collected(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path, parts: int
) -> None:
    """The rows are those of other hits and parameters, too; not those of another formula."""
    files = RowFiles(tmp_path / "sweep")
    tasks = divided(store, queries, files)
    first, *others = tasks

    def collect_first(task: RowsTask) -> Path:
        if task is not first:
            raise KeyboardInterrupt
        return collect_part(task)

    with (
        mock.patch(COLLECT, collect_first),
        contextlib.suppress(KeyboardInterrupt),
    ):
        files.collect(tasks)
    assert not any(task.file.exists() for task in others)
    assert len(others) == (2 if parts == 1 else 0)
    made = first.file.stat().st_mtime_ns
    files.collect(tasks)
    assert first.file.stat().st_mtime_ns == made
    with mock.patch(COLLECT) as collect:
        for options in (SearchOptions(hits=5), SearchOptions(model=BM25(2.0, 0.1))):
            assert_same(files, store, queries, options)
    collect.assert_not_called()
    for more in ({"model": Lucene29()}, {"analyzer": first.plan.analyzer}):
        names = {task.name for task in divided(store, queries, files, **more)}
        assert bool(names & {task.name for task in tasks}) == ("model" not in more)
