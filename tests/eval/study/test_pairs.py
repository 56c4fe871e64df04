"""All pairs of a study's cleaners against scipy, ranx and by hand; groups against their tests."""

import string
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.eval.stats.frames import Result
from boilersweep.eval.stats.statistics import TESTS
from boilersweep.eval.study.differences import (
    DEFAULT_TESTS,
    MOST,
    Group,
    Pairs,
    compare_groups,
    compare_pairs,
    groups_of,
    letters_of,
    rows_to_pair,
)
from boilersweep.pages.columns import FloatArray
from tests.eval.study.conftest import run_scores

# P@10 of twelve topics by four systems.
RANX = np.array(
    [
        [0.4, 0.5, 0.3, 0.7],
        [0.2, 0.6, 0.2, 0.6],
        [0.9, 0.8, 0.7, 1.0],
        [0.1, 0.3, 0.2, 0.3],
        [0.5, 0.5, 0.4, 0.8],
        [0.7, 0.9, 0.6, 0.8],
        [0.3, 0.4, 0.5, 0.6],
        [0.6, 0.6, 0.3, 0.9],
        [0.8, 1.0, 0.5, 1.0],
        [0.0, 0.2, 0.1, 0.4],
        [0.5, 0.4, 0.4, 0.6],
        [0.4, 0.7, 0.3, 0.5],
    ]
)

# Pairs -> p-values of ranx 0.3.21: `paired_student_t_test`, and `fisher_randomization_test` with
# a million permutations of ten times the scores, as their sums are exact.
RANX_PS = {
    (0, 1): (0.01718, 0.02951),
    (0, 2): (0.12074, 0.16928),
    (0, 3): (0.00002, 0.00047),
    (1, 2): (0.00280, 0.00584),
    (1, 3): (0.04097, 0.06244),
    (2, 3): (0.00003, 0.00047),
}


def scores(topics: int, rows: int, seed: int = 1) -> FloatArray:
    """P@10 of topics and rows: some rows better than others, topics that tie."""
    random = np.random.default_rng(seed)
    ease = random.beta(2, 2, topics)[:, None] + np.linspace(0, 0.25, rows)
    return np.clip(np.round(ease + random.normal(0, 0.08, (topics, rows)), 1), 0, 1)


def paired(
    values: FloatArray, tests: tuple[str, ...] = DEFAULT_TESTS, seed: int = 3
) -> Pairs:
    rows = list(range(values.shape[1]))
    group = Group(run_scores({"P@10": values, "AP": values**2}), None)
    return compare_pairs(group, (rows, 0), ["P@10", "AP"], tests, seed)


def test_p_values_are_those_of_ranx() -> None:
    found = paired(RANX)
    for (first, second), (t, randomisation) in RANX_PS.items():
        tests = found.of("P@10", first, second).tests
        assert tests["t"] == pytest.approx(t, abs=5e-6)
        assert tests["randomisation"] == pytest.approx(randomisation, abs=0.0015)


def test_holm_over_all_pairs_and_measures_by_hand() -> None:
    found = paired(scores(15, 3), ("t", "wilcoxon"))
    assert found.comparisons == 6
    for test in ("t", "wilcoxon"):
        tests = [pair.tests for pair in found.compared]
        plain = sorted(one[test] for one in tests)
        steps = [p * (6 - step) for step, p in enumerate(plain)]
        wanted = [min(1, max(steps[: n + 1])) for n in range(6)]
        assert sorted(one[f"{test}_holm"] for one in tests) == pytest.approx(wanted)


def test_the_first_test_decides() -> None:
    tests = {"wilcoxon": 0.04, "t": 0.001, "wilcoxon_holm": 0.08, "t_holm": 0.002}
    result = Result(mean=0.5, difference=0.1, tests=tests)
    assert (result.p, result.is_significant, result.mark) == (0.08, False, "")


@pytest.mark.parametrize("topics", [10, 40])
def test_a_pair_with_the_baseline_is_as_in_the_comparison(topics: int) -> None:
    values = {"P@10": scores(topics, 5)}
    group = Group(run_scores(values), None)
    (results,), _ = compare_groups([group], ["P@10"], 7, TESTS)
    pairs = compare_pairs(group, (range(5), 0), ["P@10"], TESTS, 7)
    for place in range(1, 5):
        alone = results[place]["P@10"]
        both = pairs.of("P@10", place, 0)
        assert {t: both.tests[t] for t in TESTS} == pytest.approx(
            {t: alone.tests[t] for t in TESTS}, abs=1e-12
        )
        assert both.difference_low == pytest.approx(alone.difference_low, abs=1e-8)
        assert both.difference_high == pytest.approx(alone.difference_high, abs=1e-8)
        assert (both.wins, both.ties) == (alone.wins, alone.ties)
        assert both.effect == pytest.approx(alone.effect)
        assert both.detectable == pytest.approx(alone.detectable)


