"""What all drawings share: figures as SVG and PNG, curves over thresholds, and forest plots.

A figure has one style, and the same bytes for the same data. Curves are in panels, a row per
measure and a column per sweep; forest plots have dots with their intervals, a line per variant.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import OPERATORS
from boilersweep.outputs.atomic import whole_file

FORMATS = ("svg", "png")

COLOURS = ("#0b6e99", "#c8553d", "#4f8a5b", "#8d6a9f", "#b5893b")
GOLD = "#8a6d1d"
DASHED: dict[str, Any] = {
    "color": "#666666",
    "linestyle": (0, (4, 3)),
    "linewidth": 0.9,
}

_STYLE: Any = {"svg.hashsalt": "boilersweep", "font.size": 9, "axes.titlesize": 10}
_MOST = 70  # characters of a label


def label(text: str) -> str:
    """Prepare a text for matplotlib: leave out the middle of a long text, and escape dollars.

    Matplotlib reads the text between two dollars as a formula.
    """
    if len(text) > _MOST:
        text = f"{text[: _MOST - 20]} ... {text[-15:]}"
    return text.replace("$", r"\$")


def figure_names(stem: str) -> list[str]:
    """Return the names of a figure's files: `<stem>.svg` and `<stem>.png`."""
    return [f"{stem}.{suffix}" for suffix in FORMATS]


def figure_files(stem: Path) -> list[Path]:
    """Return the files of a figure: `<stem>.svg` and `<stem>.png`."""
    return [stem.with_name(name) for name in figure_names(stem.name)]


@contextmanager
def saved_figure(
    stem: Path, width: float, height: float, **options: Any
) -> Iterator[Any]:
    """Make a matplotlib figure that is written to `figure_files(stem)` at the end of the block.

    Args:
        stem: The path of the files without its suffix.
        width: The width in inches.
        height: The height in inches.
        options: Further options of matplotlib's Figure.

    Yields:
        The figure.

    Raises:
        OutputError: A file cannot be written.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure  # not pyplot, whose figures belong to the user

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), **options)
        FigureCanvasAgg(figure)
        yield figure
        for suffix, path in zip(FORMATS, figure_files(stem), strict=True):
            with whole_file(path) as temporary:
                metadata = {"Date": None} if suffix == "svg" else None
                figure.savefig(temporary, format=suffix, dpi=150, metadata=metadata)


def open_frame(panel: Any, *, grid: str = "both") -> None:
    """Leave out the frame's top and right side.

    Args:
        panel: The panel.
        grid: The axes with grid lines: `x`, `y`, `both`, or "" for none.
    """
    if grid:
        panel.grid(axis=grid, alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


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
