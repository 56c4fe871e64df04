"""What sources weigh."""

import math
from pathlib import Path

import numpy as np
import pytest

from boilersweep import UsageError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.training.sources import Source, scaled, shares, weighted_sources

DATASETS = [Dataset("folder", Path("x"), [], label=label) for label in "abc"]


def test_sources_weigh_the_same_unless_said_otherwise() -> None:
    sources = weighted_sources(DATASETS, {"b": 2.0})
    assert [source.weight for source in sources] == [1, 2, 1]
    assert shares(sources) == [0.25, 0.5, 0.25]


def test_rows_weigh_so_much_that_sources_do() -> None:
    sources = weighted_sources(DATASETS, {"b": 2.0, "c": 0.0})
    found = scaled(np.array([1.0, 3, 2, 2, 7]), np.array([0, 0, 1, 1, 2]), sources)
    # Of 8, a third and two thirds; the third source is only tried on.
    assert found == pytest.approx([8 / 12, 24 / 12, 8 / 3, 8 / 3, 0])


def test_one_source_stays_as_it_is_to_the_bit() -> None:
    weights = np.random.default_rng(1).random(99)
    sources = [Source(DATASETS[0]), Source(DATASETS[1], 0.0)]
    of_rows = np.zeros(99, dtype=np.int64)
    assert np.array_equal(scaled(weights, of_rows, sources), weights)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"d": 1.0}, "expected the weight of a, b, c, got that of 'd'"),
        ({"a": -1.0}, "0 or more for a"),
        ({"a": math.nan}, "0 or more for a"),
        (dict.fromkeys("abc", 0.0), "the weight 0 for all"),
    ],
)
def test_weights_that_are_none(weights: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        weighted_sources(DATASETS, weights)
