"""Every cleaner against every other one: differences, corrected p-values, and groups.

A sweep of 120 thresholds would make 7,140 pairs, mostly of neighbours that nobody asks about, and
their correction would hide other differences. So the pairs are among the baseline, the named
cleaners, the chosen one, and the best of each sweep by the first measure.

Two cleaners share a group if and only if the tests do not tell them apart: a compact letter display
(Piepho, Journal of Computational and Graphical Statistics 2004), made by growing cliques (Gramm et
al., Computational Statistics and Data Analysis 2007), since the number of all groups could be
exponential.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from string import ascii_letters

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from boilersweep.eval.stats.bootstrap import pairwise_intervals
from boilersweep.eval.stats.significance import SIGNIFICANT
from boilersweep.eval.stats.statistics import (
    detectable_differences,
    pairwise_differences,
)
from boilersweep.eval.study.differences import (
    Difference,
    as_numbers,
    p_values,
    untested,
)
from boilersweep.pages.columns import BoolArray, FloatArray

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
