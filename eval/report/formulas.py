"""Several ranking formulas on the first screen: does cleaning still help under each of them?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.eval.report.wording import UNKNOWN, bracketed, p_value, score, signed
from boilersweep.eval.study.formula_tables import (
    FormulaLine,
    compared_cleaner,
    formula_lines,
    question,
)
from boilersweep.eval.study.results import Study
from boilersweep.outputs.csvtext import csv_text


@dataclass(frozen=True, slots=True)
class Line:
    """A formula: its name, what it is in full, and its cells. kind: a class of the difference."""

    name: str
    model: str
    cells: list[str]
    kind: str


@dataclass(frozen=True, slots=True)
class Formulas:
    """The table. baseline, cleaner: what is compared. measure: by which. notes: below it."""

    question: str
    measure: str
    baseline: str
    cleaner: str
    lines: list[Line]
    notes: list[str]


def formulas_of(study: Study) -> Formulas | None:
    """The table by the first measure; None for a study under one formula."""
    measure = study.tested[0]
    lines = formula_lines(study, measure)
    if not lines:
        return None
    return Formulas(
        question(study),
        measure,
        str(study.baseline.variant),
        str(compared_cleaner(study).variant),
        [_line(line) for line in lines],
        _notes(study, lines),
    )


def _line(line: FormulaLine) -> Line:
    difference = line.after.difference
    kind = ""
    if difference and difference.is_significant:
        kind = "gain" if difference.mean > 0 else "loss"
    cells = [
        score(line.before.mean),
        score(line.after.mean),
        signed(difference.mean) if difference else "",
        bracketed(difference.interval) if difference else "",
        UNKNOWN if line.p is None else p_value(line.p),
    ]
    return Line(line.formula.name, line.formula.model, cells, kind)


def _notes(study: Study, lines: Sequence[FormulaLine]) -> list[str]:
    notes = [
        f"p corrected (Holm) for all {study.statistics.comparisons:,} comparisons of the study; in "
        "colour where the difference is statistically significant."
    ]
    if untested := [line.formula.name for line in lines if not line.formula.tested]:
        notes.append(f"Not tested, only shown: {', '.join(untested)}.")
    for line in lines:
        if line.tuned:
            before, after = line.tuned
            sides = f"the baseline chooses {before}, the cleaner {after}"
            notes.append(
                f"{line.formula.name}: each side chose its parameters on four fifths of the topics "
                "and is scored on the fifth that is left. By all topics "
                f"{f'both choose {after}' if before == after else sides}."
            )
    others = []
    for line in lines:
        if line.best.variant != compared_cleaner(study).variant:
            mean = score(line.best.results[study.tested[0]].mean)
            others.append(f"{line.best.variant} under {line.formula.name} ({mean})")
    if others:
        notes.append(f"Another is best: {', '.join(others)}.")
    return notes


def formulas_csv(study: Study) -> str:
    """One row per formula, variant and measure."""
    heads = "formula cleaner role measure mean low high difference difference_low difference_high"
    rows: list[list[Any]] = []
    for formula in study.formulas:
        for row in formula.rows:
            for measure, result in row.results.items():
                change = result.difference
                tests = change.tests if change else None
                rows.append(
                    [
                        *(formula.name, row.variant, row.role, measure, result.mean),
                        *(result.interval or (None, None)),
                        change.mean if change else None,
                        *((change.interval if change else None) or (None, None)),
                        tests.decisive if tests else None,
                        row.tuned.best if row.tuned else None,
                    ]
                )
    return csv_text([*heads.split(), f"p_{study.statistics.tests[0]}_holm", "tuned"], rows)
