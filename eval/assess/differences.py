"""The difference between two rankings of a topic: the documents that decide it, and its bounds.

P@k and DCG@k are sums over documents: weight of the rank times gain of the grade. A document with
the same weight in both rankings cancels out and need not be judged.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.errors import UsageError

# Docid -> the lowest and the highest grade that its judgements allow.
Grades = Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class SummedMeasure:
    """P@k (gain 1 from grade 1 on) or DCG@k (gain = grade, discount log2(rank + 1)).

    Attributes:
        name: "P" or "DCG".
        k: How many documents count.
        most: The highest grade that an assessor can give.
    """

    name: str
    k: int
    most: int = 3

    def weights(self, ranking: Sequence[str]) -> dict[str, float]:
        """Map each of the first k docids to the weight of its rank."""
        if self.name == "P":
            return dict.fromkeys(ranking[: self.k], 1 / self.k)
        return {docid: 1 / math.log2(rank + 2) for rank, docid in enumerate(ranking[: self.k])}

    def gain(self, grade: int) -> float:
        """Return what a document of this grade adds, times the weight of its rank."""
        return float(min(grade, self.most) if self.name == "DCG" else grade >= 1)

    @property
    def top(self) -> float:
        """The score of a ranking whose first k documents have the highest grade."""
        return sum(self.weights([str(rank) for rank in range(self.k)]).values()) * self.gain(
            self.most
        )

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"


def parse_summed_measure(text: str, most: int = 3) -> SummedMeasure:
    """Parse `P@10` or `DCG@10`; raise UsageError for other measures."""
    match = re.fullmatch(r"(P|DCG|nDCG)@([1-9][0-9]{0,2})", text)
    if match is None or match[1] == "nDCG":
        reason = (
            "nDCG divides by the ideal ranking, which unjudged documents outside the pool may "
            "change without limit"
            if match
            else "its difference must be a sum over documents"
        )
        raise UsageError(f"expected the measure P@k or DCG@k, such as P@10, got {text!r}: {reason}")
    return SummedMeasure(match[1], int(match[2]), most)


def weight_differences(
    a: Sequence[str], b: Sequence[str], measure: SummedMeasure
) -> dict[str, float]:
    """Map each document that decides to its weight in b minus its weight in a."""
    of_a, of_b = measure.weights(a), measure.weights(b)
    differences = {docid: of_b.get(docid, 0.0) - of_a.get(docid, 0.0) for docid in {**of_a, **of_b}}
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
            weight * measure.gain(grade) for grade in grades.get(docid, (0, measure.most))
        )
        low, high = low + ends[0], high + ends[1]
    return low, high
