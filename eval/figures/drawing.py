"""Figures as SVG and PNG: one style, and the same bytes for the same data."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
