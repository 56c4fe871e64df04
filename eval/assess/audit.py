"""A claim about these queries: a program judges all that decides, people audit a random part.

The documents that decide a pair are a finite population of N, each with its weight w (what a grade
adds to the difference of the sums of scores) and an unknown gain y between 0 and G, so that the
difference times the number of queries is D = sum of w y. People judge them in a random order,
without replacement. Nothing is assumed of the program, and nothing of how its errors are spread.

Derivation. Before each judgement the past gives every unseen document a prediction p between 0 and
G; the residual of the next document is z = w (p - y). Given the past, this document is each of the
n unseen ones with probability 1 / n, whatever their gains, so that E[z | past] = (sum of w p over
the unseen ones - sum of w y over the unseen ones) / n. The second sum is D minus what was seen.
Under the null hypothesis D <= d therefore

    E[z | past] >= m := (sum of w p, unseen + sum of w y, seen - d) / n.

A bet b >= 0 that depends on the past alone multiplies the wealth by 1 + b (m - z), whose mean is at
most 1, and which is not negative for b <= 1 / (h - m), where h is the largest residual possible.
The wealth is a nonnegative supermartingale with initial value 1; by Ville's inequality it ever
reaches 1 / a with probability a at most, however often somebody looks, and however wrong the
predictions are: they decide only how fast it grows. D >= d is tested by the same bets on -z. A
gain that is known only within limits enters with the limit that is worse for the bet, which only
lowers the wealth: "cannot tell", grades that differ, and a document that was passed over. Where the
limits of all unseen documents leave only D > d, D <= d is excluded without any bet.

A claim is that D > 0 or that D < 0. The two hypotheses of each of k pairs are 2k, whose largest
wealths so far give p-values that are valid at any time (p = 1 / wealth). Holm's method over all 2k
keeps the probability of any wrong claim, ties included, at or below 5 %. Intervals are the d that
no bet excludes at 5 % / 2k a side.

The prediction is the mean gain of the documents seen so far with the same grade by the program and
the same sign of w, with a few made-up ones that agree with the program. So a program that is often
wrong counts for less, and people alone are the case of a single grade. The bet is Kelly's for the
variance that these predictions have if they are right.

Sources: Waudby-Smith and Ramdas, Confidence sequences for sampling without replacement, NeurIPS
2020, and Estimating means of bounded random variables by betting, JRSS-B 2024, section 5 (betting
without replacement); Clarke and Dietz, arXiv 2412.17156 (why a program's grades alone decide
nothing); PRECISE, arXiv 2606.05308 (a program's grades corrected by people's).
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import ClassVar

import numpy as np

from boilersweep.eval.people.log import digest_of_text
from boilersweep.eval.stats.betting import Estimate
from boilersweep.eval.stats.families import (
    ALPHA,
    HIGHEST_GRADE,
    THESE,
    Claim,
    Conclusion,
    Family,
    Grades,
    Pair,
    Step,
)
from boilersweep.pages.columns import FloatArray, IntArray

# The share of the wealth that a bet may lose at most.
_SHARE = 0.9

# Made-up documents of each grade and sign, and the share of them that contradict the program.
_PRIOR = 4.0
_ERRORS = 0.15

# Intervals of candidate differences.
_GRID = 400

# The estimate of documents to come: resampled futures.
_FUTURES = 60

# Sums that differ by less are equal: the rest is rounding.
_TIE = 1e-9

TopicDocument = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Documents in the random order in which people judge them.

    Attributes:
        weights: (N,) what a gain of 1 adds to the total.
        classes: (N,) the class of each document: documents of a class are predicted alike.
        prior: (K,) the gain that is predicted for each class before any is seen.
        top: The largest gain.
        known: The least and the greatest total of documents outside the order.
    """

    weights: FloatArray
    classes: IntArray
    prior: FloatArray
    top: float
    known: tuple[float, float] = (0.0, 0.0)

    def totals(self, low: FloatArray, high: FloatArray) -> tuple[float, float]:
        """Return the least and the greatest total that are possible.

        Args:
            low: (n,) the least gain of each of the first documents; others may have any.
            high: (n,) the greatest one.
        """
        left = len(self.weights) - len(low)
        gains = (
            np.pad(low, (0, left)),
            np.pad(high, (0, left), constant_values=self.top),
        )
        ends = np.sort(np.stack(gains) * self.weights, axis=0).sum(axis=1)
        return self.known[0] + float(ends[0]), self.known[1] + float(ends[1])


