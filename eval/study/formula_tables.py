"""Several ranking formulas side by side: does cleaning still help under feedback, or once tuned?"""

from dataclasses import dataclass

from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.results import FormulaRows, Result, Study, StudyRow
from boilersweep.eval.study.tables import TEST_HEADS, Table, p_text


@dataclass(frozen=True, slots=True)
class FormulaLine:
    """A formula's answer by one measure. before, after: of the baseline and of the cleaner.

    best: the best cleaner under it, which may be another. tuned: the parameters that are best for
    the baseline and for the cleaner by all topics; None where they are fixed.
    """

    formula: FormulaRows
    before: Result
    after: Result
    best: StudyRow
    tuned: tuple[str, str] | None

    @property
    def p(self) -> float | None:
        """Of the test that decides, corrected; None where the formula was not tested."""
        difference = self.after.difference
        tests = difference and difference.tests
        return tests.decisive if tests else None


def compared_cleaner(study: Study) -> StudyRow:
    """The cleaner whose gain is shown: the chosen, or the best where that is the baseline."""
    chosen = study.chosen
    return study.formulas[0].best(study.tested[0]) if chosen is study.baseline else chosen


def formula_lines(study: Study, measure: str) -> list[FormulaLine]:
    """One line per formula; none where the study has one."""
    if len(study.formulas) < 2:
        return []
    lines = []
    variant = compared_cleaner(study).variant
    for formula in study.formulas:
        row, before = formula.row_of(variant), formula.baseline
        if row is None:  # a run from elsewhere is never chosen
            raise LookupError(f"{variant} is not among the rows of {formula.name}")
        both = (before.tuned, row.tuned)
        tuned = (both[0].best, both[1].best) if both[0] and both[1] else None
        lines.append(
            FormulaLine(
                formula, before.results[measure], row.results[measure], formula.best(measure), tuned
            )
        )
    return lines


def question(study: Study) -> str:
    """What the table of the formulas answers."""
    if any("+" in formula.model for formula in study.formulas):
        return "Does cleaning still help under feedback?"
    if study.has_tuned:
        return "Does cleaning still help once both sides are tuned?"
    return "Does cleaning help under every formula?"


def formula_tables(study: Study) -> list[Table]:
    """The question and its answer by each tested measure, then all cleaners under all formulas."""
    tables = []
    for measure in study.tested:
        lines = formula_lines(study, measure)
        if lines:
            tables.append(_answers(study, measure, lines))
    if tables:
        tables.append(_every(study, study.tested[0]))
    return tables


def _answers(study: Study, measure: str, lines: list[FormulaLine]) -> Table:
    cleaner = str(compared_cleaner(study).variant)
    tuned = any(line.tuned for line in lines)
    heads = ["formula", str(study.baseline.variant), cleaner, "difference", "95 % interval"]
    heads += [TEST_HEADS[study.statistics.tests[0]], "best under it"]
    if tuned:
        heads += ["baseline tuned to", "cleaner tuned to"]
    cells = []
    for line in lines:
        difference = line.after.difference
        row = [
            line.formula.name,
            f"{line.before.mean:.3f}",
            f"{line.after.mean:.3f}",
            *(_difference(line.after), _interval(difference.interval if difference else None)),
            "" if line.p is None else p_text(line.p),
            f"{line.best.variant} {line.best.results[measure].mean:.3f}",
        ]
        cells.append([*row, *(line.tuned or ("", ""))] if tuned else row)
    return Table(f"{question(study)} {measure}", heads, cells)


def _every(study: Study, measure: str) -> Table:
    """Every cleaner that is shown under every formula."""
    names = [formula.name for formula in study.formulas]
    lines = []
    for row in study.ordered(study.shown):
        under = [formula.row_of(row.variant) for formula in study.formulas]
        if all(under):
            cells = [_cell(one.results[measure]) for one in under if one]
            lines.append([str(row.variant), *cells])
    return Table(f"{measure} of every cleaner under every formula", ["kept", *names], lines)


def _cell(result: Result) -> str:
    mean = f"{result.mean:.3f}"
    return f"{mean} {_difference(result)}" if result.difference else mean


def _difference(result: Result) -> str:
    difference = result.difference
    if difference is None:
        return ""
    return f"{difference.mean:+.3f}{difference.mark}"


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"[{interval[0]:+.3f}, {interval[1]:+.3f}]"


def formula_notes(study: Study) -> list[str]:
    """What to know to read the tables of several formulas; none where there is one."""
    if not study.formulas:
        return []
    first = study.formulas[0]
    notes = [
        f"Formulas: {'; '.join(f'{one.name} is {one.model}' for one in study.formulas)}. One "
        f"correction over all; the tables above that name none are under {first.name}, by which is "
        "chosen. compare.csv has every cleaner under every formula."
    ]
    untested = [one.name for one in study.formulas if not one.tested]
    if untested:
        notes.append(f"Not tested, and not among the comparisons: {', '.join(untested)}.")
    if study.has_tuned:
        notes.append(
            "Tuned: each side, the baseline, too, chooses its parameters on four fifths of the "
            "topics and is scored on the fifth that is left; the parameters shown are those that "
            "all topics choose."
        )
    return notes
