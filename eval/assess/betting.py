"""Anytime-valid inference about a bounded mean, by betting.

After every topic the answer may be looked at and the judging stopped: the probability that the
interval ever excludes the true mean is at most alpha, however often somebody looks.
Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS-B 2024;
family correction: Vovk and Wang, E-values, Annals of Statistics 2021 (closed testing by averages).
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

# The share of the wealth that a bet may lose at most.
_SHARE = 0.9

# Intervals of candidate means.
_GRID = 1000

# The variance, in units of the squared bound / 0.25, that is assumed before the first topics.
_FIRST = 0.05


class BettingTest:
    """Bets against every candidate mean of independent values within [-bound, bound].

    Values beyond the bound count as the bound. A value may be known only within limits: the bet
    that the mean is larger then takes the lower one, and the bet that it is smaller the higher.
    """

    def __init__(self, bound: float) -> None:
        self.bound = bound
        self.means = np.linspace(-bound, bound, _GRID + 1)
        self.count = 0
        self._larger = np.zeros(_GRID + 1)  # log wealth of the bet that the mean is larger
        self._smaller = np.zeros(_GRID + 1)
        self._best = np.zeros(_GRID + 1)  # the highest log e-value so far
        self._low = self._high = 0.0  # sums
        self._spread = _FIRST * 4 * bound**2  # sum of squares about the mean, with one assumed

    def add(self, low: float, high: float) -> None:
        """Bet on one more topic. The bets depend on earlier topics alone."""
        bound, means = self.bound, self.means
        low, high = max(-bound, min(bound, low)), max(-bound, min(bound, high))
        mean, variance = self.mean, self._spread / (self.count + 1)
        edge = mean - means
        kelly = edge / (variance + edge**2)
        most = _SHARE / np.maximum(bound + means, 1e-9)
        self._larger += np.log1p(np.clip(kelly, 0, most) * (low - means))
        most = _SHARE / np.maximum(bound - means, 1e-9)
        self._smaller += np.log1p(np.clip(-kelly, 0, most) * (means - high))
        both = np.logaddexp(self._larger, self._smaller) - math.log(2)
        self._best = np.maximum(self._best, both)
        self.count += 1
        self._low, self._high = self._low + low, self._high + high
        middle = (low + high) / 2
        self._spread += (middle - mean) * (middle - self.mean)

    @property
    def mean(self) -> float:
        """The mean so far, shrunk towards 0 by one topic without a difference."""
        return (self._low + self._high) / 2 / (self.count + 1)

    @property
    def estimate(self) -> float:
        """The mean so far; 0 before the first topic."""
        return (self._low + self._high) / 2 / max(self.count, 1)

    @property
    def e_value(self) -> float:
        """Evidence against a mean of 0: its expectation is at most 1 if the mean is 0."""
        middle = _GRID // 2
        return float(np.exp([self._larger[middle], self._smaller[middle]]).mean())

    @property
    def best_e_value(self) -> float:
        """The highest e-value so far; it reaches 1 / alpha with probability alpha at most."""
        return float(np.exp(self._best[_GRID // 2]))

    def interval(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the means whose e-value never reached 1 / alpha; valid at any time."""
        kept = self.means[self._best < math.log(1 / alpha)]
        step = 2 * self.bound / _GRID
        if not len(kept):
            return self.estimate, self.estimate
        low, high = max(-self.bound, kept[0] - step), min(self.bound, kept[-1] + step)
        return round(low, 9) + 0.0, round(high, 9) + 0.0  # no -0.000 where 0 is the end

    def topics_needed(self, line: float) -> float:
        """Estimate how many more topics like these raise the e-value to `line`; inf if none do."""
        variance = max(self._spread / (self.count + 1), 1e-9)
        bet = min(abs(self.mean) / (variance + self.mean**2), _SHARE / self.bound)
        growth = bet * abs(self.mean) - bet**2 * (variance + self.mean**2) / 2
        if growth <= 0:
            return math.inf
        return max(0.0, math.log(2 * line) - math.log(max(self.e_value, 1e-300))) / growth


def betting_test(bound: float, values: Iterable[tuple[float, float]]) -> BettingTest:
    """Return the test after some values, each with its limits."""
    test = BettingTest(bound)
    for low, high in values:
        test.add(low, high)
    return test


def family_e_values(values: Sequence[float]) -> list[float]:
    """Each e-value corrected for the whole family, valid at any time.

    The corrected value is the least average over all subsets of the family that contain it.
    Reject where it is at least 1 / alpha: the probability of any false rejection is at most alpha.
    """
    order = np.sort(np.asarray(values, dtype=float))
    sums = np.concatenate([[0.0], np.cumsum(order)])
    corrected = []
    for value in values:
        others = int(np.searchsorted(order, value))  # those below it; larger ones raise the average
        averages = (value + sums[: others + 1]) / (np.arange(others + 1) + 1)
        corrected.append(float(averages.min()))
    return corrected
