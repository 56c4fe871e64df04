"""The files of a study, apart from its runs and its manifest."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.eval.experiment.languages import LEAST_TOPICS, UNDECIDED, languages_csv
from boilersweep.eval.figures.drawing import COLOURS, figure_files, label
from boilersweep.eval.figures.forest import draw_dot, forest_panels
from boilersweep.eval.stats.significance import SIGNIFICANT
from boilersweep.eval.study.differences import in_order
from boilersweep.eval.study.result_table import ResultTable, difference_columns
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.study_json import study_json
from boilersweep.eval.study.suggestion import draw_mixture
from boilersweep.eval.study.tables import (
    as_latex,
    as_markdown,
    as_text,
    formula_tables,
    language_tables,
    notes,
    pair_tables,
    study_tables,
)
from boilersweep.eval.sweep.curve import draw_curve
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.csvtext import csv_text

_COSTS = (
    "documents empty relevant_empty terms_lost tokens tokens_kept index_bytes index_measured"
).split()
_RESULTS = "gap_closed gap_low gap_high effect detectable groups".split()
_MOST_MEASURES = 2
_MOST_LANGUAGES = 12


def write_study(study: Study, output: Path) -> tuple[str, list[Path]]:
    """Write all files.

    Args:
        study: The study.
        output: Its folder.

    Returns:
        The tables for the terminal, and the files, including the runs.

    Raises:
        OutputError: A file cannot be written.
    """
    table = ResultTable(study)
    first = [*formula_tables(table), *study_tables(table)]
    languages, lines = language_tables(study), notes(study)
    shown = as_text([*first, *languages], lines)
    tables = [*first, *pair_tables(study), *languages]
    texts = {
        "table.txt": shown + "\n",
        "table.md": as_markdown(tables, lines),
        "table.tex": as_latex(tables, lines, study.title),
        "compare.csv": compare_csv(table),
        "pairs.csv": pairs_csv(study),
        "topics.csv": topics_csv(table),
        "study.json": study_json(study),
    }
    if languages:
        texts["languages.csv"] = study_languages_csv(study)
    for name, text in texts.items():
        write_text(output / name, text)
    pictures = _draw(study, output)
    runs = [output / row.run for row in study.all_rows]
    return shown, [*(output / name for name in texts), *pictures, *runs]


def _draw(study: Study, output: Path) -> list[Path]:
    """Draw all pictures, and return their files."""
    files = _draw_differences(study, output / "forest")
    if swept := study.swept:
        # All thresholds of the sweeps, including separately named ones.
        on_curves = {row.name for label in swept for _, row in study.curve(label)}
        rows = [row for row in study.sweep_rows if row.variant.name in on_curves]
        intervals = {
            measure: {
                row.variant: row.results[measure].interval
                for row in study.rows
                if row.cleaner
            }
            for measure in study.tested
        }
        stem, sweeps = output / "curve", study.parsed_sweeps
        files += draw_curve(rows, study.tested, study.title, stem, sweeps, intervals)
    if study.suggestion:
        files += draw_mixture(study.suggestion, output / "mixture")
    if study.by_language:
        files += _draw_differences_by_language(study, output / "languages")
    return files


def _draw_differences(study: Study, stem: Path) -> list[Path]:
    """Draw the differences to the baseline, a panel per measure, the best on top."""
    first = study.tested[0]
    rows = [row for row in study.shown if row.role != "baseline"]
    rows.sort(key=lambda row: (row.role == "gold", row.results[first].mean))
    title = (
        f"Difference to {label(study.baseline.label)}: mean and 95 % interval over topics; filled: "
        f"statistically significant (p < {SIGNIFICANT} after Holm's correction)"
    )
    shape = (1, min(len(study.tested), len(COLOURS)))
    with forest_panels(stem, title, [row.label for row in rows], shape) as (panels,):
        for panel, measure, colour in zip(panels, study.tested, COLOURS, strict=False):
            panel.set_xlabel(measure)
            for line, row in enumerate(rows):
                difference = row.results[measure].difference
                if difference:
                    draw_dot(
                        panel,
                        line,
                        difference.mean,
                        difference.interval,
                        colour,
                        filled=difference.is_significant,
                        gold=row.role == "gold",
                    )
    return figure_files(stem)


def _draw_differences_by_language(study: Study, stem: Path) -> list[Path]:
    """Draw the differences to the baseline, a row of panels per measure, a panel per language."""
    decided = [group for group in study.by_language if group.language != UNDECIDED]
    groups = decided[:_MOST_LANGUAGES]
    rows = [row for row in study.ordered(study.shown) if row is not study.baseline][
        ::-1
    ]
    measures = study.tested[:_MOST_MEASURES]
    title = (
        f"Difference to {label(study.baseline.label)} by language of the topics, which are counted "
        f"in brackets; 95 % intervals from {LEAST_TOPICS} topics on"
    )
    names = [row.label for row in rows]
    shape = (len(measures), len(groups))
    with forest_panels(stem, title, names, shape, shared=True) as panels:
        for panel, group in zip(panels[0], groups, strict=True):
            panel.set_title(group.head)
        for axes, measure, colour in zip(panels, measures, COLOURS, strict=False):
            by_group = study.language_scores(rows, measure)
            for panel, scores in zip(axes, by_group, strict=False):
                panel.set_xlabel(measure)
                for line, (row, score) in enumerate(zip(rows, scores, strict=True)):
                    change = score.difference or 0.0
                    interval, gold = score.difference_interval, row.role == "gold"
                    draw_dot(panel, line, change, interval, colour, gold=gold)
    return figure_files(stem)


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
    return None if p is None else f"{p:.4g}"


def _rounded(value: Any) -> Any:
    """Round a float; write a truth value as 1 or 0."""
    if isinstance(value, bool):
        return int(value)
    return f"{value:.4f}" if isinstance(value, float) else value
