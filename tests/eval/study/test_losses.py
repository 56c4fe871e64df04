"""What cleaning takes from relevant documents, counted by hand."""

import pytest

from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.eval.ranking.engines import SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formula import RankingModel
from boilersweep.eval.ranking.models import BM25, Lucene29
from boilersweep.eval.study.preparation import LossCounter
from boilersweep.store.store import BlockStore
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java

PAGES = {
    "menu": "<p>zebra pony</p><p>a long text about nothing in particular at all</p>",
    "both": "<p>zebra pony</p><p>a long text that has zebra in it and much more</p>",
    "short": "<p>zebra</p><p>pony pony</p>",
    "blank": "<p></p>",
    "other": "<p>zebra pony here and there and everywhere else</p>",
}
QUERIES = {"1": "zebra pony zebra", "2": "otter", "3": "pony"}
RELEVANT = {
    "1": frozenset({"menu", "both", "short", "blank", "not-here"}),
    "2": frozenset({"other"}),
    "3": frozenset({"short"}),
}
VARIANTS = collect_variants(["words=1,2,5,100"])


@pytest.fixture(scope="module")
def small(make_store: MakeStore) -> BlockStore:
    return make_store(PAGES)


@pytest.mark.parametrize("model", [BM25(), Lucene29()], ids=str)
def test_by_hand(java: None, small: BlockStore, model: RankingModel) -> None:
    engine = ExactEngine(small, VARIANTS, QUERIES, SearchOptions(model))
    losses = LossCounter(engine.rows, engine.queries, RELEVANT)
    # Topic 1: zebra and pony in menu, both and short; blank has none. 2: otter nowhere.
    assert losses.terms.tolist() == [6, 0, 1]
    assert losses.relevant.tolist() == [4, 1, 1]
    # From 2 words on short keeps its pony; from 5 on menu has neither, both has zebra only.
    expected = {0: ([0, 0, 0], [1, 0, 0]), 1: ([1, 0, 0], [1, 0, 0])}
    expected |= {2: ([5, 0, 1], [2, 0, 1]), 3: ([6, 0, 1], [4, 1, 1])}
    for cleaner, (lost, empty) in expected.items():
        found = losses.of(cleaner)
        assert found.terms_lost_by_topic == lost, cleaner
        assert found.relevant_empty_by_topic == empty, cleaner
        assert found.terms_lost == pytest.approx(sum(lost) / 7)
    # Short is relevant to two topics, and counts once: blank, short; then all five.
    assert [losses.of(cleaner).relevant_empty for cleaner in range(4)] == [1, 1, 2, 5]


def test_where_nothing_can_be_lost(java: None, small: BlockStore) -> None:
    engine = ExactEngine(small, VARIANTS[:1], QUERIES, SearchOptions())
    found = LossCounter(engine.rows, engine.queries, {"2": frozenset(), "3": frozenset({"x"})})
    assert found.of(0).terms_lost is None
    assert found.of(0).relevant_empty == 0
    assert found.terms.tolist() == [0, 0]


def test_a_baseline_that_drops_terms_has_none_to_lose(java: None, small: BlockStore) -> None:
    variants = [VARIANTS[2], VARIANTS[0], VARIANTS[3]]
    engine = ExactEngine(small, variants, QUERIES, SearchOptions())
    losses = LossCounter(engine.rows, engine.queries, RELEVANT)
    assert losses.terms.tolist() == [1, 0, 0]
    assert losses.of(1).terms_lost == 0
    assert losses.of(2).terms_lost_by_topic == [1, 0, 0]
