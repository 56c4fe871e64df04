"""Variants of a collection: its text under a cleaner, at each value of a sweep, or on a grid.

Source: Kohlschütter et al., WSDM 2010, section 6.2: minimum number of words 1 to 100, minimum
text density 1 to 20.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Self

from boilersweep.cleaners.rules import (
    AT_LEAST_ONE,
    OPERATORS,
    And,
    Comparison,
    Rule,
    Weighted,
    number_text,
)
from boilersweep.cleaners.selection import Cleaner, PageText
from boilersweep.cleaners.syntax.grammar import (
    Cleaners,
    as_cleaners,
    parse_range,
    range_text,
)
from boilersweep.errors import UsageError
from boilersweep.outputs.atomic import MAX_NAME, short_name
from boilersweep.outputs.identity import digest_of

_DIGITS = {"words": 3, "density": 2}  # of a threshold in a name
_ADDED = 18  # the room in a name for what is added, as in .index-NAME.lock
_SIGNS = {
    ">=": "ge",
    ">": "gt",
    "<=": "le",
    "<": "lt",
    "==": "eq",
    "!=": "ne",
    "&": "and",
    "|": "or",
    "!": "not",
}
_SIGN = re.compile("|".join(map(re.escape, _SIGNS)))
_GROUPS = re.compile(r"(?:^|[\s!(])\(")
_QUOTED = re.compile("'[^']*'|\"[^\"]*\"")
_FILE_NAME = re.compile(r"['\"][\w./-]*['\"]")
_DIGEST = 8  # letters of it in a name
_UNSAFE = re.compile(r"[^A-Za-z0-9._]+")


@dataclass(frozen=True, slots=True)
class Variant:
    """A cleaner under the name of its files."""

    cleaner: Cleaner

    @classmethod
    def at_least(cls, feature: str, value: float) -> Self:
        """Return the variant of the blocks with at least `value` of a feature."""
        return cls(Comparison(feature, ">=", value))

    @property
    def point(self) -> Comparison | None:
        """The least number of words or density that it keeps, at least 1; None for other cleaners.

        It is on the curve of that feature, whether or not the feature was swept.
        """
        rule = self.cleaner
        if (
            isinstance(rule, Comparison)
            and rule.sign == ">="
            and rule.feature in AT_LEAST_ONE
        ):
            return rule if rule.value >= 1 else None
        return None

    @property
    def name(self) -> str:
        """`words-011`, `density-10.5`, or after the cleaner's text, such as `ancestor-bte-2`.

        A digest of the text follows where parentheses group parts of a rule, behind selectors, and
        in a long name.
        """
        if self.point:
            whole, dot, fraction = number_text(self.point.value).partition(".")
            digits = _DIGITS[self.point.feature]
            return f"{self.point.feature}-{whole.zfill(digits)}{dot}{fraction}"
        text = str(self.cleaner)
        spelled = _SIGN.sub(lambda sign: f"-{_SIGNS[sign[0]]}-", text)
        name = _UNSAFE.sub("-", spelled).strip("-")
        # A name has neither parentheses nor the signs of selectors
        is_grouped = _GROUPS.search(_QUOTED.sub("", text)) is not None
        if is_grouped or not all(map(_FILE_NAME.fullmatch, _QUOTED.findall(text))):
            name += f"-{digest_of(text)[:_DIGEST]}"
        return short_name(name, MAX_NAME - _ADDED, text)

    def __str__(self) -> str:
        return str(self.cleaner)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A cleaner at many values of one of its numbers.

    Attributes:
        before: The cleaner's canonical text before that number.
        after: The cleaner's canonical text behind that number.
        values: Ascending, each once.
        cleaners: The cleaner at each value.
    """

    before: str
    after: str
    values: tuple[float, ...]
    cleaners: tuple[Cleaner, ...] = field(compare=False, repr=False)

    @classmethod
    def at_least(cls, feature: str, values: Iterable[float]) -> Self:
        """Return the sweep over the least value of a feature."""
        ascending = tuple(sorted(set(map(float, values))))
        rules = tuple(Comparison(feature, ">=", value) for value in ascending)
        return cls(f"{feature}>=", "", ascending, rules)

    @property
    def thresholds(self) -> tuple[Variant, ...]:
        """A variant for each value."""
        return tuple(map(Variant, self.cleaners))

    @property
    def label(self) -> str:
        """Its name: `words`, `link_density<=`, `ancestor(bte, k)`."""
        feature = self.head.removesuffix(">=")
        return feature if feature in AT_LEAST_ONE else self.head

    @property
    def head(self) -> str:
        """Its text with k for the values: `words>=`, `link_density<=`, `ancestor(bte, k)`."""
        is_last = not self.after and self.before.endswith(tuple(OPERATORS))
        return self.before if is_last else f"{self.before}k{self.after}"

    def __str__(self) -> str:
        return range_text(self.before, self.after, self.values)


def parse_sweep(text: str) -> Sweep:
    """Parse a cleaner with a range in the place of a number.

    Examples are `words=1:100`, `link_density<=0:1:0.05` and `ancestor(bte, {1,2,5})`; a range
    includes both ends.

    Raises:
        UsageError: The text is no sweep; the message points at the place. Or a least number of
            words or density is below 1: every block has at least one word and a density of 1.
    """
    return Sweep(*parse_range(text))


PAPER_SWEEPS = (
    Sweep.at_least("words", range(1, 101)),
    Sweep.at_least("density", range(1, 21)),
)


def as_sweep(sweep: Sweep | str) -> Sweep:
    """Return a sweep that may be given as its text; raises UsageError as `parse_sweep`."""
    return parse_sweep(sweep) if isinstance(sweep, str) else sweep


