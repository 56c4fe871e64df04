"""The files of a study, apart from its runs and its manifest: views of it, and its pictures."""

from pathlib import Path

from boilersweep.eval.experiment.languages import LEAST_TOPICS, UNDECIDED
from boilersweep.eval.figures.drawing import COLOURS, dot, dots, panels
from boilersweep.eval.stats.statistics import SIGNIFICANT
from boilersweep.eval.study.result_table import (
    ResultTable,
    compare_csv,
    pairs_csv,
    study_languages_csv,
    topics_csv,
)
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import study_json
from boilersweep.eval.study.suggestion import draw_mixture
from boilersweep.eval.study.tables import (
    cost_table,
    formula_tables,
    language_tables,
    notes,
    pair_tables,
    score_table,
)
from boilersweep.eval.sweep.sweep import draw_curve
from boilersweep.eval.sweep.table import write_tables
from boilersweep.outputs.pictures import GOLD, Picture, Spec, heading, shortened
from boilersweep.outputs.tables import as_latex, as_markdown, as_text

_MOST_MEASURES = 2
_MOST_LANGUAGES = 12
_SHOWN = {"name": "kept", "mean": "difference"}


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
    scores = [score_table(table, measure) for measure in study.tested]
    first = [*formula_tables(table), *scores, cost_table(table)]
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
    written, pictures = write_tables(output, texts), _draw(study, output)
    runs = [output / row.run for row in study.all_rows]
    return shown, [*written, *pictures, *runs]


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
    rows.sort(key=lambda row: (row.role != "gold", -row.results[first].mean))
    title = heading(
        f"Difference to {shortened(study.baseline.label)}: mean and 95 % interval over topics",
        f"Filled: statistically significant (p < {SIGNIFICANT} after Holm's correction)",
    )
    drawn: list[Spec] = []
    for measure, colour in zip(study.tested, COLOURS, strict=False):
        found = [
            dot(
                row.label,
                difference.mean,
                difference.interval,
                GOLD if row.role == "gold" else colour,
                filled=difference.is_significant,
            )
            for row in rows
            if (difference := row.results[measure].difference)
        ]
        drawn.append(dots(found, measure, _SHOWN, names=not drawn, zero=True))
    return Picture(panels([drawn], title)).write(stem)


def _draw_differences_by_language(study: Study, stem: Path) -> list[Path]:
    """Draw the differences to the baseline, a row of panels per measure, a panel per language."""
    decided = [group for group in study.by_language if group.language != UNDECIDED]
    groups = decided[:_MOST_LANGUAGES]
    rows = [row for row in study.ordered(study.shown) if row is not study.baseline]
    title = heading(
        f"Difference to {shortened(study.baseline.label)} by language of the topics, which are "
        f"counted in brackets; 95 % intervals from {LEAST_TOPICS} topics on"
    )
    drawn = []
    for measure, colour in zip(study.tested[:_MOST_MEASURES], COLOURS, strict=False):
        line: list[Spec] = []
        by_group = study.language_scores(rows, measure)
        for group, scores in zip(groups, by_group, strict=False):
            found = [
                dot(
                    row.label,
                    score.difference or 0.0,
                    score.difference_interval,
                    GOLD if row.role == "gold" else colour,
                )
                for row, score in zip(rows, scores, strict=True)
            ]
            panel = dots(found, measure, _SHOWN, names=not line, zero=True)
            line.append({**panel, "title": group.head, "width": 160})
        drawn.append(line)
    return Picture(panels(drawn, title, ("x", "y"))).write(stem)
