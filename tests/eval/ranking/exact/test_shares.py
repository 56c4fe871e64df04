"""Shares of an exact sweep give what one pass over the whole gives, hit by hit."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import collect_variants, parse_sweep
from boilersweep.eval.ranking.engines import SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine, ExactPlan
from boilersweep.eval.ranking.exact.shares import (
    SharedEngine,
    SharedSweep,
    shared_sweep,
)
from boilersweep.eval.ranking.formula_base import RankingModel
from boilersweep.eval.ranking.formulas import BM25, Classic, Lucene29, QueryLikelihood
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import all_shares

pytestmark = pytest.mark.java

CLEANERS = tuple(map(parse_cleaner, ["words>=3 & link_density<=0.5", "bte"]))
VARIANTS = collect_variants(
    (parse_sweep("words=1,2,11,999"), parse_sweep("density=4")), CLEANERS
)
MODELS = (BM25(), QueryLikelihood(50.0), Classic(), Lucene29())


def shared(
    store: BlockStore, queries: Mapping[str, str], output: Path, **options: object
) -> SharedSweep:
    return shared_sweep(store, VARIANTS, queries, output, SearchOptions(**options))  # type: ignore[arg-type]


def assert_same(
    engine: SharedEngine,
    store: BlockStore,
    queries: Mapping[str, str],
    options: SearchOptions,
) -> None:
    whole = ExactEngine(store, VARIANTS, queries, options)
    for variant in VARIANTS:
        assert engine.run(variant) == whole.run(variant)


@pytest.mark.parametrize("hits", [1000, 3])
@pytest.mark.parametrize("of", [1, 2, 3, 5])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_shares_give_the_runs_of_one_pass(
    store: BlockStore,
    queries: Mapping[str, str],
    tmp_path: Path,
    model: RankingModel,
    of: int,
    hits: int,
) -> None:
    """Five shares of three shards: two have no document. With three hits, ties are cut."""
    sweep = shared(store, queries, tmp_path / "sweep", model=model, hits=hits)
    shares = all_shares(of)
    random.Random(of).shuffle(shares)  # noqa: S311
    for share in shares:
        assert sweep.shares() == []
        sweep.collect(share)
    assert sweep.shares() == all_shares(of)
    engine = SharedEngine(VARIANTS, sweep)
    assert_same(engine, store, queries, SearchOptions(model=model, hits=hits))


def test_what_is_there_is_not_made_again(
    store: BlockStore,
    queries: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sweep = shared(store, queries, tmp_path / "sweep")
    made = [sweep.collect(share) for share in all_shares(3)]
    before = [path.stat().st_mtime_ns for path in made]
    monkeypatch.setattr(
        ExactPlan, "collect", lambda *_: pytest.fail("the rows are there")
    )
    again = shared(store, queries, tmp_path / "sweep")
    SharedEngine(VARIANTS, again)
    assert [again.collect(share) for share in all_shares(3)] == made
    assert [path.stat().st_mtime_ns for path in made] == before


def test_other_searches_share_the_rows(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path
) -> None:
    sweep = shared(store, queries, tmp_path / "sweep")
    for share in all_shares(2):
        sweep.collect(share)
    for options in (SearchOptions(hits=5), SearchOptions(model=BM25(2.0, 0.1))):
        other = shared_sweep(store, VARIANTS, queries, tmp_path / "sweep", options)
        assert other.shares() == all_shares(2)
        assert_same(SharedEngine(VARIANTS, other), store, queries, options)
