"""The heat map of a grid: scores over both sweeps, and each sweep alone along its edge."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.grids import Grid, GridCell
from boilersweep.eval.drawing import (
    COLOURS,
    DASHED,
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.eval.sweep.curve import axis_of
from boilersweep.eval.sweep.grid_table import Optimum
from boilersweep.eval.sweep.table import EQUAL_DIGITS, SweepRow
from boilersweep.pages.columns import FloatArray

_COLOURS = "cividis"  # in which people who see fewer colours see the same steps
_LINE, _BEST = COLOURS[:2]


def draw_heat_map(
    grid: Grid, rows: Mapping[GridCell, SweepRow], best: Sequence[Optimum], title: str, stem: Path
) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png`: a map for each optimum's measure, side by side.

    The first sweep goes to the right, the second upwards. Above the map and beside it stand the
    curves of either sweep alone, with everything as a dashed line. A ring is the best pair. The
    scales of scores do not begin at zero. Returns the files. Raises OutputError.
    """
    with saved_figure(stem, 6.2 * len(best), 5.2, layout="constrained") as figure:
        parts = figure.subfigures(1, len(best), squeeze=False)[0]
        for part, one in zip(parts, best, strict=True):
            _draw_map(part, grid, rows, one)
        figure.suptitle(label(title))
    return figure_files(stem)


def _draw_map(figure: Any, grid: Grid, rows: Mapping[GridCell, SweepRow], best: Optimum) -> None:
    measure = best.measure
    panels = figure.subplots(
        2,
        2,
        sharex="col",
        sharey="row",
        gridspec_kw={"width_ratios": (4, 1), "height_ratios": (1, 3.2)},
    )
    (above, nothing), (middle, beside) = panels
    nothing.set_axis_off()
    first, second = np.array(grid.first.values), np.array(grid.second.values)
    scores = np.array(
        [[rows[i, j].scores[measure] for i in range(len(first))] for j in range(len(second))]
    )
    mesh = middle.pcolormesh(_borders(first), _borders(second), scores, cmap=_COLOURS)
    mesh.set_rasterized(True)  # thousands of rectangles make a large SVG
    middle.set_xlabel(label(axis_of(grid.first.label)))
    middle.set_ylabel(label(axis_of(grid.second.label)))
    i, j = best.pair
    x, y = first[i], second[j]
    middle.plot(x, y, "o", color=_BEST, fillstyle="none", markersize=9, markeredgewidth=2)
    middle.set_xlim(*_borders(first)[[0, -1]])
    middle.set_ylim(*_borders(second)[[0, -1]])
    above.set_title(f"{measure}: {best}\n{label(str(best.row.variant))}", color=_BEST)
    of_first, of_second = ([rows[place].scores[measure] for place in edge] for edge in grid.edges)
    everything = rows[grid.baseline].scores[measure]
    _draw_edges(above, beside, (first, of_first), (second, of_second), everything)
    figure.colorbar(mesh, ax=panels, location="bottom", shrink=0.7, aspect=40, label=measure)


def _draw_edges(
    above: Any,
    beside: Any,
    of_first: tuple[FloatArray, list[float]],
    of_second: tuple[FloatArray, list[float]],
    everything: float,
) -> None:
    """Each sweep alone, on one scale. of_first, of_second: values and scores."""
    from matplotlib.ticker import MaxNLocator

    ring: Any = {"color": _LINE, "fillstyle": "none", "markersize": 6}
    above.plot(*of_first, color=_LINE)
    above.plot(*_peak(*of_first), "o", **ring)
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
    beside.plot(*of_second[::-1], color=_LINE)
    beside.plot(*_peak(*of_second)[::-1], "o", **ring)
    beside.axvline(everything, **DASHED)
    beside.set_xlabel("alone")
    seen = [*of_first[1], *of_second[1], everything]
    room = 0.08 * (max(seen) - min(seen)) or 0.01
    scale = (min(seen) - room, max(seen) + room)
    above.set_ylim(*scale)
    beside.set_xlim(*scale)
    beside.xaxis.set_major_locator(MaxNLocator(2))
    for panel in (above, beside):
        open_frame(panel)


def _peak(values: FloatArray, scores: list[float]) -> tuple[float, float]:
    """The value with the best score, and that; of equal ones the lowest."""
    place = int(np.argmax(np.round(scores, EQUAL_DIGITS)))
    return float(values[place]), scores[place]


def _borders(values: FloatArray) -> FloatArray:
    """(n + 1,) borders of cells around n ascending values: half-way to the next."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    between = (values[1:] + values[:-1]) / 2
    first, last = values[0] - (between[0] - values[0]), values[-1] + (values[-1] - between[-1])
    borders: FloatArray = np.concatenate([[first], between, [last]])
    return borders
