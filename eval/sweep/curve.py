"""The curve of a sweep, as Figure 7 of the 2010 paper: scores against thresholds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.language.variants import Sweep, Variant
from boilersweep.cleaners.rules import number_text
from boilersweep.eval.experiment.scored import ScoreRow, Scores
from boilersweep.eval.figures.curves import curve_panels, dots
from boilersweep.eval.figures.drawing import COLOURS, DASHED, figure_files
from boilersweep.eval.stats.bootstrap import bootstrap_intervals
from boilersweep.eval.stats.statistics import Interval, place_of_best
from boilersweep.eval.sweep.table import baseline_of, sweeps_of

# Measure -> variant -> the interval of the variant's mean.
Intervals = Mapping[str, Mapping[Variant, Interval | None]]


def draw_curve(
    rows: Sequence[ScoreRow],
    measures: Sequence[str],
    title: str,
    stem: Path,
    sweeps: Sequence[Sweep] = (),
    intervals: Intervals | None = None,
) -> list[Path]:
    """Draw a row of panels per measure and a column per sweep.

    Everything, with every block kept, is a dashed line. Cleaners that are no thresholds are not
    drawn. The scales of scores do not begin at zero.

    Args:
        rows: The rows.
        measures: The measures to draw.
        title: The title of the figure.
        stem: The path of the files without its suffix.
        sweeps: The requested sweeps.
        intervals: The intervals to draw as bands.

    Returns:
        The files; none without a sweep.

    Raises:
        OutputError: A file cannot be written.
    """
    curves = sweeps_of(rows, sweeps)
    if not curves:
        return []
    baseline = baseline_of(rows)
    with curve_panels(stem, list(curves), measures, title) as panels:
        for row, measure, colour in zip(panels, measures, COLOURS, strict=False):
            for panel, curve in zip(row, curves.values(), strict=True):
                thresholds = [value for value, _ in curve]
                scores = [swept.scores[measure] for _, swept in curve]
                panel.plot(thresholds, scores, color=colour, **dots(thresholds))
                _mark_best(panel, thresholds, scores, colour)
                if intervals:
                    known = [intervals[measure].get(one.variant) for _, one in curve]
                    ends = np.array([one or (np.nan, np.nan) for one in known]).T
                    band = {"color": colour, "alpha": 0.15, "linewidth": 0}
                    panel.fill_between(thresholds, *ends, **band)
                if baseline:
                    kept = baseline.scores[measure]
                    panel.axhline(kept, label=f"every block kept: {kept:.3f}", **DASHED)
                panel.legend(loc="best", fontsize=8, frameon=False)
                panel.margins(y=0.18)
    return figure_files(stem)


def _mark_best(
    panel: Any, thresholds: Sequence[float], scores: Sequence[float], colour: str
) -> None:
    """Put a ring around the best threshold, and its score into the legend."""
    place = place_of_best(scores)
    peak = (thresholds[place], scores[place])
    text = f"best: {peak[1]:.3f} at {number_text(peak[0])}"
    panel.plot(*peak, "o", color=colour, fillstyle="none", markersize=8, label=text)


def mean_intervals(scores: Scores, measures: Sequence[str]) -> Intervals:
    """Compute the 95 % bootstrap intervals of means over topics.

    Args:
        scores: The scores.
        measures: The measures.
    """
    intervals = {}
    for measure in measures:
        found = bootstrap_intervals(scores.values(measure)).tolist()
        intervals[measure] = dict(zip(scores.variants, map(tuple, found), strict=True))
    return intervals
