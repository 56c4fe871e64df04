"""Effect sizes, detectable differences, wins, intervals, and tests of differences."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from boilersweep import UsageError
from boilersweep.eval.stats import statistics
from boilersweep.eval.stats.statistics import (
    PERMUTATIONS,
    RESAMPLES,
    SEED,
    SIGNIFICANT,
    _randomisations,
    benjamini_hochberg,
    bootstrap_intervals,
    detectable_differences,
    differences_to,
    effect_sizes,
    holm,
    paired_randomisations,
    paired_ts,
    pairwise_differences,
    pairwise_intervals,
    share_intervals,
    wilcoxons,
)
from tests.eval.conftest import bootstrap_interval

Values = NDArray[np.float64]


def column(a: ArrayLike, b: ArrayLike) -> Values:
    """Return the differences of two systems as one column."""
    return differences_to(
        np.asarray(a, dtype=float)[:, None], np.asarray(b, dtype=float)
    )


def paired_t(a: ArrayLike, b: ArrayLike) -> float:
    return float(paired_ts(column(a, b))[0])


def paired_randomisation(
    a: ArrayLike, b: ArrayLike, *, permutations: int = PERMUTATIONS
) -> float:
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
    assert paired_randomisation(values, values[::-1]) == pytest.approx(
        whole[1], rel=0.1
    )


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
        assert pairwise_intervals(values) == pytest.approx(
            bootstrap_intervals(expected)
        )
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
    assert stats.nct.sf(critical, topics - 1, noncentrality) == pytest.approx(
        0.8, abs=1e-4
    )


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
        lambda: paired_t([0.1, math.inf], [0.1, 0.2]),
        lambda: holm([0.1, math.nan]),
        lambda: holm([1.5]),
    ],
)
def test_what_is_no_value_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises(UsageError, match="expected"):
        call()


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
def test_where_a_t_test_has_nothing_to_go_by(
    a: list[float], b: list[float], p: int
) -> None:
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
def test_the_randomisation_test_by_hand(
    a: list[float], b: list[float], p: float
) -> None:
    assert paired_randomisation(a, b) == p


@pytest.mark.parametrize("topics", [3, 8, 12])
def test_counted_randomisations_are_scipys(topics: int) -> None:
    a, b = precisions(5, topics), precisions(6, topics) * 0.9
    expected = stats.permutation_test(
        (a, b),
        lambda x, y: np.mean(x - y),
        permutation_type="samples",
        n_resamples=np.inf,
    ).pvalue
    assert paired_randomisation(a, b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.usefixtures("drawn")
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


def ndcgs(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Differences of nDCG@10: many ties, and sums of discounts without a common step."""
    discounts = 1 / np.log2(np.arange(2, 12))
    lost: Values = random.choice([-1, 0, 0, 0, 1], (*shape, 10)) @ discounts
    return lost / float(discounts.sum())


# Differences without a common step, of the sizes that measures have.
STEPLESS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Values]] = {
    "normal": lambda random, shape: random.normal(0.02, 0.1, shape),
    "nDCG": ndcgs,
    "a few large ones": lambda random, shape: random.standard_t(2, shape) / 10,
    "reciprocal ranks": lambda random, shape: (
        1 / random.integers(1, 1500, shape) - 1 / random.integers(1, 1500, shape)
    ),
}


@pytest.mark.parametrize("name", STEPLESS)
@pytest.mark.parametrize("topics", [17, 18])
def test_differences_without_a_step_are_counted_nearly_as_all_ways_to_swap(
    name: str, topics: int
) -> None:
    differences = STEPLESS[name](np.random.default_rng(topics), (topics, 6))
    signs = 1.0 - 2 * ((np.arange(2**topics)[:, None] >> np.arange(topics)) & 1)
    far = np.abs(signs @ differences) >= np.abs(differences.sum(axis=0)) - 1e-9
    found, near = paired_randomisations(differences)
    assert found == pytest.approx(far.mean(axis=0), abs=1e-3)
    assert not near.any()


