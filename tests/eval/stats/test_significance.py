"""Paired tests are those of SciPy, and right by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from boilersweep.eval.stats import significance
from boilersweep.eval.stats.significance import (
    SIGNIFICANT,
    holm,
    paired_randomisations,
    paired_ts,
    wilcoxons,
)
from tests.eval.stats.test_statistics import paired_randomisation, paired_t, precisions


@pytest.mark.parametrize("topics", [2, 5, 71])
def test_the_t_test_is_scipys(topics: int) -> None:
    a, b = precisions(1, topics), precisions(2, topics)
    assert paired_t(a, b) == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)
    assert paired_t(b, a) == paired_t(a, b)


def test_the_t_test_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2 / (1 / sqrt 3) = 3.464 with 2 degrees of
    # freedom; p = 1 - t / sqrt(2 + t^2) = 1 - 3.464 / sqrt 14 = 0.0742.
    assert paired_t([2, 4, 6], [1, 2, 3]) == pytest.approx(1 - math.sqrt(12 / 14))


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        ([0.5], [0.1], 1),
        ([0.1 + 0.2, 0.5], [0.3, 0.5], 1),
        ([0.75, 0.5], [0.5, 0.25], 0),  # the same gain everywhere
    ],
)
def test_where_a_t_test_has_nothing_to_go_by(a: list[float], b: list[float], p: int) -> None:
    assert paired_t(a, b) == p


@pytest.mark.parametrize(
    ("a", "b", "p"),
    [
        # Differences 1, 2, 3 add up to 6; of the 8 ways to sign them 2 (all +, all -) reach 6.
        ([2, 4, 6], [1, 2, 3], 2 / 8),
        # 1, 1, -1, and a tie: the sum is 1; every way to sign three ones has a sum of 1 or 3.
        ([1, 1, 0, 5], [0, 0, 1, 5], 1),
        # 3, 1, -1: the sum is 3; reached by 3+1-1, 3-1+1, 3+1+1 and their mirrors: 6 of 8.
        ([3, 1, 0], [0, 0, 1], 6 / 8),
        ([0.5], [0.1], 1),
        ([0.5, 0.1], [0.5, 0.1], 1),
    ],
)
def test_the_randomisation_test_by_hand(a: list[float], b: list[float], p: float) -> None:
    assert paired_randomisation(a, b) == p


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


@pytest.mark.parametrize("step", [0.1, 1 / 3, 0.25, 1 / 7])
def test_sums_of_steps_are_counted_as_all_ways_to_swap(step: float) -> None:
    random = np.random.default_rng(3)
    many = np.r_[random.integers(-7, 8, 15), 9, -8] * step
    signs = 1 - 2 * ((np.arange(2**17)[:, None] >> np.arange(17)) & 1)
    expected = (np.abs(signs @ many) >= abs(many.sum()) - 1e-9).mean()
    assert paired_randomisation(many, np.zeros(17)) == pytest.approx(expected, rel=1e-9)


def test_a_drawn_p_value_is_never_zero() -> None:
    gains = np.sqrt(np.arange(1, 61))
    assert paired_randomisation(gains, np.zeros(60), permutations=999) == 1 / 1000


def test_what_is_near_the_level_is_drawn_again_and_said_if_it_stays_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(significance, "PERMUTATIONS", 500)
    monkeypatch.setattr(significance, "MORE_PERMUTATIONS", 200_000)
    random = np.random.default_rng(2)
    noise = random.normal(0, 1, (40, 1))
    ps, near = paired_randomisations(noise - noise.mean() + [[0.0, 0.3, 0.5, 2.0]])
    assert not near.any()
    again, _ = significance._randomisations(noise - noise.mean() + 0.5, 200_000, 0)
    assert ps[2] == pytest.approx(again[0], rel=0.1)
    shift = next(
        one
        for one in np.linspace(0.25, 0.4, 3_000)
        if abs(paired_t(noise[:, 0] - noise.mean() + one, np.zeros(40)) - SIGNIFICANT) < 1e-4
    )
    monkeypatch.setattr(significance, "MORE_PERMUTATIONS", 1_000)
    assert paired_randomisations(noise - noise.mean() + shift)[1].tolist() == [True]


def test_columns_are_tested_as_one_by_one() -> None:
    base = precisions(1, 40)
    others = np.stack([base, precisions(2, 40), np.r_[base[:35], base[35:] + 0.1]], axis=1)
    differences = others - base[:, None]
    columns = list(others.T)
    assert paired_ts(differences) == pytest.approx([paired_t(one, base) for one in columns])
    assert paired_randomisations(differences)[0] == pytest.approx(
        [paired_randomisation(one, base) for one in columns]
    )


@pytest.mark.parametrize("topics", [4, 10, 13, 30, 71])
def test_the_signed_rank_test_is_scipys(topics: int) -> None:
    random = np.random.default_rng(topics)
    smooth = random.normal(0.1, 0.3, (topics, 3))
    for p, column in zip(wilcoxons(smooth), smooth.T, strict=True):
        expected = stats.wilcoxon(column, method="exact").pvalue
        assert p == pytest.approx(expected, rel=1e-9)
    # Tenths have ties and zeros, and their differences equal ranks that rounding would part.
    tenths = np.round(random.random((topics, 3)), 1)
    rough = np.round(tenths - np.round(random.random((topics, 1)), 1), 9)
    for p, column in zip(wilcoxons(rough), rough.T, strict=True):
        untied = column[column != 0]
        method = "auto" if len(untied) <= 13 else stats.PermutationMethod(rng=random)
        expected = stats.wilcoxon(untied, method=method).pvalue
        assert p == pytest.approx(expected, abs=1e-9 if len(untied) <= 13 else 0.02)


def test_of_many_hundreds_of_topics_the_signed_rank_test_is_scipys_approximation() -> None:
    differences = np.random.default_rng(1).normal(0.01, 1, (900, 1))
    assert wilcoxons(differences)[0] == stats.wilcoxon(np.round(differences[:, 0], 9)).pvalue


def test_the_signed_rank_test_by_hand() -> None:
    # Ranks 1.5, 1.5 and 3 of -.1, .1 and .2: their sum is 3; of the 8 ways to sign them -6, -3, -3,
    # 0, 0, 3, 3, 6 six are as far from 0.
    differences = np.array([[-0.1], [0.3 - 0.2], [0.2], [0.0]])
    assert wilcoxons(differences).tolist() == [6 / 8]
    assert wilcoxons(np.zeros((3, 2))).tolist() == [1, 1]
    assert wilcoxons(np.array([[0.4]])).tolist() == [1]


@pytest.mark.parametrize(
    ("ps", "corrected"),
    [
        # Sorted .01, .02, .03, .04 times 4, 3, 2, 1: .04, .06, .06, .04, then never falling.
        ([0.04, 0.01, 0.03, 0.02], [0.06, 0.04, 0.06, 0.06]),
        ([0.5, 0.9], [1, 1]),
        ([0.03], [0.03]),
        ([], []),
    ],
)
def test_holm_by_hand(ps: list[float], corrected: list[float]) -> None:
    assert holm(ps) == pytest.approx(corrected)


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
