"""Several cleaners at once: what the judgements make certain, and which document to judge next.

Topics are judged in one random order. A comparison advances topic by topic in that order, as far
as the judgements reach, so that its test is valid whatever is judged next. Only within a topic are
documents chosen by what they decide. Claims and intervals are those of one test per pair, each at
5 % divided by the number of pairs, so that the probability of any wrong claim is at most 5 %. The
test is that of `boilersweep.eval.stats.betting`.
"""

import itertools
import math
import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import ClassVar, Literal

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.stats.betting import BettingTest, Estimate
from boilersweep.outputs.figures import figure

# The highest grade of a document.
HIGHEST_GRADE = 3

# The probability of any wrong claim.
ALPHA = 0.05

# The share of the best possible score at which a topic's difference is capped.
BOUND = 0.5

Pair = tuple[str, str]

# What a claim is about: the population that the queries are a random sample of, or no others.
Claim = Literal["queries-like-these", "these-queries"]
LIKE_THESE: Claim = "queries-like-these"
THESE: Claim = "these-queries"

# Documents after whose judgement a pair's sum so far, and its evidence, are known.
Step = tuple[Collection[tuple[str, str]], float, float]

# Docid -> the lowest and the highest grade that its judgements allow.
Grades = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SummedMeasure:
    """P@k (gain 1 from grade 1 on) or DCG@k (gain = grade, discount log2(rank + 1)).

    Attributes:
        name: "P" or "DCG".
        k: How many documents count.
    """

    name: str
    k: int

    def weights(self, ranking: Sequence[str]) -> dict[str, float]:
        """Map each of the first k docids to the weight of its rank."""
        if self.name == "P":
            return dict.fromkeys(ranking[: self.k], 1 / self.k)
        return {
            docid: 1 / math.log2(rank + 2)
            for rank, docid in enumerate(ranking[: self.k])
        }

    def gain(self, grade: int) -> float:
        """Return what a document of this grade adds, times the weight of its rank."""
        return float(grade if self.name == "DCG" else grade >= 1)

    @property
    def top(self) -> float:
        """The score of a ranking whose first k documents have the highest grade."""
        return sum(
            self.weights([str(rank) for rank in range(self.k)]).values()
        ) * self.gain(HIGHEST_GRADE)

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"


def parse_summed_measure(text: str) -> SummedMeasure:
    """Parse `P@10` or `DCG@10`; raise UsageError for other measures."""
    match = re.fullmatch(r"(P|DCG|nDCG)@([1-9][0-9]{0,2})", text)
    if match is None or match[1] == "nDCG":
        reason = (
            "nDCG divides by the ideal ranking, which unjudged documents outside the pool may "
            "change without limit"
            if match
            else "its difference must be a sum over documents"
        )
        raise UsageError(
            f"expected the measure P@k or DCG@k, such as P@10, got {text!r}: {reason}"
        )
    return SummedMeasure(match[1], int(match[2]))


def weight_differences(
    a: Sequence[str], b: Sequence[str], measure: SummedMeasure
) -> dict[str, float]:
    """Map each document that decides to its weight in b minus its weight in a."""
    of_a, of_b = measure.weights(a), measure.weights(b)
    differences = {
        docid: of_b.get(docid, 0.0) - of_a.get(docid, 0.0) for docid in {**of_a, **of_b}
    }
    return {docid: weight for docid, weight in differences.items() if weight}