# One sweep or several, each as text or parsed.
Sweeps = Sweep | str | Iterable[Sweep | str]


def as_sweeps(sweeps: Sweeps) -> list[Sweep]:
    """Return one sweep or several, each as text or parsed; raises UsageError."""
    if isinstance(sweeps, Sweep | str):
        return [as_sweep(sweeps)]
    return [*map(as_sweep, sweeps)]


def collect_variants(sweeps: Sweeps, cleaners: Cleaners = ()) -> tuple[Variant, ...]:
    """Return all thresholds of some sweeps, then some cleaners, each once.

    Args:
        sweeps: One sweep or several, each as text or parsed.
        cleaners: One cleaner or several, likewise.

    Raises:
        UsageError: Two cleaners would have one name.
    """
    thresholds = [t for sweep in as_sweeps(sweeps) for t in sweep.thresholds]
    others = [Variant(cleaner) for cleaner in as_cleaners(cleaners)]
    variants = tuple(dict.fromkeys([*thresholds, *others]))
    names: dict[str, Variant] = {}
    for variant in variants:
        other = names.setdefault(variant.name, variant)
        if other is not variant:
            raise UsageError(
                f"{other} and {variant} would both be named {variant.name}"
            )
    return variants


def curves_of(
    variants: Sequence[Variant], sweeps: Sequence[Sweep] = ()
) -> dict[str, list[tuple[float, int]]]:
    """Return the label of each sweep -> its values, ascending, and the places of their variants.

    A variant is on the curve of every sweep that has it. A variant with a least number of words or
    density is on the curve of that feature, swept or not.
    """
    places = {variant: place for place, variant in enumerate(variants)}
    curves: dict[str, dict[float, int]] = {}
    for sweep in sweeps:
        for value, threshold in zip(sweep.values, sweep.thresholds, strict=True):
            if threshold in places:
                curves.setdefault(sweep.label, {})[value] = places[threshold]
    for variant, place in places.items():
        if point := variant.point:
            curves.setdefault(point.feature, {})[point.value] = place
    return {label: sorted(points.items()) for label, points in curves.items()}


# The pairs that one grid may have.
MAX_VARIANTS = 10_000

# The numbers of a value of the first sweep and of a value of the second.
Pair = tuple[int, int]

# The same; None for a sweep without effect.
GridCell = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Grid:
    """Two sweeps: both at every pair of values, each alone, and everything.

    More pairs than MAX_VARIANTS, two sweeps over one number, and a sweep over weights, which drop
    nothing, raise UsageError.
    """

    first: Sweep
    second: Sweep

    def __post_init__(self) -> None:
        if self.first.label == self.second.label:
            raise UsageError(
                f"grid: expected sweeps over two numbers, got {self.first.label} twice; "
                "a grid looks like words=1:40 'link_density<=0.1:1:0.1'"
            )
        pairs = len(self.first.values) * len(self.second.values)
        if pairs > MAX_VARIANTS:
            raise UsageError(
                f"grid: expected at most {MAX_VARIANTS:,} pairs, got {pairs:,}"
            )
        for sweep in (self.first, self.second):
            _rules(sweep)

    @property
    def shape(self) -> tuple[int, int]:
        """How many values each sweep has."""
        return len(self.first.values), len(self.second.values)

    @property
    def edges(self) -> tuple[list[GridCell], list[GridCell]]:
        """The cells of the first sweep alone, and those of the second."""
        rows, columns = self.shape
        return [(i, None) for i in range(rows)], [(None, j) for j in range(columns)]

    @property
    def baseline(self) -> GridCell:
        """The cell that keeps everything: of one sweep alone, else without any condition."""
        for place in (*self.edges[0], *self.edges[1]):
            point = self.variant(place).point
            if point and point.value == 1:
                return place
        return (None, None)

    @property
    def corners(self) -> list[Pair]:
        """The pairs of the lowest and the highest values."""
        rows, columns = self.shape
        return list(dict.fromkeys(product((0, rows - 1), (0, columns - 1))))

    def places(self) -> Iterator[GridCell]:
        """Yield everything, unless it is in a sweep; each sweep alone; then all pairs."""
        if self.baseline == (None, None):
            yield self.baseline
        for edge in self.edges:
            yield from edge
        yield from self.pairs()

    def pairs(self) -> Iterator[Pair]:
        """Yield all pairs, the values of the first sweep one by one."""
        yield from product(range(self.shape[0]), range(self.shape[1]))

    def values(self, place: GridCell) -> tuple[float | None, float | None]:
        """Return the values of the sweeps in a cell."""
        i, j = place
        return (
            None if i is None else self.first.values[i],
            None if j is None else self.second.values[j],
        )

    def variant(self, place: GridCell) -> Variant:
        """Return the variant of a cell."""
        i, j = place
        first = None if i is None else self.rules[0][i]
        second = None if j is None else self.rules[1][j]
        if first and second:
            return Variant(And(first, second))
        return Variant(first or second or Comparison("words", ">=", 1))

    @property
    def rules(self) -> tuple[list[Rule], list[Rule]]:
        """The rules of each sweep."""
        return _rules(self.first), _rules(self.second)

    def __str__(self) -> str:
        return f"{self.first} x {self.second}"


def _rules(sweep: Sweep) -> list[Rule]:
    """Return the rules of a sweep; raises UsageError if it has other cleaners."""
    rules = [
        rule for rule in sweep.cleaners if not isinstance(rule, PageText | Weighted)
    ]
    if len(rules) < len(sweep.cleaners):
        raise UsageError(
            f"grid: expected sweeps of rules, which keep or drop blocks, got {sweep}"
        )
    return rules
