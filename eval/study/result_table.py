"""The one table of results, a line per ranking formula, variant and measure; and CSV files of it.

Terminal tables, LaTeX and CSV files, charts and the report's tables are views of it; study.json
holds what it is built from.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boilersweep.eval.experiment.languages import languages_csv
from boilersweep.eval.stats.statistics import Interval
from boilersweep.eval.study.differences import Difference, in_order
from boilersweep.eval.study.results import Formula, Study, StudyRow, best_cleaner
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure

_COSTS = (
    "documents empty relevant_empty terms_lost tokens tokens_kept index_bytes index_measured"
).split()
_RESULTS = "gap_closed gap_low gap_high effect detectable groups".split()

# Column -> value, unformatted; None for what does not apply.
#
# formula, tuned      the name of the ranking formula, if a study has several, and the parameters
#                     that were tuned for the variant
# cleaner, role       the cleaner's text, or the name of an external run
# feature, threshold  the label of the sweep that has the variant, and its value there
# measure, mean, low, high
# difference, difference_low, difference_high, wins, ties, losses, effect, detectable
#                     to the baseline under the same formula
# t, t_holm, ...      the p-values of each test, plain and corrected; p: the one that decides
# significant, mark   whether the difference is significant, and how tables mark it
# gap_closed, gap_low, gap_high
#                     the closed share of the gap to the gold text
# groups              letters of the groups of indistinguishable cleaners
# documents, empty, relevant_empty, terms_lost, tokens, tokens_kept, index_bytes, index_measured
Line = dict[str, Any]


class ResultTable:
    """A study's results as lines."""

    def __init__(self, study: Study) -> None:
        """Build all lines of a study."""
        self.study = study
        self.tests = in_order(study.statistics.tests)
        first = study.formulas[0].name if study.formulas else None
        self._lines: dict[tuple[StudyRow, str], Line] = {}
        for place, row in enumerate(study.rows):
            formula = None if row.role == "run" else first
            for measure in row.results:
                letters = (
                    study.pairs.letters(measure).get(place) if study.pairs else None
                )
                self._lines[row, measure] = self._line(row, measure, formula, letters)
        for name, rows in list(study.by_formula.items())[1:]:
            for row in rows:
                for measure in row.results:
                    self._lines[row, measure] = self._line(row, measure, name, None)

    def of(self, row: StudyRow, measure: str) -> Line:
        """Return the line of a row and a measure."""
        return self._lines[row, measure]

    def lines(self, rows: Iterable[StudyRow], measures: Sequence[str]) -> list[Line]:
        """Return the lines of some rows, measure by measure within each row."""
        return [self._lines[row, measure] for row in rows for measure in measures]

    def _line(
        self, row: StudyRow, measure: str, formula: str | None, letters: str | None
    ) -> Line:
        """Build a line."""
        result, losses, index = row.results[measure], row.losses, row.index
        low, high = _ends(result.interval)
        gap_low, gap_high = _ends(result.closed_interval)
        return {
            "formula": formula,
            "tuned": row.tuned.best if row.tuned else None,
            "cleaner": row.label,
            "role": row.role,
            "feature": row.feature,
            "threshold": row.threshold,
            "measure": measure,
            "mean": result.mean,
            "low": low,
            "high": high,
            **difference_columns(result.difference, self.tests),
            "gap_closed": result.closed,
            "gap_low": gap_low,
            "gap_high": gap_high,
            "groups": letters or None,
            "documents": row.documents,
            "empty": row.empty,
            "relevant_empty": losses.relevant_empty if losses else None,
            "terms_lost": losses.terms_lost if losses else None,
            "tokens": row.tokens,
            "tokens_kept": row.tokens_kept,
            "index_bytes": index.bytes if index else None,
            "index_measured": index.measured if index else None,
        }


