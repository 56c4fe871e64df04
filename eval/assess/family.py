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

BOUND = 0.5
"""Of the best possible score: a topic's larger differences count as this one."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What is known about one pair of cleaners.

    estimate: the mean of b minus a over `topics` judged topics. low, high: the family's interval.
    e_value: corrected for the family. more: about how many judgements would make it certain; None
    if it is certain, or if no number of topics like these would.
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

    runs: cleaner -> topic -> docids, best first. topics: in the order in which they were drawn.
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
        """The documents of a topic that matter to any of some pairs."""
        return {docid for pair in pairs for docid in self.weights[pair][topic]}

    def pool(self, topic: str) -> set[str]:
        """All documents that a cleaner has among its first k."""
        runs = self.runs.values()
        return {docid for run in runs for docid in run.get(topic, ())[: self.measure.k]}

    def test(self, pair: tuple[str, str], grades: Mapping[str, Grades]) -> BettingTest:
        """The pair's test over the topics before the first with an unjudged deciding document."""
        values = []
        for topic in self.topics:
            weights, known = self.weights[pair][topic], grades.get(topic, {})
            if not weights.keys() <= known.keys():
                break
            values.append(difference_bounds(weights, known, self.measure))
        return betting_test(BOUND * self.measure.top, values)

    def conclusions(self, grades: Mapping[str, Grades]) -> list[Conclusion]:
        """One for each pair. grades: topic -> docid -> limits, wide for "cannot tell"."""
        tests = [self.test(pair, grades) for pair in self.pairs]
        corrected = family_e_values([test.e_value for test in tests])
        found = []
        for (a, b), test, e_value in zip(self.pairs, tests, corrected, strict=True):
            low, high = test.interval(self.alpha / len(self.pairs))
            certain = e_value >= 1 / self.alpha or test.best_e_value >= len(self.pairs) / self.alpha
            more = None if certain else self._more((a, b), test)
            found.append(
                Conclusion(a, b, test.count, test.estimate, low, high, e_value, certain, more)
            )
        return found

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
        """Topics and documents left to judge, in order: those that decide, then the rest.

        certain: the pairs that need no more judgements. The order within a topic is random, and
        depends on seed and topic alone.
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
    """The topics in the random order in which they are judged."""
    drawn = sorted(topics)
    random.Random(seed).shuffle(drawn)  # noqa: S311
    return drawn