@dataclass(frozen=True, slots=True, eq=False)
class Wealth:
    """Log wealths after 0 to n documents, by column: a candidate total, or a future.

    Attributes:
        larger: (n + 1, c) of the bets that the total is larger than the candidate.
        smaller: (n + 1, c) of the bets that it is smaller.
        estimates: (n + 1, c) the total as it is predicted then.
        gains: (K, c) the gains that are predicted after all n documents.
    """

    larger: FloatArray
    smaller: FloatArray
    estimates: FloatArray
    gains: FloatArray


def bet(
    of: Population, low: FloatArray, high: FloatArray, candidates: FloatArray
) -> Wealth:
    """Bet on the first n documents of a population, as the module derives it.

    Args:
        of: The population.
        low: (n, c) the least gain of each document, in c futures.
        high: (n, c) the greatest one.
        candidates: (d,) totals to bet against; c or d is 1.
    """
    count, size = len(low), len(of.weights)
    member = (of.classes[:, None] == np.arange(len(of.prior))).astype(float)
    weighted = member * of.weights[:, None]
    middle = (low + high) / 2
    number = _sums(member[:count])[:, :, None]
    gained = _sums(member[:count, :, None] * middle[:, None, :])
    predicted = (_PRIOR * of.prior[:, None] + gained) / (_PRIOR + number)
    unseen, squares = _left(weighted, count), _left(weighted**2, count)
    rest = (unseen * predicted).sum(1)
    left = np.maximum(size - np.arange(count + 1), 1)[:, None]
    variance = (squares * predicted * (of.top - predicted)).sum(1) / left
    own = predicted[np.arange(count), of.classes[:count]]
    given = of.weights[:count, None] * np.stack([low, high])
    ends = given.min(0), given.max(0)
    known = [at + _sums(end) for at, end in zip(of.known, ends, strict=True)]
    wealths = []
    for sign, end in ((1.0, 0), (-1.0, 1)):
        signed = sign * weighted
        bound = np.maximum(
            signed.max(0, initial=0.0)[:, None] * predicted,
            -signed.min(0, initial=0.0)[:, None] * (of.top - predicted),
        ).max(1)
        mean = (sign * (rest + known[end] - candidates)) / left
        most = _SHARE / np.maximum(bound - mean, 1e-12)
        kelly = mean / np.maximum(variance + mean**2, 1e-12)
        residual = sign * (of.weights[:count, None] * own - ends[end])
        gains = np.clip(kelly, 0, most)[:-1] * (mean[:-1] - residual)
        least = np.minimum(of.top * signed, 0).sum(1, keepdims=True)
        floor = sign * known[end] + _left(least, count)[:, 0]
        is_sure = floor > sign * candidates + _TIE
        wealths.append(np.where(is_sure, np.inf, _sums(np.log1p(gains))))
    larger, smaller = wealths
    return Wealth(larger, smaller, rest + (known[0] + known[1]) / 2, predicted[-1])


def _sums(rows: FloatArray) -> FloatArray:
    """Return the sums of the first 0, 1, ... rows."""
    return np.concatenate([np.zeros((1, *rows.shape[1:])), rows.cumsum(axis=0)])


def _left(rows: FloatArray, count: int) -> FloatArray:
    """Return the sums of the rows behind the first 0 to `count`: (count + 1, k, 1)."""
    left: FloatArray = (rows.sum(0) - _sums(rows[:count]))[:, :, None]
    return left


