"""From scores of topics to differences of means: their size, certainty, and significance.

This module alone decides what is statistically significant: of each cleaner to the baseline, and of
every cleaner to every other one.

A sweep of 120 thresholds would make 7,140 pairs, mostly of neighbours that nobody asks about, and
their correction would hide other differences. So the pairs are among the baseline, the named
cleaners, the chosen one, and the best of each sweep by the first measure.

Two cleaners share a group if and only if the tests do not tell them apart: a compact letter display
(Piepho, Journal of Computational and Graphical Statistics 2004), made by growing cliques (Gramm et
al., Computational Statistics and Data Analysis 2007), since the number of all groups could be
exponential.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from string import ascii_letters

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from boilersweep.errors import UsageError
from boilersweep.eval.stats.statistics import (
    SIGNIFICANT,
    TESTS,
    TIE,
    Interval,
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
from boilersweep.pages.columns import BoolArray, FloatArray

# Marks a statistically significant difference.
MARK = "*"

# Marks a p-value within the error of the drawn permutations from SIGNIFICANT.
NEAR = "?"

DEFAULT_TESTS = ("randomisation", "t")

# The test of judgements that `assess` collected; no other is valid where judging stops at a result.
SEQUENTIAL = "sequential"

# The tests in the order of tables, with their names in sentences.
TEST_NAMES = {
    "t": "the paired t-test",
    "randomisation": "the paired randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
    SEQUENTIAL: "the sequential test of `boilersweep assess`",
}

# The p-values of a difference, two-sided: for each test `t` the plain `t`, then each `t_holm`.
#
# The first test decides what is significant.
PValues = dict[str, float]


class Difference(Struct, frozen=True):
    """The difference of one mean to another.

    Attributes:
        mean: The mean difference.
        interval: Its interval; None for one topic.
        wins: Topics on which the first is better.
        ties: Topics on which both are equal.
        losses: Topics on which the second is better.
        effect: The mean in standard deviations over topics; None if the topics do not vary.
        detectable: The smallest true difference that these topics show four times in five, tested
            alone; None if the topics do not vary.
        tests: The p-values; None for untested measures, and for the gold text.
        near: Whether other draws of permutations could change what is significant.
    """

    mean: float
    interval: Interval | None
    wins: int
    ties: int
    losses: int
    effect: float | None = None
    detectable: float | None = None
    tests: PValues | None = None
    near: bool = False

    @property
    def p(self) -> float | None:
        """The corrected p-value of the test that decides; None without a test."""
        return self.tests[f"{next(iter(self.tests))}_holm"] if self.tests else None

    @property
    def is_significant(self) -> bool:
        """Whether the difference is statistically significant; never without a test."""
        return self.p is not None and self.p < SIGNIFICANT

    @property
    def mark(self) -> str:
        """MARK for a significant difference, NEAR if other draws could tell otherwise."""
        return MARK * self.is_significant + NEAR * self.near

    @property
    def mirrored(self) -> "Difference":
        """The difference of the second to the first."""
        low, high = self.interval or (0.0, 0.0)
        return replace(
            self,
            mean=0.0 - self.mean,
            interval=self.interval and (0.0 - high, 0.0 - low),
            wins=self.losses,
            losses=self.wins,
            effect=None if self.effect is None else 0.0 - self.effect,
        )


class Result(Struct, frozen=True):
    """A variant's scores by one measure.

    Attributes:
        mean: The mean over topics.
        interval: The mean's interval; None for one topic.
        closed: The closed share of the gap from the baseline to the gold text; None without a gold
            text, or if it is no better than the baseline.
        closed_interval: The interval of `closed`; None also if the topics leave open whether there
            is a gap.
        difference: The difference to the baseline; None for the baseline.
    """

    mean: float
    interval: Interval | None
    closed: float | None
    closed_interval: Interval | None
    difference: Difference | None


def untested(differences: FloatArray, intervals: FloatArray) -> list[Difference]:
    """Describe each column of differences, without tests.

    Args:
        differences: (t, k) differences over topics.
        intervals: (k, 2) bounds of their means.

    Returns:
        The k differences.
    """
    columns = zip(
        differences.mean(axis=0).tolist(),
        as_intervals(intervals),
        (differences > 0).sum(axis=0).tolist(),
        (differences == 0).sum(axis=0).tolist(),
        (differences < 0).sum(axis=0).tolist(),
        as_numbers(effect_sizes(differences)),
        as_numbers(detectable_differences(differences, alpha=SIGNIFICANT)),
        strict=True,
    )
    return [Difference(*column) for column in columns]


def as_intervals(bounds: FloatArray) -> list[Interval | None]:
    """Return (k, 2) bounds as intervals; nan becomes None."""
    return [None if isnan(low) else (low, high) for low, high in bounds.tolist()]


def as_numbers(values: FloatArray) -> list[float | None]:
    """Return (k,) values as numbers; nan becomes None."""
    return [None if isnan(value) else value for value in values.tolist()]


def p_values(
    differences: FloatArray, tests: Sequence[str], seed: int
) -> list[tuple[PValues, bool]]:
    """Test each column of differences, and correct each test over all columns.

    Args:
        differences: (t, c) differences over topics.
        tests: The tests; the first one decides.
        seed: The seed of the drawn permutations.

    Returns:
        For each column its p-values, and whether other draws could change what is significant.
    """
    columns: dict[str, list[float]] = {}
    near = np.zeros(differences.shape[1], dtype=bool)
    for test in tests:
        if test == "randomisation":
            ps, unsure = paired_randomisations(differences, seed=seed)
            near = unsure if test == tests[0] else near
        else:
            ps = {"t": paired_ts, "wilcoxon": wilcoxons}[test](differences)
        columns[test] = ps.tolist()
    columns |= {f"{test}_holm": holm(ps) for test, ps in columns.items()}
    rows = zip(*columns.values(), strict=True)
    return [
        (dict(zip(columns, row, strict=True)), is_near)
        for row, is_near in zip(rows, near.tolist(), strict=True)
    ]


def parse_tests(text: str) -> tuple[str, ...]:
    """Parse the names of tests, separated by commas; raises UsageError."""
    return require_tests([name.strip() for name in text.split(",")])


def in_order(tests: Sequence[str]) -> list[str]:
    """Sort tests in the order of tables."""
    return [test for test in TEST_NAMES if test in tests]


def require_tests(names: Sequence[str]) -> tuple[str, ...]:
    """Return the tests; raises UsageError for none, an unknown or a repeated one."""
    tests = tuple(names)
    if not tests or not set(tests) <= set(TESTS) or len(set(tests)) < len(tests):
        raise UsageError(
            f"tests: expected one or more of {', '.join(TESTS)}, each once and the one that "
            f"decides first, got {', '.join(tests) or 'none'}"
        )
    return tests


# Number of a group, measure and variant -> what `p_values` returns.
_Tests = Mapping[tuple[int, str, int], tuple[PValues, bool]]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Variants that share a baseline, the first of them: those under one ranking formula.

    Attributes:
        scores: Measure -> (t, v) scores of topics and variants.
        gold: The gold text's place; None without a gold text.
        is_tested: Whether the differences are tested, or only shown.
    """

    scores: Mapping[str, FloatArray]
    gold: int | None
    is_tested: bool = True

    @property
    def count(self) -> int:
        """The number of variants."""
        return int(next(iter(self.scores.values())).shape[1])

    @property
    def candidates(self) -> list[int]:
        """Columns to compare with the baseline: all but the baseline and the gold text."""
        return [v for v in range(1, self.count) if v != self.gold]


