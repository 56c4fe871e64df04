"""What a study finds of one variant: scores with intervals and tests, and what cleaning costs."""

from dataclasses import dataclass
from typing import Literal

from boilersweep.cleaners.variants import Variant
from boilersweep.eval.statistics import Outcomes
from boilersweep.pages.columns import FloatArray, IntArray

Role = Literal["baseline", "cleaner", "swept", "gold"]
"""The baseline; a cleaner that was named; a threshold of a sweep; people's own text."""

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PValues:
    """p-values of a difference, two-sided, and as Holm corrects them over the whole study."""

    t: float
    t_holm: float
    randomisation: float
    randomisation_holm: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Of a variant's mean to the baseline's. interval: None where there is one topic.

    tests: None for measures that only stand beside the scores, and for the gold text.
    """

    mean: float
    interval: Interval | None
    outcomes: Outcomes
    tests: PValues | None


@dataclass(frozen=True, slots=True)
class Result:
    """A variant by one measure. interval: of the mean; None where there is one topic.

    difference: None for the baseline. closed: the share of the gap from the baseline to the gold
    text that is closed; None without gold text, or where that is no better than the baseline.
    """

    mean: float
    interval: Interval | None
    difference: Difference | None
    closed: float | None


@dataclass(frozen=True, slots=True, eq=False)
class TopicLosses:
    """What cleaning takes from the relevant documents of t topics.

    relevant_empty: (t,) relevant documents left without a token. terms_lost: (t,) terms of the
    query that the baseline leaves in a relevant document and the variant does not, counted once
    for each term and document.
    """

    relevant_empty: IntArray
    terms_lost: IntArray


@dataclass(frozen=True, slots=True)
class Losses:
    """The same over all topics. relevant_empty: documents, each counted once.

    terms_lost: a share of those that the baseline leaves; None where it leaves none.
    """

    relevant_empty: int
    terms_lost: float | None
    by_topic: TopicLosses


@dataclass(frozen=True, slots=True)
class IndexSize:
    """Bytes of an index for the study, without positions. measured: on a real one."""

    size: int
    measured: bool


@dataclass(frozen=True, slots=True, eq=False)
class StudyRow:
    """One variant. documents: indexed. empty: left without a token. tokens: indexed.

    tokens_kept: a share of the baseline's; None where that has none. losses: None where the
    analyzer cannot be run block by block. results: measure -> result.
    topic_scores: measure -> (t,) values of the evaluated topics.
    """

    variant: Variant
    role: Role
    documents: int
    empty: int
    tokens: int
    tokens_kept: float | None
    index: IndexSize
    losses: Losses | None
    results: dict[str, Result]
    topic_scores: dict[str, FloatArray]