def least_and_most(
    of: Population, low: FloatArray, high: FloatArray, alpha: float
) -> tuple[float, float]:
    """Return the ends of the totals that no bet excludes at alpha / 2 a side; valid at any time.

    Args:
        of: The population.
        low: (n,) the least gain of each judged document.
        high: (n,) the greatest one.
        alpha: The probability that the interval ever excludes the total.
    """
    first, last = of.totals(low, high)
    step = (last - first) / _GRID
    candidates = np.linspace(first, last, _GRID + 1)
    wealth = bet(of, low[:, None], high[:, None], candidates)
    best = np.maximum(wealth.larger.max(0), wealth.smaller.max(0))
    # Where all are excluded, which has probability alpha at most, the last one is left.
    kept = candidates[best < max(math.log(2 / alpha), best.min() + _TIE)]
    return max(first, float(kept[0]) - step), min(last, float(kept[-1]) + step)


def share_right(
    right: Sequence[tuple[float, float]], size: int
) -> tuple[float, float, float]:
    """Estimate how often a program is right in a whole population, from the audited documents.

    Args:
        right: Limits of 1 for right and 0 for wrong, in the random order.
        size: The number of documents of the population.

    Returns:
        The share so far, and the ends of an interval that is valid at any time, but for `ALPHA`.
    """
    of = Population(np.full(size, 1 / size), np.zeros(size, int), np.full(1, 0.5), 1.0)
    low, high = np.array(right, float).reshape(-1, 2).T
    share = float((low + high).mean()) / 2 if len(right) else math.nan
    return share, *least_and_most(of, low, high, ALPHA)


@dataclass(frozen=True, slots=True, eq=False)
class _Audited:
    """What the judgements make of a pair.

    Attributes:
        wealth: The log wealths against a difference of 0.
        more: The pair's documents to come until it is certain.
        judged: How many of its documents are judged or were passed over.
        estimate: The difference as it is predicted now.
        interval: The differences that no bet excludes.
    """

    wealth: Wealth
    more: Estimate
    judged: int
    estimate: float
    interval: tuple[float, float]

    @property
    def evidence(self) -> float:
        """The largest log wealth so far."""
        return float(max(self.wealth.larger.max(), self.wealth.smaller.max()))


