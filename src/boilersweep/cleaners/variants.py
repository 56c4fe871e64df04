"""Variants of a collection: what stays under a cleaner, or at each threshold of a sweep.

Source: Kohlschütter et al., WSDM 2010, section 6.2: minimum number of words 1 to 100, minimum
text density 1 to 20.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Self

from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.rules import Comparison, number_text
from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.files import MAX_NAME, short_name

SWEEPABLE = {"words": 3, "density": 2}
"""The features that can be swept, and the digits a threshold is padded to in a name."""

MAX_THRESHOLDS = 1000

_MAX_VALUE = 10**9
_ADDED = len(".index-.parts.lock")  # to a name at most; temporary files shorten it themselves
_SIGNS = {">=": "ge", ">": "gt", "<=": "le", "<": "lt", "==": "eq", "!=": "ne", "&": "and"}
_SIGNS |= {"|": "or", "!": "not"}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(frozen=True, slots=True)
class Variant:
    """A cleaner under the name of its files."""

    cleaner: Cleaner

    @classmethod
    def at_least(cls, feature: str, value: float) -> Self:
        """What keeps the blocks with at least `value` of a feature: a threshold of a sweep."""
        return cls(Comparison(feature, ">=", value))

    @property
    def point(self) -> Comparison | None:
        """Where it stands on the curve of a sweep, by feature and value; None for other cleaners.

        `words>=11` does, however it came to be compared.
        """
        one = self.cleaner
        if isinstance(one, Comparison) and one.sign == ">=" and one.feature in SWEEPABLE:
            return one if one.value >= 1 else None
        return None

    @property
    def name(self) -> str:
        """`words-011`, `density-10.5`, or after the cleaner's text, such as `ancestor-bte-2`.

        A long text gives its beginning and a digest of the whole.
        """
        if self.point:
            whole, dot, fraction = number_text(self.point.value).partition(".")
            digits = SWEEPABLE[self.point.feature]
            return f"{self.point.feature}-{whole.zfill(digits)}{dot}{fraction}"
        text = str(self.cleaner)
        spelled = _SIGN.sub(lambda sign: f"-{_SIGNS[sign[0]]}-", text)
        return short_name(_UNSAFE.sub("-", spelled).strip("-"), MAX_NAME - _ADDED, text)

    def __str__(self) -> str:
        return str(self.cleaner)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A feature and the thresholds to try, ascending, without repeats."""

    feature: str
    values: tuple[float, ...]

    @property
    def thresholds(self) -> tuple[Variant, ...]:
        return tuple(Variant.at_least(self.feature, value) for value in self.values)

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


def as_sweep(sweep: Sweep | str) -> Sweep:
    """A sweep that may be given as its text; raises UsageError as `parse_sweep`."""
    return parse_sweep(sweep) if isinstance(sweep, str) else sweep


def collect_variants(
    sweeps: Sequence[Sweep | str], cleaners: Sequence[Cleaner | str] = ()
) -> tuple[Variant, ...]:
    """All thresholds of some sweeps, and some cleaners, in order, each once.

    Both may be given as their texts.
    Raises UsageError where two cleaners would have one name.
    """
    thresholds = [t for sweep in sweeps for t in as_sweep(sweep).thresholds]
    others = [Variant(as_cleaner(cleaner)) for cleaner in cleaners]
    variants = tuple(dict.fromkeys([*thresholds, *others]))
    names: dict[str, Variant] = {}
    for variant in variants:
        other = names.setdefault(variant.name, variant)
        if other is not variant:
            raise UsageError(f"{other} and {variant} would both be named {variant.name}")
    return variants
