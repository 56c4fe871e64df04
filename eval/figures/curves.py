"""Curves over thresholds, as Figure 7 of the 2010 paper: panels of measures and sweeps."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import OPERATORS, number_text
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    figure_files,
    label,
    open_frame,
    saved_figure,
)

# Decimal digits of means that count: the means of equal scores differ by rounding.
EQUAL_DIGITS = 9

_AXES = {
    "words": "minimum words of a block",
    "density": "minimum text density of a block",
}
# A line of at most so many thresholds has a dot for each.
_MAX_DOTS = 30


@dataclass(frozen=True, slots=True)
class Curve:
    """The scores of a sweep.

    Attributes:
        sweep: The label of the sweep.
        thresholds: The values, ascending.
        scores: Name of a line -> its scores, one per threshold.
        bands: Name of a line -> the interval of each score; a line without one has no band.
    """

    sweep: str
    thresholds: Sequence[float]
    scores: Mapping[str, Sequence[float]]
    bands: Mapping[str, Sequence[tuple[float, float]]]


def axis_of(sweep: str) -> str:
    """Return what the thresholds of a sweep, given by its label, mean on an axis."""
    if sweep in _AXES:
        return _AXES[sweep]
    return f"k of {sweep}k" if sweep.endswith(tuple(OPERATORS)) else f"k of {sweep}"


def place_of_best(scores: Sequence[float]) -> int:
    """Return the place of the highest score, the first of equal ones."""
    return max(range(len(scores)), key=lambda place: round(scores[place], EQUAL_DIGITS))


@contextmanager
def curve_panels(
    stem: Path,
    sweeps: Sequence[str],
    rows: Sequence[str],
    title: str,
    size: tuple[float, float] | None = None,
) -> Iterator[Any]:
    """Draw panels into `<stem>.svg` and `<stem>.png`, which are written at the end of the block.

    Args:
        stem: The path of the files without its suffix.
        sweeps: The labels of the sweeps, one per column.
        rows: The labels of the scores, one per row.
        title: The title.
        size: The width and height in inches; None for 5 per column and 2.4 per row.

    Yields:
        The (rows, columns) panels.

    Raises:
        OutputError: A file cannot be written.
    """
    with saved_figure(
        stem, *(size or (5 * len(sweeps), 0.6 + 2.4 * len(rows)))
    ) as figure:
        panels = figure.subplots(
            len(rows), len(sweeps), sharex="col", sharey="row", squeeze=False
        )
        for line, row in zip(panels, rows, strict=True):
            line[0].set_ylabel(row)
        for panel, sweep in zip(panels[-1], sweeps, strict=True):
            panel.set_xlabel(label(axis_of(sweep)))
        yield panels
        for panel in panels.flat:
            open_frame(panel)
        figure.suptitle(label(title))
        figure.tight_layout()


def draw_curves(
    curves: Sequence[Curve], baseline: Mapping[str, float], title: str, stem: Path
) -> list[Path]:
    """Draw one row of panels per measure, and one column per sweep.

    The scales of scores do not begin at zero.

    Args:
        curves: The sweeps with their measures; without a sweep nothing is drawn.
        baseline: Measure -> the score with every block kept, drawn as a dashed line; may be empty.
        title: The title.
        stem: The path of the files without its suffix.

    Returns:
        The files.

    Raises:
        OutputError: A file cannot be written.
    """
    if not curves:
        return []
    measures = list(curves[0].scores)
    with curve_panels(
        stem, [curve.sweep for curve in curves], measures, title
    ) as panels:
        for row, measure, colour in zip(panels, measures, COLOURS, strict=False):
            for panel, curve in zip(row, curves, strict=True):
                style = dots(curve.thresholds)
                panel.plot(
                    curve.thresholds, curve.scores[measure], color=colour, **style
                )
                _mark_best(panel, curve, measure, colour)
                if measure in curve.bands:
                    lows, highs = zip(*curve.bands[measure], strict=True)
                    band = {"color": colour, "alpha": 0.15, "linewidth": 0}
                    panel.fill_between(curve.thresholds, lows, highs, **band)
                if measure in baseline:
                    kept = baseline[measure]
                    panel.axhline(kept, label=f"every block kept: {kept:.3f}", **DASHED)
                panel.legend(loc="best", fontsize=8, frameon=False)
                panel.margins(y=0.18)
    return figure_files(stem)


def dots(thresholds: Sequence[float]) -> dict[str, Any]:
    """Return the style of a line: a dot for each threshold, if they are few."""
    return {"marker": "o" if len(thresholds) <= _MAX_DOTS else None, "markersize": 3}


def _mark_best(panel: Any, curve: Curve, measure: str, colour: str) -> None:
    """Put a ring around the best threshold, and its score into the legend."""
    scores = curve.scores[measure]
    place = place_of_best(scores)
    peak = (curve.thresholds[place], scores[place])
    text = f"best: {peak[1]:.3f} at {number_text(peak[0])}"
    panel.plot(*peak, "o", color=colour, fillstyle="none", markersize=8, label=text)