@dataclass(frozen=True, eq=False)
class AuditedFamily(Family):
    """Every pair of the cleaners, compared on these queries alone.

    Attributes:
        key: What the random order of the documents is drawn from.
        predicted: The program's grades, which were all given before people saw the order.
        before: What people had judged by then: known, and in no random order.
    """

    key: str = ""
    predicted: Mapping[TopicDocument, int | None] = field(default_factory=dict)
    before: Collection[TopicDocument] = frozenset()

    claim: ClassVar[Claim] = THESE

    @property
    def size(self) -> str:
        """How much there is to judge, in what the conclusions count."""
        return f"{len(self.order):,} documents"

    @property
    def about(self) -> str:
        """What the claims hold for, as a sentence."""
        return (
            f"Claims are about these {len(self.topics):,} queries alone: people judge the "
            f"{self.size} that decide in a random order"
        )

    @cached_property
    def order(self) -> list[TopicDocument]:
        """All documents that decide a pair and are not known from before, in their random order."""
        every = [
            (topic, docid)
            for topic in self.topics
            for docid in self.deciding(topic, self.pairs)
        ]
        fresh = [document for document in every if document not in self.before]
        return sorted(
            fresh, key=lambda document: (digest_of_text(self.key, *document), document)
        )

    def documents(self, pair: Pair) -> list[TopicDocument]:
        """Return the documents of a pair in their random order."""
        weights = self.weights[pair]
        return [
            document for document in self.order if document[1] in weights[document[0]]
        ]

    def _population(self, pair: Pair, grades: Mapping[str, Grades]) -> Population:
        weights, top = self.weights[pair], self.measure.gain(HIGHEST_GRADE)
        order = self.documents(pair)
        every = np.array([weights[topic][docid] for topic, docid in order])
        given = [self.predicted.get(document) for document in order]
        kinds = sorted({-1 if g is None else g for g in given} or {-1})
        gains = [
            top / 2
            if kind < 0
            else _ERRORS * top + (1 - 2 * _ERRORS) * self.measure.gain(kind)
            for kind in kinds
        ]
        place = {kind: 2 * index for index, kind in enumerate(kinds)}
        classes = [
            place[-1 if g is None else g] + (w > 0)
            for g, w in zip(given, every, strict=True)
        ]
        ends = [
            sorted(
                weights[topic][docid] * gain
                for gain in self._gains((topic, docid), grades)
            )
            for topic, docid in self.before
            if docid in weights.get(topic, ())
        ]
        low, high = (sum(end[side] for end in ends) for side in (0, 1))
        return Population(
            every, np.array(classes, int), np.repeat(gains, 2), top, (low, high)
        )

    def _gains(
        self, document: TopicDocument, grades: Mapping[str, Grades]
    ) -> tuple[float, float]:
        topic, docid = document
        low, high = grades.get(topic, {}).get(docid, (0, HIGHEST_GRADE))
        return self.measure.gain(low), self.measure.gain(high)

    def _judged(self, pair: Pair, grades: Mapping[str, Grades]) -> FloatArray:
        """Return (2, n) limits of gains up to the last judged document of a pair.

        A document that was passed over may have any gain.
        """
        order = self.documents(pair)
        judged = [
            number
            for number, (topic, docid) in enumerate(order, start=1)
            if docid in grades.get(topic, {})
        ]
        limits = [
            self._gains(document, grades)
            for document in order[: max(judged, default=0)]
        ]
        return np.array(limits, float).reshape(-1, 2).T

    def _audited(self, pair: Pair, grades: Mapping[str, Grades]) -> _Audited:
        of = self._population(pair, grades)
        low, high = self._judged(pair, grades)
        wealth = bet(of, low[:, None], high[:, None], np.zeros(1))
        queries, alpha = max(len(self.topics), 1), ALPHA / len(self.pairs)
        ends = least_and_most(of, low, high, alpha)
        return _Audited(
            wealth,
            _documents_needed(of, low, high, wealth, math.log(2 / alpha)),
            len(low),
            float(wealth.estimates[-1, 0]) / queries,
            (ends[0] / queries, ends[1] / queries),
        )

    def conclusions(self, grades: Mapping[str, Grades]) -> list[Conclusion]:
        """Conclude about each pair.

        Args:
            grades: Topic -> docid -> limits of the grade, wide for "cannot tell".
        """
        found = {pair: self._audited(pair, grades) for pair in self.pairs}
        certain = _holm({pair: one.evidence for pair, one in found.items()})
        line = math.log(2 * len(self.pairs) / ALPHA)
        concluded = []
        for pair, one in found.items():
            low, high = one.interval
            if pair in certain:
                is_larger = one.wealth.larger.max() >= one.wealth.smaller.max()
                low, high = (
                    (max(low, 0.0), high) if is_larger else (low, min(high, 0.0))
                )
            elif not low < 0 < high:
                low, high = min(low, -_TIE), max(high, _TIE)
            sure = 1 - ALPHA * math.exp(min(line - one.evidence, 700.0))
            concluded.append(
                Conclusion(
                    *pair,
                    one.judged,
                    max(low, min(high, one.estimate)),
                    round(low, 9) + 0.0,
                    round(high, 9) + 0.0,
                    max(sure, 1 - ALPHA if pair in certain else 0.0),
                    (0.0, 0.0, 0.0) if pair in certain else one.more,
                    min(1.0, one.evidence / line),
                    THESE,
                )
            )
        return [
            replace(one, more=self._to_judge(one, concluded, grades))
            for one in concluded
        ]

    def _to_judge(
        self,
        conclusion: Conclusion,
        conclusions: Sequence[Conclusion],
        grades: Mapping[str, Grades],
    ) -> Estimate:
        """Count the judgements, of all pairs, until a pair has some more documents."""
        pairs = {*self.open_pairs(conclusions), (conclusion.a, conclusion.b)}
        own = self.weights[conclusion.a, conclusion.b]
        places = [
            number
            for number, (topic, docid) in enumerate(
                self.next_documents(grades, pairs, rest=False), start=1
            )
            if docid in own[topic]
        ]
        low, middle, high = (
            more
            if math.isinf(more) or not more
            else float(places[min(int(more), len(places)) - 1])
            if places
            else math.inf
            for more in conclusion.more
        )
        return low, middle, high

    def next_documents(
        self,
        grades: Mapping[str, Grades],
        pairs: Collection[Pair],
        *,
        rest: bool = True,
    ) -> list[TopicDocument]:
        """List the documents left to judge: those that decide in their order, then the rest.

        Args:
            grades: Topic -> docid -> limits of the grade.
            pairs: The pairs to decide.
            rest: Whether to list the rest of the pool.
        """
        wanted = [
            (topic, docid)
            for topic, docid in self.order
            if docid not in grades.get(topic, {})
            and any(docid in self.weights[pair][topic] for pair in pairs)
        ]
        others = super().next_documents(grades, [], rest=True) if rest else []
        return list(dict.fromkeys([*wanted, *others]))

    def _steps(self, pair: Pair, grades: Mapping[str, Grades]) -> Iterator[Step]:
        one = self._audited(pair, grades).wealth
        both = np.maximum(one.larger, one.smaller)[1:, 0] - math.log(2)
        evidence = np.maximum.accumulate(np.maximum(both, 0.0)).tolist()
        totals = one.estimates[1:, 0].tolist()
        documents = self.documents(pair)[: len(totals)]
        for document, total, sure in zip(documents, totals, evidence, strict=True):
            yield [document], total, sure

    def accuracy(self, grades: Mapping[str, Grades]) -> tuple[int, float, float, float]:
        """Estimate how often the program is right about the gain of what decides.

        Returns:
            How many documents people judged for that, the share so far, and the ends of an
            interval that is valid at any time.
        """
        order = [
            document
            for document in self.order
            if self.predicted.get(document) is not None
        ]
        last = max(
            (n for n, (t, d) in enumerate(order, 1) if d in grades.get(t, {})),
            default=0,
        )
        right = []
        for document in order[:last]:
            low, high = self._gains(document, grades)
            own = self.measure.gain(self.predicted[document] or 0)
            right.append((float(low == own == high), float(low <= own <= high)))
        return last, *share_right(right, len(order))


