"""The files of a study, but for its runs and its manifest."""

from pathlib import Path
from typing import Any

from boilersweep.eval.drawing import FORMATS
from boilersweep.eval.study.forest import draw_forest
from boilersweep.eval.study.mixture import draw_mixture
from boilersweep.eval.study.results import StudyRow
from boilersweep.eval.study.spreadsheets import compare_csv, topics_csv
from boilersweep.eval.study.study_json import Study, study_json
from boilersweep.eval.study.tables import (
    as_latex,
    as_markdown,
    as_text,
    study_tables,
    table_notes,
)
from boilersweep.eval.sweep.curve import draw_curve
from boilersweep.eval.sweep.table import SweepRow
from boilersweep.files import write_text


def write_study(study: Study, manifest: dict[str, Any], output: Path) -> tuple[str, list[Path]]:
    """Write everything; the table for the terminal, and the files. Raises OutputError."""
    shown = _shown(study)
    tables = study_tables(shown, study.tested, study.beside)
    notes = table_notes(len(study.topics), study.comparisons, len(study.rows) - len(shown))
    table = as_text(tables, notes)
    texts = {
        "table.txt": table + "\n",
        "table.md": as_markdown(tables, notes),
        "table.tex": as_latex(tables, notes),
        "compare.csv": compare_csv(study.rows),
        "topics.csv": topics_csv(study.rows, [topic.id for topic in study.topics]),
        "study.json": study_json(study, manifest),
    }
    for name, text in texts.items():
        write_text(output / name, text)
    draw_forest(shown, study.tested, str(study.baseline.variant), output / "forest")
    pictures = ["forest"]
    swept = _sweep_rows(study)
    if swept:
        draw_curve(swept, study.tested, study.title, output / "curve")
        pictures.append("curve")
    if study.suggestion:
        draw_mixture(study.suggestion, output / "mixture")
        pictures.append("mixture")
    names = [f"{name}.{suffix}" for name in pictures for suffix in FORMATS]
    runs = [output / "runs" / f"{row.variant.name}.trec" for row in study.rows]
    return table, [output / name for name in [*texts, *names]] + runs


def _shown(study: Study) -> list[StudyRow]:
    """All but the thresholds of sweeps; of these the best by each measure, the suggested one, and
    what was chosen.
    """
    places = {place for place, row in enumerate(study.rows) if row.role != "swept"}
    for swept in _swept(study).values():
        for measure in study.tested:
            places.add(max(swept, key=lambda place: study.rows[place].results[measure].mean))
    if study.choice:
        places |= {study.choice.chosen, *(fold.chosen for fold in study.choice.folds)}
    if study.suggestion and study.suggestion.variant:
        suggested = study.place(study.suggestion.variant)
        places |= set() if suggested is None else {suggested}
    return [study.rows[place] for place in sorted(places)]


def _swept(study: Study) -> dict[str, list[int]]:
    """Feature -> places of its thresholds that stand in a sweep."""
    swept: dict[str, list[int]] = {}
    for place, row in enumerate(study.rows):
        point = row.variant.point
        if row.role == "swept" and point:
            swept.setdefault(point.feature, []).append(place)
    return swept


def _sweep_rows(study: Study) -> list[SweepRow]:
    """What the curve shows: all thresholds of the features that were swept."""
    features = _swept(study)
    return [
        row
        for row in study.sweep_rows
        if row.variant.point and row.variant.point.feature in features
    ]
