"""What a study finds: of each variant scores, tests and costs; of all, which one to index with.

What counts as statistically significant is decided here alone, as is which variants and topics
are shown first, and in which order.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from boilersweep import __version__
from boilersweep.cleaners.variants import SWEEPABLE, Variant
from boilersweep.eval.statistics import (
    LEVEL,
    PERMUTATIONS,
    RESAMPLES,
    Interval,
    Outcomes,
)
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.sweep.table import SweepRow
from boilersweep.pages.columns import FloatArray, IntArray

SIGNIFICANT = 0.05
"""A difference is significant if its randomisation p-value is below after Holm's correction."""

MOST_TOPICS = 1000
"""Topics that are listed and explained: so many fill a page and the patience of its readers."""

Role = Literal["baseline", "cleaner", "swept", "gold"]
"""The baseline; a cleaner that was named; a threshold of a sweep; people's own text."""

Verdict = Literal["significant", "unconfirmed", "not significant"]
"""Of the gain of what was chosen. unconfirmed: its corrected p-value is small enough, but the
interval of the gain on held-out topics includes zero.
"""

_ORDER: dict[Role, int] = {"baseline": 0, "cleaner": 1, "swept": 1, "gold": 2}


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

    @property
    def is_significant(self) -> bool:
        """Whether it is statistically significant; never without a test."""
        return self.tests is not None and self.tests.randomisation_holm < SIGNIFICANT


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

    @property
    def feature(self) -> str | None:
        """What it is a threshold of; None for other cleaners."""
        return self.variant.point.feature if self.variant.point else None

    @property
    def threshold(self) -> float | None:
        """The least value of the feature; None for other cleaners."""
        return self.variant.point.value if self.variant.point else None

    @property
    def run_path(self) -> str:
        """Where its TREC run is, below the folder of the study."""
        return f"runs/{self.variant.name}.trec"


@dataclass(frozen=True, slots=True)
class StudyTopic:
    """A topic of the study.

    terms: of the query as analysed, with repeats. judged, relevant: documents of the qrels.
    relevant_here: relevant documents that the collection has. pairs: of a term and a relevant
    document that has it under the baseline. None where the analyzer cannot be run block by block.
    """

    id: str
    query: str
    terms: list[str] | None
    judged: int
    relevant: int
    relevant_here: int | None
    pairs: int | None


