"""How many words a block has: the random writers of the 2010 paper, section 5.2.

Both are fitted by least squares to the proportions of blocks with 1, 2, ... words. The points are
the numbers of words that at least one block has, which comes closest to the paper's RMSE.
"""

import math
from dataclasses import dataclass

import numpy as np

from boilersweep.errors import InputError
from boilersweep.pages.columns import FloatArray, IntArray

_STOPS = (np.geomspace(0.005, 0.98, 60), np.geomspace(0.002, 0.95, 60))  # of the first search


@dataclass(frozen=True, slots=True)
class Fit:
    """The goodness of a fit.

    r2 and r2_adjusted are NaN if all points are equal; r2_adjusted and rmse if there are no more
    points than parameters.

    Attributes:
        r2: 1 - SSE / SST.
        r2_adjusted: The same with both over their degrees of freedom.
        rmse: The root of SSE over its degrees of freedom.
        points: The number of fitted points.
    """

    r2: float
    r2_adjusted: float
    rmse: float
    points: int


@dataclass(frozen=True, slots=True)
class Geometric:
    """A geometric number of words.

    Attributes:
        stop: P_T(N), the chance that a block ends after a word (Equation 2).
        fit: The goodness of the fit.
    """

    stop: float
    fit: Fit

    def proportions(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks with so many words."""
        return _geometric(words, self.stop)


@dataclass(frozen=True, slots=True)
class TwoClass:
    """A mixture of short and long text.

    If the blocks show only one kind of text, short_share is 1 or 0 or both stops are equal, and
    nothing separates the two: `crossing` is None.

    Attributes:
        short_share: P_N(S), the share of short text among the blocks.
        short_stop: P_S(N), the chance that short text ends after a word (Equation 3).
        long_stop: P_L(N), the chance that long text ends after a word.
        fit: The goodness of the fit.
    """

    short_share: float
    short_stop: float
    long_stop: float
    fit: Fit

    @property
    def r2_adjusted(self) -> float:
        """Adjusted R2 of the fit; NaN where there were no more than three points."""
        return self.fit.r2_adjusted

    @property
    def rmse(self) -> float:
        """Root mean square error of the fit; NaN where there were no more than three points."""
        return self.fit.rmse

    @property
    def crossing(self) -> int | None:
        """The least number of words at which a block is likelier long text than short.

        1 if this holds for any number; None if for none, or if one kind is missing.
        """
        short, long = self.short_share * self.short_stop, (1 - self.short_share) * self.long_stop
        if short <= 0 or long <= 0 or self.long_stop >= self.short_stop:
            return None
        if self.short_stop >= 1:  # short text has one word
            return 2 if short >= long else 1
        # long * (1 - long_stop)^(x - 1) > short * (1 - short_stop)^(x - 1)
        fall = math.log1p(-self.long_stop) - math.log1p(-self.short_stop)
        return max(1, 1 + math.floor(math.log(short / long) / fall) + 1)

    def proportions(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks with so many words."""
        return self.short(words) + self.long(words)

    def short(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks that are short text and have so many words."""
        return self.short_share * _geometric(words, self.short_stop)

    def long(self, words: IntArray) -> FloatArray:
        """Return the proportions of blocks that are long text and have so many words."""
        return (1 - self.short_share) * _geometric(words, self.long_stop)


def fit_geometric(histogram: IntArray) -> Geometric:
    """Fit the 1-displaced geometric distribution (Equation 2).

    Args:
        histogram: Entry x is the number of blocks with x words; entry 0 is ignored.

    Raises:
        InputError: There is no block.
    """
    from scipy.optimize import minimize_scalar

    words, observed = _proportions(histogram)

    def errors(stop: float) -> float:
        return float(((observed - _geometric(words, stop)) ** 2).sum())

    grid = np.linspace(0.005, 1, 200)
    best = grid[np.argmin([errors(stop) for stop in grid])]
    bounds = (max(best - 0.005, 1e-6), min(best + 0.005, 1.0))
    stop = float(minimize_scalar(errors, bounds=bounds, method="bounded").x)
    stop = min(stop, float(best), key=errors)
    return Geometric(stop, goodness(observed, _geometric(words, stop), 1))


def fit_two_class(histogram: IntArray) -> TwoClass:
    """Fit the mixture of short and long text (Equation 3).

    The search starts from a grid of both stops, with the best share for each, so every call gives
    the same result.

    Args:
        histogram: Entry x is the number of blocks with x words; entry 0 is ignored.

    Raises:
        InputError: There is no block.
    """
    from scipy.optimize import minimize

    words, observed = _proportions(histogram)
    shorts = np.array([_geometric(words, stop) for stop in _STOPS[0]])
    longs = np.array([_geometric(words, stop) for stop in _STOPS[1]])
    best = (math.inf, 0.0, 0.0)
    for short_stop, short in zip(_STOPS[0], shorts, strict=True):
        for long_stop, long in zip(_STOPS[1], longs, strict=True):
            if long_stop < short_stop:
                share = _best_share(observed, short, long)
                errors = float(((observed - share * short - (1 - share) * long) ** 2).sum())
                best = min(best, (errors, short_stop, long_stop))

    def parts(stops: FloatArray) -> tuple[FloatArray, FloatArray]:
        return _geometric(words, float(stops[0])), _geometric(words, float(stops[1]))

    def left(stops: FloatArray) -> float:
        short, long = parts(stops)
        share = _best_share(observed, short, long)
        return float(((observed - share * short - (1 - share) * long) ** 2).sum())

    found = minimize(
        left,
        best[1:],
        method="Nelder-Mead",
        bounds=((1e-6, 1), (1e-6, 1)),
        options={"xatol": 1e-7, "fatol": 1e-14, "maxiter": 2000},
    )
    short_stop, long_stop = sorted(map(float, found.x), reverse=True)
    share = _best_share(observed, *parts(np.array([short_stop, long_stop])))
    fitted = share * _geometric(words, short_stop) + (1 - share) * _geometric(words, long_stop)
    return TwoClass(share, short_stop, long_stop, goodness(observed, fitted, 3))


def words_histogram(words: IntArray) -> IntArray:
    """Return how many blocks have 0, 1, 2, ... words."""
    return np.bincount(words)


def _proportions(histogram: IntArray) -> tuple[IntArray, FloatArray]:
    words = np.flatnonzero(histogram[1:]) + 1 if len(histogram) else np.zeros(0, dtype=np.int64)
    if not len(words):
        raise InputError("a model of the numbers of words needs blocks with words; there are none")
    counts = histogram[words].astype(np.float64)
    return words, counts / float(counts.sum())


def _geometric(words: IntArray, stop: float) -> FloatArray:
    chances: FloatArray = stop * np.power(1 - stop, words - 1.0)
    return chances


def _best_share(observed: FloatArray, short: FloatArray, long: FloatArray) -> float:
    """Return the share of `short`, from 0 to 1, with the least squared error."""
    apart = short - long
    weight = float(apart @ apart)
    return min(max(float((observed - long) @ apart) / weight, 0.0), 1.0) if weight else 1.0


def goodness(observed: FloatArray, fitted: FloatArray, parameters: int) -> Fit:
    """Return how well a curve with some fitted parameters describes (n,) observed values."""
    points = len(observed)
    errors = float(((observed - fitted) ** 2).sum())
    total = float(((observed - observed.mean()) ** 2).sum())
    free = points - parameters
    per_degree = errors / free if free > 0 else np.nan
    return Fit(
        r2=1 - errors / total if total > 0 else np.nan,
        r2_adjusted=1 - per_degree * (points - 1) / total if total > 0 else np.nan,
        rmse=float(np.sqrt(per_degree)),
        points=points,
    )
