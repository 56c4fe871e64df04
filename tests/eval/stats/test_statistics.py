"""Effect sizes, detectable differences, wins; what intervals and tests share."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from boilersweep.errors import UsageError
from boilersweep.eval.stats.bootstrap import (
    bootstrap_interval,
    bootstrap_intervals,
    pairwise_intervals,
)
from boilersweep.eval.stats.significance import PERMUTATIONS, _randomisations, holm, paired_ts
from boilersweep.eval.stats.statistics import (
    SEED,
    detectable_differences,
    differences_to,
    effect_sizes,
    pairwise_differences,
)

Values = NDArray[np.float64]


def column(a: ArrayLike, b: ArrayLike) -> Values:
    """Return the differences of two systems as one column."""
    return differences_to(np.asarray(a, dtype=float)[:, None], np.asarray(b, dtype=float))


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    return float(paired_ts(column(a, b))[0])


def paired_randomisation(a: ArrayLike, b: ArrayLike, *, permutations: int = PERMUTATIONS) -> float:
    return float(_randomisations(column(a, b), permutations, SEED)[0][0])


def precisions(seed: int, topics: int) -> Values:
    """Values as of P@8: many ties, skewed, with sums that are exact."""
    random = np.random.default_rng(seed)
    return random.binomial(8, random.beta(2, 1, topics)) / 8


def test_more_resamples_than_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = precisions(1, 30)
    whole = bootstrap_interval(values), paired_randomisation(values, values[::-1])
    monkeypatch.setattr("boilersweep.eval.stats.statistics._CELLS_AT_ONCE", 1_000)
    assert bootstrap_interval(values) == whole[0]
    assert paired_randomisation(values, values[::-1]) == pytest.approx(whole[1], rel=0.1)


def test_the_same_seed_resamples_columns_alike() -> None:
    a, b = precisions(1, 40), precisions(2, 40)
    both = bootstrap_intervals(np.stack([a, b], axis=1))
    assert tuple(both[0]) == pytest.approx(bootstrap_interval(a), abs=1e-12)
    assert tuple(both[1]) == pytest.approx(bootstrap_interval(b), abs=1e-12)
    assert bootstrap_interval(a**2) != bootstrap_interval(a**2, seed=1)


def test_every_two_columns_are_as_one_by_one() -> None:
    for topics, alike in ((12, 0), (40, 30), (60, 0)):
        values = np.stack([precisions(seed, topics) for seed in range(4)], axis=1)
        values[:alike, 1] = values[:alike, 0]
        pairs = list(combinations(range(4), 2))
        differences = np.hstack(list(pairwise_differences(values)))
        expected = np.stack([values[:, i] - values[:, j] for i, j in pairs], axis=1)
        assert differences == pytest.approx(expected)
        assert pairwise_intervals(values) == pytest.approx(bootstrap_intervals(expected))
    assert np.isnan(pairwise_intervals(values[:1])).all()


def test_effect_sizes_by_hand() -> None:
    # 1, 2, 3: mean 2, standard deviation 1. 0, 0, 3: mean 1, standard deviation sqrt 3.
    found = effect_sizes(np.array([[1.0, 0, 0, 0.5], [2, 0, 0, 0.5], [3, 3, 0, 0.5]]))
    assert found[:3] == pytest.approx([2, 1 / math.sqrt(3), 0])
    assert np.isnan(found[3])  # the same gain everywhere
    assert np.isnan(effect_sizes(np.array([[0.5]]))).all()


@pytest.mark.parametrize("topics", [2, 5, 71, 1000])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 42])
def test_a_difference_that_is_detectable_is_found_with_that_power(
    topics: int, alpha: float
) -> None:
    differences = np.random.default_rng(1).normal(0, 0.2, (topics, 1))
    smallest = detectable_differences(differences, alpha=alpha)[0]
    noncentrality = smallest / differences.std(ddof=1) * math.sqrt(topics)
    critical = stats.t.ppf(1 - alpha / 2, topics - 1)
    assert stats.nct.sf(critical, topics - 1, noncentrality) == pytest.approx(0.8, abs=1e-4)


def test_a_detectable_difference_by_hand() -> None:
    # Cohen 1988, section 2.4: for d = .5, alpha = .05 two-sided and power .8 a paired test needs
    # 34 pairs, and 33 are too few.
    for pairs, enough in ((33, False), (34, True)):
        differences = np.resize([1.0, -1.0], pairs)[:, None]
        differences /= differences.std(ddof=1)
        assert (detectable_differences(differences, alpha=0.05)[0] <= 0.5) == enough
    assert np.isnan(detectable_differences(np.array([[0.1]]), alpha=0.05)).all()
    assert np.isnan(detectable_differences(np.full((9, 1), 0.1), alpha=0.05)).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_interval([0.1, math.nan]),
        lambda: bootstrap_interval([]),
        lambda: bootstrap_interval([[0.1], [0.2]]),
        lambda: paired_t([0.1, math.inf], [0.1, 0.2]),
        lambda: holm([0.1, math.nan]),
        lambda: holm([1.5]),
    ],
)
def test_what_is_no_value_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        call()
