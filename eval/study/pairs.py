"""Every cleaner against every other one: differences, corrected p-values, and groups.

A sweep of 120 thresholds would make 7,140 pairs, most of them of neighbours that no one asks about,
and their correction would hide what the others differ in. So the pairs are among the baseline, the
cleaners that were named, what was chosen, and the best of each sweep by the first measure.

Two cleaners that the tests do not tell apart share a group, and two that they do share none: a
compact letter display (Piepho, Journal of Computational and Graphical Statistics 2004), made by
growing cliques (Gramm et al., Computational Statistics and Data Analysis 2007), as the groups
could be exponentially many if all of them were listed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from string import ascii_letters

import numpy as np

from boilersweep.eval.bootstrap import pairwise_intervals
from boilersweep.eval.significance import SIGNIFICANT
from boilersweep.eval.statistics import detectable_differences, pairwise_differences
from boilersweep.eval.study.differences import Difference, as_numbers, p_values, untested
from boilersweep.pages.columns import BoolArray, FloatArray

MOST = 100
"""Rows that are compared with each other; of more the best by the first measure."""

_NAMED = ("cleaner", "run")


@dataclass(frozen=True, slots=True)
class Pair:
    """By how much a row is better than another one by a measure. first, second: their places.

    detectable_corrected: the smallest true difference that these topics show four times in five
    where it is one of all pairs, at the level of Holm's first step; see `Difference.detectable`.
    """

    first: int
    second: int
    difference: Difference
    detectable_corrected: float | None


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of some rows. rows: their places in the study, in its order.

    left_out: how many more were named than MOST. comparisons: how many p-values Holm corrected,
    for each test: pairs times tested measures. by_measure: measure -> pairs in the order of
    `itertools.combinations`. groups: measure -> places of rows that are not told apart, the group
    of the best row first.
    """

    rows: tuple[int, ...]
    left_out: int
    comparisons: int
    by_measure: dict[str, tuple[Pair, ...]]
    groups: dict[str, tuple[tuple[int, ...], ...]]

    def of(self, measure: str, first: int, second: int) -> Pair:
        """The pair of two rows, by their places, either way round."""
        i, j = sorted((self.rows.index(first), self.rows.index(second)))
        before = i * (2 * len(self.rows) - i - 1) // 2
        pair = self.by_measure[measure][before + j - i - 1]
        if pair.first == first:
            return pair
        return replace(pair, first=first, second=second, difference=pair.difference.mirrored)

    def peers(self, measure: str, place: int) -> list[int]:
        """Places of the rows that are not told apart from one."""
        return [
            other
            for other in self.rows
            if other != place and not self.of(measure, place, other).difference.is_significant
        ]

    def letters(self, measure: str) -> dict[int, str]:
        """Place -> the letters of its groups, a for the first."""
        found = dict.fromkeys(self.rows, "")
        for number, group in enumerate(self.groups[measure]):
            for place in group:
                found[place] += _symbol(number)
        return found


def rows_to_pair(
    roles: Sequence[str], features: Sequence[str | None], means: FloatArray, chosen: int
) -> tuple[list[int], int]:
    """Places of the rows to compare with each other, and how many more were named than MOST.

    features: what each is a threshold of. means: (v,) by the first measure.
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

    scores: measure -> (t, v) of topics and all rows. paired: what `rows_to_pair` gives. tests: the
    first one decides. p-values are corrected over all pairs and tested measures.
    """
    rows, left_out = paired
    pairs = list(combinations(rows, 2))
    comparisons = len(pairs) * len(tested)
    values = {measure: scores[measure][:, list(rows)] for measure in tested}
    differences = [block for one in values.values() for block in pairwise_differences(one)]
    tested_pairs = iter(p_values(np.concatenate(differences, axis=1), tests, seed) if pairs else [])
    by_measure = {
        measure: tuple(
            Pair(first, second, replace(difference, tests=next(tested_pairs)), detectable)
            for (first, second), (difference, detectable) in zip(
                pairs, _differences(values[measure], comparisons, seed), strict=True
            )
        )
        for measure in tested
    }
    groups = {
        measure: _groups(rows, scores[measure].mean(axis=0), found)
        for measure, found in by_measure.items()
    }
    return Pairs(tuple(rows), left_out, comparisons, by_measure, groups)


def _differences(
    values: FloatArray, comparisons: int, seed: int
) -> list[tuple[Difference, float | None]]:
    """Each of `pairwise_differences` without tests, and what is detectable after correction."""
    intervals = pairwise_intervals(values, seed=seed)
    found: list[tuple[Difference, float | None]] = []
    for block in pairwise_differences(values):
        here = intervals[len(found) : len(found) + block.shape[1]]
        least = detectable_differences(block, alpha=SIGNIFICANT / comparisons)
        found += zip(untested(block, here), as_numbers(least), strict=True)
    return found


def _groups(
    rows: Sequence[int], means: FloatArray, pairs: Sequence[Pair]
) -> tuple[tuple[int, ...], ...]:
    order = sorted(rows, key=lambda place: (-means[place], place))
    at = {place: number for number, place in enumerate(order)}
    together = np.ones((len(order), len(order)), dtype=bool)
    for pair in pairs:
        i, j = at[pair.first], at[pair.second]
        together[i, j] = together[j, i] = not pair.difference.is_significant
    return tuple(tuple(order[n] for n in group) for group in groups_of(together))


def groups_of(together: BoolArray) -> list[list[int]]:
    """Groups of n places, such that two share one if and only if they are together.

    together: (n, n), symmetric. Each place is in a group, and there is none that could be left out.
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
    """The group with every place, from the first on, that is together with all in it."""
    fits: BoolArray = np.logical_and.reduce(together[group])
    fits[group] = False
    while fits.any():
        place = int(fits.argmax())
        group = [*group, place]
        fits &= together[place]
        fits[place] = False
    return sorted(group)


def _symbol(number: int) -> str:
    return ascii_letters[number] if number < len(ascii_letters) else f"({number + 1})"
