"""Curves over thresholds, as Figure 7 of the 2010 paper: panels of measures and sweeps."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.rules import OPERATORS, number_text
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.pages.columns import FloatArray

# Offsets of a label from its point, in points; better places first.
_ROUND = [
    (7, 7),
    (-7, 7),
    (7, -7),
    (-7, -7),
    (0, 12),
    (0, -12),
    (7, 18),
    (-7, 18),
    (7, -18),
    (-7, -18),
    (0, 26),
    (0, -26),
    (24, 30),
    (-24, 30),
    (24, -30),
    (-24, -30),
]

_PLACES = (1.0, 0.0, 0.5, 0.75, 0.25)
# Places of the label of a level line: how far along the panel, and above or below.
_ALONG = [(place, side) for place in _PLACES for side in (3, -3)]

# Pixels between a label and a line.
_ROOM = 1.5

# Pixels between the points of a line that are compared with labels.
_STEP = 2.0

_SIDES = {-1: "right", 0: "center", 1: "left"}
_ENDS = {1.0: "right", 0.0: "left"}


class Labels:
    """The labels of some panels, the first ones in the best places.

    `put` places them when everything is drawn and has its size.
    """

    def __init__(self) -> None:
        self._wanted: dict[Any, list[tuple[str, list[dict[str, Any]], dict[str, Any]]]] = {}

    def at(self, panel: Any, text: str, point: tuple[float, float], **style: Any) -> None:
        """Name a point of the data."""
        places = [
            {
                "xy": point,
                "xytext": (x, y),
                "ha": _SIDES[(x > 0) - (x < 0)],
                "va": "bottom" if y > 0 else "top",
            }
            for x, y in _ROUND
        ]
        self._wanted.setdefault(panel, []).append((text, places, style))

    def along(self, panel: Any, text: str, height: float, **style: Any) -> None:
        """Name a level line; if other lines leave no room, at the panel's edge."""
        places = [
            {
                "xy": (place, height),
                "xycoords": ("axes fraction", "data"),
                "xytext": (-2 if place == 1 else 2 if place == 0 else 0, side),
                "ha": _ENDS.get(place, "center"),
                "va": "bottom" if side > 0 else "top",
            }
            for place, side in _ALONG
        ]
        places += [
            {
                "xy": (place, edge),
                "xycoords": "axes fraction",
                "xytext": (-2 if place == 1 else 2 if place == 0 else 0, 2 - 4 * edge),
                "ha": _ENDS.get(place, "center"),
                "va": "top" if edge else "bottom",
            }
            for place in _PLACES
            for edge in (1, 0)
        ]
        self._wanted.setdefault(panel, []).append((text, places, style))

    def put(self) -> None:
        """Put each at the first place that is free, else where it hides least."""
        for panel, wanted in self._wanted.items():
            lines = [_along(line) for line in panel.get_lines()]
            taken: list[Any] = []
            for text, places, style in wanted:
                taken.append(_put(panel, text, places, style, lines, taken))


def _put(
    panel: Any,
    text: str,
    places: Sequence[dict[str, Any]],
    style: dict[str, Any],
    lines: Sequence[FloatArray],
    taken: Sequence[Any],
) -> Any:
    """Put a text, and return the box that it takes, in pixels."""
    renderer = panel.figure.canvas.get_renderer()

    def made(place: dict[str, Any]) -> Any:
        return panel.annotate(text, textcoords="offset points", **place, **style)

    least, best = float("inf"), places[0]
    for place in places:
        tried = made(place)
        hidden = _hidden(tried.get_window_extent(renderer), panel.bbox, lines, taken)
        tried.remove()
        if hidden < least:
            least, best = hidden, place
        if not hidden:
            break
    return made(best).get_window_extent(renderer)


