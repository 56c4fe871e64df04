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
from functools import cached_property
from itertools import combinations
from string import ascii_letters
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from boilersweep.errors import UsageError
from boilersweep.eval.experiment.scored import values_of
from boilersweep.eval.stats.frames import Pair, Result, describe, results_of, rows_of
from boilersweep.eval.stats.scoring import RunScores
from boilersweep.eval.stats.statistics import (
    CORRECTIONS,
    SIGNIFICANT,
    TESTS,
    detectable_differences,
    differences_to,
    paired_randomisations,
    paired_ts,
    pairwise_differences,
    pairwise_intervals,
    wilcoxons,
)
from boilersweep.outputs.figures import rounded
from boilersweep.pages.columns import BoolArray, FloatArray

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

TEST_HEADS = {
    "t": "p (t)",
    "randomisation": "p (rand.)",
    "wilcoxon": "p (Wilc.)",
    SEQUENTIAL: "p (seq.)",
}

# The p-values of a difference, and whether other draws could change what is significant: fields of
# `Result`.
Tested = dict[str, Any]


def p_values(
    differences: FloatArray, tests: Sequence[str], seed: int, correction: str = "holm"
) -> list[Tested]:
    """Test each column of differences, and correct each test over all columns.

    Args:
        differences: (t, c) differences over topics.
        tests: The tests; the first one decides.
        seed: The seed of the drawn permutations.
        correction: The method of `CORRECTIONS`.

    Returns:
        For each column `tests` and `near` of `Result`.
    """
    columns: dict[str, list[float]] = {}
    near = np.zeros(differences.shape[1], dtype=bool)
    for test in tests:
        if test == "randomisation":
            ps, unsure = paired_randomisations(
                differences, seed=seed, correction=correction
            )
            near = unsure if test == tests[0] else near
        else:
            ps = {"t": paired_ts, "wilcoxon": wilcoxons}[test](differences)
        columns[test] = ps.tolist()
    correct = CORRECTIONS[correction]
    columns |= {f"{test}_{correction}": correct(ps) for test, ps in columns.items()}
    rows = zip(*(map(rounded, ps) for ps in columns.values()), strict=True)
    return [
        {"tests": dict(zip(columns, row, strict=True)), "near": is_near}
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


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Runs that share a baseline, the first of them: those under one ranking formula.

    Attributes:
        scores: The scores of each.
        gold: The gold text's place; None without a gold text.
        is_tested: Whether the differences are tested, or only shown.
    """

    scores: Sequence[RunScores]
    gold: int | None
    is_tested: bool = True

    def values(self, measure: str) -> FloatArray:
        """Return the (t, k) scores by a measure."""
        return values_of(self.scores, measure)

    @property
    def candidates(self) -> list[int]:
        """Columns to compare with the baseline: all but the baseline and the gold text."""
        return [v for v in range(1, len(self.scores)) if v != self.gold]


def not_worse(
    differences: FloatArray,
    margin: float,
    test: str,
    seed: int,
    correction: str = "holm",
) -> list[float]:
    """Test whether each column's mean is above -margin: non-inferiority.

    The paired test of the study, on the differences plus the margin, with one side: half of its
    two-sided p-value if their mean is positive. Source: Piaggio et al., Reporting of noninferiority
    and equivalence randomized trials, JAMA 2012 (the hypothesis and its margin).

    Args:
        differences: (t, c) differences over topics.
        margin: By how much the mean may be worse.
        test: The test.
        seed: The seed of drawn permutations.
        correction: The method of `CORRECTIONS`, over all columns.

    Returns:
        The corrected p-value of each column.
    """
    shifted = differences + margin
    halves = [
        p_value["tests"][test] / 2 for p_value in p_values(shifted, (test,), seed)
    ]
    means = shifted.mean(axis=0)
    ps = [p if mean > 0 else 1 - p for p, mean in zip(halves, means, strict=True)]
    return [float(rounded(p)) for p in CORRECTIONS[correction](ps)]


def compare_groups(
    groups: Sequence[Group],
    tested: Sequence[str],
    seed: int,
    tests: Sequence[str],
    *,
    correction: str = "holm",
    margin: float | None = None,
) -> tuple[list[list[dict[str, Result]]], int]:
    """Compare the runs of each group with its baseline, and correct over all groups.

    Args:
        groups: The groups.
        tested: The measures to test; others are only shown, and the gold text is a bound.
        seed: The seed of resamples and permutations.
        tests: The tests; the first one decides.
        correction: The method of `CORRECTIONS`.
        margin: Also test whether each run is at most so much worse; None to leave it.

    Returns:
        For each run of each group, measure -> result; and how many p-values were corrected, for
        each test.
    """
    results = [
        results_of(
            {measure: group.values(measure) for measure in group.scores[0].mean},
            {
                m: [score.mean[m] for score in group.scores]
                for m in group.scores[0].mean
            },
            gold=group.gold,
            seed=seed,
        )
        for group in groups
    ]
    compared = [
        (rows, group, measure)
        for rows, group in zip(results, groups, strict=True)
        if group.is_tested and group.candidates
        for measure in tested
    ]
    if not compared:
        return results, 0
    columns = []
    for _, group, measure in compared:
        values = group.values(measure)
        columns.append(differences_to(values[:, group.candidates], values[:, 0]))
    differences = np.concatenate(columns, axis=1)
    corrected = p_values(differences, tests, seed, correction)
    if margin is not None:
        bounds = not_worse(differences, margin, tests[0], seed, correction)
        for one, p in zip(corrected, bounds, strict=True):
            one["not_worse"] = p
    ps = iter(corrected)
    for rows, group, measure in compared:
        for place in group.candidates:
            rows[place][measure] = replace(rows[place][measure], **next(ps))
    return results, len(corrected)


# Rows to compare with each other; of more, the best by the first measure.
MOST = 100

_NAMED = ("cleaner", "run")


class Pairs(Struct, frozen=True, dict=True):
    """All pairs of some rows.

    Attributes:
        rows: The rows' places in the study, in its order.
        left_out: How many more rows were named than MOST.
        comparisons: The p-values that were corrected, for each test: pairs times tested measures.
        compared: By measure, the pairs in the order of `itertools.combinations`.
    """

    rows: tuple[int, ...]
    left_out: int
    comparisons: int
    compared: tuple[Pair, ...]

    @cached_property
    def _by_places(self) -> dict[tuple[str, int, int], Pair]:
        return {(one.measure, one.first, one.second): one for one in self.compared}

    def of(self, measure: str, first: int, second: int) -> Pair:
        """Return the pair of two rows, by their places, in either order."""
        pair = self._by_places.get((measure, first, second))
        return pair or self._by_places[measure, second, first].mirrored

    def peers(self, measure: str, place: int) -> list[int]:
        """Return the places of the rows that the tests do not tell apart from a row."""
        return [
            other
            for other in self.rows
            if other != place and not self.of(measure, place, other).is_significant
        ]


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
    group: Group,
    paired: tuple[Sequence[int], int],
    tested: Sequence[str],
    tests: Sequence[str],
    seed: int,
    *,
    correction: str = "holm",
) -> Pairs:
    """Compare some rows with each other, by every tested measure.

    Args:
        group: The scores of all rows.
        paired: The result of `rows_to_pair`.
        tested: The tested measures.
        tests: The tests; the first one decides. Each is corrected over all pairs and measures.
        seed: The seed of resamples and permutations.
        correction: The method of `CORRECTIONS`.

    Returns:
        The pairs.
    """
    rows, left_out = paired
    pairs = list(combinations(rows, 2))
    comparisons = len(pairs) * len(tested)
    if not pairs:
        return Pairs(tuple(rows), left_out, 0, ())
    compared: list[Pair] = []
    columns = []
    for measure in tested:
        values = group.values(measure)[:, list(rows)]
        gains = np.concatenate(list(pairwise_differences(values)), axis=1)
        least = detectable_differences(gains, alpha=SIGNIFICANT / comparisons)
        found = rows_of(
            {
                "mean": [group.scores[first].mean[measure] for first, _ in pairs],
                **describe(gains, pairwise_intervals(values, seed=seed)),
                "detectable_corrected": least,
            }
        )
        columns.append(gains)
        compared += [
            Pair(measure=measure, first=first, second=second, **row)
            for (first, second), row in zip(pairs, found, strict=True)
        ]
    ps = p_values(np.concatenate(columns, axis=1), tests, seed, correction)
    both = zip(compared, ps, strict=True)
    return Pairs(
        tuple(rows), left_out, comparisons, tuple(replace(one, **p) for one, p in both)
    )


def letters_of(
    pairs: Pairs, measure: str, means: Mapping[int, float]
) -> dict[int, str]:
    """Return place -> the letters of its groups, `a` first; numbers after the last letter.

    Args:
        pairs: The pairs.
        measure: The measure.
        means: Place -> mean; the best row has the first letter.
    """
    order = sorted(pairs.rows, key=lambda place: (-means[place], place))
    together = np.ones((len(order), len(order)), dtype=bool)
    for i, first in enumerate(order):
        for j, second in enumerate(order[:i]):
            told_apart = pairs.of(measure, first, second).is_significant
            together[i, j] = together[j, i] = not told_apart
    letters = dict.fromkeys(pairs.rows, "")
    for index, group in enumerate(groups_of(together)):
        known = index < len(ascii_letters)
        for place in group:
            letters[order[place]] += ascii_letters[index] if known else f"({index + 1})"
    return letters


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
