"""Every place of a grid against the sweep of its cleaner."""

from collections.abc import Mapping

import pytest

from boilersweep import BlockStore
from boilersweep.cleaners.syntax.variants import Grid, parse_sweep
from boilersweep.eval import BM25, Classic, Lucene29, QueryLikelihood, SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine, GridEngine
from boilersweep.eval.ranking.formulas import RankingModel
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java

GRIDS = (
    Grid(parse_sweep("words=1,3,9"), parse_sweep("link_density<=0,0.4,1")),
    Grid(
        parse_sweep("ancestor(words>={2,4}, 1) | words<2"), parse_sweep("density<3,900")
    ),
)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize(
    "model", [BM25(), QueryLikelihood(), Classic(), Lucene29()], ids=str
)
def test_every_place_has_the_run_of_its_cleaner(
    store: BlockStore, queries: Mapping[str, str], grid: Grid, model: RankingModel
) -> None:
    variants = [grid.variant(place) for place in grid.places()]
    for hits in (1000, 7):
        options = SearchOptions(model, hits=hits)
        of_grid = GridEngine(store, grid, queries, options)
        one_by_one = ExactEngine(store, variants, queries, options)
        for variant in variants:
            assert of_grid.run(variant) == one_by_one.run(variant)
            some = list(queries)[3:9]
            assert of_grid.run(variant, some) == one_by_one.run(variant, some)


def test_a_store_without_a_word(
    make_store: MakeStore, queries: Mapping[str, str]
) -> None:
    empty = make_store({"a": "<p> </p>", "b": ""})
    grid = GridEngine(empty, GRIDS[0], queries, SearchOptions(hits=9))
    found = grid.run(GRIDS[0].variant((1, 1)))
    assert (found.documents, found.tokens) == (0, 0)
    assert not any(found.run.values())
