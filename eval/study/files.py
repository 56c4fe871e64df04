"""The files of a study, apart from its runs and its manifest: views of it, and its pictures."""

from pathlib import Path

from boilersweep.eval.experiment.languages import LEAST_TOPICS, UNDECIDED
from boilersweep.eval.figures.drawing import COLOURS, dot, dots, panels
from boilersweep.eval.stats.frames import Result, Row
from boilersweep.eval.stats.statistics import SIGNIFICANT
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.sheets import (
    compare_sheet,
    pairs_sheet,
    study_languages_sheet,
    study_topics_sheet,
)
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
from boilersweep.outputs.pictures import Row as Mark
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
    scores = [score_table(study, measure) for measure in study.tested]
    first = [*formula_tables(study), *scores, cost_table(study)]
    languages, lines = language_tables(study), notes(study)
    shown = as_text([*first, *languages], lines)
    tables = [*first, *pair_tables(study), *languages]
    texts = {
        "table.txt": shown + "\n",
        "table.md": as_markdown(tables, lines),
        "table.tex": as_latex(tables, lines, study.title),
        "compare.csv": compare_sheet(study).csv,
        "pairs.csv": pairs_sheet(study).csv,
        "topics.csv": study_topics_sheet(study).csv,
        "study.json": study_json(study),
    }
    if languages:
        texts["languages.csv"] = study_languages_sheet(study).csv
    written, pictures = write_tables(output, texts), _draw(study, output)
    runs = [output / row.run for row in study.all_rows]
    return shown, [*written, *pictures, *runs]


def _draw(study: Study, output: Path) -> list[Path]:
    """Draw all pictures, and return their files."""
    files = _draw_differences(study, output / "forest")
    if swept := study.swept:
        # All thresholds of the sweeps, including separately named ones.
        on_curves = [row for label in swept for _, row in study.curve(label)]
        rows = [row for row in study.rows if row in on_curves]
        stem, sweeps = output / "curve", study.parsed_sweeps
        files += draw_curve(rows, study.tested, study.title, stem, sweeps)
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
        f"Filled: statistically significant (p < {SIGNIFICANT} after "
        f"{study.statistics.corrector}'s correction)",
    )
    drawn: list[Spec] = []
    for measure, colour in zip(study.tested, COLOURS, strict=False):
        points = [
            _dot(row, result, colour, filled=result.is_significant)
            for row in rows
            if (result := row.results[measure]).difference is not None
        ]
        drawn.append(dots(points, measure, _SHOWN, names=not drawn, zero=True))
    return Picture(panels([drawn], title)).write(stem)


def _draw_differences_by_language(study: Study, stem: Path) -> list[Path]:
    """Draw the differences to the baseline, a row of panels per measure, a panel per language."""
    decided = [one for one in study.language_results if one[0].language != UNDECIDED]
    rows = [row for row in study.ordered(study.shown) if row is not study.baseline]
    title = heading(
        f"Difference to {shortened(study.baseline.label)} by language of the topics, which are "
        f"counted in brackets; 95 % intervals from {LEAST_TOPICS} topics on"
    )
    places = [study.rows.index(row) for row in rows]
    drawn = []
    for measure, colour in zip(study.tested[:_MOST_MEASURES], COLOURS, strict=False):
        line: list[Spec] = []
        for group, results in decided[:_MOST_LANGUAGES]:
            points = [
                _dot(row, results[place][measure], colour, filled=True)
                for row, place in zip(rows, places, strict=True)
            ]
            panel = dots(points, measure, _SHOWN, names=not line, zero=True)
            line.append({**panel, "title": group.head, "width": 160})
        drawn.append(line)
    return Picture(panels(drawn, title, ("x", "y"))).write(stem)


def _dot(row: Row, result: Result, colour: str, *, filled: bool) -> Mark:
    """Return the mark of a difference with its interval."""
    return dot(
        row.label,
        result.difference or 0.0,
        result.difference_low,
        result.difference_high,
        GOLD if row.role == "gold" else colour,
        filled=filled,
    )
