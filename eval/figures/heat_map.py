"""The heat map of a grid: scores over both sweeps, and each sweep alone along its edge."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.eval.figures.curves import axis_of, place_of_best
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.pages.columns import FloatArray

_COLOURS = "cividis"  # in which people who see fewer colours see the same steps
_LINE, _BEST = COLOURS[:2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One of the two sweeps of a grid.

    Attributes:
        sweep: The label of the sweep.
        thresholds: The values, ascending.
        scores: The scores of the sweep alone.
    """

    sweep: str
    thresholds: Sequence[float]
    scores: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """The scores of a grid by one measure.

    Attributes:
        measure: The measure.
        first: The sweep to the right.
        second: The sweep upwards.
        scores: (second, first) scores of all pairs.
        best: The places of the best pair in the first and in the second sweep.
        everything: The score with every block kept.
        head: The text above the map.
    """

    measure: str
    first: Edge
    second: Edge
    scores: Sequence[Sequence[float]]
    best: tuple[int, int]
    everything: float
    head: str


def draw_heat_maps(maps: Sequence[HeatMap], title: str, stem: Path) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png` with some maps side by side.

    The curves of either sweep alone are above the map and beside it, with everything as a dashed
    line. A ring marks the best pair. The scales of scores do not begin at zero.

    Args:
        maps: The maps.
        title: The title of the figure.
        stem: The path of the files without its suffix.

    Returns:
        The files.

    Raises:
        OutputError: A file cannot be written.
    """
    with saved_figure(stem, 6.2 * len(maps), 5.2, layout="constrained") as figure:
        parts = figure.subfigures(1, len(maps), squeeze=False)[0]
        for part, heat_map in zip(parts, maps, strict=True):
            _draw_map(part, heat_map)
        figure.suptitle(label(title))
    return figure_files(stem)


def _draw_map(figure: Any, heat_map: HeatMap) -> None:
    panels = figure.subplots(
        2,
        2,
        sharex="col",
        sharey="row",
        gridspec_kw={"width_ratios": (4, 1), "height_ratios": (1, 3.2)},
    )
    (above, nothing), (middle, beside) = panels
    nothing.set_axis_off()
    first, second = np.array(heat_map.first.thresholds), np.array(heat_map.second.thresholds)
    scores = np.array(heat_map.scores)
    mesh = middle.pcolormesh(_borders(first), _borders(second), scores, cmap=_COLOURS)
    mesh.set_rasterized(True)  # thousands of rectangles make a large SVG
    middle.set_xlabel(label(axis_of(heat_map.first.sweep)))
    middle.set_ylabel(label(axis_of(heat_map.second.sweep)))
    i, j = heat_map.best
    x, y = first[i], second[j]
    middle.plot(x, y, "o", color=_BEST, fillstyle="none", markersize=9, markeredgewidth=2)
    middle.set_xlim(*_borders(first)[[0, -1]])
    middle.set_ylim(*_borders(second)[[0, -1]])
    above.set_title(heat_map.head, color=_BEST)
    _draw_edges(above, beside, heat_map)
    figure.colorbar(
        mesh, ax=panels, location="bottom", shrink=0.7, aspect=40, label=heat_map.measure
    )


def _draw_edges(above: Any, beside: Any, heat_map: HeatMap) -> None:
    """Draw each sweep alone, on one scale."""
    from matplotlib.ticker import MaxNLocator

    first, second, everything = heat_map.first, heat_map.second, heat_map.everything
    ring: Any = {"color": _LINE, "fillstyle": "none", "markersize": 6}
    above.plot(first.thresholds, first.scores, color=_LINE)
    above.plot(*_peak(first), "o", **ring)
    above.axhline(everything, **DASHED)
    above.set_ylabel("alone")
    above.annotate(
        f"everything: {everything:.3f}",
        (1, everything),
        xycoords=("axes fraction", "data"),
        xytext=(-2, 3),
        textcoords="offset points",
        ha="right",
        color="#555555",
        fontsize=8,
    )
    beside.plot(second.scores, second.thresholds, color=_LINE)
    beside.plot(*_peak(second)[::-1], "o", **ring)
    beside.axvline(everything, **DASHED)
    beside.set_xlabel("alone")
    seen = [*first.scores, *second.scores, everything]
    room = 0.08 * (max(seen) - min(seen)) or 0.01
    scale = (min(seen) - room, max(seen) + room)
    above.set_ylim(*scale)
    beside.set_xlim(*scale)
    beside.xaxis.set_major_locator(MaxNLocator(2))
    for panel in (above, beside):
        open_frame(panel)


def _peak(edge: Edge) -> tuple[float, float]:
    """Return the threshold with the best score, the lowest of equal ones, and its score."""
    place = place_of_best(edge.scores)
    return edge.thresholds[place], edge.scores[place]


def _borders(values: FloatArray) -> FloatArray:
    """Return the (n + 1,) borders of cells around n ascending values, half-way to the next."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    between = (values[1:] + values[:-1]) / 2
    first, last = values[0] - (between[0] - values[0]), values[-1] + (values[-1] - between[-1])
    borders: FloatArray = np.concatenate([[first], between, [last]])
    return borders
