"""What a study finds: the types of study.json, and which variants and topics are shown first.

The field names are those of study.json (`study_json.py`), apart from a few that `field(name=...)`
renames.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict, replace

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import (
    Sweep,
    Variant,
    curves_of,
    parse_sweep,
)
from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.eval.experiment.costs import IndexSize, KindOfPages, Losses
from boilersweep.eval.experiment.languages import (
    LanguageScore,
    LanguageTopics,
    scores_of_language,
    topics_by_language,
)
from boilersweep.eval.experiment.run import ExperimentResult
from boilersweep.eval.experiment.scored import ScoreRow
from boilersweep.eval.stats.statistics import (
    LEVEL,
    PERMUTATIONS,
    RESAMPLES,
    SIGNIFICANT,
    place_of_best,
)
from boilersweep.eval.study.choice import Choice, Tuned
from boilersweep.eval.study.differences import DEFAULT_TESTS, SEQUENTIAL, Pairs, Result
from boilersweep.eval.study.suggestion import Suggestion
from boilersweep.outputs.identity import __version__

# The version of study.json.
VERSION = 1

# Topics that a page lists and explains.
MOST_TOPICS = 1000

# The baseline; a named cleaner; a threshold of a sweep; an external run; people's own text.
Role = Literal["baseline", "cleaner", "swept", "run", "gold"]

# The certainty of the choice's gain.
#
# unconfirmed: the corrected p-value is small enough, but the interval of the gain on held-out
# topics includes zero.
Verdict = Literal["significant", "unconfirmed", "not significant"]

_ORDER: dict[Role, int] = {"baseline": 0, "cleaner": 1, "swept": 1, "run": 1, "gold": 2}


class StudyRow(
    Struct, frozen=True, kw_only=True, eq=False, omit_defaults=True, dict=True
):
    """A variant, or an external run, under one ranking formula.

    Attributes:
        name: The variant's name in files, or the run's.
        cleaner: The cleaner's text; None for an external run, whose counts and sizes are None too.
        feature: The label of the first sweep that has the variant, such as `words`.
        threshold: The variant's value on that sweep.
        role: The variant's role in the study.
        documents: Indexed documents.
        empty: Documents left without a token.
        tokens: Indexed tokens.
        tokens_kept: The share of the baseline's tokens, each counted once; None if it has none.
        index: The size of the index.
        losses: Losses from relevant documents; None if the analyzer does not work block by block.
        results: Measure -> result.
        scores: Measure -> (t,) scores of the evaluated topics.
        run: The path of the TREC run, below the study's folder.
        tuned: The tuned parameters, if they were tuned.
    """

    name: str
    cleaner: str | None
    feature: str | None
    threshold: float | None
    role: Role
    documents: int | None
    empty: int | None
    tokens: int | None
    tokens_kept: float | None
    index: IndexSize | None
    losses: Losses | None
    results: dict[str, Result]
    scores: dict[str, list[float]]
    run: str
    tuned: Tuned | None = None

    @property
    def label(self) -> str:
        """The text that people read: the cleaner, or the name of an external run."""
        return self.cleaner or self.name

    @property
    def variant(self) -> Variant:
        """The variant; raises TypeError for an external run."""
        if self.cleaner is None:
            raise TypeError(f"{self.name} is an external run, which has no cleaner")
        return parse_variant(self.cleaner)


@cache
def parse_variant(text: str) -> Variant:
    """Return the variant of a cleaner's text; raises UsageError for an unknown cleaner."""
    return Variant(parse_cleaner(text))


class FormulaRow(Struct, frozen=True, omit_defaults=True):
    """A variant under another formula than the first; the fields are those of `StudyRow`."""

    name: str
    results: dict[str, Result]
    scores: dict[str, list[float]]
    run: str
    tuned: Tuned | None = None


class Formula(Struct, frozen=True, eq=False):
    """One of several ranking formulas.

    Attributes:
        name: The name on the command line, and of the folder of its runs.
        model: The formula with its parameters.
        tested: Whether its differences are tested.
        variants: A row per variant, without external runs; None for the first formula, whose rows
            are the study's.
    """

    name: str
    model: str
    tested: bool
    variants: list[FormulaRow] | None