@dataclass(frozen=True, slots=True)
class Advice:
    """cleaner: to index with. sentences: how sure that is, and at what cost.

    command: builds the index to deploy.
    """

    cleaner: str
    sentences: tuple[str, str]
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """How intervals and p-values were computed. level: of the intervals.

    comparisons: how many p-values Holm corrected, for each of the two tests. significant: below
    which corrected p-value a difference is.
    """

    level: float = LEVEL
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int
    comparisons: int
    significant: float = SIGNIFICANT


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything a study found. tested: measures to compare by, the first one to choose by.

    beside: measures that are only shown. rows: the baseline first, the gold text last. notes: on
    topics and qrels. run: what was run on what, as in the manifest. version: of the boilersweep
    that made it.
    """

    title: str
    tested: list[str]
    beside: list[str]
    topics: list[StudyTopic]
    rows: list[StudyRow]
    statistics: Statistics
    choice: Choice | None
    suggestion: Suggestion | None
    advice: Advice | None
    notes: list[str]
    run: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def baseline(self) -> StudyRow:
        """What all others are compared with."""
        return self.rows[0]

    @property
    def gold(self) -> StudyRow | None:
        """The upper bound, where there is one."""
        return self.rows[-1] if self.rows[-1].role == "gold" else None

    @property
    def chosen(self) -> StudyRow:
        """What was chosen by cross-validation; without that the best by the first measure."""
        if self.choice:
            return self.rows[self.choice.chosen]
        measure = self.tested[0]
        candidates = [row for row in self.rows if row.role != "gold"]
        return max(candidates, key=lambda row: row.results[measure].mean)

    @property
    def verdict(self) -> Verdict | None:
        """Whether what was chosen is better than the baseline; None where nothing was tested.

        It is significantly better only where the held-out topics and the corrected test agree.
        """
        difference = self.chosen.results[self.tested[0]].difference
        if difference is None or difference.tests is None:
            return None
        if not difference.is_significant:
            return "not significant"
        confirmed = self.choice is None or self.choice.gain_interval[0] > 0
        return "significant" if confirmed else "unconfirmed"

    @property
    def shown(self) -> list[StudyRow]:
        """The rows to show first: all but the thresholds of sweeps; of these the best by each
        measure, what was chosen (as a whole or in a fold) and what was suggested.
        """
        places = {place for place, row in enumerate(self.rows) if row.role != "swept"}
        for feature in self.swept_features:
            swept = [n for n, row in self._swept() if row.feature == feature]
            for measure in self.tested:
                places.add(max(swept, key=lambda n: self.rows[n].results[measure].mean))
        if self.choice:
            places |= {self.choice.chosen, *(fold.chosen for fold in self.choice.folds)}
        if self.suggestion and self.suggestion.variant:
            suggested = self.place(self.suggestion.variant)
            places |= set() if suggested is None else {suggested}
        return [self.rows[place] for place in sorted(places)]

    @property
    def listed_topics(self) -> list[int]:
        """Places of the topics to list, in their order.

        All, or the MOST_TOPICS that differ most from the baseline under any row that is shown.
        """
        if len(self.topics) <= MOST_TOPICS:
            return list(range(len(self.topics)))
        widest = np.zeros(len(self.topics))
        for measure in self.tested:
            kept = self.baseline.topic_scores[measure]
            for row in self.shown:
                np.maximum(widest, np.abs(row.topic_scores[measure] - kept), out=widest)
        most = np.argsort(-widest, kind="stable")[:MOST_TOPICS]
        return sorted(most.tolist())

    @property
    def swept_features(self) -> list[str]:
        """The features that a sweep was made of."""
        found = {row.feature for _, row in self._swept()}
        return [feature for feature in SWEEPABLE if feature in found]

    @property
    def sweep_rows(self) -> list[SweepRow]:
        """The rows as those of a sweep."""
        return [
            SweepRow(
                row.variant,
                row.documents,
                row.empty,
                row.tokens,
                {measure: result.mean for measure, result in row.results.items()},
            )
            for row in self.rows
        ]

    def thresholds(self, feature: str) -> list[StudyRow]:
        """All thresholds of a feature, in ascending order, that of everything among them."""
        rows = [row for row in self.rows if row.feature == feature]
        # Every block has at least one word, and a density of at least 1: the same text.
        if self.baseline.feature != feature and self.baseline.threshold == 1:
            rows += [] if any(row.threshold == 1 for row in rows) else [self.baseline]
        return sorted(rows, key=lambda row: row.threshold or 0)

    def ordered(self, rows: Iterable[StudyRow]) -> list[StudyRow]:
        """The baseline, all others from the best on by the first measure, the gold text."""
        return ordered(rows, self.tested[0])

    def place(self, variant: Variant) -> int | None:
        """The place of a variant among the rows."""
        return next((n for n, row in enumerate(self.rows) if row.variant == variant), None)

    @property
    def answer(self) -> str:
        """Which cleaner, how sure, at what cost, how to deploy it; and what the blocks suggest."""
        lines = ["Nothing can be chosen by a single topic."]
        if self.advice:
            lines = [*self.advice.sentences, "", f"    {self.advice.command}"]
        if self.suggestion:
            lines += ["", str(self.suggestion)]
        return "\n".join(lines)

    def _swept(self) -> list[tuple[int, StudyRow]]:
        return [(place, row) for place, row in enumerate(self.rows) if row.role == "swept"]


def ordered(rows: Iterable[StudyRow], measure: str) -> list[StudyRow]:
    """The baseline, all others from the best on by a measure, the gold text."""
    return sorted(rows, key=lambda row: (_ORDER[row.role], -row.results[measure].mean))