def difference_columns(difference: Difference | None, tests: Sequence[str]) -> Line:
    """Return the columns of a difference; None for the baseline, whose columns are empty."""
    names = [name for test in tests for name in (test, f"{test}_holm")]
    if difference is None:
        empty = "difference difference_low difference_high wins ties losses effect detectable p"
        return dict.fromkeys([*empty.split(), *names]) | {
            "significant": False,
            "mark": "",
        }
    low, high = _ends(difference.interval)
    ps = difference.tests or {}
    return {
        "difference": difference.mean,
        "difference_low": low,
        "difference_high": high,
        **{name: ps.get(name) for name in names},
        "p": difference.p,
        "wins": difference.wins,
        "ties": difference.ties,
        "losses": difference.losses,
        "effect": difference.effect,
        "detectable": difference.detectable,
        "significant": difference.is_significant,
        "mark": difference.mark,
    }


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Return an interval's ends."""
    return interval or (None, None)


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """A ranking formula's answer by a measure.

    Attributes:
        formula: The formula.
        before: The baseline's line.
        after: The compared cleaner's line.
        best: The line of the best cleaner under the formula.
    """

    formula: Formula
    before: Line
    after: Line
    best: Line

    @property
    def tuned(self) -> tuple[str, str] | None:
        """The best parameters of baseline and cleaner by all topics; None if they are fixed."""
        before, after = self.before["tuned"], self.after["tuned"]
        return (before, after) if before and after else None


def compared_cleaner(study: Study) -> StudyRow:
    """Return the cleaner whose gain to show: the chosen one, or the best if it is the baseline."""
    chosen = study.chosen
    return (
        best_cleaner(study.rows, study.tested[0])
        if chosen is study.baseline
        else chosen
    )


def formula_lines(table: ResultTable, measure: str) -> list[FormulaLine]:
    """Return a line per formula; none for a single formula."""
    study = table.study
    if len(study.formulas) < 2:
        return []
    name = compared_cleaner(study).name
    lines = []
    for formula in study.formulas:
        rows = study.by_formula[formula.name]
        row = next(row for row in rows if row.name == name)
        lines.append(
            FormulaLine(
                formula,
                before=table.of(rows[0], measure),
                after=table.of(row, measure),
                best=table.of(best_cleaner(rows, measure), measure),
            )
        )
    return lines


def question(study: Study) -> str:
    """Return the question that the formulas' table answers."""
    if any("+" in formula.model for formula in study.formulas):
        return "Does cleaning still help under feedback?"
    if study.has_tuned:
        return "Does cleaning still help once both sides are tuned?"
    return "Does cleaning help under every formula?"


def compare_csv(table: ResultTable) -> str:
    """Return a row per variant and formula; what does not apply is empty.

    For each measure its mean is under its name, and the other columns of the table of results
    follow under names such as `P@10_low`. With several ranking formulas, the first column is the
    row's; `tuned` has the best parameters, if any were tuned.
    """
    study = table.study
    measures = list(study.rows[0].results)
    facts = ["formula"] * bool(study.formulas) + ["tuned"] * study.has_tuned
    facts += ["cleaner", "role", *_COSTS]
    ps = [name for test in table.tests for name in (test, f"{test}_holm")]
    columns = {"low": "low", "high": "high", "diff": "difference"}
    columns |= {"diff_low": "difference_low", "diff_high": "difference_high"}
    columns |= {name: name for name in (*ps, "wins", "ties", "losses", *_RESULTS)}
    heads = [*facts]
    for measure in measures:
        heads += [measure, *(f"{measure}_{name}" for name in columns)]
    rows = []
    for row in study.all_rows:
        lines = [table.of(row, measure) for measure in measures]
        cells = [lines[0][fact] for fact in facts]
        for line in lines:
            cells += [
                line["mean"],
                *(_p(line[n]) if n in ps else line[n] for n in columns.values()),
            ]
        rows.append(map(_rounded, cells))
    return csv_text(heads, rows)


