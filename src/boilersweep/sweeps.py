"""Sweeps: one feature of blocks at a range of minimum thresholds.

Source: Kohlschütter et al., WSDM 2010, section 6.2: minimum number of words 1 to 100, minimum
text density 1 to 20.
"""

import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from boilersweep.errors import UsageError
from boilersweep.rules import Comparison, number_text

SWEEPABLE = {"words": 3, "density": 2}
"""The features that can be swept, and the digits a threshold is padded to in a name."""

MAX_THRESHOLDS = 1000

_MAX_VALUE = 10**9


@dataclass(frozen=True, slots=True, order=True)
class Threshold:
    """Keep the blocks with at least `value` of `feature`; named `words-011` or `density-10.5`."""

    feature: str
    value: float

    @property
    def name(self) -> str:
        whole, point, fraction = number_text(self.value).partition(".")
        return f"{self.feature}-{whole.zfill(SWEEPABLE[self.feature])}{point}{fraction}"

    @property
    def rule(self) -> Comparison:
        return Comparison(self.feature, ">=", self.value)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A feature and the thresholds to try, ascending, without repeats."""

    feature: str
    values: tuple[float, ...]

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        return tuple(Threshold(self.feature, value) for value in self.values)

    def __str__(self) -> str:
        return f"{self.feature}={','.join(map(number_text, self.values))}"


PAPER_SWEEPS = (
    Sweep("words", tuple(map(float, range(1, 101)))),
    Sweep("density", tuple(map(float, range(1, 21)))),
)


def parse_sweep(text: str) -> Sweep:
    """Parse `words=1:100`, `words=1:100:5`, `density=1,5,10.5` or a mixture; both ends count.

    Raises UsageError for an unknown feature, a malformed or empty range, or a threshold below 1
    (every block has at least one word and a density of at least 1).
    """
    feature, equals, ranges = text.partition("=")
    feature = feature.strip()
    if not equals or feature not in SWEEPABLE:
        raise _error(text, f"a feature ({' or '.join(SWEEPABLE)}) and '='")
    values: set[float] = set()
    for part in ranges.split(","):
        values.update(_expand(text, part))
    if len(values) > MAX_THRESHOLDS:
        raise _error(text, f"at most {MAX_THRESHOLDS} thresholds")
    return Sweep(feature, tuple(sorted(values)))


def _expand(text: str, part: str) -> list[float]:
    try:
        numbers = [Decimal(number.strip()) for number in part.split(":")]
    except InvalidOperation:
        raise _error(text, f"numbers in {part!r}") from None
    if len(numbers) > 3 or not all(number.is_finite() for number in numbers):
        raise _error(text, f"a threshold, FIRST:LAST or FIRST:LAST:STEP in place of {part!r}")
    first, last, step = (numbers + [numbers[0], Decimal(1)][len(numbers) - 1 :])[:3]
    if first < 1:
        raise _error(text, f"thresholds of at least 1 in {part!r}")
    if max(first, last, step) > _MAX_VALUE:
        raise _error(text, f"numbers of at most {_MAX_VALUE} in {part!r}")
    if step <= 0 or last < first:
        raise _error(text, f"an ascending range with a positive step in {part!r}")
    if last - first >= MAX_THRESHOLDS * step:
        raise _error(text, f"at most {MAX_THRESHOLDS} thresholds in {part!r}")
    count = math.floor((last - first) / step) + 1
    return [float(first + index * step) for index in range(count)]


def _error(text: str, expected: str) -> UsageError:
    return UsageError(
        f"sweep {text!r}: expected {expected}; "
        "a sweep looks like words=1:100, words=1:100:5 or density=1,5,10.5"
    )


def collect_thresholds(sweeps: tuple[Sweep, ...]) -> tuple[Threshold, ...]:
    """All thresholds of several sweeps, in order, each once."""
    return tuple(dict.fromkeys(t for sweep in sweeps for t in sweep.thresholds))
