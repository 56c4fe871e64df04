"""A study by the language of its topics: tables, a picture, and the CSV behind them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.eval.drawing import COLOURS, DASHED, GOLD, label, open_frame, saved_figure
from boilersweep.eval.languages import (
    LEAST_TOPICS,
    UNDECIDED,
    LanguageScore,
    languages_csv,
)
from boilersweep.eval.study.results import Study, StudyRow
from boilersweep.eval.study.tables import Table

_MOST_ROWS = 2
_MOST_COLUMNS = 12


def language_tables(study: Study) -> list[Table]:
    """A table of every tested measure; none where all topics are of one language."""
    groups = study.by_language
    if not groups:
        return []
    rows = study.ordered(study.shown)
    heads = ["kept", *(group.head for group in groups)]
    tables = []
    for measure in study.tested:
        scores = study.language_scores(rows, measure)
        lines = [
            [str(row.variant), *(_cell(of_group[place]) for of_group in scores)]
            for place, row in enumerate(rows)
        ]
        tables.append(Table(f"{measure} by language of the topics", heads, lines))
    return tables


def language_notes(study: Study) -> list[str]:
    """What to know to read them; nothing where there are none."""
    groups = study.by_language
    if not groups:
        return []
    notes = [
        "By language: a topic is of the language that more than half of its relevant documents in "
        "the collection are in. Differences by language are not tested; languages.csv has their "
        "intervals."
    ]
    if undecided := [group for group in groups if group.language == UNDECIDED]:
        count = len(undecided[0].places)
        one = "topic is" if count == 1 else "topics are"
        notes.append(f"{count:,} {one} undecided: no language has most of their documents.")
    few = [
        group.language
        for group in groups
        if not group.has_intervals and group.language != UNDECIDED
    ]
    if few:
        notes.append(f"Fewer than {LEAST_TOPICS} topics, too few for intervals: {', '.join(few)}.")
    return notes


def study_languages_csv(study: Study) -> str:
    """All rows of the study under its first formula, see `languages_csv`."""
    measures = [*study.tested, *study.beside]
    scores = {
        measure: np.stack([row.topic_scores[measure] for row in study.rows], axis=1)
        for measure in measures
    }
    names = [str(row.variant) for row in study.rows]
    return languages_csv(study.by_language, names, scores, 0, study.statistics.seed)


def draw_languages(study: Study, shown: Sequence[StudyRow], stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`: one row of panels per tested measure, one column per
    language, one line per variant.

    A dot is the mean difference to the baseline, its line the 95 % interval where the topics
    suffice for one. The order is that of the whole study. Raises OutputError.
    """
    decided = [group for group in study.by_language if group.language != UNDECIDED]
    groups, measures = decided[:_MOST_COLUMNS], study.tested[:_MOST_ROWS]
    rows = [row for row in study.ordered(shown) if row is not study.baseline][::-1]
    high = 0.5 + 0.24 * max(len(rows), 1)
    with saved_figure(stem, 2.2 + 2.0 * len(groups), 1.0 + high * len(measures)) as figure:
        panels = figure.subplots(
            len(measures), len(groups), sharex="row", sharey=True, squeeze=False
        )
        for line, measure, colour in zip(panels, measures, COLOURS, strict=False):
            scores = study.language_scores(rows, measure)
            for panel, of_group in zip(line, scores, strict=False):
                _draw_panel(panel, rows, of_group, colour)
                panel.set_xlabel(measure)
        for panel, group in zip(panels[0], groups, strict=True):
            panel.set_title(group.head)
        panels[0][0].set_yticks(range(len(rows)), [label(str(row.variant)) for row in rows])
        panels[0][0].set_ylim(-0.7, len(rows) - 0.3)
        figure.suptitle(
            f"Difference to {label(str(study.baseline.variant))} by language of the topics, which "
            f"are counted in brackets; 95 % intervals from {LEAST_TOPICS} topics on",
            fontsize=10,
        )
        figure.tight_layout()


def _draw_panel(
    panel: Any, rows: Sequence[StudyRow], scores: Sequence[LanguageScore], colour: str
) -> None:
    for place, (row, score) in enumerate(zip(rows, scores, strict=True)):
        shade = GOLD if row.role == "gold" else colour
        if score.difference_interval:
            panel.plot(score.difference_interval, (place, place), color=shade, linewidth=1.2)
        panel.plot(score.difference, place, "o", color=shade, markersize=4.5)
    panel.axvline(0, **DASHED)
    panel.locator_params(axis="x", nbins=4)
    open_frame(panel)


def _cell(score: LanguageScore) -> str:
    """The mean, and the difference to the baseline."""
    change = "" if score.difference is None else f" {score.difference:+.3f}"
    return f"{score.mean:.3f}{change}"