def tidy_csv(
    table: ResultTable, rows: Iterable[StudyRow], measures: Sequence[str]
) -> str:
    """Return the lines of the table of results, a row per variant, formula and measure."""
    study = table.study
    facts = ["formula"] * bool(study.formulas) + ["tuned"] * study.has_tuned
    facts += "cleaner role feature threshold measure mean low high".split()
    facts += "difference difference_low difference_high".split()
    ps = [f"{test}_holm" for test in table.tests]
    rest = [*"effect wins ties losses gap_closed gap_low gap_high".split(), *_COSTS]
    heads = [*facts, *(f"p_{name}" for name in ps), *rest]
    lines = table.lines(rows, measures)
    return csv_text(
        heads, ([line[name] for name in (*facts, *ps, *rest)] for line in lines)
    )


def pairs_csv(study: Study) -> str:
    """Return a row per measure and pair of cleaners: by how much the first one is better.

    told_apart: 1 if the difference is statistically significant. detectable: the smallest true
    difference that the topics show four times in five; detectable_corrected: as one of all pairs.
    """
    tests = in_order(study.statistics.tests)
    ps = [name for test in tests for name in (test, f"{test}_holm")]
    heads = ["measure", "first", "second", "diff", "low", "high", *ps]
    heads += (
        "wins ties losses effect detectable detectable_corrected told_apart".split()
    )
    rows = []
    for measure, pairs in study.pairs.by_measure.items() if study.pairs else ():
        for pair in pairs:
            line = difference_columns(pair.difference, tests)
            cells: list[Any] = [measure]
            cells += [study.rows[place].label for place in (pair.first, pair.second)]
            cells += [
                line[name]
                for name in ("difference", "difference_low", "difference_high")
            ]
            cells += [_p(line[name]) for name in ps]
            cells += [
                line[name] for name in "wins ties losses effect detectable".split()
            ]
            cells += [pair.detectable_corrected, line["significant"]]
            rows.append(map(_rounded, cells))
    return csv_text(heads, rows)


def topics_csv(table: ResultTable) -> str:
    """Return a row per variant and topic: scores, differences to the baseline, and losses.

    With several ranking formulas, the first column is the row's.
    """
    study = table.study
    measures = list(study.baseline.scores)
    formulas = ["formula"] * bool(study.formulas)
    heads = [
        *formulas,
        "cleaner",
        "topic",
        *measures,
        *(f"{measure}_diff" for measure in measures),
    ]
    heads += ["relevant_empty", "terms_lost"]
    rows = []
    for row in study.all_rows:
        if row.role == "baseline":
            baseline = row
        for place, topic in enumerate(study.topics):
            scores = [row.scores[measure][place] for measure in measures]
            base = [baseline.scores[measure][place] for measure in measures]
            cells = [table.of(row, measures[0])[name] for name in formulas]
            cells += [row.label, topic.id, *scores]
            cells += [score - one for score, one in zip(scores, base, strict=True)]
            lost: list[Any] = [None, None]
            if row.losses:
                by_topic = (
                    row.losses.relevant_empty_by_topic,
                    row.losses.terms_lost_by_topic,
                )
                lost = [counts[place] for counts in by_topic]
            rows.append(map(_rounded, [*cells, *lost]))
    return csv_text(heads, rows)


def study_languages_csv(study: Study) -> str:
    """Return all rows under the first formula by language, see `languages_csv`."""
    scores = {
        measure: np.array([row.scores[measure] for row in study.rows]).T
        for measure in (*study.tested, *study.beside)
    }
    names = [row.label for row in study.rows]
    return languages_csv(study.by_language, names, scores, 0, study.statistics.seed)


def _p(p: float | None) -> str | None:
    """Round a p-value."""
    return None if p is None else figure(p, ".4g")


def _rounded(value: Any) -> Any:
    """Round a float; write a truth value as 1 or 0."""
    if isinstance(value, bool):
        return int(value)
    return figure(value, ".4f") if isinstance(value, float) else value
