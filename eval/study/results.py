"""What a study finds: of each variant scores, tests and costs; of all, which one to index with.

Which variants and topics are shown first, and in which order, is decided here alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, curves_of
from boilersweep.eval.bootstrap import LEVEL, RESAMPLES
from boilersweep.eval.languages import (
    LanguageScore,
    LanguageTopics,
    scores_of_language,
    topics_by_language,
)
from boilersweep.eval.significance import PERMUTATIONS, SIGNIFICANT
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.differences import DEFAULT_TESTS, Difference
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.page_kinds import KindOfPages
from boilersweep.eval.study.pairs import Pairs
from boilersweep.eval.sweep.table import SweepRow
from boilersweep.outputs.identity import __version__
from boilersweep.pages.columns import FloatArray, IntArray

MOST_TOPICS = 1000
"""Topics that are listed and explained: so many fill a page and the patience of its readers."""

Role = Literal["baseline", "cleaner", "swept", "run", "gold"]
"""The baseline; a cleaner that was named; a threshold of a sweep; a run from elsewhere; people's
own text.
"""

Verdict = Literal["significant", "unconfirmed", "not significant"]
"""Of the gain of what was chosen. unconfirmed: its corrected p-value is small enough, but the
interval of the gain on held-out topics includes zero.
"""

_ORDER: dict[Role, int] = {"baseline": 0, "cleaner": 1, "swept": 1, "run": 1, "gold": 2}


@dataclass(frozen=True, slots=True)
class Result:
    """A variant by one measure. interval: of the mean; None where there is one topic.

    difference: None for the baseline. closed: the share of the gap from the baseline to the gold
    text that is closed; None without gold text, or where that is no better than the baseline.
    closed_interval: of that; None, too, where the topics do not say for sure that there is a gap.
    """

    mean: float
    interval: Interval | None
    difference: Difference | None
    closed: float | None
    closed_interval: Interval | None = None


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


@dataclass(frozen=True, slots=True)
class OutsideRun:
    """A run made elsewhere, under the name that was given to it. point: it is no threshold."""

    name: str

    point = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Tuned:
    """The ranking formula as it was tuned for a variant. best: by all topics.

    folds: by the topics outside each fold, which is held out; in the order of `Choice.folds`.
    """

    best: str
    folds: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StudyRow:
    """One variant, or a run from elsewhere. documents: indexed. empty: left without a token.

    tokens: indexed. tokens_kept: a share of the baseline's; None where that has none. losses: None
    where the analyzer cannot be run block by block. Of runs from elsewhere none of these is known.
    results: measure -> result. topic_scores: measure -> (t,) values of the evaluated topics.
    formula: the name of the ranking formula, where a study has several. tuned: its parameters,
    where they were tuned.
    """

    variant: Variant | OutsideRun
    role: Role
    documents: int | None
    empty: int | None
    tokens: int | None
    tokens_kept: float | None
    index: IndexSize | None
    losses: Losses | None
    results: dict[str, Result]
    topic_scores: dict[str, FloatArray]
    formula: str | None = None
    tuned: Tuned | None = None

    @property
    def cleaner(self) -> Cleaner:
        """What it keeps of pages; raises TypeError for a run from elsewhere."""
        if isinstance(self.variant, OutsideRun):
            raise TypeError(f"{self.variant} is a run from elsewhere, which has no cleaner")
        return self.variant.cleaner

    @property
    def run_path(self) -> str:
        """Where its TREC run is, below the folder of the study."""
        return run_path(self.variant.name, self.formula)


def run_path(name: str, formula: str | None) -> str:
    """Where the run of a variant is. formula: its name, where a study has several."""
    return f"runs/{formula}/{name}.trec" if formula else f"runs/{name}.trec"


@dataclass(frozen=True, slots=True, eq=False)
class FormulaRows:
    """The variants under one of several ranking formulas. name: as asked for, and of the folder of
    its runs. model: with its parameters. tested: whether its differences are. rows: the baseline
    first, the gold text last, without runs from elsewhere.
    """

    name: str
    model: str
    tested: bool
    rows: list[StudyRow]

    @property
    def baseline(self) -> StudyRow:
        return self.rows[0]

    def row_of(self, variant: Variant | OutsideRun) -> StudyRow | None:
        """The row of a variant under this formula; None for a run from elsewhere."""
        return next((row for row in self.rows if row.variant == variant), None)

    def best(self, measure: str) -> StudyRow:
        """The best cleaner by a measure, the baseline and the gold text apart."""
        rows = [row for row in self.rows if row.role in ("cleaner", "swept")]
        return max(rows or self.rows[:1], key=lambda row: row.results[measure].mean)


@dataclass(frozen=True, slots=True)
class StudyTopic:
    """A topic of the study.

    terms: of the query as analysed, with repeats. judged, relevant: documents of the qrels.
    relevant_here: relevant documents that the collection has. pairs: of a term and a relevant
    document that has it under the baseline. None where the analyzer cannot be run block by block.
    language: that of most of its relevant documents in the collection, None where none is.
    """

    id: str
    query: str
    terms: list[str] | None
    judged: int
    relevant: int
    relevant_here: int | None
    pairs: int | None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """cleaner: to index with. sentences: how sure that is, what is as good, and at what cost.

    command: builds the index to deploy.
    """

    cleaner: str
    sentences: tuple[str, ...]
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """How intervals and p-values were computed. level: of the intervals.

    comparisons: how many p-values Holm corrected, for each of the tests. significant: below
    which corrected p-value a difference is. tests: the first one decides that.
    """

    level: float = LEVEL
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int
    comparisons: int
    significant: float = SIGNIFICANT
    tests: tuple[str, ...] = DEFAULT_TESTS


Points = dict[Variant | OutsideRun, tuple[str, float]]
"""Variants of thresholds -> the label of a sweep, and the value."""


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything a study found. tested: measures to compare by, the first one to choose by.

    beside: measures that are only shown. rows: the baseline first, the gold text last. notes: on
    topics, qrels and runs from elsewhere. run: what was run on what, as in the manifest. version:
    of the boilersweep that made it. formulas: all of several, `rows` being under the first; none
    where there is one. pairs: rows against each other; None where a file has none.
    sweeps: those asked for. kinds: of the collection's pages.
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
    formulas: list[FormulaRows] = field(default_factory=list)
    pairs: Pairs | None = None
    sweeps: list[Sweep] = field(default_factory=list)
    kinds: list[KindOfPages] = field(default_factory=list)

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
        candidates = [row for row in self.rows if row.role not in ("run", "gold")]
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
        for curve in self._swept().values():
            for measure in self.tested:
                places.add(max(curve, key=lambda n: self.rows[n].results[measure].mean))
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
    def by_language(self) -> list[LanguageTopics]:
        """Its topics by their language; none where all are of one."""
        languages = [topic.language for topic in self.topics]
        return topics_by_language(languages, self.run.get("languages", {}))

    def language_scores(self, rows: Sequence[StudyRow], measure: str) -> list[list[LanguageScore]]:
        """Of each of `by_language` the scores of some rows, the baseline among them or not."""
        kept = self.baseline.topic_scores[measure]
        values = np.stack([kept, *(row.topic_scores[measure] for row in rows)], axis=1)
        baselines = [place for place, row in enumerate(rows) if row is self.baseline]
        found = []
        for group in self.by_language:
            first, *scores = scores_of_language(values, group, 0, self.statistics.seed)
            for place in baselines:
                scores[place] = first
            found.append(scores)
        return found

    @property
    def swept(self) -> list[str]:
        """The labels of the sweeps that it was made of, those of words and density first."""
        swept = self._swept()
        return sorted(swept, key=lambda label: label not in AT_LEAST_ONE)

    @property
    def points(self) -> Points:
        """Where its variants are on the curves of sweeps."""
        return points_of(self.rows, self.sweeps)

    @property
    def sweep_rows(self) -> list[SweepRow]:
        """The rows as those of a sweep."""
        return [
            SweepRow(
                row.variant,
                row.documents or 0,
                row.empty or 0,
                row.tokens or 0,
                {measure: result.mean for measure, result in row.results.items()},
            )
            for row in self.rows
            if isinstance(row.variant, Variant)
        ]

    def letters(self, measure: str) -> dict[StudyRow, str]:
        """The groups of rows that are not told apart by a tested measure, as letters."""
        if self.pairs is None:
            return {}
        return {self.rows[n]: letters for n, letters in self.pairs.letters(measure).items()}

    def curve(self, label: str) -> list[tuple[float, StudyRow]]:
        """The values of a sweep, ascending, and their rows, that of everything among them."""
        curve = [
            (value, self.rows[place])
            for value, place in _curves(self.rows, self.sweeps).get(label, [])
        ]
        # Every block has at least one word, and a density of at least 1: the same text.
        point = self.baseline.variant.point
        if label in AT_LEAST_ONE and point and point.value == 1 and (not curve or curve[0][0] > 1):
            curve.insert(0, (1.0, self.baseline))
        return curve

    def ordered(self, rows: Iterable[StudyRow]) -> list[StudyRow]:
        """The baseline, all others from the best on by the first measure, the gold text."""
        return ordered(rows, self.tested[0])

    @property
    def has_tuned(self) -> bool:
        """Whether parameters of a ranking formula were tuned for its variants."""
        return any(row.tuned for row in self.all_rows)

    @property
    def all_rows(self) -> list[StudyRow]:
        """The rows, then those under further formulas."""
        return [*self.rows, *(row for formula in self.formulas[1:] for row in formula.rows)]

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

    def _swept(self) -> dict[str, list[int]]:
        """Label of each sweep -> places of the rows that it alone has brought."""
        swept = {}
        for label, curve in _curves(self.rows, self.sweeps).items():
            places = [place for _, place in curve if self.rows[place].role == "swept"]
            if places:
                swept[label] = places
        return swept


def points_of(rows: Sequence[StudyRow], sweeps: Sequence[Sweep]) -> Points:
    """Variant -> label and value of the first sweep on whose curve it stands, if on any."""
    points: Points = {}
    for label, curve in _curves(rows, sweeps).items():
        for value, place in curve:
            points.setdefault(rows[place].variant, (label, value))
    return points


def _curves(
    rows: Sequence[StudyRow], sweeps: Sequence[Sweep]
) -> dict[str, list[tuple[float, int]]]:
    """Label of each sweep -> its values, and the places of their rows."""
    found = {
        row.variant: place for place, row in enumerate(rows) if isinstance(row.variant, Variant)
    }
    places = list(found.values())
    return {
        label: [(value, places[number]) for value, number in curve]
        for label, curve in curves_of(list(found), sweeps).items()
    }


def ordered(rows: Iterable[StudyRow], measure: str) -> list[StudyRow]:
    """The baseline, all others from the best on by a measure, the gold text."""
    return sorted(rows, key=lambda row: (_ORDER[row.role], -row.results[measure].mean))