def _hidden(box: Any, frame: Any, lines: Sequence[FloatArray], taken: Sequence[Any]) -> float:
    """Measure how much a box hides; a label counts more than lines, the panel's edge most."""
    if box.y0 < frame.y0 or box.y1 > frame.y1 or box.x0 < frame.x0 or box.x1 > frame.x1:
        return 1e9
    labels = sum(bool(box.padded(_ROOM).overlaps(other)) for other in taken)
    points = 0
    for line in lines:
        x, y = line.T
        across = (x > box.x0 - _ROOM) & (x < box.x1 + _ROOM)
        points += int((across & (y > box.y0 - _ROOM) & (y < box.y1 + _ROOM)).sum())
    return 1e6 * labels + points


def _along(line: Any) -> FloatArray:
    """Return (n, 2) points of a line in pixels, one every few pixels."""
    transform = line.get_transform()
    corners = np.asarray(transform.transform(np.column_stack(line.get_data())), dtype=float)
    if len(corners) < 2:
        return corners
    far = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
    places = np.arange(0.0, far[-1] + _STEP, _STEP)
    points: FloatArray = np.column_stack(
        [np.interp(places, far, corners[:, axis]) for axis in (0, 1)]
    )
    return points


# Decimal digits of means that count: the means of equal scores differ by rounding.
EQUAL_DIGITS = 9

_AXES = {"words": "minimum words of a block", "density": "minimum text density of a block"}
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
) -> Iterator[tuple[Any, Labels]]:
    """Draw panels into `<stem>.svg` and `<stem>.png`, which are written at the end of the block.

    Args:
        stem: The path of the files without its suffix.
        sweeps: The labels of the sweeps, one per column.
        rows: The labels of the scores, one per row.
        title: The title.
        size: The width and height in inches; None for 5 per column and 2.4 per row.

    Yields:
        The (rows, columns) panels, and their labels.

    Raises:
        OutputError: A file cannot be written.
    """
    labels = Labels()
    with saved_figure(stem, *(size or (5 * len(sweeps), 0.6 + 2.4 * len(rows)))) as figure:
        panels = figure.subplots(len(rows), len(sweeps), sharex="col", sharey="row", squeeze=False)
        for line, row in zip(panels, rows, strict=True):
            line[0].set_ylabel(row)
        for panel, sweep in zip(panels[-1], sweeps, strict=True):
            panel.set_xlabel(label(axis_of(sweep)))
        yield panels, labels
        for panel in panels.flat:
            open_frame(panel)
        figure.suptitle(label(title))
        figure.tight_layout()
        labels.put()


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
    with curve_panels(stem, [curve.sweep for curve in curves], measures, title) as (panels, labels):
        for row, measure, colour in zip(panels, measures, COLOURS, strict=False):
            for panel, curve in zip(row, curves, strict=True):
                style = dots(curve.thresholds)
                panel.plot(curve.thresholds, curve.scores[measure], color=colour, **style)
                if measure in curve.bands:
                    lows, highs = zip(*curve.bands[measure], strict=True)
                    band = {"color": colour, "alpha": 0.15, "linewidth": 0}
                    panel.fill_between(curve.thresholds, lows, highs, **band)
                if measure in baseline:
                    kept = baseline[measure]
                    panel.axhline(kept, **DASHED)
                    text = f"every block kept: {kept:.3f}"
                    labels.along(panel, text, kept, color="#555555", fontsize=8)
                _mark_best(panel, curve, measure, colour, labels)
                panel.margins(y=0.18)
    return figure_files(stem)


def dots(thresholds: Sequence[float]) -> dict[str, Any]:
    """Return the style of a line: a dot for each threshold, if they are few."""
    return {"marker": "o" if len(thresholds) <= _MAX_DOTS else None, "markersize": 3}


def _mark_best(panel: Any, curve: Curve, measure: str, colour: str, labels: Labels) -> None:
    """Put a ring around the best threshold, and its score beside it."""
    scores = curve.scores[measure]
    place = place_of_best(scores)
    peak = (curve.thresholds[place], scores[place])
    panel.plot(*peak, "o", color=colour, fillstyle="none", markersize=8)
    text = f"{peak[1]:.3f} at {number_text(peak[0])}"
    labels.at(panel, text, peak, color=colour, fontsize=8.5, fontweight="bold")