def compare_groups(
    groups: Sequence[Group], tested: Sequence[str], seed: int, tests: Sequence[str]
) -> tuple[list[list[dict[str, Result]]], int]:
    """Compare the variants of each group with its baseline, and correct over all groups.

    Args:
        groups: The groups.
        tested: The measures to test; others are only shown, and the gold text is a bound.
        seed: The seed of resamples and permutations.
        tests: The tests; the first one decides.

    Returns:
        For each variant of each group, measure -> result; and how many p-values Holm's method
        corrected, for each test.
    """
    found = _tests(groups, tested, seed, tests)
    results = [
        _results(group, number, found, seed) for number, group in enumerate(groups)
    ]
    return results, len(found)


def _results(
    group: Group, number: int, tests: _Tests, seed: int
) -> list[dict[str, Result]]:
    """Return measure -> result for each variant of a group, by the group's number."""
    scores = group.scores
    results: list[dict[str, Result]] = [{} for _ in range(group.count)]
    differences_by = {m: differences_to(v, v[:, 0]) for m, v in scores.items()}
    # All from the same resamples, which cost more than the means of a column.
    columns = [array for m in scores for array in (scores[m], differences_by[m])]
    bounds = bootstrap_intervals(np.concatenate(columns, axis=1), seed=seed)
    bounds_by = dict(
        zip(scores, bounds.reshape(len(scores), 2, group.count, 2), strict=True)
    )
    for measure, values in scores.items():
        means = values.mean(axis=0)
        intervals, difference_bounds = (
            as_intervals(bounds_by[measure][0]),
            bounds_by[measure][1],
        )
        gap, closed_intervals = _gap(group, means, differences_by[measure], seed)
        differences = untested(differences_by[measure], difference_bounds)
        for variant, difference in enumerate(differences):
            ps, near = tests.get((number, measure, variant), (None, False))
            results[variant][measure] = Result(
                mean=float(means[variant]),
                interval=intervals[variant],
                closed=difference.mean / gap if gap else None,
                closed_interval=closed_intervals[variant],
                difference=replace(difference, tests=ps, near=near)
                if variant
                else None,
            )
    return results