def _holm(evidence: Mapping[Pair, float]) -> set[Pair]:
    """Return the pairs whose sign is certain: Holm's method over two hypotheses a pair.

    Args:
        evidence: Pair -> the largest log wealth of its bets in either direction.
    """
    certain: set[Pair] = set()
    for pair, one in sorted(evidence.items(), key=itemgetter(1), reverse=True):
        if one < math.log((2 * len(evidence) - len(certain)) / ALPHA):
            break
        certain.add(pair)
    return certain


def _documents_needed(
    of: Population, low: FloatArray, high: FloatArray, wealth: Wealth, line: float
) -> Estimate:
    """Estimate how many more documents are needed, by futures that agree with the predictions."""
    seen, size = len(low), len(of.weights)
    if seen == size:
        return math.inf, math.inf, math.inf
    chance = np.random.default_rng(1)
    share = (wealth.gains[:, 0] / of.top)[of.classes[seen:], None]
    drawn = of.top * (chance.random((size - seen, _FUTURES)) < share)
    ends = [
        np.concatenate([np.repeat(end[:, None], _FUTURES, axis=1), drawn])
        for end in (low, high)
    ]
    found = bet(of, ends[0], ends[1], np.zeros(1))
    reached = np.maximum(found.larger, found.smaller)[seen + 1 :] >= line
    needed = np.where(reached.any(axis=0), reached.argmax(axis=0) + 1.0, math.inf)
    least, middle, most = np.quantile(needed, (0.15, 0.5, 0.85), method="nearest")
    return float(least), float(middle), float(most)
