"""Forest plots: dots with their intervals, one line per variant, in a grid of panels."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boilersweep.eval.figures.drawing import (
    DASHED,
    GOLD,
    label,
    open_frame,
    saved_figure,
)


@contextmanager
def forest_panels(
    stem: Path,
    title: str,
    names: Sequence[str],
    shape: tuple[int, int],
    *,
    shared: bool = False,
) -> Iterator[Any]:
    """Draw a forest plot into `<stem>.svg` and `<stem>.png`, written at the end of the block.

    Args:
        stem: The path of the files without its suffix.
        title: The title.
        names: The names of the lines, from below.
        shape: The rows and columns of panels.
        shared: Whether the panels of a row share the x-axis, and are narrow.

    Yields:
        The (rows, columns) panels, to draw dots in.

    Raises:
        OutputError: A file cannot be written.
    """
    rows, columns = shape
    width = 2.2 + (2.0 if shared else 3.6) * columns
    lines = 0.24 * max(len(names), 1)
    height = 1.0 + (0.5 + lines) * rows if shared else 1.3 + lines
    sharing: Any = "row" if shared else False
    with saved_figure(stem, width, height) as figure:
        panels = figure.subplots(
            rows, columns, sharex=sharing, sharey=True, squeeze=False
        )
        yield panels
        for panel in panels.flat:
            panel.axvline(0, **DASHED)
            panel.locator_params(axis="x", nbins=4 if shared else 6)
            open_frame(panel)
        panels[0][0].set_yticks(range(len(names)), list(map(label, names)))
        panels[0][0].set_ylim(-0.7, len(names) - 0.3)
        figure.suptitle(title, fontsize=10)
        figure.tight_layout()


def draw_dot(
    panel: Any,
    line: int,
    value: float,
    interval: tuple[float, float] | None,
    colour: str,
    *,
    filled: bool = True,
    gold: bool = False,
) -> None:
    """Draw a variant's difference.

    Args:
        panel: The panel.
        line: The number of its line, from below.
        value: The difference.
        interval: Its interval; None is not drawn.
        colour: The colour of the panel's dots.
        filled: Whether the dot is filled.
        gold: Whether it is the gold text's, which has its own colour.
    """
    shade = GOLD if gold else colour
    if interval:
        panel.plot(interval, (line, line), color=shade, linewidth=1.2)
    fill = shade if filled else "white"
    panel.plot(value, line, "o", color=shade, markerfacecolor=fill, markersize=4.5)
