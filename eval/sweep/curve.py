"""The curve of a sweep: scores against thresholds, as Figure 7 of the 2010 paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import OPERATORS, number_text
from boilersweep.cleaners.variants import Sweep
from boilersweep.eval.drawing import COLOURS, DASHED, figure_files, label, open_frame, saved_figure
from boilersweep.eval.sweep.labels import Labels
from boilersweep.eval.sweep.table import SweepRow, baseline_of, best_of, sweeps_of

_AXES = {"words": "minimum words of a block", "density": "minimum text density of a block"}

_MARKED = 30  # a line of at most so many thresholds has a dot for each


def axis_of(sweep: str) -> str:
    """What the thresholds of a sweep, by its label, are, for an axis."""
    if sweep in _AXES:
        return _AXES[sweep]
    return f"k of {sweep}k" if sweep.endswith(tuple(OPERATORS)) else f"k of {sweep}"


def draw_curve(
    rows: Sequence[SweepRow],
    measures: Sequence[str],
    title: str,
    stem: Path,
    sweeps: Sequence[Sweep] = (),
) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png`: one row of panels per measure, one column per sweep.

    sweeps: those asked for. The baseline (every block kept) is a dashed line, the best threshold a
    ring. Cleaners that are no thresholds are not in it; without a sweep nothing is drawn. The
    scales of scores do not begin at zero. Returns the files. Raises OutputError.
    """
    curves = sweeps_of(rows, sweeps)
    if not curves:
        return []
    baseline = baseline_of(rows)
    labels = Labels()
    with saved_figure(stem, 5 * len(curves), 0.6 + 2.4 * len(measures)) as figure:
        panels = figure.subplots(
            len(measures), len(curves), sharex="col", sharey="row", squeeze=False
        )
        for row, measure, colour in zip(panels, measures, COLOURS, strict=False):
            row[0].set_ylabel(measure)
            for panel, curve in zip(row, curves.values(), strict=True):
                _draw_panel(panel, curve, measure, colour, baseline, labels)
        for panel, sweep in zip(panels[-1], curves, strict=True):
            panel.set_xlabel(label(axis_of(sweep)))
        figure.suptitle(label(title))
        figure.tight_layout()
        labels.put()
    return figure_files(stem)


def _draw_panel(
    panel: Any,
    curve: Sequence[tuple[float, SweepRow]],
    measure: str,
    colour: str,
    baseline: SweepRow | None,
    labels: Labels,
) -> None:
    thresholds = [value for value, _ in curve]
    rows = [row for _, row in curve]
    marker = "o" if len(curve) <= _MARKED else None
    values = [row.scores[measure] for row in rows]
    panel.plot(thresholds, values, color=colour, marker=marker, markersize=3)
    if baseline is not None:
        kept = baseline.scores[measure]
        panel.axhline(kept, **DASHED)
        labels.along(panel, f"every block kept: {kept:.3f}", kept, color="#555555", fontsize=8)
    best = best_of(rows, measure)
    peak = (thresholds[rows.index(best)], best.scores[measure])
    panel.plot(*peak, "o", color=colour, fillstyle="none", markersize=8)
    text = f"{peak[1]:.3f} at {number_text(peak[0])}"
    labels.at(panel, text, peak, color=colour, fontsize=8.5, fontweight="bold")
    panel.margins(y=0.18)
    open_frame(panel)
