"""The files of a study, but for its runs and its manifest; two of them are CSV."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boilersweep.csvtext import csv_text
from boilersweep.eval.drawing import FORMATS
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.forest import draw_forest
from boilersweep.eval.study.formula_tables import formula_notes, formula_tables
from boilersweep.eval.study.mixture import draw_mixture
from boilersweep.eval.study.results import Result, Study, StudyRow
from boilersweep.eval.study.study_json import study_json
from boilersweep.eval.study.tables import (
    as_latex,
    as_markdown,
    as_text,
    study_tables,
    table_notes,
)
from boilersweep.eval.sweep.curve import draw_curve
from boilersweep.files import write_text

_RESULT = (
    "low high diff diff_low diff_high t t_holm randomisation randomisation_holm wins ties losses "
    "gap_closed"
).split()

_Cells = list[Any]


def write_study(study: Study, output: Path) -> tuple[str, list[Path]]:
    """Write everything; the table for the terminal, and the files. Raises OutputError."""
    shown = study.shown
    tables = [
        *formula_tables(study),
        *study_tables(shown, study.tested, study.beside),
    ]
    notes = table_notes(
        len(study.topics), study.statistics.comparisons, len(study.rows) - len(shown)
    )
    notes += formula_notes(study)
    table = as_text(tables, notes)
    texts = {
        "table.txt": table + "\n",
        "table.md": as_markdown(tables, notes),
        "table.tex": as_latex(tables, notes),
        "compare.csv": compare_csv(study.all_rows),
        "topics.csv": topics_csv(study.all_rows, [topic.id for topic in study.topics]),
        "study.json": study_json(study),
    }
    for name, text in texts.items():
        write_text(output / name, text)
    draw_forest(shown, study.tested, str(study.baseline.variant), output / "forest")
    pictures = ["forest"]
    swept = study.swept_features
    if swept:
        # All thresholds of what was swept, those that were named alone among them.
        thresholds = [
            row
            for row in study.sweep_rows
            if row.variant.point and row.variant.point.feature in swept
        ]
        draw_curve(thresholds, study.tested, study.title, output / "curve")
        pictures.append("curve")
    if study.suggestion:
        draw_mixture(study.suggestion, output / "mixture")
        pictures.append("mixture")
    names = [f"{name}.{suffix}" for name in pictures for suffix in FORMATS]
    runs = [output / row.run_path for row in study.all_rows]
    return table, [output / name for name in [*texts, *names]] + runs


def compare_csv(rows: Sequence[StudyRow]) -> str:
    """One row per variant; what does not apply is empty. Shares are between 0 and 1.

    For each measure its mean stands under its name, then its interval, difference to the
    baseline, p-values as they are and corrected, topics won, tied and lost, and share of the gap
    to the gold text, under names such as `P@10_low`. Where there are several ranking formulas, the
    first column has that of the row; `tuned` what was best for it, where parameters were tuned.
    """
    measures = list(rows[0].results)
    several = any(row.formula for row in rows)
    tuned = any(row.tuned for row in rows)
    heads = ["formula"] * several + ["tuned"] * tuned
    heads += (
        "cleaner role documents empty relevant_empty terms_lost tokens tokens_kept "
        "index_bytes index_measured"
    ).split()
    for measure in measures:
        heads += [measure, *(f"{measure}_{name}" for name in _RESULT)]
    lines: list[_Cells] = []
    for row in rows:
        losses = row.losses
        line: _Cells = [row.formula] * several
        line += [row.tuned.best if row.tuned else None] * tuned
        line += [row.variant, row.role, row.documents, row.empty]
        line += [losses.relevant_empty, _share(losses.terms_lost)] if losses else [None, None]
        line += [row.tokens, _share(row.tokens_kept)]
        line += [row.index.size, int(row.index.measured)] if row.index else [None, None]
        for measure in measures:
            line += _result(row.results[measure])
        lines.append(line)
    return csv_text(heads, lines)


def topics_csv(rows: Sequence[StudyRow], topics: Sequence[str]) -> str:
    """One row per variant and topic: scores, differences to the baseline, and losses.

    Where there are several ranking formulas, the first column has that of the row.
    """
    baseline = next(row for row in rows if row.role == "baseline")
    measures = list(baseline.topic_scores)
    several = any(row.formula for row in rows)
    heads = ["formula"] * several
    heads += ["cleaner", "topic", *measures, *(f"{measure}_diff" for measure in measures)]
    heads += ["relevant_empty", "terms_lost"]
    lines: list[_Cells] = []
    for row in rows:
        if row.role == "baseline":
            baseline = row
        for place, topic in enumerate(topics):
            scores = [float(row.topic_scores[measure][place]) for measure in measures]
            kept = [float(baseline.topic_scores[measure][place]) for measure in measures]
            line: _Cells = [row.formula] * several
            line += [row.variant, topic, *(f"{score:.4f}" for score in scores)]
            line += [f"{score - base:.4f}" for score, base in zip(scores, kept, strict=True)]
            if row.losses:
                by_topic = row.losses.by_topic
                line += [by_topic.relevant_empty[place], by_topic.terms_lost[place]]
            else:
                line += [None, None]
            lines.append(line)
    return csv_text(heads, lines)


def _result(result: Result) -> _Cells:
    cells: _Cells = [f"{result.mean:.4f}", *_interval(result.interval)]
    difference = result.difference
    if difference is None:
        cells += [None] * 10
    else:
        cells += [f"{difference.mean:.4f}", *_interval(difference.interval)]
        tests = difference.tests
        ps = (tests.t, tests.t_holm, tests.randomisation, tests.randomisation_holm) if tests else ()
        cells += [f"{p:.4g}" for p in ps] or [None] * 4
        cells += [difference.outcomes.wins, difference.outcomes.ties, difference.outcomes.losses]
    return [*cells, _share(result.closed)]


def _interval(interval: Interval | None) -> _Cells:
    return [None, None] if interval is None else [f"{end:.4f}" for end in interval]


def _share(share: float | None) -> str | None:
    return None if share is None else f"{share:.4f}"
