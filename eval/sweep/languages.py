"""A sweep by the language of its topics: their scores, and a curve for each language."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.variants import Sweep, Variant, curves_of
from boilersweep.eval.drawing import figure_files, label, open_frame, saved_figure
from boilersweep.eval.languages import UNDECIDED, LanguageTopics, languages_csv, topics_by_language
from boilersweep.eval.sweep.curve import axis_of
from boilersweep.outputs.files import write_text
from boilersweep.pages.columns import FloatArray

_MOST_LINES = 10
_MOST_MEASURES = 2
_MARKED = 30  # a line of at most so many thresholds has a dot for each

ByTopic = Mapping[Variant, Mapping[str, Mapping[str, float]]]
"""Variant -> topic -> measure -> score."""


def write_languages(
    by_topic: ByTopic,
    languages: Mapping[str, str | None],
    documents: Mapping[str, int],
    output: Path,
    sweeps: Sequence[Sweep] = (),
) -> list[Path]:
    """Write `languages.csv`, and draw the curves by the first measures where there are any.

    languages: of every topic. documents: of the store, by language. Nothing is written where all
    topics are of one language. Returns the files. Raises OutputError.
    """
    groups = topics_by_language(list(languages.values()), documents)
    if not groups:
        return []
    variants = list(by_topic)
    measures = list(next(iter(by_topic[variants[0]].values())))
    scores = {
        measure: np.array(
            [[by_topic[variant][topic][measure] for variant in variants] for topic in languages]
        )
        for measure in measures
    }
    baseline = next(
        (n for n, one in enumerate(variants) if one.point and one.point.value == 1), None
    )
    path = output / "languages.csv"
    write_text(path, languages_csv(groups, list(map(str, variants)), scores, baseline))
    curves = curves_of(variants, sweeps)
    if not curves:
        return [path]
    drawn = {measure: scores[measure] for measure in measures[:_MOST_MEASURES]}
    _draw(curves, groups, drawn, output / "languages")
    return [path, *figure_files(output / "languages")]


def _draw(
    curves: Mapping[str, Sequence[tuple[float, int]]],
    groups: Sequence[LanguageTopics],
    scores: Mapping[str, FloatArray],
    stem: Path,
) -> None:
    """One row of panels per measure, one column per sweep, one line per language.

    scores: measure -> (t, v) of topics and variants.
    """
    decided = [group for group in groups if group.language != UNDECIDED][:_MOST_LINES]
    with saved_figure(stem, 1 + 5 * len(curves), 0.6 + 2.4 * len(scores)) as figure:
        panels = figure.subplots(
            len(scores), len(curves), sharex="col", sharey="row", squeeze=False
        )
        for row, (measure, values) in zip(panels, scores.items(), strict=True):
            row[0].set_ylabel(measure)
            for panel, curve in zip(row, curves.values(), strict=True):
                _draw_panel(panel, curve, decided, values)
        for panel, sweep in zip(panels[-1], curves, strict=True):
            panel.set_xlabel(label(axis_of(sweep)))
        panels[0][-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
        figure.suptitle("By language of the topics, which are counted in brackets")
        figure.tight_layout()


def _draw_panel(
    panel: Any,
    curve: Sequence[tuple[float, int]],
    groups: Sequence[LanguageTopics],
    values: FloatArray,
) -> None:
    thresholds = [value for value, _ in curve]
    places = [place for _, place in curve]
    for number, group in enumerate(groups):
        means = values[group.places][:, places].mean(axis=0)
        panel.plot(
            thresholds,
            means,
            color=f"C{number}",
            marker="o" if len(curve) <= _MARKED else None,
            markersize=3,
            label=group.head,
        )
    open_frame(panel)