@settings(max_examples=12, deadline=None)
@given(st.integers(1, 9), st.integers(2, 5), st.integers(0, 99))
def test_a_pair_is_its_mirror_and_letters_are_what_tests_say(
    topics: int, rows: int, seed: int
) -> None:
    found = paired(scores(topics, rows, seed), ("t", "wilcoxon"), seed=1)
    for measure in ("P@10", "AP"):
        letters = letters_of(found, measure, dict.fromkeys(range(rows), 0.0))
        for a, b in combinations(range(rows), 2):
            pair, mirrored = found.of(measure, a, b), found.of(measure, b, a)
            assert (mirrored.first, mirrored.second) == (b, a)
            assert pair.difference == -(mirrored.difference or 0.0)
            assert mirrored.mirrored == pair
            shared = set(letters[a]) & set(letters[b])
            assert bool(shared) != pair.is_significant
            assert (b in found.peers(measure, a)) == bool(shared)


@given(st.data())
def test_groups_say_who_is_together_and_none_could_be_left_out(
    data: st.DataObject,
) -> None:
    size = data.draw(st.integers(1, 12))
    together = np.eye(size, dtype=bool)
    for i, j in combinations(range(size), 2):
        together[i, j] = together[j, i] = data.draw(st.booleans())
    groups = groups_of(together)
    assert groups == sorted(groups)
    assert {place for group in groups for place in group} == set(range(size))
    for i, j in combinations(range(size), 2):
        assert any({i, j} <= set(group) for group in groups) == together[i, j]
    for left_out in groups:
        others = [group for group in groups if group is not left_out]
        shown = {pair for group in others for pair in combinations(group, 2)}
        alone = set(left_out) - {place for group in others for place in group}
        assert alone or not set(combinations(left_out, 2)) <= shown


def test_letters_by_hand() -> None:
    # The best two are not told apart, nor the second and the third; the last one is from all.
    together = np.array(
        [[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]], dtype=bool
    )
    assert groups_of(together) == [[0, 1], [1, 2], [3]]
    assert groups_of(np.ones((3, 3), dtype=bool)) == [[0, 1, 2]]


def test_sixty_cleaners_and_letters_beyond_the_alphabet() -> None:
    values = np.tile(np.linspace(0, 1, 60), (30, 1)) + scores(30, 60) / 100
    group = Group(run_scores({"P@10": values}), None)
    found = compare_pairs(group, (range(60), 0), ["P@10"], ("t",), 1)
    assert found.comparisons == len(found.compared) == 1770
    assert found.of("P@10", 59, 0).is_significant
    letters = letters_of(found, "P@10", dict(enumerate(values.mean(axis=0).tolist())))
    assert letters[59].startswith("a")
    assert any("(53)" in one for one in letters.values())
    assert set("".join(letters.values())) <= set(
        string.ascii_letters + string.digits + "()"
    )


@pytest.mark.parametrize(
    "values",
    [
        np.array([[0.1, 0.9, 0.1]]),
        np.array([[0.1, 0.9, 0.1], [0.2, 0.3, 0.2]]),
        np.full((20, 3), 0.3),
        np.array([[0.1, 0.2, 0.3]] * 9),
    ],
    ids=["one topic", "two topics", "all equal", "the same gain everywhere"],
)
@pytest.mark.parametrize("test", TESTS)
def test_where_there_is_little_to_go_by_nothing_is_nan(
    values: FloatArray, test: str
) -> None:
    found = paired(values, (test,))
    one = found.of("P@10", 0, 2)
    for pair in found.compared:
        numbers = [pair.difference, pair.effect, pair.detectable]
        numbers += [pair.difference_low, pair.difference_high]
        numbers += [pair.detectable_corrected, *pair.tests.values()]
        assert all(number is None or np.isfinite(number) for number in numbers)
    if len(values) == 1:
        assert one.difference_low is one.difference_high is None
        assert one.detectable_corrected is one.detectable is None
    if len(values) < 9 or not values.std():
        letters = letters_of(found, "P@10", dict.fromkeys(range(3), 0.0))
        assert set(letters.values()) == {"a"}
        assert one.effect in (0, None)


def test_which_rows_are_paired() -> None:
    roles = ["baseline", "cleaner", "swept", "swept", "swept", "gold"]
    features = ["words", None, "words", "words", "density", None]
    means = np.array([0.1, 0.2, 0.3, 0.5, 0.4, 0.9])
    # The better of two thresholds of words, the one of density; never the gold text.
    assert rows_to_pair(roles, features, means, 3) == ([0, 1, 3, 4], 0)
    assert rows_to_pair(roles, features, means, 2) == ([0, 1, 2, 3, 4], 0)
    # A run that was made elsewhere is one of those that were named.
    assert rows_to_pair(["baseline", "run", "gold"], [None] * 3, means[:3], 0) == (
        [0, 1],
        0,
    )


def test_of_very_many_cleaners_the_best_are_paired() -> None:
    means = np.linspace(0, 1, 131)
    rows, left_out = rows_to_pair(
        ["baseline"] + ["cleaner"] * 130, [None] * 131, means, 5
    )
    assert (len(rows), left_out) == (MOST, 32 - 1)
    assert rows == [0, 5, *range(33, 131)]