def difference_bounds(
    weights: Mapping[str, float], grades: Grades, measure: SummedMeasure
) -> tuple[float, float]:
    """Return the least and the greatest score of b minus score of a that the judgements allow.

    An unjudged document may have any grade; with all judged, both bounds are equal.
    """
    low, high = 0.0, 0.0
    for docid, weight in weights.items():
        ends = sorted(
            weight * measure.gain(grade)
            for grade in grades.get(docid, (0, HIGHEST_GRADE))
        )
        low, high = low + ends[0], high + ends[1]
    return low, high


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The state of the comparison of two cleaners.

    Attributes:
        a: One cleaner.
        b: The other one.
        topics: The number of judged topics; documents if the claim is about these queries.
        estimate: The mean of b minus a over these topics, within the interval.
        low: The lower end of the interval, at the family's level.
        high: Its upper end.
        confidence: The highest level of an interval without 0 so far.
        more: About how many more judgements would make it certain: the ends of the middle 70 %,
            and the median between them; inf if no number is in sight, 0 if it is certain.
        evidence: The share of the evidence that decides, from 0 to 1, also where confidence is 0.
        claim: What the conclusion is about.
    """

    a: str
    b: str
    topics: int
    estimate: float
    low: float
    high: float
    confidence: float
    more: Estimate
    evidence: float = 0.0
    claim: Claim = LIKE_THESE

    @property
    def counted(self) -> str:
        """What was judged."""
        return (
            f"{self.topics:,} {'topics' if self.claim == LIKE_THESE else 'documents'}"
        )

    @property
    def certain(self) -> bool:
        """Whether the interval excludes 0, as it does ever after."""
        return self.low >= 0 or self.high <= 0

    @property
    def order(self) -> Pair:
        """The better cleaner, for all that is known, and the worse one."""
        is_b_better = self.estimate >= 0 and self.high > 0
        return (self.b, self.a) if is_b_better else (self.a, self.b)

    @property
    def text(self) -> str:
        """The conclusion as a sentence."""
        better, worse = self.order
        sign = 1 if better == self.b else -1
        low, high = sorted((sign * self.low, sign * self.high))
        size = figure(abs(self.estimate))
        is_even = size == figure(0.0)
        amount = "less than 0.001" if is_even else size
        interval = f"[{figure(low)}, {figure(high)}]"
        if self.certain:
            about = self.claim.replace("-", " ")
            return f"{better} is better than {worse} by {amount} {interval}: certain for {about}"
        if not self.topics:
            what = "topic" if self.claim == LIKE_THESE else "document"
            return f"{self.a} and {self.b}: no {what} is judged yet"
        state = (
            f"{better} and {worse} are level so far"
            if is_even
            else f"{better} is ahead of {worse} by {amount}"
        )
        return f"{state} {interval}: uncertain; {judgements_text(self.more)}"


def judgements_text(more: Estimate) -> str:
    """Describe an estimate of judgements to come."""
    low, middle, high = more
    if math.isinf(middle):
        return "no number of judgements is in sight"
    to = f" to {high:.0f}" if math.isfinite(high) else " or many more"
    return f"about {middle:.0f} more judgements would tell ({low:.0f}{to})"


def shortest_way(
    names: Collection[str], conclusions: Sequence[Conclusion]
) -> tuple[float, Estimate]:
    """Return how certain it is that some cleaner is best, and how many judgements that still needs.

    A cleaner is best once a better one is certain for every other cleaner: itself, or one between
    them. So the pair of two losers need not be certain. Every way takes the surest comparison of
    each loser, and the way with the fewest judgements counts.

    Args:
        names: The cleaners.
        conclusions: The comparison of each pair.
    """
    never = (math.inf, math.inf, math.inf)
    ways = [
        [
            min(
                (
                    (conclusion.more, conclusion.confidence)
                    for conclusion in conclusions
                    if conclusion.order[1] == name
                ),
                key=lambda step: (step[0][1], -step[1]),
                default=(never, 0.0),
            )
            for name in names
            if name != winner
        ]
        for winner in names
    ]
    choices = [
        (
            min(sure for _, sure in way),
            max((more for more, _ in way), key=itemgetter(1)),
        )
        for way in ways
    ]
    return min(choices, key=lambda one: (one[1][1], -one[0]))


@dataclass(frozen=True, eq=False)
class Family:
    """Every pair of the cleaners, compared by one measure.

    Attributes:
        runs: Cleaner -> topic -> docids, best first.
        topics: The topics in the order in which they are judged.
        measure: The measure.
    """

    runs: Mapping[str, Mapping[str, Sequence[str]]]
    topics: Sequence[str]
    measure: SummedMeasure
    claim: ClassVar[Claim] = LIKE_THESE
    _tests: dict[Pair, BettingTest] = field(default_factory=dict)

    @property
    def size(self) -> str:
        """How much there is to judge, in what the conclusions count."""
        return f"{len(self.topics):,} queries"

    @property
    def about(self) -> str:
        """What the claims hold for, as a sentence."""
        return f"Claims are about queries like these, of which the {self.size} are a random sample"

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every pair, in the order of the cleaners."""
        return list(itertools.combinations(self.runs, 2))

    @cached_property
    def weights(self) -> dict[Pair, dict[str, dict[str, float]]]:
        """Pair -> topic -> the documents that decide it, with their weights."""
        return {
            (a, b): {
                topic: weight_differences(
                    self.runs[a].get(topic, ()),
                    self.runs[b].get(topic, ()),
                    self.measure,
                )
                for topic in self.topics
            }
            for a, b in self.pairs
        }

    def deciding(self, topic: str, pairs: Collection[Pair]) -> set[str]:
        """Return the documents of a topic that decide any of some pairs."""
        return {docid for pair in pairs for docid in self.weights[pair][topic]}

    def pool(self, topic: str) -> set[str]:
        """Return all documents that a cleaner has among its first k."""
        runs = self.runs.values()
        return {docid for run in runs for docid in run.get(topic, ())[: self.measure.k]}

    def values(
        self, pair: Pair, grades: Mapping[str, Grades]
    ) -> list[tuple[float, float]]:
        """Return a pair's differences on the topics before the first with an open document."""
        values = []
        for topic in self.topics:
            weights, known = self.weights[pair][topic], grades.get(topic, {})
            if not weights.keys() <= known.keys():
                break
            values.append(difference_bounds(weights, known, self.measure))
        return values

    def test(self, pair: Pair, grades: Mapping[str, Grades]) -> BettingTest:
        """Test a pair on the topics before the first with an open document.

        The pair's earlier test continues, unless a grade changed.
        """
        values = self.values(pair, grades)
        test = self._tests.get(pair)
        if test is None or test.values != values[: len(test.values)]:
            test = self._tests[pair] = BettingTest(BOUND * self.measure.top)
        if len(values) > len(test.values):
            test.extend(values[len(test.values) :])
        return test

    def conclusions(self, grades: Mapping[str, Grades]) -> list[Conclusion]:
        """Conclude about each pair.

        Args:
            grades: Topic -> docid -> limits of the grade, wide for "cannot tell".
        """
        alpha = ALPHA / max(1, len(self.pairs))
        conclusions = []
        for pair in self.pairs:
            test = self.test(pair, grades)
            low, high = test.interval(alpha)
            estimate = max(low, min(high, test.estimate))
            confidence = max(0.0, 1 - len(self.pairs) / test.e_value)
            topics = test.topics_needed(1 / alpha)
            evidence = min(1.0, math.log(test.e_value) / math.log(1 / alpha))
            judged = len(test.values)
            conclusions.append(
                Conclusion(
                    *pair, judged, estimate, low, high, confidence, topics, evidence
                )
            )
        wanted = self.open_pairs(conclusions)
        return [
            replace(
                conclusion,
                more=self._judgements(
                    conclusion, {*wanted, (conclusion.a, conclusion.b)}, grades
                ),
            )
            for conclusion in conclusions
        ]

    def least_difference(self) -> float:
        """Estimate the least difference that these topics show, whichever pair has it.

        A topic's difference varies as if every document that decides had any grade.

        Returns:
            The difference; inf for more than the runs allow.
        """
        gains = np.array(
            [self.measure.gain(grade) for grade in range(HIGHEST_GRADE + 1)]
        )
        spread = (gains.max() - gains.min()) / 2
        test = BettingTest(BOUND * self.measure.top)
        least = 0.0
        for pair in self.pairs:
            weights = [[*self.weights[pair][topic].values()] for topic in self.topics]
            spreads = spread * np.array([math.hypot(*weight) for weight in weights])
            found = test.least_mean(spreads, len(self.pairs) / ALPHA)
            most = gains.max() * np.mean([sum(map(abs, weight)) for weight in weights])
            least = max(least, found if found <= most else math.inf)
        return least

    def course(
        self, grades: Mapping[str, Grades], judged: Sequence[tuple[str, str]]
    ) -> dict[int, float]:
        """Map numbers of judgements to how certain it was by then that some cleaner is best.

        Args:
            grades: Topic -> docid -> limits of the present grade, with which earlier ones count.
            judged: Topics and documents in the order in which they were judged.
        """
        place = {pair: number for number, pair in enumerate(judged, start=1)}
        steps = []
        for pair in self.pairs:
            last = 0
            for documents, total, evidence in self._steps(pair, grades):
                last = max([last, *(place.get(document, 0) for document in documents)])
                steps.append((last, pair, total, evidence))
        course = {0: 0.0}
        sure: dict[Pair, tuple[str, float]] = {}  # the worse cleaner, and how certainly
        for number, pair, total, evidence in sorted(steps, key=itemgetter(0)):
            known = sure.get(pair, ("", 0.0))
            # A certain order stays
            loser = known[0] if known[1] >= 1 - ALPHA else pair[total < 0]
            sure[pair] = loser, max(0.0, 1 - len(self.pairs) / math.exp(evidence))
            worse = {
                name: max(
                    (level for loser, level in sure.values() if loser == name),
                    default=0.0,
                )
                for name in self.runs
            }
            # The best is worse than another one least certainly; all others must be
            course[number] = sorted(worse.values())[1]
        return course

    def _steps(self, pair: Pair, grades: Mapping[str, Grades]) -> Iterator[Step]:
        steps = self.test(pair, grades).steps
        for topic, step in zip(self.topics, steps, strict=False):
            yield [(topic, docid) for docid in self.weights[pair][topic]], *step

    def _judgements(
        self,
        conclusion: Conclusion,
        pairs: Collection[Pair],
        grades: Mapping[str, Grades],
    ) -> Estimate:
        """Count the judgements until a pair's next topics are judged, further ones as their mean.

        Args:
            conclusion: The conclusion, whose `more` are topics.
            pairs: The pairs whose documents are judged on the way.
            grades: Topic -> docid -> limits of the grade.
        """
        if math.isinf(conclusion.more[0]):
            return conclusion.more
        deciding = [self.deciding(topic, pairs) for topic in self.topics]
        counts = [
            len(documents - grades.get(topic, {}).keys())
            for topic, documents in zip(self.topics, deciding, strict=True)
        ][conclusion.topics :]
        known = [0, *itertools.accumulate(counts)]
        mean = sum(map(len, deciding)) / len(self.topics)
        low, middle, high = (
            known[int(min(topics, len(counts)))] + mean * max(topics - len(counts), 0)
            for topics in conclusion.more
        )
        return low, middle, high

    def open_pairs(self, conclusions: Sequence[Conclusion]) -> list[Pair]:
        """Return the uncertain pairs of cleaners of which none is certainly better."""
        beaten = {
            conclusion.order[1] for conclusion in conclusions if conclusion.certain
        }
        return [
            (conclusion.a, conclusion.b)
            for conclusion in conclusions
            if not conclusion.certain and not {conclusion.a, conclusion.b} & beaten
        ]

    def next_documents(
        self,
        grades: Mapping[str, Grades],
        pairs: Collection[Pair],
        *,
        rest: bool = True,
    ) -> list[tuple[str, str]]:
        """List the topics and documents left to judge: those that decide, then the rest.

        The order within a topic is random, and depends on the topic alone.

        Args:
            grades: Topic -> docid -> limits of the grade.
            pairs: The pairs to decide.
            rest: Whether to list the rest of the pool.
        """
        wanted: list[tuple[str, str]] = []
        for documents in (lambda topic: self.deciding(topic, pairs), self.pool)[
            : 1 + rest
        ]:
            for topic in self.topics:
                chosen = sorted(documents(topic) - grades.get(topic, {}).keys())
                random.Random(topic).shuffle(chosen)  # noqa: S311
                wanted += [(topic, docid) for docid in chosen]
        return list(dict.fromkeys(wanted))


_DEFAULT = "P@10"


def supported_measure(measures: Sequence[str]) -> str:
    """Return the first measure that judgements of `assess` can support, P@10 if none is."""
    return next(filter(_is_summed, measures), _DEFAULT)


def _is_summed(measure: str) -> bool:
    try:
        parse_summed_measure(measure)
    except UsageError:
        return False
    return True
