"""Panels for curves over thresholds: a row per measure, a column per sweep."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import OPERATORS
from boilersweep.eval.figures.drawing import label, open_frame, saved_figure

_AXES = {
    "words": "minimum words of a block",
    "density": "minimum text density of a block",
}
# A line of at most so many thresholds has a dot for each.
_MAX_DOTS = 30


def axis_of(sweep: str) -> str:
    """Return what the thresholds of a sweep, given by its label, mean on an axis."""
    if sweep in _AXES:
        return _AXES[sweep]
    return f"k of {sweep}k" if sweep.endswith(tuple(OPERATORS)) else f"k of {sweep}"


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


def dots(thresholds: Sequence[float]) -> dict[str, Any]:
    """Return the style of a line: a dot for each threshold, if they are few."""
    return {"marker": "o" if len(thresholds) <= _MAX_DOTS else None, "markersize": 3}