def _gap(
    group: Group, means: FloatArray, gains: FloatArray, seed: int
) -> tuple[float | None, list[Interval | None]]:
    """Return the gap from the baseline to the gold text, and each variant's interval of its share.

    The gap is None without a gold text, or if the gold text is no better than the baseline.
    """
    if group.gold is not None:
        gap = float(means[group.gold] - means[0])
        if gap > TIE:
            return gap, as_intervals(
                share_intervals(gains, gains[:, group.gold], seed=seed)
            )
    return None, [None] * group.count


def _tests(
    groups: Sequence[Group], tested: Sequence[str], seed: int, tests: Sequence[str]
) -> _Tests:
    """Return the p-values by the group's number, measure and variant."""
    compared = [(n, group) for n, group in enumerate(groups) if group.is_tested]
    keys = [
        (n, m, variant)
        for n, group in compared
        for m in tested
        for variant in group.candidates
    ]
    if not keys:
        return {}
    columns = [
        differences_to(group.scores[m][:, group.candidates], group.scores[m][:, 0])
        for _, group in compared
        for m in tested
    ]
    differences = np.concatenate(columns, axis=1)
    return dict(zip(keys, p_values(differences, tests, seed), strict=True))


# Rows to compare with each other; of more, the best by the first measure.
MOST = 100

_NAMED = ("cleaner", "run")


class Pair(Struct, frozen=True):
    """The difference of one row to another by a measure.

    Attributes:
        first: The first row's place.
        second: The second row's place.
        difference: The first row's scores less the second's.
        detectable_corrected: The smallest true difference that these topics show four times in
            five as one of all pairs, at the level of Holm's first step; see
            `Difference.detectable`.
    """

    first: int
    second: int
    difference: Difference
    detectable_corrected: float | None


class Pairs(Struct, frozen=True):
    """All pairs of some rows.

    Attributes:
        rows: The rows' places in the study, in its order.
        left_out: How many more rows were named than MOST.
        comparisons: The p-values that Holm's method corrected, for each test: pairs times tested
            measures.
        by_measure: Measure -> pairs in the order of `itertools.combinations`.
        groups: Measure -> places of indistinguishable rows, the best row's group first.
    """

    rows: tuple[int, ...]
    left_out: int
    comparisons: int
    by_measure: dict[str, tuple[Pair, ...]]
    groups: dict[str, tuple[tuple[int, ...], ...]]

    def of(self, measure: str, first: int, second: int) -> Pair:
        """Return the pair of two rows, by their places, in either order."""
        i, j = sorted((self.rows.index(first), self.rows.index(second)))
        before = i * (2 * len(self.rows) - i - 1) // 2
        pair = self.by_measure[measure][before + j - i - 1]
        if pair.first == first:
            return pair
        return replace(
            pair, first=first, second=second, difference=pair.difference.mirrored
        )

    def peers(self, measure: str, place: int) -> list[int]:
        """Return the places of the rows that the tests do not tell apart from a row."""
        return [
            other
            for other in self.rows
            if other != place
            and not self.of(measure, place, other).difference.is_significant
        ]

    def letters(self, measure: str) -> dict[int, str]:
        """Return place -> the letters of its groups, `a` first; numbers after the last letter."""
        letters = dict.fromkeys(self.rows, "")
        for number, group in enumerate(self.groups.get(measure, ())):
            for place in group:
                known = number < len(ascii_letters)
                letters[place] += ascii_letters[number] if known else f"({number + 1})"
        return letters


