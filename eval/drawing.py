"""Figures as SVG and PNG: one style, and the same bytes for the same data."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from boilersweep.outputs.files import whole_file

FORMATS = ("svg", "png")

COLOURS = ("#0b6e99", "#c8553d", "#4f8a5b", "#8d6a9f", "#b5893b")
GOLD = "#8a6d1d"
DASHED: dict[str, Any] = {"color": "#666666", "linestyle": (0, (4, 3)), "linewidth": 0.9}

_STYLE: Any = {"svg.hashsalt": "boilersweep", "font.size": 9, "axes.titlesize": 10}
_MOST = 70  # characters of a label


def label(text: str) -> str:
    """A text from outside as matplotlib is to draw it: its middle left out if it is long.

    Two dollars would make a formula of what is between.
    """
    if len(text) > _MOST:
        text = f"{text[: _MOST - 20]} ... {text[-15:]}"
    return text.replace("$", r"\$")


def figure_files(stem: Path) -> list[Path]:
    """The files of a figure: `<stem>.svg` and `<stem>.png`."""
    return [stem.with_name(f"{stem.name}.{suffix}") for suffix in FORMATS]


@contextmanager
def saved_figure(stem: Path, width: float, height: float, **options: Any) -> Iterator[Any]:
    """A matplotlib figure, in inches, that is written to `figure_files(stem)` at the end.

    Raises OutputError.
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
    """Leave out the frame's top and right side. grid: lines along `x`, `y`, `both` or none ("")."""
    if grid:
        panel.grid(axis=grid, alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
