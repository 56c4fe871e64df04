"""Forest plots: dots with their intervals, one line per variant, in a grid of panels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.eval.figures.drawing import DASHED, GOLD, label, open_frame, saved_figure


@dataclass(frozen=True, slots=True)
class Dot:
    """A variant's difference.

    Attributes:
        line: The number of its line, from below.
        value: The difference.
        interval: Its interval; None is not drawn.
        filled: Whether the dot is filled.
        gold: Whether it is the gold text's.
    """

    line: int
    value: float
    interval: tuple[float, float] | None
    filled: bool
    gold: bool


@dataclass(frozen=True, slots=True)
class ForestPanel:
    """A panel.

    Attributes:
        measure: The label of its x-axis.
        dots: Its dots.
        colour: The dots' colour.
        title: Its title, "" without one.
    """

    measure: str
    dots: list[Dot]
    colour: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Forest:
    """A forest plot.

    Attributes:
        title: The title.
        names: The names of the lines, from below.
        rows: Rows of panels.
        shared: Whether the panels of a row share the x-axis, and are narrow.
    """

    title: str
    names: Sequence[str]
    rows: Sequence[Sequence[ForestPanel]]
    shared: bool = False


def draw_forest(forest: Forest, stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`; raises OutputError."""
    rows, columns = len(forest.rows), len(forest.rows[0])
    width = 2.2 + (2.0 if forest.shared else 3.6) * columns
    lines = 0.24 * max(len(forest.names), 1)
    height = 1.0 + (0.5 + lines) * rows if forest.shared else 1.3 + lines
    sharing: Any = "row" if forest.shared else False
    with saved_figure(stem, width, height) as figure:
        panels = figure.subplots(rows, columns, sharex=sharing, sharey=True, squeeze=False)
        for axes, row in zip(panels, forest.rows, strict=True):
            for panel, data in zip(axes, row, strict=True):
                _draw_panel(panel, data, bins=4 if forest.shared else 6)
        panels[0][0].set_yticks(range(len(forest.names)), list(map(label, forest.names)))
        panels[0][0].set_ylim(-0.7, len(forest.names) - 0.3)
        figure.suptitle(forest.title, fontsize=10)
        figure.tight_layout()


def _draw_panel(panel: Any, data: ForestPanel, *, bins: int) -> None:
    """Draw the dots of a panel."""
    for dot in data.dots:
        shade = GOLD if dot.gold else data.colour
        if dot.interval:
            panel.plot(dot.interval, (dot.line, dot.line), color=shade, linewidth=1.2)
        fill = shade if dot.filled else "white"
        panel.plot(dot.value, dot.line, "o", color=shade, markerfacecolor=fill, markersize=4.5)
    panel.axvline(0, **DASHED)
    panel.locator_params(axis="x", nbins=bins)
    panel.set_xlabel(data.measure)
    panel.set_title(data.title)
    open_frame(panel)
