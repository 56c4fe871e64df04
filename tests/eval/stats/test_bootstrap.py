"""Bootstrap intervals are those of SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from boilersweep.eval.stats.bootstrap import (
    RESAMPLES,
    bootstrap_interval,
    bootstrap_intervals,
    share_intervals,
)
from boilersweep.eval.stats.statistics import differences_to
from tests.eval.stats.test_statistics import precisions


@pytest.mark.parametrize("topics", [2, 5, 10, 71, 400])
def test_the_interval_is_scipys_bca(topics: int) -> None:
    # Values with exact sums: scipy takes equal means that differ by rounding for different.
    for values in (precisions(topics, topics), np.round(precisions(topics, topics) ** 2 * 64) / 64):
        expected = stats.bootstrap(
            (values,), np.mean, n_resamples=RESAMPLES, rng=np.random.default_rng(3)
        ).confidence_interval
        found = bootstrap_interval(values, seed=3)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    samples = random.beta(1, 3, (40, 400))
    intervals = bootstrap_intervals(samples)
    covered = (intervals[:, 0] <= 0.25) & (intervals[:, 1] >= 0.25)
    assert 0.9 <= covered.mean() <= 0.98


def test_one_value_has_no_interval_and_equal_ones_a_point() -> None:
    assert all(map(math.isnan, bootstrap_interval([0.4])))
    assert bootstrap_interval([0.4, 0.4, 0.4]) == (0.4, 0.4)
    differences = differences_to(np.array([[0.3], [0.5]]), np.array([0.1, 0.3]))
    assert bootstrap_intervals(differences)[0] == pytest.approx([0.2, 0.2])


def test_a_share_has_scipys_interval_of_a_ratio() -> None:
    random = np.random.default_rng(2)
    whole = random.integers(0, 64, 50) / 64
    gains = np.stack([whole / 2, whole, random.integers(-16, 64, 50) / 64], axis=1)
    found = share_intervals(gains, whole, seed=8)
    assert found[:2] == pytest.approx(np.array([[0.5, 0.5], [1, 1]]))
    expected = stats.bootstrap(
        (gains[:, 2], whole),
        lambda x, y, axis: x.mean(axis=axis) / y.mean(axis=axis),
        paired=True,
        n_resamples=RESAMPLES,
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