class StudyTopic(Struct, frozen=True):
    """A topic of the study.

    Attributes:
        id: The topic's id.
        query: The query.
        terms: The query's analysed terms, with repeats; None if the analyzer does not work block
            by block, as for `relevant_here` and `pairs`.
        judged: Judged documents of the qrels.
        relevant: Relevant documents of the qrels.
        relevant_here: Relevant documents in the collection.
        pairs: Pairs of a query term and a relevant document that has it under the baseline.
        language: The language of most relevant documents in the collection; None if there is none.
    """

    id: str
    query: str
    terms: list[str] | None
    judged: int
    relevant: int
    relevant_here: int | None
    pairs: int | None
    language: str | None


class Advice(Struct, frozen=True):
    """The answer in words.

    Attributes:
        cleaner: The cleaner to index with.
        sentences: How sure the choice is, which cleaners are as good, and what it costs.
        command: The command that builds the index to deploy.
    """

    cleaner: str
    sentences: tuple[str, ...]
    command: str


class Statistics(Struct, frozen=True, kw_only=True):
    """How intervals and p-values were computed.

    Attributes:
        level: The level of the intervals.
        resamples: Bootstrap resamples.
        permutations: Drawn permutations.
        seed: The seed of resamples, permutations and folds.
        comparisons: The p-values that Holm's method corrected, for each test.
        significant: Corrected p-values below are significant.
        tests: The tests; the first one decides what is significant.
    """

    level: float = LEVEL
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int
    comparisons: int
    significant: float = SIGNIFICANT
    tests: tuple[str, ...] = DEFAULT_TESTS

    @property
    def are_sequential(self) -> bool:
        """Whether they come from judgements of `assess`, which support differences alone."""
        return self.tests == (SEQUENTIAL,)

    @property
    def correction(self) -> str:
        """What p-values and intervals allow for, behind the name of a test."""
        if self.are_sequential:
            return (
                f"valid together for {self.comparisons:,} comparisons after any topic"
            )
        return f"after Holm\u2019s correction for {self.comparisons:,} comparisons"


class Measures(Struct, frozen=True):
    """The measures of a study.

    Attributes:
        tested: The measures to compare by; the study chooses by the first one.
        beside: Measures that are only shown.
    """

    tested: list[str]
    beside: list[str]


