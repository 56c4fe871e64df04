"""Several cleaners at once: what the judgements make certain, and which document to judge next.

Topics are judged in one random order. A comparison advances topic by topic in that order, as far
as the judgements reach, so that its test is valid whatever is judged next. Only within a topic are
documents chosen by what they decide.
"""

import itertools
import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from boilersweep.eval.assess.betting import BettingTest, betting_test, family_e_values
from boilersweep.eval.assess.differences import (
    Grades,
    SummedMeasure,
    difference_bounds,
    weight_differences,
)

ALPHA = 0.05

# The share of the best possible score at which a topic's difference is capped.
BOUND = 0.5


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The state of the comparison of two cleaners.

    Attributes:
        a: One cleaner.
        b: The other one.
        topics: The number of judged topics.
        estimate: The mean of b minus a over these topics.
        low: The lower end of the family's interval.
        high: Its upper end.
        e_value: The e-value, corrected for the family.
        certain: Whether the difference is certain.
        more: About how many judgements would make it certain; None if it is certain, or if no
            number of topics like these would.
    """

    a: str
    b: str
    topics: int
    estimate: float
    low: float
    high: float
    e_value: float
    certain: bool
    more: int | None

    @property
    def text(self) -> str:
        """The conclusion as a sentence."""
        better, worse = (self.b, self.a) if self.estimate >= 0 else (self.a, self.b)
        low, high = sorted((self.low, self.high) if self.estimate >= 0 else (-self.low, -self.high))
        figures = f"{abs(self.estimate):.3f} [{low:.3f}, {high:.3f}]"
        if self.certain:
            return f"{better} is better than {worse} by {figures}: certain"
        if not self.topics:
            return f"{self.a} and {self.b}: no topic is judged yet"
        ahead = f"{better} is ahead of {worse} by {figures}: uncertain"
        if self.more is None:
            return f"{ahead}; no number of judgements is in sight"
        return f"{ahead}; about {self.more} more judgements would tell"


@dataclass(frozen=True, eq=False)
class Family:
    """Every pair of the cleaners, compared by one measure.

    Attributes:
        runs: Cleaner -> topic -> docids, best first.
        topics: The topics in the order in which they were drawn.
        measure: The measure.
        alpha: The probability of any wrong claim.
    """

    runs: Mapping[str, Mapping[str, Sequence[str]]]
    topics: Sequence[str]
    measure: SummedMeasure
    alpha: float = ALPHA

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Every pair, in the order of the cleaners."""
        return list(itertools.combinations(self.runs, 2))

    @cached_property
    def weights(self) -> dict[tuple[str, str], dict[str, dict[str, float]]]:
        """Pair -> topic -> the documents that decide it, with their weights."""
        return {
            (a, b): {
                topic: weight_differences(
                    self.runs[a].get(topic, ()), self.runs[b].get(topic, ()), self.measure
                )
                for topic in self.topics
            }
            for a, b in self.pairs
        }

    def deciding(self, topic: str, pairs: Collection[tuple[str, str]]) -> set[str]:
        """Return the documents of a topic that decide any of some pairs."""
        return {docid for pair in pairs for docid in self.weights[pair][topic]}

    def pool(self, topic: str) -> set[str]:
        """Return all documents that a cleaner has among its first k."""
        runs = self.runs.values()
        return {docid for run in runs for docid in run.get(topic, ())[: self.measure.k]}

    def test(self, pair: tuple[str, str], grades: Mapping[str, Grades]) -> BettingTest:
        """Test a pair on the topics before the first with an unjudged deciding document."""
        values = []
        for topic in self.topics:
            weights, known = self.weights[pair][topic], grades.get(topic, {})
            if not weights.keys() <= known.keys():
                break
            values.append(difference_bounds(weights, known, self.measure))
        return betting_test(BOUND * self.measure.top, values)

    def conclusions(self, grades: Mapping[str, Grades]) -> list[Conclusion]:
        """Conclude about each pair.

        Args:
            grades: Topic -> docid -> limits of the grade, wide for "cannot tell".
        """
        tests = [self.test(pair, grades) for pair in self.pairs]
        corrected = family_e_values([test.e_value for test in tests])
        conclusions = []
        for (a, b), test, e_value in zip(self.pairs, tests, corrected, strict=True):
            low, high = test.interval(self.alpha / len(self.pairs))
            certain = e_value >= 1 / self.alpha or test.best_e_value >= len(self.pairs) / self.alpha
            more = None if certain else self._more((a, b), test)
            conclusions.append(
                Conclusion(a, b, test.count, test.estimate, low, high, e_value, certain, more)
            )
        return conclusions

    def _more(self, pair: tuple[str, str], test: BettingTest) -> int | None:
        needed = test.topics_needed(len(self.pairs) / self.alpha)
        if not math.isfinite(needed):
            return None
        left = self.topics[test.count :][: math.ceil(needed)]
        if len(left) < needed:
            return None
        return max(1, sum(len(self.weights[pair][topic]) for topic in left))

    def next_documents(
        self, grades: Mapping[str, Grades], certain: Collection[tuple[str, str]], seed: int
    ) -> list[tuple[str, str]]:
        """List the topics and documents left to judge: those that decide, then the rest.

        The order within a topic is random, and depends on seed and topic alone.

        Args:
            grades: Topic -> docid -> limits of the grade.
            certain: The pairs that need no more judgements.
            seed: The seed of the random order.
        """
        open_pairs = [pair for pair in self.pairs if pair not in certain]
        wanted: list[tuple[str, str]] = []
        for documents in (lambda topic: self.deciding(topic, open_pairs), self.pool):
            for topic in self.topics:
                chosen = sorted(documents(topic) - grades.get(topic, {}).keys())
                random.Random(f"{seed} {topic}").shuffle(chosen)  # noqa: S311
                wanted += [(topic, docid) for docid in chosen]
        return list(dict.fromkeys(wanted))


def draw_topics(topics: Sequence[str], seed: int) -> list[str]:
    """Draw the random order in which topics are judged."""
    drawn = sorted(topics)
    random.Random(seed).shuffle(drawn)  # noqa: S311
    return drawn
