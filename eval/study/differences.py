"""A difference of two means over topics: how large it is, how sure, and whether it counts.

What is statistically significant is decided here alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.significance import (
    SIGNIFICANT,
    TESTS,
    holm,
    paired_randomisations,
    paired_ts,
    wilcoxons,
)
from boilersweep.eval.statistics import (
    Interval,
    Outcomes,
    detectable_differences,
    effect_sizes,
    outcomes_of,
)
from boilersweep.pages.columns import FloatArray

MARK = "*"
"""Of a difference that is statistically significant."""

NEAR = "?"
"""Of one whose p-value is within the error of the drawn permutations from SIGNIFICANT."""

DEFAULT_TESTS = ("randomisation", "t")

TEST_NAMES = {
    "t": "the paired t-test",
    "randomisation": "the paired randomisation test",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
"""The tests in the order of tables, and what they are called in sentences."""


@dataclass(frozen=True, slots=True)
class PValues:
    """p-values of a difference, two-sided: test -> p, as it is and as Holm corrects it.

    The first test decides what is significant. is_near: other draws of permutations could put the
    p-value that decides on the other side of SIGNIFICANT.
    """

    plain: dict[str, float]
    holm: dict[str, float]
    is_near: bool = False

    @property
    def decisive(self) -> float:
        """The corrected p-value of the test that decides."""
        return next(iter(self.holm.values()))


@dataclass(frozen=True, slots=True)
class Difference:
    """Of one mean to another one. interval: None where there is one topic.

    tests: None for measures that are only beside the scores, and for the gold text. effect: the
    mean in standard deviations over topics. detectable: the smallest true difference that these
    topics show four times in five, tested alone. None where nothing tells how the topics vary.
    """

    mean: float
    interval: Interval | None
    outcomes: Outcomes
    tests: PValues | None
    effect: float | None = None
    detectable: float | None = None

    @property
    def is_significant(self) -> bool:
        """Whether it is statistically significant; never without a test."""
        return self.tests is not None and self.tests.decisive < SIGNIFICANT

    @property
    def mark(self) -> str:
        """MARK where it is significant, NEAR where other draws could tell otherwise."""
        near = self.tests is not None and self.tests.is_near
        return MARK * self.is_significant + NEAR * near

    @property
    def mirrored(self) -> "Difference":
        """The same the other way round."""
        won = self.outcomes
        return replace(
            self,
            mean=0.0 - self.mean,
            interval=self.interval and (0.0 - self.interval[1], 0.0 - self.interval[0]),
            outcomes=Outcomes(won.losses, won.ties, won.wins),
            effect=None if self.effect is None else 0.0 - self.effect,
        )


def untested(differences: FloatArray, intervals: FloatArray) -> list[Difference]:
    """Each column of (t, k) differences over topics, without tests. intervals: (k, 2)."""
    return [
        Difference(mean, interval, outcomes, None, effect, detectable)
        for mean, interval, outcomes, effect, detectable in zip(
            differences.mean(axis=0).tolist(),
            as_intervals(intervals),
            map(outcomes_of, differences.T),
            as_numbers(effect_sizes(differences)),
            as_numbers(detectable_differences(differences, alpha=SIGNIFICANT)),
            strict=True,
        )
    ]


def as_intervals(bounds: FloatArray) -> list[Interval | None]:
    """(k, 2) bounds as they are kept; None for nan."""
    return [None if isnan(low) else (low, high) for low, high in bounds.tolist()]


def as_numbers(values: FloatArray) -> list[float | None]:
    """(k,) values as they are kept; None for nan."""
    return [None if isnan(value) else value for value in values.tolist()]


def p_values(differences: FloatArray, tests: Sequence[str], seed: int) -> list[PValues]:
    """Test each column of (t, c) differences; each test is corrected over all of them."""
    plain: dict[str, list[float]] = {}
    near = np.zeros(differences.shape[1], dtype=bool)
    for test in tests:
        if test == "randomisation":
            ps, unsure = paired_randomisations(differences, seed=seed)
            near = unsure if test == tests[0] else near
        else:
            ps = {"t": paired_ts, "wilcoxon": wilcoxons}[test](differences)
        plain[test] = ps.tolist()
    return [
        replace(found, is_near=is_near)
        for found, is_near in zip(corrected(plain), near.tolist(), strict=True)
    ]


def corrected(plain: Mapping[str, Sequence[float]]) -> list[PValues]:
    """Correct each test apart, over all comparisons. plain: test -> p-values of comparisons."""
    adjusted = [holm(ps) for ps in plain.values()]
    return [
        PValues(dict(zip(plain, ps, strict=True)), dict(zip(plain, after, strict=True)))
        for ps, after in zip(
            zip(*plain.values(), strict=True), zip(*adjusted, strict=True), strict=True
        )
    ]


def parse_tests(text: str) -> tuple[str, ...]:
    """Tests by their names, with commas between them. Raises UsageError."""
    return require_tests([name.strip() for name in text.split(",")])


def in_order(tests: Sequence[str]) -> list[str]:
    """Tests in the order of tables."""
    return [test for test in TEST_NAMES if test in tests]


def require_tests(names: Sequence[str]) -> tuple[str, ...]:
    """The same of names. Raises UsageError where there is none, an unknown one, or one twice."""
    tests = tuple(names)
    if not tests or not set(tests) <= set(TESTS) or len(set(tests)) < len(tests):
        raise UsageError(
            f"tests: expected one or more of {', '.join(TESTS)}, each once and the one that "
            f"decides first, got {', '.join(tests) or 'none'}"
        )
    return tests
