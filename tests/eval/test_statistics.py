"""Intervals and paired tests against scipy and by hand."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from boilersweep.errors import UsageError
from boilersweep.eval.statistics import (
    Outcomes,
    bootstrap_interval,
    bootstrap_intervals,
    differences_to,
    holm,
    outcomes,
    paired_randomisation,
    paired_randomisations,
    paired_t,
    paired_ts,
)

Values = NDArray[np.float64]


def precisions(seed: int, topics: int) -> Values:
    """Values as of P@8: many ties, skewed, with sums that are exact."""
    random = np.random.default_rng(seed)
    return random.binomial(8, random.beta(2, 1, topics)) / 8


def scipy_bca(values: Values, level: float, resamples: int, seed: int) -> tuple[float, float]:
    found = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=resamples,
        confidence_level=level,
        method="BCa",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("topics", [2, 5, 10, 71, 400])
def test_the_interval_is_scipys_bca(topics: int, level: float) -> None:
    # Values with exact sums: scipy takes equal means that differ by rounding for different.
    for values in (precisions(topics, topics), np.round(precisions(topics, topics) ** 2 * 64) / 64):
        expected = scipy_bca(values, level, 7_000, 3)
        found = bootstrap_interval(values, level=level, resamples=7_000, seed=3)
        assert found == pytest.approx(expected, abs=1e-12)


def test_more_resamples_than_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    values = precisions(1, 30)
    whole = bootstrap_interval(values), paired_randomisation(values, values[::-1])
    monkeypatch.setattr("boilersweep.eval.statistics._CELLS_AT_ONCE", 1_000)
    assert bootstrap_interval(values) == whole[0]
    assert paired_randomisation(values, values[::-1]) == pytest.approx(whole[1], rel=0.1)


def test_the_same_seed_gives_the_same_figures_and_columns_are_resampled_alike() -> None:
    a, b = precisions(1, 40), precisions(2, 40)
    both = bootstrap_intervals(np.stack([a, b], axis=1))
    assert tuple(both[0]) == pytest.approx(bootstrap_interval(a), abs=1e-12)
    assert tuple(both[1]) == pytest.approx(bootstrap_interval(b), abs=1e-12)
    assert bootstrap_interval(a) == bootstrap_interval(a)
    assert bootstrap_interval(a**2) != bootstrap_interval(a**2, seed=1)
    assert paired_randomisation(a, b) == paired_randomisation(a, b)


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    samples = random.beta(1, 3, (40, 400))
    intervals = bootstrap_intervals(samples, level=0.9, resamples=2_000)
    covered = (intervals[:, 0] <= 0.25) & (intervals[:, 1] >= 0.25)
    assert 0.85 <= covered.mean() <= 0.95


def test_one_value_has_no_interval_and_equal_ones_a_point() -> None:
    assert all(map(math.isnan, bootstrap_interval([0.4])))
    assert bootstrap_interval([0.4, 0.4, 0.4]) == (0.4, 0.4)
    differences = differences_to(np.array([[0.3], [0.5]]), np.array([0.1, 0.3]))
    assert bootstrap_intervals(differences)[0] == pytest.approx([0.2, 0.2])
    assert all(0 <= end <= 1 for end in bootstrap_interval([0, 1, 1], resamples=1))


@pytest.mark.parametrize("topics", [2, 5, 71])
def test_the_t_test_is_scipys(topics: int) -> None:
    a, b = precisions(1, topics), precisions(2, topics)
    assert paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
    assert paired_t(b, a) == paired_t(a, b)


def test_the_t_test_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2 / (1 / sqrt 3) = 3.464 with 2 degrees of
    # freedom; p = 1 - t / sqrt(2 + t^2) = 1 - 3.464 / sqrt 14 = 0.0742.
    assert paired_t([2, 4, 6], [1, 2, 3]) == pytest.approx(1 - math.sqrt(12 / 14))


def test_where_a_t_test_has_nothing_to_go_by() -> None:
    assert paired_t([0.5], [0.1]) == 1
    assert paired_t([0.1 + 0.2, 0.5], [0.3, 0.5]) == 1
    assert paired_t([0.75, 0.5], [0.5, 0.25]) == 0  # the same gain everywhere


def test_the_randomisation_test_by_hand() -> None:
    # Differences 1, 2, 3 add up to 6; of the 8 ways to sign them 2 (all +, all -) reach 6.
    assert paired_randomisation([2, 4, 6], [1, 2, 3]) == 2 / 8
    # 1, 1, -1, and a tie: the sum is 1; every way to sign three ones has a sum of 1 or 3.
    assert paired_randomisation([1, 1, 0, 5], [0, 0, 1, 5]) == 1
    # 3, 1, -1: the sum is 3; reached by 3+1-1, 3-1+1, 3+1+1 and their mirrors: 6 of 8.
    assert paired_randomisation([3, 1, 0], [0, 0, 1]) == 6 / 8
    assert paired_randomisation([0.5], [0.1]) == 1
    assert paired_randomisation([0.5, 0.1], [0.5, 0.1]) == 1


@pytest.mark.parametrize("topics", [3, 8, 12])
def test_counted_randomisations_are_scipys(topics: int) -> None:
    a, b = precisions(5, topics), precisions(6, topics) * 0.9
    expected = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert paired_randomisation(a, b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("gain", [0.0, 0.05, 0.1])
def test_drawn_randomisations_are_near_scipys(gain: float) -> None:
    a, b = precisions(5, 60) + gain, precisions(6, 60)
    expected = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=100_000,
        vectorized=True,
        rng=np.random.default_rng(1),
    ).pvalue
    assert paired_randomisation(a, b) == pytest.approx(expected, abs=0.008)


def test_drawn_randomisations_agree_with_counted_ones() -> None:
    a, b = precisions(5, 14), precisions(7, 14)
    counted = paired_randomisation(a, b)
    assert paired_randomisation(a, b, permutations=8_000) == pytest.approx(counted, abs=0.03)


def test_a_drawn_p_value_is_never_zero() -> None:
    a = np.ones(60)
    assert paired_randomisation(a, a - 1, permutations=999) == 1 / 1000


def test_columns_are_tested_as_one_by_one() -> None:
    base = precisions(1, 40)
    others = np.stack([base, precisions(2, 40), np.r_[base[:35], base[35:] + 0.1]], axis=1)
    differences = others - base[:, None]
    columns = list(others.T)
    assert paired_ts(differences) == pytest.approx([paired_t(one, base) for one in columns])
    assert paired_randomisations(differences) == pytest.approx(
        [paired_randomisation(one, base) for one in columns]
    )


def test_holm_by_hand() -> None:
    # Sorted .01, .02, .03, .04 times 4, 3, 2, 1: .04, .06, .06, .04, then never falling.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1, 1]
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_rejects_what_its_steps_reject(ps: list[float]) -> None:
    """The procedure as Holm states it: go up the sorted p-values until one is too large."""
    level = 0.05
    rejected = set()
    for step, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if ps[place] * (len(ps) - step) > level:
            break
        rejected.add(place)
    assert {place for place, p in enumerate(holm(ps)) if p <= level} == rejected
    assert all(p >= given for p, given in zip(holm(ps), ps, strict=True))


def test_wins_ties_and_losses() -> None:
    assert outcomes([1, 0.1 + 0.2, 0, 1], [0, 0.3, 1, 0.9]) == Outcomes(2, 1, 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: bootstrap_interval([0.1, math.nan]),
        lambda: bootstrap_interval([]),
        lambda: bootstrap_interval([[0.1], [0.2]]),
        lambda: bootstrap_interval([0.1, 0.2], level=1),
        lambda: bootstrap_interval([0.1, 0.2], resamples=0),
        lambda: paired_t([0.1, math.inf], [0.1, 0.2]),
        lambda: paired_t([0.1], [0.1, 0.2]),
        lambda: paired_randomisation([math.nan], [0.1]),
        lambda: paired_randomisation([0.1], [0.1], permutations=0),
        lambda: holm([0.1, math.nan]),
        lambda: holm([1.5]),
        lambda: outcomes([math.nan], [0.1]),
    ],
)
def test_what_is_no_value_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        call()