def rows_to_pair(
    roles: Sequence[str], features: Sequence[str | None], means: FloatArray, chosen: int
) -> tuple[list[int], int]:
    """Select the rows to compare with each other.

    Args:
        roles: Each row's role.
        features: The sweep of each row; None for rows without a sweep.
        means: (v,) means by the first measure.
        chosen: The chosen row's place.

    Returns:
        The rows' places, and how many more were named than MOST.
    """
    best = np.argsort(-means, kind="stable").tolist()
    swept: dict[str | None, int] = {}
    for place in best:
        if roles[place] == "swept":
            swept.setdefault(features[place], place)
    first = {0, chosen, *swept.values()}
    named = [place for place in best if roles[place] in _NAMED and place not in first]
    room = max(MOST - len(first), 0)
    return sorted([*first, *named[:room]]), len(named[room:])


def compare_pairs(
    scores: Mapping[str, FloatArray],
    paired: tuple[Sequence[int], int],
    tested: Sequence[str],
    tests: Sequence[str],
    seed: int,
) -> Pairs:
    """Compare some rows with each other, by every tested measure.

    Args:
        scores: Measure -> (t, v) scores of topics and all rows.
        paired: The result of `rows_to_pair`.
        tested: The tested measures.
        tests: The tests; the first one decides. Each is corrected over all pairs and measures.
        seed: The seed of resamples and permutations.

    Returns:
        The pairs and their groups.
    """
    rows, left_out = paired
    pairs = list(combinations(rows, 2))
    comparisons = len(pairs) * len(tested)
    values = {measure: scores[measure][:, list(rows)] for measure in tested}
    differences = [
        block for one in values.values() for block in pairwise_differences(one)
    ]
    ps = iter(
        p_values(np.concatenate(differences, axis=1), tests, seed) if pairs else []
    )
    by_measure: dict[str, tuple[Pair, ...]] = {}
    for measure in tested:
        compared = _differences(values[measure], comparisons, seed)
        by_measure[measure] = tuple(
            Pair(
                *places, replace(difference, tests=tests_of_pair, near=near), detectable
            )
            for places, (difference, detectable), (tests_of_pair, near) in zip(
                pairs, compared, ps, strict=False
            )
        )
    groups = {
        measure: _groups(rows, scores[measure].mean(axis=0), pairs_by_one)
        for measure, pairs_by_one in by_measure.items()
    }
    return Pairs(tuple(rows), left_out, comparisons, by_measure, groups)


def _differences(
    values: FloatArray, comparisons: int, seed: int
) -> list[tuple[Difference, float | None]]:
    """Return each of `pairwise_differences`, untested, and what is detectable after correction."""
    intervals = pairwise_intervals(values, seed=seed)
    compared: list[tuple[Difference, float | None]] = []
    for block in pairwise_differences(values):
        here = intervals[len(compared) : len(compared) + block.shape[1]]
        least = detectable_differences(block, alpha=SIGNIFICANT / comparisons)
        compared += zip(untested(block, here), as_numbers(least), strict=True)
    return compared


def _groups(
    rows: Sequence[int], means: FloatArray, pairs: Sequence[Pair]
) -> tuple[tuple[int, ...], ...]:
    """Return the groups of indistinguishable rows."""
    order = sorted(rows, key=lambda place: (-means[place], place))
    at = {place: number for number, place in enumerate(order)}
    together = np.ones((len(order), len(order)), dtype=bool)
    for pair in pairs:
        i, j = at[pair.first], at[pair.second]
        together[i, j] = together[j, i] = not pair.difference.is_significant
    return tuple(tuple(order[n] for n in group) for group in groups_of(together))


def groups_of(together: BoolArray) -> list[list[int]]:
    """Group n places, such that two share a group if and only if they are together.

    Args:
        together: (n, n), symmetric.

    Returns:
        The groups; each place is in one, and no group is superfluous.
    """
    shared = np.zeros(together.shape, dtype=np.int64)  # in how many groups two are
    groups = []
    for i, j in zip(*np.nonzero(np.triu(together, 1)), strict=True):
        if not shared[i, j]:
            group = _grown(together, [int(i), int(j)])
            shared[np.ix_(group, group)] += 1
            groups.append(group)
    for group in groups[::-1]:
        if shared[np.ix_(group, group)].min() > 1:
            shared[np.ix_(group, group)] -= 1
            groups.remove(group)
    alone = np.flatnonzero(shared.diagonal() == 0).tolist()
    return sorted([*groups, *([place] for place in alone)])


def _grown(together: BoolArray, group: list[int]) -> list[int]:
    """Add every place, from the first on, that is together with the whole group."""
    fits: BoolArray = np.logical_and.reduce(together[group])
    fits[group] = False
    while fits.any():
        place = int(fits.argmax())
        group = [*group, place]
        fits &= together[place]
        fits[place] = False
    return sorted(group)