class Study(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """Everything a study found.

    Attributes:
        study_version: The version of study.json.
        version: The version of boilersweep.
        title: The study's title.
        statistics: How intervals and p-values were computed.
        measures: The measures.
        topics: The evaluated topics.
        baseline_place: The baseline's place in `rows`, 0.
        gold_place: The gold text's place in `rows`, the last one; None without a gold text.
        rows: A row per variant and external run, under the first formula.
        pairs: The differences between rows.
        choice: The cross-validated choice; None for one topic.
        suggestion: The threshold without judgements; None for a store without words.
        advice: The answer in words; None without a choice.
        sweeps: The requested sweeps, as text.
        kinds: The kinds of the collection's pages.
        notes: Sentences on topics, qrels and external runs.
        run: Inputs, options and versions, as in the manifest.
        formulas: All ranking formulas, if there are several or tuned ones.
    """

    study_version: int = VERSION
    version: str = field(name="boilersweep", default=__version__)
    title: str
    statistics: Statistics
    measures: Measures
    topics: list[StudyTopic]
    baseline_place: int = field(name="baseline", default=0)
    gold_place: int | None = field(name="gold")
    rows: list[StudyRow] = field(name="variants")
    pairs: Pairs | None
    choice: Choice | None
    suggestion: Suggestion | None
    advice: Advice | None
    sweeps: list[str]
    kinds: list[KindOfPages]
    notes: list[str]
    run: dict[str, Any]
    formulas: list[Formula] = field(default_factory=list)

    @property
    def tested(self) -> list[str]:
        """The measures to compare by, the one to choose by first."""
        return self.measures.tested

    @property
    def beside(self) -> list[str]:
        """The measures that are only shown."""
        return self.measures.beside

    @property
    def baseline(self) -> StudyRow:
        """The row that all others are compared with."""
        return self.rows[0]

    @property
    def gold(self) -> StudyRow | None:
        """The upper bound, if there is one."""
        return self.rows[-1] if self.rows[-1].role == "gold" else None

    @property
    def chosen(self) -> StudyRow:
        """The row chosen by cross-validation; without that, the best one by the first measure.

        With judgements of `assess`, only cleaners that are certainly better count.
        """
        if self.choice:
            return self.rows[self.choice.chosen]
        candidates = [row for row in self.rows if row.role not in ("run", "gold")]
        if self.statistics.are_sequential:
            candidates = [self.baseline, *filter(self._is_certainly_better, candidates)]
        return best_of(candidates, self.tested[0])

    def _is_certainly_better(self, row: StudyRow) -> bool:
        """Whether the interval of judgements that `assess` collected says so."""
        difference = row.results[self.tested[0]].difference
        return bool(difference and difference.mean > 0 and difference.is_significant)

    @property
    def undecided(self) -> list[StudyRow]:
        """The rows among which judgements of `assess` do not decide yet; empty otherwise.

        The baseline and the cleaners that are not certainly worse.
        """
        if not self.statistics.are_sequential or self.chosen is not self.baseline:
            return []
        differences = [row.results[self.tested[0]].difference for row in self.rows]
        open_rows = [
            row
            for row, one in zip(self.rows, differences, strict=True)
            if row.role not in ("run", "gold") and not (one and one.is_significant)
        ]
        return open_rows if len(open_rows) > 1 else []

    @property
    def distinction(self) -> str | None:
        """What sets the row `chosen` apart, in a word or two; None while it is undecided."""
        if self.choice:
            return "chosen"
        if self.statistics.are_sequential:
            return None if self.undecided else "certainly better"
        return "best"

    @property
    def verdict(self) -> Verdict | None:
        """Whether the choice is better than the baseline; None if nothing was tested.

        It is significantly better only if the held-out topics and the corrected test agree.
        """
        difference = self.chosen.results[self.tested[0]].difference
        if difference is None or difference.tests is None:
            return None
        if not difference.is_significant:
            return "not significant"
        confirmed = self.choice is None or self.choice.gain_interval[0] > 0
        return "significant" if confirmed else "unconfirmed"

    @cached_property
    def shown(self) -> list[StudyRow]:
        """The rows to show first.

        All but the thresholds of sweeps; of these the best by each measure, the chosen ones (by
        all topics or in a fold) and the suggested one.
        """
        places = {place for place, row in enumerate(self.rows) if row.role != "swept"}
        for curve in self._swept.values():
            for measure in self.tested:
                means = [self.rows[n].results[measure].mean for n in curve]
                places.add(curve[place_of_best(means)])
        if self.choice:
            places |= {self.choice.chosen, *(fold.chosen for fold in self.choice.folds)}
        if self.suggestion and self.suggestion.place is not None:
            places.add(self.suggestion.place)
        return [self.rows[place] for place in sorted(places)]

    @property
    def listed_topics(self) -> list[int]:
        """Places of the topics to list, in their order.

        All, or the MOST_TOPICS that differ most from the baseline under any shown row.
        """
        if len(self.topics) <= MOST_TOPICS:
            return list(range(len(self.topics)))
        widest = np.zeros(len(self.topics))
        for measure in self.tested:
            base = np.array(self.baseline.scores[measure])
            for row in self.shown:
                np.maximum(
                    widest, np.abs(np.array(row.scores[measure]) - base), out=widest
                )
        most = np.argsort(-widest, kind="stable")[:MOST_TOPICS]
        return sorted(most.tolist())

    @property
    def by_language(self) -> list[LanguageTopics]:
        """The topics by their language; empty if all are of one."""
        languages = [topic.language for topic in self.topics]
        return topics_by_language(languages, self.run["languages"])

    def language_scores(
        self, rows: Sequence[StudyRow], measure: str
    ) -> list[list[LanguageScore]]:
        """Return the scores of some rows for each of `by_language`."""
        columns = [row.scores[measure] for row in (self.baseline, *rows)]
        values = np.array(columns).T
        scores = []
        for group in self.by_language:
            baseline, *others = scores_of_language(
                values, group, 0, self.statistics.seed
            )
            pairs = zip(rows, others, strict=True)
            scores.append(
                [baseline if row is self.baseline else score for row, score in pairs]
            )
        return scores

    @property
    def swept(self) -> list[str]:
        """The labels of the study's sweeps, those of words and density first."""
        return sorted(self._swept, key=lambda label: label not in AT_LEAST_ONE)

    @property
    def parsed_sweeps(self) -> list[Sweep]:
        """The requested sweeps."""
        return [parse_sweep(text) for text in self.sweeps]

    @property
    def sweep_rows(self) -> list[ScoreRow]:
        """The rows as those of a sweep."""
        return [
            ScoreRow(
                row.variant,
                row.documents or 0,
                row.empty or 0,
                row.tokens or 0,
                {measure: result.mean for measure, result in row.results.items()},
            )
            for row in self.rows
            if row.cleaner
        ]

    def curve(self, label: str) -> list[tuple[float, StudyRow]]:
        """Return a sweep's values, ascending, and their rows, the one of everything included."""
        curve = [
            (value, self.rows[place]) for value, place in self._curves.get(label, [])
        ]
        # Every block has at least one word, and a density of at least 1: the same text.
        point = self.baseline.variant.point
        if (
            label in AT_LEAST_ONE
            and point
            and point.value == 1
            and (not curve or curve[0][0] > 1)
        ):
            curve.insert(0, (1.0, self.baseline))
        return curve

    def ordered(self, rows: Iterable[StudyRow]) -> list[StudyRow]:
        """Sort rows: the baseline, the others by the first measure (best first), the gold text."""
        measure = self.tested[0]
        return sorted(
            rows, key=lambda row: (_ORDER[row.role], -row.results[measure].mean)
        )

    @property
    def has_tuned(self) -> bool:
        """Whether a ranking formula's parameters were tuned for its variants."""
        return any(row.tuned for row in self.all_rows)

    @cached_property
    def by_formula(self) -> dict[str, list[StudyRow]]:
        """Formula -> its rows, without external runs; empty for a single formula."""
        rows = [row for row in self.rows if row.role != "run"]
        under: dict[str, list[StudyRow]] = {}
        for formula in self.formulas:
            under[formula.name] = rows
            if formula.variants is not None:
                under[formula.name] = [
                    replace(row, **asdict(other))
                    for row, other in zip(rows, formula.variants, strict=True)
                ]
        return under

    @property
    def all_rows(self) -> list[StudyRow]:
        """The rows, then those under further formulas."""
        return [
            *self.rows,
            *(row for rows in list(self.by_formula.values())[1:] for row in rows),
        ]

    @property
    def answer(self) -> str:
        """Which cleaner, how sure, at what cost, how to deploy it; and what the blocks suggest."""
        lines = ["Nothing can be chosen by a single topic."]
        if self.statistics.are_sequential:
            lines = [
                "Judgements of `boilersweep assess` decide alone; the notes say what."
            ]
        if self.advice:
            lines = [*self.advice.sentences, "", f"    {self.advice.command}"]
        if self.suggestion:
            lines += ["", str(self.suggestion)]
        return "\n".join(lines)

    @cached_property
    def _curves(self) -> dict[str, list[tuple[float, int]]]:
        """Label of each sweep -> its values, and the places of their rows."""
        places = {
            row.variant: place for place, row in enumerate(self.rows) if row.cleaner
        }
        numbers = list(places.values())
        return {
            label: [(value, numbers[number]) for value, number in curve]
            for label, curve in curves_of(list(places), self.parsed_sweeps).items()
        }

    @cached_property
    def _swept(self) -> dict[str, list[int]]:
        """Label of each sweep -> places of the rows that only sweeps requested."""
        swept = {}
        for label, curve in self._curves.items():
            places = [place for _, place in curve if self.rows[place].role == "swept"]
            if places:
                swept[label] = places
        return swept


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyResult(ExperimentResult):
    """A study and its files.

    Attributes:
        study: What the study found.
    """

    study: Study


def best_of(rows: Sequence[StudyRow], measure: str) -> StudyRow:
    """Return the row with the best mean; of equal ones the first."""
    return rows[place_of_best([row.results[measure].mean for row in rows])]


def best_cleaner(rows: Sequence[StudyRow], measure: str) -> StudyRow:
    """Return the best cleaner's row, neither baseline nor gold text; else the baseline's."""
    cleaners = [row for row in rows if row.role in ("cleaner", "swept")]
    return best_of(cleaners or rows[:1], measure)
