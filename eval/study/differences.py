"""A difference of two means over topics: its size, its certainty, and whether it is significant.

This module alone decides what is statistically significant.
"""

from collections.abc import Sequence
from math import isnan

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from boilersweep.errors import UsageError
from boilersweep.eval.stats.significance import (
    SIGNIFICANT,
    TESTS,
    holm,
    paired_randomisations,
    paired_ts,
    wilcoxons,
)
from boilersweep.eval.stats.statistics import (
    Interval,
    detectable_differences,
    effect_sizes,
    outcomes_of,
)
from boilersweep.pages.columns import FloatArray

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
        map(outcomes_of, differences.T),
        as_numbers(effect_sizes(differences)),
        as_numbers(detectable_differences(differences, alpha=SIGNIFICANT)),
        strict=True,
    )
    return [
        Difference(mean, interval, won.wins, won.ties, won.losses, effect, detectable)
        for mean, interval, won, effect, detectable in columns
    ]


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
