"""Anytime-valid inference about a bounded mean, by betting.

After every topic the answer may be looked at and the judging stopped: the probability that the
interval ever excludes the true mean is at most alpha, however often somebody looks. A claim is an
interval without 0; intervals only shrink, so no claim is ever withdrawn.
Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 2024.
"""

import copy
import math
from functools import lru_cache

import numpy as np

from boilersweep.pages.columns import FloatArray

# The share of the wealth that a bet may lose at most.
_SHARE = 0.9

# Intervals of candidate means.
_GRID = 1000

# The variance, in units of the squared bound / 0.25, that is assumed before the first topics.
_FIRST = 0.05

# The estimate of topics to come: resampled futures, and how many topics they reach at most.
_FUTURES = 60
_HORIZON = 400

# The ends of the middle 70 %, and the median between them, of something estimated.
Estimate = tuple[float, float, float]


class BettingTest:
    """Bets against every candidate mean of independent values within [-bound, bound].

    Values beyond the bound count as the bound. A value may be known only within limits: the bet
    that the mean is larger then takes the lower one, and the bet that it is smaller the higher.

    Attributes:
        bound: The bound.
        means: The candidates.
        values: The lower and the higher limit of each value so far.
        best: The highest log e-value of each candidate so far; it reaches log(1 / alpha) with
            probability alpha at most.
    """

    def __init__(self, bound: float) -> None:
        self.bound = bound
        self.means: FloatArray = np.linspace(-bound, bound, _GRID + 1)
        self.values: list[tuple[float, float]] = []
        self.best: FloatArray = np.zeros(_GRID + 1)
        # Log wealth of the bet that the mean is larger
        self._larger = np.zeros(_GRID + 1)
        self._smaller = np.zeros(_GRID + 1)
        self._sum: FloatArray = np.zeros(1)  # of the values' middles
        # The sum of squares about the mean, with one assumed.
        self._spread: FloatArray = np.full(1, _FIRST * 4 * bound**2)
        self._needed: dict[float, Estimate] = {}

    def add(self, low: float, high: float) -> None:
        """Bet on one more topic. The bets depend on earlier topics alone."""
        low, high = (
            max(-self.bound, min(self.bound, low)),
            max(-self.bound, min(self.bound, high)),
        )
        self._bet(low, high, len(self.values) + 1)
        self.values.append((low, high))

    def _bet(
        self, low: float | FloatArray, high: float | FloatArray, number: int
    ) -> None:
        """Bet on the topic of a number, from 1."""
        bound, means = self.bound, self.means
        mean, variance = self._sum / number, self._spread / number
        edge = mean - means
        kelly = edge / (variance + edge**2)
        most = _SHARE / np.maximum(bound + means, 1e-9)
        self._larger += np.log1p(np.clip(kelly, 0, most) * (low - means))
        most = _SHARE / np.maximum(bound - means, 1e-9)
        self._smaller += np.log1p(np.clip(-kelly, 0, most) * (means - high))
        both = np.logaddexp(self._larger, self._smaller) - math.log(2)
        self.best = np.maximum(self.best, both)
        middle = (low + high) / 2
        self._sum = self._sum + middle
        self._spread = self._spread + (middle - mean) * (
            middle - self._sum / (number + 1)
        )

    @property
    def estimate(self) -> float:
        """The mean so far; 0 before the first topic."""
        return float(self._sum[0]) / max(len(self.values), 1)

    @property
    def e_value(self) -> float:
        """The highest evidence so far against a mean of 0."""
        return float(np.exp(self.best[_GRID // 2]))

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the means whose e-value never reached 1 / alpha; valid at any time."""
        # Where all did, which has probability alpha at most, the last one is left.
        kept = self.means[self.best <= max(math.log(1 / alpha), self.best.min())]
        step = 2 * self.bound / _GRID
        low = max(-self.bound, float(kept[0]) - step)
        high = min(self.bound, float(kept[-1]) + step)
        return round(low, 9) + 0.0, round(high, 9) + 0.0  # no -0.000 where 0 is the end

    def topics_needed(self, line: float) -> Estimate:
        """Estimate how many more topics raise the e-value to `line`; inf for more than 400.

        The topics to come are drawn from those so far and one without a difference.
        """
        if line not in self._needed:
            self._needed[line] = self._forecast(math.log(line))
        return self._needed[line]

    def _forecast(self, line: float) -> Estimate:
        if self.best[_GRID // 2] >= line:
            return 0.0, 0.0, 0.0
        future = copy.copy(self)
        future.means = np.zeros(_FUTURES)
        for name in ("_larger", "_smaller", "best"):
            setattr(future, name, np.full(_FUTURES, getattr(self, name)[_GRID // 2]))
        drawn = np.random.default_rng(1).integers(
            0, len(self.values) + 1, (_HORIZON, _FUTURES)
        )
        values = np.array([*self.values, (0.0, 0.0)])
        needed = np.full(_FUTURES, math.inf)
        for number, topics in enumerate(drawn, start=1):
            future._bet(values[topics, 0], values[topics, 1], len(self.values) + number)
            needed[np.isinf(needed) & (future.best >= line)] = number
            if np.isfinite(needed).mean() > 0.87:
                break
        low, middle, high = np.quantile(needed, (0.15, 0.5, 0.85), method="nearest")
        return float(low), float(middle), float(high)


@lru_cache(maxsize=64)
def betting_test(bound: float, values: tuple[tuple[float, float], ...]) -> BettingTest:
    """Return the test after some values, each with its limits. The caller does not change it."""
    test = BettingTest(bound)
    for low, high in values:
        test.add(low, high)
    return test
