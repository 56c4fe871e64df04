"""What a study finds, as study.json has it, and which variants and topics are shown first.

The field names are those of study.json (`study_json.py`), apart from two that `field(name=...)`
renames.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from msgspec import Struct, field

from boilersweep.cleaners.rules import AT_LEAST_ONE
from boilersweep.cleaners.syntax.variants import Sweep, parse_sweep
from boilersweep.eval.experiment.costs import KindOfPages
from boilersweep.eval.experiment.languages import (
    ByLanguage,
    LanguageTopics,
    results_by_language,
    topics_by_language,
)
from boilersweep.eval.experiment.run import ExperimentResult
from boilersweep.eval.stats.frames import Role, Row, best_of, sweeps_of
from boilersweep.eval.stats.statistics import (
    LEVEL,
    PERMUTATIONS,
    RESAMPLES,
    SIGNIFICANT,
)
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.differences import DEFAULT_TESTS, SEQUENTIAL, Pairs
from boilersweep.eval.study.suggestion import Suggestion
from boilersweep.outputs.columns import Sheet
from boilersweep.outputs.identity import __version__

if TYPE_CHECKING:
    import pandas as pd

# The version of study.json.
VERSION = 2

# Topics that a page lists and explains.
MOST_TOPICS = 1000

# The certainty of the choice's gain.
#
# unconfirmed: the corrected p-value is small enough, but the interval of the gain on held-out
# topics includes zero.
Verdict = Literal["significant", "unconfirmed", "not significant"]

_ORDER: dict[Role, int] = {"baseline": 0, "cleaner": 1, "swept": 1, "run": 1, "gold": 2}


class Formula(Struct, frozen=True):
    """One of several ranking formulas.

    Attributes:
        name: The name on the command line, and of the folder of its runs.
        model: The formula with its parameters.
        tested: Whether its differences are tested.
    """

    name: str
    model: str
    tested: bool


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
        comparisons: The p-values that were corrected, for each test.
        significant: Corrected p-values below are significant.
        tests: The tests; the first one decides what is significant.
        method: How p-values are corrected: `holm` for the probability of any false claim, `bh` for
            the share of false claims.
        margin: By how much a cleaner may be worse to count as not worse; None if that was not
            tested.
    """

    level: float = LEVEL
    resamples: int = RESAMPLES
    permutations: int = PERMUTATIONS
    seed: int
    comparisons: int
    significant: float = SIGNIFICANT
    tests: tuple[str, ...] = DEFAULT_TESTS
    method: Literal["holm", "bh"] = "holm"
    margin: float | None = None

    @property
    def corrector(self) -> str:
        """Who the correction is by."""
        return {"holm": "Holm", "bh": "Benjamini and Hochberg"}[self.method]

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
        return f"after {self.corrector}\u2019s correction for {self.comparisons:,} comparisons"


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
        all_rows: A row per variant and external run under the first formula, the baseline first
            and the gold text last; then a row per variant under each further formula.
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
    all_rows: list[Row] = field(name="variants")
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

    @cached_property
    def rows(self) -> list[Row]:
        """The rows under the first formula, and external runs."""
        first = self.formulas[0].name if self.formulas else None
        return [row for row in self.all_rows if row.formula in (None, first)]

    @property
    def baseline(self) -> Row:
        """The row that all others are compared with."""
        return self.rows[0]

    @property
    def gold(self) -> Row | None:
        """The upper bound, if there is one."""
        return self.rows[-1] if self.rows[-1].role == "gold" else None

    @property
    def chosen(self) -> Row:
        """The row chosen by cross-validation; without that, the best one by the first measure.

        With judgements of `assess`, only cleaners that are certainly better count.
        """
        if self.choice:
            return self.rows[self.choice.chosen]
        candidates = [row for row in self.rows if row.role not in ("run", "gold")]
        if self.statistics.are_sequential:
            candidates = [self.baseline, *filter(self._is_certainly_better, candidates)]
        return best_of(candidates, self.tested[0])

    def _is_certainly_better(self, row: Row) -> bool:
        """Whether the interval of judgements that `assess` collected says so."""
        result = row.results[self.tested[0]]
        return (
            bool(result.difference and result.difference > 0) and result.is_significant
        )

    @property
    def undecided(self) -> list[Row]:
        """The rows among which judgements of `assess` do not decide yet; empty otherwise.

        The baseline and the cleaners that are not certainly worse.
        """
        if not self.statistics.are_sequential or self.chosen is not self.baseline:
            return []
        open_rows = [
            row
            for row in self.rows
            if row.role not in ("run", "gold")
            and not row.results[self.tested[0]].is_significant
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
        result = self.chosen.results[self.tested[0]]
        if not result.tests:
            return None
        if not result.is_significant:
            return "not significant"
        confirmed = self.choice is None or self.choice.gain_interval[0] > 0
        return "significant" if confirmed else "unconfirmed"

    @cached_property
    def shown(self) -> list[Row]:
        """The rows to show first.

        All but the thresholds of sweeps; of these the best by each measure, the chosen ones (by
        all topics or in a fold) and the suggested one.
        """
        rows = self.rows
        places = {place for place, row in enumerate(rows) if row.role != "swept"}
        best = [
            best_of(rows_of_sweep, m)
            for rows_of_sweep in self._swept.values()
            for m in self.tested
        ]
        places |= {place for place, row in enumerate(rows) if row in best}
        if self.choice:
            places |= {self.choice.chosen, *(fold.chosen for fold in self.choice.folds)}
        if self.suggestion and self.suggestion.place is not None:
            places.add(self.suggestion.place)
        return [rows[place] for place in sorted(places)]

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

    @cached_property
    def language_results(self) -> list[ByLanguage]:
        """The results of `rows` on the topics of each language."""
        scores = {
            measure: np.array([row.scores[measure] for row in self.rows]).T
            for measure in self.baseline.scores
        }
        return results_by_language(self.by_language, scores, 0, self.statistics.seed)

    @property
    def swept(self) -> list[str]:
        """The labels of the study's sweeps, those of words and density first."""
        return sorted(self._swept, key=lambda label: label not in AT_LEAST_ONE)

    @property
    def parsed_sweeps(self) -> list[Sweep]:
        """The requested sweeps."""
        return [parse_sweep(text) for text in self.sweeps]

    def curve(self, label: str) -> list[tuple[float, Row]]:
        """Return a sweep's values, ascending, and their rows, the one of everything included."""
        curve = list(self._curves.get(label, []))
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

    def ordered(self, rows: Iterable[Row]) -> list[Row]:
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
    def by_formula(self) -> dict[str, list[Row]]:
        """Formula -> its rows, without external runs; empty for a single formula."""
        return {
            formula.name: [row for row in self.all_rows if row.formula == formula.name]
            for formula in self.formulas
        }

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
    def _curves(self) -> dict[str, list[tuple[float, Row]]]:
        """Label of each sweep -> its values and their rows."""
        return sweeps_of(self.rows, self.parsed_sweeps)

    @cached_property
    def _swept(self) -> dict[str, list[Row]]:
        """Label of each sweep -> the rows that only sweeps requested."""
        curves = {
            label: [row for _, row in curve if row.role == "swept"]
            for label, curve in self._curves.items()
        }
        return {label: rows for label, rows in curves.items() if rows}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StudyResult(ExperimentResult):
    """A study and its files.

    Attributes:
        study: What the study found.
        pair_sheet: The columns of its pairs.
    """

    study: Study
    pair_sheet: Sheet

    def pairs(self) -> "pd.DataFrame":
        """Return a row for each pair of cleaners and measure, as pairs.csv with all digits."""
        return self.pair_sheet.to_pandas()


def best_cleaner(rows: Sequence[Row], measure: str) -> Row:
    """Return the best cleaner's row, neither baseline nor gold text; else the baseline's."""
    cleaners = [row for row in rows if row.role in ("cleaner", "swept")]
    return best_of(cleaners or rows[:1], measure)
