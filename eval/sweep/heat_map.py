"""The heat map of a grid: scores over both sweeps, and each sweep alone along its edge."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.cleaners.language.variants import Grid, GridCell, Pair
from boilersweep.eval.experiment.scored import ScoreRow
from boilersweep.eval.figures.curves import axis_of
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.eval.stats.statistics import Interval, place_of_best
from boilersweep.pages.columns import FloatArray

Rows = Mapping[GridCell, ScoreRow]
Scores = Mapping[GridCell, float]

_COLOURS = "cividis"  # in which people who see fewer colours see the same steps
_LINE, _BEST = COLOURS[:2]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best pair of a grid by a measure.

    Attributes:
        measure: The measure.
        pair: The pair: its places in the first and in the second sweep.
        row: Its row.
        interval: The interval of its mean; nan for one topic.
    """

    measure: str
    pair: Pair
    row: ScoreRow
    interval: Interval

    def __str__(self) -> str:
        score = f"{self.row.scores[self.measure]:.3f}"
        low, high = self.interval
        return score if math.isnan(low) else f"{score} [{low:.3f}, {high:.3f}]"


def draw_heat_maps(
    grid: Grid, rows: Rows, best: Sequence[Optimum], title: str, stem: Path
) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png` with a map for each optimum's measure, side by side.

    The curves of either sweep alone are above the map and beside it, with everything as a dashed
    line. A ring marks the best pair. The scales of scores do not begin at zero.

    Args:
        grid: The grid, its first sweep to the right and its second upwards.
        rows: The rows of its places.
        best: The best pairs.
        title: The title of the figure.
        stem: The path of the files without its suffix.

    Returns:
        The files.

    Raises:
        OutputError: A file cannot be written.
    """
    with saved_figure(stem, 6.2 * len(best), 5.2, layout="constrained") as figure:
        parts = figure.subfigures(1, len(best), squeeze=False)[0]
        for part, optimum in zip(parts, best, strict=True):
            scores = {place: row.scores[optimum.measure] for place, row in rows.items()}
            _draw_map(part, grid, scores, optimum)
        figure.suptitle(label(title))
    return figure_files(stem)


def _draw_map(figure: Any, grid: Grid, scores: Scores, best: Optimum) -> None:
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
    across, up = grid.shape
    pairs = np.array([[scores[i, j] for i in range(across)] for j in range(up)])
    mesh = middle.pcolormesh(_borders(first), _borders(second), pairs, cmap=_COLOURS)
    mesh.set_rasterized(True)  # thousands of rectangles make a large SVG
    middle.set_xlabel(label(axis_of(grid.first.label)))
    middle.set_ylabel(label(axis_of(grid.second.label)))
    i, j = best.pair
    middle.plot(
        first[i],
        second[j],
        "o",
        color=_BEST,
        fillstyle="none",
        markersize=9,
        markeredgewidth=2,
    )
    middle.set_xlim(*_borders(first)[[0, -1]])
    middle.set_ylim(*_borders(second)[[0, -1]])
    head = f"{best.measure}: {best}\n{label(str(best.row.variant))}"
    above.set_title(head, color=_BEST)
    _draw_edges(above, beside, grid, scores)
    figure.colorbar(
        mesh, ax=panels, location="bottom", shrink=0.7, aspect=40, label=best.measure
    )


def _draw_edges(above: Any, beside: Any, grid: Grid, scores: Scores) -> None:
    """Draw each sweep alone, on one scale."""
    from matplotlib.ticker import MaxNLocator

    first, second = ([scores[place] for place in edge] for edge in grid.edges)
    everything = scores[grid.baseline]
    ring: Any = {"color": _LINE, "fillstyle": "none", "markersize": 6}
    above.plot(grid.first.values, first, color=_LINE)
    best = place_of_best(first)
    above.plot(grid.first.values[best], first[best], "o", **ring)
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
    beside.plot(second, grid.second.values, color=_LINE)
    best = place_of_best(second)
    beside.plot(second[best], grid.second.values[best], "o", **ring)
    beside.axvline(everything, **DASHED)
    beside.set_xlabel("alone")
    seen = [*first, *second, everything]
    room = 0.08 * (max(seen) - min(seen)) or 0.01
    scale = (min(seen) - room, max(seen) + room)
    above.set_ylim(*scale)
    beside.set_xlim(*scale)
    beside.xaxis.set_major_locator(MaxNLocator(2))
    for panel in (above, beside):
        open_frame(panel)


def _borders(values: FloatArray) -> FloatArray:
    """Return the (n + 1,) borders of cells around n ascending values, half-way to the next."""
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    between = (values[1:] + values[:-1]) / 2
    first, last = (
        values[0] - (between[0] - values[0]),
        values[-1] + (values[-1] - between[-1]),
    )
    borders: FloatArray = np.concatenate([[first], between, [last]])
    return borders
