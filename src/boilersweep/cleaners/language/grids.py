"""Grids: the conjunctions of two sweeps, at each pair of their values."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from boilersweep.cleaners.language.variants import Sweep, Variant, as_sweep
from boilersweep.cleaners.rules import And, Comparison, Rule
from boilersweep.cleaners.selection import PageText
from boilersweep.cleaners.weighted import Weighted
from boilersweep.errors import UsageError

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
            raise UsageError(f"grid: expected at most {MAX_VARIANTS:,} pairs, got {pairs:,}")
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
    rules = [rule for rule in sweep.cleaners if not isinstance(rule, PageText | Weighted)]
    if len(rules) < len(sweep.cleaners):
        raise UsageError(f"grid: expected sweeps of rules, which keep or drop blocks, got {sweep}")
    return rules


def as_grid(grid: Grid | tuple[Sweep | str, Sweep | str]) -> Grid:
    """Return a grid that may be given as its two sweeps, or their texts; raises UsageError."""
    return grid if isinstance(grid, Grid) else Grid(*map(as_sweep, grid))
