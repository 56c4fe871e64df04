"""Sizes of indexes, and what cleaning takes from relevant documents."""

from pathlib import Path

import pytest

from boilersweep import BlockStore, collect_variants, parse_cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import BM25, Lucene29, SearchOptions
from boilersweep.eval.experiment import costs
from boilersweep.eval.experiment.costs import (
    IndexSize,
    LossCounter,
    index_sizes,
    tokens_once,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.indexer.parallel_indexes import BYTES_PER_TOKEN
from tests.eval.conftest import MakeStore

EVERYTHING, LONG, WEIGHTED = (
    Variant(parse_cleaner(text))
    for text in ("words>=1", "words>=5", "weighted(words>=5, 9)")
)


def test_what_counts_several_times_takes_as_much_as_everything(tmp_path: Path) -> None:
    sizes = index_sizes({EVERYTHING: 1000, LONG: 600, WEIGHTED: 5800}, tmp_path, ())
    assert {variant: one.bytes for variant, one in sizes.items()} == {
        EVERYTHING: 1000 * BYTES_PER_TOKEN,
        LONG: 600 * BYTES_PER_TOKEN,
        WEIGHTED: 1000 * BYTES_PER_TOKEN,
    }


@pytest.mark.parametrize(("weighted", "once"), [(5800, 1000), (900, 900), (1000, 1000)])
def test_tokens_that_count_several_times_are_kept_once(
    weighted: int, once: int
) -> None:
    found = tokens_once({EVERYTHING: 1000, LONG: 600, WEIGHTED: weighted})
    assert found == {EVERYTHING: 1000, LONG: 600, WEIGHTED: once}


def test_its_real_index_says_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {EVERYTHING.name: 500, WEIGHTED.name: 530}
    monkeypatch.setattr(costs, "_size", lambda path, **_: names[path.name])
    sizes = index_sizes({EVERYTHING: 1000, LONG: 600, WEIGHTED: 5800}, tmp_path, names)
    assert sizes[WEIGHTED] == IndexSize(530, measured=True)
    assert sizes[LONG] == IndexSize(300, measured=False)


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


@pytest.mark.java
@pytest.mark.parametrize("model", [BM25(), Lucene29()], ids=str)
def test_by_hand(java: None, small: BlockStore, model: RankingModel) -> None:
    engine = ExactEngine(small, VARIANTS, QUERIES, SearchOptions(model))
    losses = LossCounter(engine, RELEVANT)
    # Topic 1: zebra and pony in menu, both and short; blank has none. 2: otter nowhere.
    assert losses.pairs.tolist() == [6, 0, 1]
    assert losses.relevant.tolist() == [4, 1, 1]
    # From 2 words on short keeps its pony; from 5 on menu has neither, both has zebra only.
    expected = {0: ([0, 0, 0], [1, 0, 0]), 1: ([1, 0, 0], [1, 0, 0])}
    expected |= {2: ([5, 0, 1], [2, 0, 1]), 3: ([6, 0, 1], [4, 1, 1])}
    for cleaner, (lost, empty) in expected.items():
        found = losses.of(cleaner)
        assert found["terms_lost_by_topic"] == lost, cleaner
        assert found["relevant_empty_by_topic"] == empty, cleaner
        assert found["terms_lost"] == pytest.approx(sum(lost) / 7)
    # Short is relevant to two topics, and counts once: blank, short; then all five.
    assert [losses.of(cleaner)["relevant_empty"] for cleaner in range(4)] == [
        1,
        1,
        2,
        5,
    ]


@pytest.mark.java
def test_where_nothing_can_be_lost(java: None, small: BlockStore) -> None:
    engine = ExactEngine(small, VARIANTS[:1], QUERIES, SearchOptions())
    found = LossCounter(engine, {"2": frozenset(), "3": frozenset({"x"})})
    assert found.of(0)["terms_lost"] is None
    assert found.of(0)["relevant_empty"] == 0
    assert found.pairs.tolist() == [0, 0]


@pytest.mark.java
def test_a_baseline_that_drops_terms_has_none_to_lose(
    java: None, small: BlockStore
) -> None:
    variants = [VARIANTS[2], VARIANTS[0], VARIANTS[3]]
    engine = ExactEngine(small, variants, QUERIES, SearchOptions())
    losses = LossCounter(engine, RELEVANT)
    assert losses.pairs.tolist() == [1, 0, 0]
    assert losses.of(1)["terms_lost"] == 0
    assert losses.of(2)["terms_lost_by_topic"] == [1, 0, 0]
