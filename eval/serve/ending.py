"""What the end of judging shows: how certain it became, and what the best cleaner changes."""

from collections.abc import Mapping
from dataclasses import dataclass

from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.family import ALPHA
from boilersweep.eval.explain.hit_list import Move, moves
from boilersweep.topics import Topic

_MOST_LISTS = 5


@dataclass(frozen=True, slots=True)
class Course:
    """How certain it was that some cleaner is best.

    Attributes:
        levels: A number of judgements -> the certainty from then on.
        judged: How many documents are judged.
    """

    levels: Mapping[int, float]
    judged: int

    @property
    def text(self) -> str:
        """The course in words."""
        passed = [
            f"{level:.0%} after {number:,}"
            for level in (0.5, 1 - ALPHA)
            for number in [
                next((n for n, c in self.levels.items() if c >= level), None)
            ]
            if number
        ]
        now = f"{[*self.levels.values()][-1]:.0%} after all {self.judged:,} judgements"
        return f"Certainty that one cleaner is best: {', '.join([*passed, now])}"


@dataclass(frozen=True, slots=True)
class ChangedList:
    """A query's first documents before and after the best cleaner.

    Attributes:
        topic: The topic.
        moves: See `boilersweep.eval.explain.hit_list.moves`.
    """

    topic: Topic
    moves: list[Move]

    @property
    def entered(self) -> int:
        """How many documents are new."""
        return sum(one.before is None for one in self.moves)

    @property
    def before(self) -> list[Move]:
        """The documents of the list before, best first."""
        known = [(one.before, one) for one in self.moves if one.before]
        return [one for _, one in sorted(known, key=lambda ranked: ranked[0])]


def changed_lists(
    assessment: Assessment, baseline: str, best: str
) -> list[ChangedList]:
    """Return the lists that differ between two cleaners, those with most new documents first."""
    family = assessment.family
    lists = []
    for topic in family.topics:
        before, after = (
            list(family.runs[name].get(topic, ()))[: family.measure.k]
            for name in (baseline, best)
        )
        if before != after:
            found = moves(before, after)
            lists.append(ChangedList(assessment.topics[topic], found))
    return sorted(lists, key=lambda one: -one.entered)[:_MOST_LISTS]
