"""Differences of means over topics or pages, their effect sizes, and what counts as equal.

Every function takes one value per topic. The same seed gives the same figures; several columns of
values are resampled alike, so that they can be compared.

Sources: Cohen, "Statistical power analysis for the behavioral sciences", 1988 (power, and the
effect size d_z of section 2.3.5), and Sakai, "Statistical reform in information retrieval?", SIGIR
Forum 2014, and "Topic set size design", Information Retrieval Journal 2016, for both over topics.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.pages.columns import FloatArray

SEED = 2010
POWER = 0.8

# Values that differ by less are equal: the rest is rounding.
TIE = 1e-9

# The decimal digits of values that count, for the same reason.
EQUAL_DIGITS = 9

_CELLS_AT_ONCE = 2_000_000

# The lower and the upper end of an interval.
Interval = tuple[float, float]


def effect_sizes(differences: FloatArray) -> FloatArray:
    """Return (k,) effect sizes d_z: the mean of each column in its standard deviations.

    0 if all topics tie; nan if the variation is unknown: for one topic, or if all are alike.

    Args:
        differences: (n, k) differences.
    """
    require_finite(differences)
    means, spread = differences.mean(axis=0), _spread(differences)
    with np.errstate(invalid="ignore"):
        sizes: FloatArray = means / spread
    return np.where(np.abs(differences).max(axis=0) < TIE, 0.0, sizes)


def detectable_differences(differences: FloatArray, *, alpha: float) -> FloatArray:
    """Return (k,) smallest true means that so many topics show with a probability of POWER.

    For each column: delta * s / sqrt(n), with s its standard deviation and delta the noncentrality
    at which Student's two-sided paired test at `alpha` has that power (without its other tail,
    which is far below). nan if the variation is unknown.

    Args:
        differences: (n, k) differences.
        alpha: The level of the test.
    """
    from scipy.special import nctdtrinc, stdtrit

    require_finite(differences)
    count = len(differences)
    if count == 1:
        return np.full(differences.shape[1], np.nan)
    critical = stdtrit(count - 1, 1 - alpha / 2)
    noncentrality = float(nctdtrinc(count - 1, 1 - POWER, critical))
    smallest: FloatArray = noncentrality * _spread(differences) / np.sqrt(count)
    return smallest


def pairwise_differences(values: FloatArray) -> Iterator[FloatArray]:
    """Yield each of k columns but the last minus each later one: arrays (n, k - 1) to (n, 1).

    Their p = k (k - 1) / 2 columns are in the order of `itertools.combinations`.
    """
    for place in range(values.shape[1] - 1):
        yield 0.0 - differences_to(values[:, place + 1 :], values[:, place])


def differences_to(values: FloatArray, base: FloatArray) -> FloatArray:
    """Subtract (n,) baseline scores from (n, k) values; rounding errors become zero."""
    differences: FloatArray = values - base[:, None]
    differences[np.abs(differences) < TIE] = 0
    return differences


def place_of_best(means: Sequence[float]) -> int:
    """Return the place of the highest mean, the first of equal ones."""
    return max(range(len(means)), key=lambda place: round(means[place], EQUAL_DIGITS))


def require_finite(values: FloatArray) -> None:
    """Raise UsageError for no value, and for a value that is not finite."""
    if not len(values):
        raise UsageError("values: expected at least one, got none")
    if not np.isfinite(values).all():
        raise UsageError(
            "values: expected finite numbers, got nan or infinity among them"
        )


def _spread(differences: FloatArray) -> FloatArray:
    """Return (k,) standard deviations of columns; nan for one row, or without a spread."""
    if len(differences) == 1:
        return np.full(differences.shape[1], np.nan)
    spread: FloatArray = differences.std(axis=0, ddof=1)
    return np.where(spread < TIE, np.nan, spread)


def row_batches(rows: int, width: int) -> Iterator[int]:
    """Divide rows of a width into batches that fit into memory, and yield the size of each."""
    step = max(1, _CELLS_AT_ONCE // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)
