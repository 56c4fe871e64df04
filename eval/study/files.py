"""The files of a study, but for its runs and its manifest; three of them are CSV."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from boilersweep.eval.drawing import FORMATS
from boilersweep.eval.statistics import Interval
from boilersweep.eval.study.differences import DEFAULT_TESTS, Difference, in_order
from boilersweep.eval.study.forest import draw_forest
from boilersweep.eval.study.formula_tables import formula_notes, formula_tables
from boilersweep.eval.study.languages import (
    draw_languages,
    language_notes,
    language_tables,
    study_languages_csv,
)
from boilersweep.eval.study.mixture import draw_mixture
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.study_json import study_json
from boilersweep.eval.study.tables import (
    Letters,
    as_latex,
    as_markdown,
    as_text,
    pair_tables,
    study_tables,
    table_notes,
)
from boilersweep.eval.sweep.curve import draw_curve
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.files import write_text

_Cells = list[Any]


def write_study(study: Study, output: Path) -> tuple[str, list[Path]]:
    """Write everything; the table for the terminal, and the files. Raises OutputError."""
    shown = study.shown
    tests = study.statistics.tests
    letters = {measure: study.letters(measure) for measure in study.tested}
    tables = [
        *formula_tables(study),
        *study_tables(shown, study.tested, study.beside, tests=tests, letters=letters),
    ]
    notes = table_notes(
        len(study.topics),
        study.statistics.comparisons,
        len(study.rows) - len(shown),
        tests=tests,
        pairs=study.pairs,
    )
    notes += formula_notes(study)
    notes += language_notes(study)
    table = as_text([*tables, *language_tables(study)], notes)
    tables += [*pair_tables(study), *language_tables(study)]
    texts = {
        "table.txt": table + "\n",
        "table.md": as_markdown(tables, notes),
        "table.tex": as_latex(tables, notes),
        "compare.csv": compare_csv(study.all_rows, tests=tests, letters=letters),
        "pairs.csv": pairs_csv(study),
        "topics.csv": topics_csv(study.all_rows, [topic.id for topic in study.topics]),
        "study.json": study_json(study),
    }
    groups = study.by_language
    if groups:
        texts["languages.csv"] = study_languages_csv(study)
    for name, text in texts.items():
        write_text(output / name, text)
    draw_forest(shown, study.tested, str(study.baseline.variant), output / "forest")
    pictures = ["forest"]
    swept = study.swept
    if swept:
        # All thresholds of what was swept, those that were named alone among them.
        on_curves = {row.variant for label in swept for _, row in study.curve(label)}
        thresholds = [curve for curve in study.sweep_rows if curve.variant in on_curves]
        draw_curve(thresholds, study.tested, study.title, output / "curve", study.sweeps)
        pictures.append("curve")
    if study.suggestion:
        draw_mixture(study.suggestion, output / "mixture")
        pictures.append("mixture")
    if groups:
        draw_languages(study, shown, output / "languages")
        pictures.append("languages")
    names = [f"{name}.{suffix}" for name in pictures for suffix in FORMATS]
    runs = [output / row.run_path for row in study.all_rows]
    return table, [output / name for name in [*texts, *names]] + runs


def compare_csv(
    rows: Sequence[StudyRow],
    *,
    tests: Sequence[str] = DEFAULT_TESTS,
    letters: Mapping[str, Letters] = MappingProxyType({}),
) -> str:
    """One row per variant; what does not apply is empty. Shares are between 0 and 1.

    For each measure its mean is under its name, then its interval, difference to the
    baseline, p-values as they are and corrected, topics won, tied and lost, share of the gap to
    the gold text with its interval, effect size, detectable difference, and the groups of what is
    not told apart, under names such as `P@10_low`. Where there are several ranking formulas, the
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
    result = ["low", "high", "diff", "diff_low", "diff_high", *_test_heads(tests)]
    result += "wins ties losses gap_closed gap_low gap_high effect detectable groups".split()
    for measure in measures:
        heads += [measure, *(f"{measure}_{name}" for name in result)]
    lines: list[_Cells] = []
    for row in rows:
        losses = row.losses
        line: _Cells = [row.formula] * several
        line += [row.tuned.best if row.tuned else None] * tuned
        line += [row.variant, row.role, row.documents, row.empty]
        line += [losses.relevant_empty, _number(losses.terms_lost)] if losses else [None, None]
        line += [row.tokens, _number(row.tokens_kept)]
        line += [row.index.size, int(row.index.measured)] if row.index else [None, None]
        for measure in measures:
            one = row.results[measure]
            difference = _difference(one.difference, tests)
            line += [f"{one.mean:.4f}", *_interval(one.interval), *difference[:-2]]
            line += [_number(one.closed), *_interval(one.closed_interval), *difference[-2:]]
            line.append(letters.get(measure, {}).get(row))
        lines.append(line)
    return csv_text(heads, lines)


def pairs_csv(study: Study) -> str:
    """One row per measure and pair of cleaners: by how much the first is better than the second.

    told_apart: 1 where that is statistically significant. detectable: the smallest true difference
    that the topics show four times in five, and as one of all pairs.
    """
    tests = study.statistics.tests
    heads = ["measure", "first", "second", "diff", "low", "high", *_test_heads(tests)]
    heads += "wins ties losses effect detectable detectable_corrected told_apart".split()
    lines: list[_Cells] = []
    for measure, pairs in study.pairs.by_measure.items() if study.pairs else ():
        for pair in pairs:
            names = [study.rows[place].variant for place in (pair.first, pair.second)]
            line = [measure, *names, *_difference(pair.difference, tests)]
            told_apart = int(pair.difference.is_significant)
            lines.append([*line, _number(pair.detectable_corrected), told_apart])
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


def _test_heads(tests: Sequence[str]) -> list[str]:
    return [name for test in in_order(tests) for name in (test, f"{test}_holm")]


def _difference(difference: Difference | None, tests: Sequence[str]) -> _Cells:
    """Mean, interval, p-values, outcomes, effect size, detectable difference."""
    if difference is None:
        return [None] * (8 + 2 * len(tests))
    cells: _Cells = [f"{difference.mean:.4f}", *_interval(difference.interval)]
    for test in in_order(tests):
        ps = difference.tests
        cells += [f"{ps.plain[test]:.4g}", f"{ps.holm[test]:.4g}"] if ps else [None, None]
    outcomes = difference.outcomes
    cells += [outcomes.wins, outcomes.ties, outcomes.losses]
    return [*cells, _number(difference.effect), _number(difference.detectable)]


def _interval(interval: Interval | None) -> _Cells:
    return [None, None] if interval is None else [f"{end:.4f}" for end in interval]


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"
