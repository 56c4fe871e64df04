"""Grids: what stands at their places."""

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.grids import MAX_VARIANTS, Grid
from boilersweep.cleaners.language.variants import parse_sweep
from boilersweep.errors import UsageError


def grid(first: str, second: str) -> Grid:
    return Grid(parse_sweep(first), parse_sweep(second))


def test_every_place_is_what_both_sweeps_keep_there() -> None:
    small = grid("words=1,5", "bte | link_density<=0.2,0.5")
    at = {place: str(small.variant(place)) for place in small.places()}
    assert at == {
        (0, None): "words>=1",
        (1, None): "words>=5",
        (None, 0): "bte | link_density<=0.2",
        (None, 1): "bte | link_density<=0.5",
        (0, 0): "words>=1 & (bte | link_density<=0.2)",
        (0, 1): "words>=1 & (bte | link_density<=0.5)",
        (1, 0): "words>=5 & (bte | link_density<=0.2)",
        (1, 1): "words>=5 & (bte | link_density<=0.5)",
    }
    for place, text in at.items():
        assert parse_cleaner(text) == small.variant(place).cleaner
    assert small.values((1, 0)) == (5, 0.2)
    assert small.values((None, 1)) == (None, 0.5)
    assert small.shape == (2, 2)


def test_everything_is_a_place_of_its_own_where_no_sweep_keeps_that_alone() -> None:
    for with_it in (grid("words=1,5", "density=2"), grid("words=5", "density=1,2")):
        assert str(with_it.variant(with_it.baseline)) in ("words>=1", "density>=1")
        assert (None, None) not in with_it.places()
    without = grid("words=2,5", "link_density<=0.5,1")
    assert without.baseline == (None, None) == next(without.places())
    assert str(without.variant((None, None))) == "words>=1"


def test_corners_each_once() -> None:
    assert grid("words=1:3", "density=1:4").corners == [(0, 0), (0, 3), (2, 0), (2, 3)]
    assert grid("words=1:3", "density=4").corners == [(0, 0), (2, 0)]


def test_as_many_pairs_as_allowed() -> None:
    assert MAX_VARIANTS == 10_000
    assert len(list(grid("words=1:100", "density=1:100").places())) == 10_200
    with pytest.raises(UsageError, match=r"at most 10,000 pairs, got 10,100"):
        grid("words=1:101", "density=1:100")


def test_two_sweeps_over_one_number_are_refused() -> None:
    with pytest.raises(UsageError, match="sweeps over two numbers, got words twice"):
        grid("words=1:3", "words>=5")


def test_weights_drop_nothing_and_make_no_grid() -> None:
    with pytest.raises(UsageError, match=r"sweeps of rules, .*, got weighted\(bte, \{2,3\}\)"):
        grid("words=1:3", "weighted(bte, {2:3})")