@pytest.mark.parametrize("name", STEPLESS)
@pytest.mark.parametrize("topics", [20, 120])
def test_another_seed_moves_no_corrected_p_value(
    name: str, topics: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    differences = STEPLESS[name](np.random.default_rng(1), (topics, 60))
    one, other = (
        holm(paired_randomisations(differences, seed=seed)[0].tolist())
        for seed in (1, 2)
    )
    assert one == other
    monkeypatch.setattr(statistics, "_GRID", 2**17)
    finer = holm(paired_randomisations(differences[:, :20])[0].tolist())
    monkeypatch.undo()
    coarse = holm(paired_randomisations(differences[:, :20])[0].tolist())
    assert coarse == pytest.approx(finer, abs=4e-3)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all sums be too many to count, as for many hundreds of topics."""
    monkeypatch.setattr(statistics, "_MOST_STEPS", 0)


@pytest.mark.usefixtures("drawn")
def test_a_drawn_p_value_is_never_zero() -> None:
    gains = np.sqrt(np.arange(1, 61))
    assert paired_randomisation(gains, np.zeros(60), permutations=999) == 1 / 1000


@pytest.mark.usefixtures("drawn")
def test_what_is_near_the_level_is_drawn_again_and_said_if_it_stays_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(statistics, "PERMUTATIONS", 500)
    monkeypatch.setattr(statistics, "MORE_PERMUTATIONS", 200_000)
    random = np.random.default_rng(2)
    noise = random.normal(0, 1, (40, 1))
    ps, near = paired_randomisations(noise - noise.mean() + [[0.0, 0.3, 0.5, 2.0]])
    assert not near.any()
    again, _ = statistics._randomisations(noise - noise.mean() + 0.5, 200_000, 0)
    assert ps[2] == pytest.approx(again[0], rel=0.1)
    shift = next(
        one
        for one in np.linspace(0.25, 0.4, 3_000)
        if abs(paired_t(noise[:, 0] - noise.mean() + one, np.zeros(40)) - SIGNIFICANT)
        < 1e-4
    )
    monkeypatch.setattr(statistics, "MORE_PERMUTATIONS", 1_000)
    assert paired_randomisations(noise - noise.mean() + shift)[1].tolist() == [True]


def test_columns_are_tested_as_one_by_one() -> None:
    base = precisions(1, 40)
    others = np.stack(
        [base, precisions(2, 40), np.r_[base[:35], base[35:] + 0.1]], axis=1
    )
    differences = others - base[:, None]
    columns = list(others.T)
    assert paired_ts(differences) == pytest.approx(
        [paired_t(one, base) for one in columns]
    )
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
    # Of more than 13 topics SciPy draws, a second for each column: one will do.
    tenths = np.round(random.random((topics, 3 if topics <= 13 else 1)), 1)
    rough = np.round(tenths - np.round(random.random((topics, 1)), 1), 9)
    for p, column in zip(wilcoxons(rough), rough.T, strict=True):
        untied = column[column != 0]
        method = "auto" if len(untied) <= 13 else stats.PermutationMethod(rng=random)
        expected = stats.wilcoxon(untied, method=method).pvalue
        assert p == pytest.approx(expected, abs=1e-9 if len(untied) <= 13 else 0.02)


def test_of_many_hundreds_of_topics_the_signed_rank_test_is_scipys_approximation() -> (
    None
):
    differences = np.random.default_rng(1).normal(0.01, 1, (900, 1))
    assert (
        wilcoxons(differences)[0]
        == stats.wilcoxon(np.round(differences[:, 0], 9)).pvalue
    )


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


def expanded(rows: int) -> float:
    """Return the level of a normal interval that is as wide as Hesterberg's expanded one at .95."""
    z = stats.t.ppf(0.975, rows - 1) * (rows / (rows - 1)) ** 0.5
    return float(2 * stats.norm.cdf(z) - 1)


@pytest.mark.parametrize("topics", [5, 10, 71, 400])
def test_the_interval_is_scipys_bca(topics: int) -> None:
    # Values with exact sums: scipy takes equal means that differ by rounding for different.
    for values in (
        precisions(topics, topics),
        np.round(precisions(topics, topics) ** 2 * 64) / 64,
    ):
        expected = stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=RESAMPLES,
            confidence_level=expanded(topics),
            rng=np.random.default_rng(3),
        ).confidence_interval
        found = bootstrap_interval(values, seed=3)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    random = np.random.default_rng(11)
    samples = random.beta(1, 3, (40, 400))
    intervals = bootstrap_intervals(samples)
    covered = (intervals[:, 0] <= 0.25) & (intervals[:, 1] >= 0.25)
    assert 0.9 <= covered.mean() <= 0.98


def p10s(random: np.random.Generator, shape: tuple[int, int]) -> Values:
    """Differences of P@10, 40 % of them ties; their mean is .03."""
    tenths = random.binomial(10, 0.75, shape) - random.binomial(10, 0.7, shape)
    differences: Values = tenths / 10 * (random.random(shape) < 0.6)
    return differences


@pytest.mark.parametrize(
    ("made", "mean", "coverages"),
    [
        (p10s, 0.03, (0.85, 0.93, 0.93, 0.94)),
        (ndcgs, 0.0, (0.92, 0.94, 0.95, 0.95)),
    ],
)
def test_intervals_of_few_topics_cover_the_mean_as_the_manual_says(
    made: Callable[..., Values], mean: float, coverages: tuple[float, ...]
) -> None:
    random = np.random.default_rng(0)
    found = []
    for topics in (5, 10, 20, 50):
        ends = bootstrap_intervals(made(random, (topics, 1_500)))
        covered = (ends[:, 0] <= mean + 1e-9) & (ends[:, 1] >= mean - 1e-9)
        found.append(covered.mean())
    assert found == pytest.approx(coverages, abs=0.01)


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
        confidence_level=expanded(len(gains)),
        rng=np.random.default_rng(8),
    ).confidence_interval
    assert found[2] == pytest.approx((expected.low, expected.high), abs=0.01)


def test_where_there_may_be_nothing_to_share_a_share_has_no_interval() -> None:
    gains = np.array([[0.1], [0.2], [0.0], [0.1]])
    assert np.isnan(share_intervals(gains, np.array([0.4, -0.3, 0.3, -0.2]))).all()
    # One topic decides
    assert np.isnan(share_intervals(gains, np.array([0.4, 0, 0, 0]))).all()
    assert np.isnan(share_intervals(gains[:1], np.array([0.4]))).all()
    # Where the whole is not above zero a gain is a share above all bounds: too often, or seldom.
    for above, is_known in ((30, False), (33, True)):
        whole = np.r_[np.full(above, 0.2), np.full(48 - above, -0.2)]
        low, high = share_intervals(np.full((48, 1), 0.05), whole)[0].tolist()
        assert (low < 0.05 / whole.mean() < high) == is_known


@pytest.mark.parametrize(
    ("ps", "adjusted"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.02, 0.04, 0.04, 0.02]),
        ([0.5], [0.5]),
        ([0.9, 0.8, 1.0], [1.0, 1.0, 1.0]),
        ([], []),
    ],
)
def test_the_false_discovery_rate_by_hand(
    ps: list[float], adjusted: list[float]
) -> None:
    assert benjamini_hochberg(ps) == pytest.approx(adjusted)
