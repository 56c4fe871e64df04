"""A test of a bounded mean that may be looked at after every value, by betting.

The probability that the interval ever excludes the true mean is at most alpha, however often
somebody looks. A claim is an interval without 0; intervals only shrink, so no claim is ever
withdrawn. Source: Waudby-Smith and Ramdas, Estimating means of bounded random variables by
betting, JRSS-B 2024.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence

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

# The share of futures in which a difference is to be shown.
_POWER = 0.8

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
        steps: After each value: the sum so far, and the highest log e-value of a mean of 0.
    """

    def __init__(self, bound: float) -> None:
        self.bound = bound
        self.means: FloatArray = np.linspace(-bound, bound, _GRID + 1)
        self.values: list[tuple[float, float]] = []
        self.best: FloatArray = np.zeros(_GRID + 1)
        self.steps: list[tuple[float, float]] = []
        # Log wealth of the bets that the mean is larger, and smaller.
        self._wealth = np.zeros(_GRID + 1), np.zeros(_GRID + 1)
        self._sum: FloatArray = np.zeros(1)  # of the values' middles
        # The sum of squares about the mean, with one assumed.
        self._spread: FloatArray = np.full(1, _FIRST * 4 * bound**2)
        self._needed: dict[float, Estimate] = {}

    def extend(self, values: Sequence[tuple[float, float]]) -> None:
        """Bet on some more topics. The bets depend on earlier topics alone."""
        limits = np.array(values, float).reshape(-1, 2, 1)
        sums, spread, larger, smaller = self._bet(limits, self.means, self._wealth)
        both = np.logaddexp(larger, smaller) - math.log(2)
        evidence = np.maximum.accumulate(both[1:, _GRID // 2])
        evidence = np.maximum(evidence, self.best[_GRID // 2])
        self.steps += zip(sums[1:, 0].tolist(), evidence.tolist(), strict=True)
        self.best = np.maximum(self.best, both.max(axis=0))
        self._sum, self._spread = sums[-1], spread[-1]
        self._wealth = larger[-1], smaller[-1]
        self.values += values
        self._needed.clear()

    def _bet(
        self,
        limits: FloatArray,
        means: FloatArray,
        wealth: tuple[FloatArray, FloatArray],
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Bet on the next topics.

        Args:
            limits: Both limits of each topic's value, in as many futures: topics x 2 x futures.
            means: The candidates: one for each future, or several of one future.
            wealth: The log wealth of the bets that the mean is larger, and smaller.

        Returns:
            Before the first topic and after each: the sum, the spread, and both log wealths.
        """
        low, high = np.clip(limits, -self.bound, self.bound).swapaxes(0, 1)
        middle = (low + high) / 2
        numbers = np.arange(1, len(middle) + 1)[:, None] + len(self.values)
        sums = _running(self._sum, middle)
        mean = sums[:-1] / numbers
        steps = (middle - mean) * (middle - sums[1:] / (numbers + 1))
        spread = _running(self._spread, steps)
        edge = mean - means
        kelly = edge / (spread[:-1] / numbers + edge**2)
        most = _SHARE / np.maximum(self.bound + means, 1e-9)
        gains = np.log1p(np.clip(kelly, 0, most) * (low - means))
        most = _SHARE / np.maximum(self.bound - means, 1e-9)
        losses = np.log1p(np.clip(-kelly, 0, most) * (means - high))
        return sums, spread, _running(wealth[0], gains), _running(wealth[1], losses)

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
        drawn = np.random.default_rng(1).integers(
            0, len(self.values) + 1, (_HORIZON, _FUTURES)
        )
        limits = np.array([*self.values, (0.0, 0.0)])[drawn].swapaxes(1, 2)
        larger, smaller = (
            np.full(_FUTURES, wealth[_GRID // 2]) for wealth in self._wealth
        )
        bets = self._bet(limits, np.zeros(_FUTURES), (larger, smaller))
        reached = np.logaddexp(*bets[2:]) - math.log(2) >= line
        needed = np.where(reached.any(axis=0), reached.argmax(axis=0), math.inf)
        low, middle, high = np.quantile(needed, (0.15, 0.5, 0.85), method="nearest")
        return float(low), float(middle), float(high)

    def least_mean(self, spreads: FloatArray, line: float) -> float:
        """Estimate the least mean that some topics to come show in four of five futures.

        Args:
            spreads: (n,) the standard deviation of each topic's value; a topic with 0 has none.
            line: The e-value that decides.

        Returns:
            The mean; inf for more than the bound.
        """
        noise = np.random.default_rng(1).standard_normal((len(spreads), _FUTURES))
        noise *= spreads[:, None]
        varied = spreads[:, None] > 0
        start = np.zeros(_FUTURES)

        def is_shown(mean: float) -> bool:
            values = noise + mean * varied / max(varied.mean(), 1e-9)
            bets = self._bet(np.stack([values, values], 1), start, (start, start))
            evidence = np.logaddexp(*bets[2:]).max(axis=0) - math.log(2)
            return bool(np.mean(evidence >= math.log(line)) >= _POWER)

        means = self.means[_GRID // 2 + 1 :].tolist()
        number = bisect_left(means, True, key=is_shown)
        return float(means[number]) if number < len(means) else math.inf


def _running(first: FloatArray, steps: FloatArray) -> FloatArray:
    """Return the running sums of some rows, from `first` on."""
    rows = [np.broadcast_to(first, (1, steps.shape[1])), steps]
    return np.cumsum(np.concatenate(rows), axis=0)
