"""Bootstrap intervals are those of SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from boilersweep.eval.stats.bootstrap import (
    bootstrap_interval,
    bootstrap_intervals,
    share_intervals,
)
from boilersweep.eval.stats.statistics import differences_to
from tests.eval.stats.test_statistics import Values, precisions


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


def test_a_share_has_scipys_interval_of_a_ratio() -> None:
    random = np.random.default_rng(2)
    whole = random.integers(0, 64, 50) / 64
    gains = np.stack([whole / 2, whole, random.integers(-16, 64, 50) / 64], axis=1)
    found = share_intervals(gains, whole, resamples=5_000, seed=8)
    assert found[:2] == pytest.approx(np.array([[0.5, 0.5], [1, 1]]))
    expected = stats.bootstrap(
        (gains[:, 2], whole),
        lambda x, y, axis: x.mean(axis=axis) / y.mean(axis=axis),
        paired=True,
        n_resamples=5_000,
        rng=np.random.default_rng(8),
    ).confidence_interval
    assert found[2] == pytest.approx((expected.low, expected.high), abs=0.01)


def test_where_there_may_be_nothing_to_share_a_share_has_no_interval() -> None:
    gains = np.array([[0.1], [0.2], [0.0], [0.1]])
    assert np.isnan(share_intervals(gains, np.array([0.4, -0.3, 0.3, -0.2]))).all()
    assert np.isnan(share_intervals(gains, np.array([0.4, 0, 0, 0]))).all()  # one topic decides
    assert np.isnan(share_intervals(gains[:1], np.array([0.4]))).all()
    # Where the whole is not above zero a gain is a share above all bounds: too often, or seldom.
    for above, is_known in ((30, False), (33, True)):
        whole = np.r_[np.full(above, 0.2), np.full(48 - above, -0.2)]
        low, high = share_intervals(np.full((48, 1), 0.05), whole)[0].tolist()
        assert (low < 0.05 / whole.mean() < high) == is_known
