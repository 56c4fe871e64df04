"""What drawings share: curves over thresholds, and dots with their intervals.

Curves are in panels, a row per measure and a column per sweep; dots have a line per variant.
"""

import itertools
from collections.abc import Mapping, Sequence

from boilersweep.cleaners.rules import OPERATORS
from boilersweep.outputs.pictures import (
    ACCENT,
    INK,
    MUTED,
    Row,
    Spec,
    axis,
    layer,
    shortened,
    tooltip,
)

COLOURS = (ACCENT, "#c8553d", "#4f8a5b", "#8d6a9f", "#b5893b")
DASHED: Spec = {"color": MUTED, "strokeDash": [4, 3], "strokeWidth": 1.2}

_AXES = {
    "words": "minimum words of a block",
    "density": "minimum text density of a block",
}
# A line of at most so many thresholds has a large dot for each.
_MANY_DOTS = 30
# Pixels between two lines of dots.
STEP = 27


def axis_of(sweep: str) -> str:
    """Return what the thresholds of a sweep, given by its label, mean on an axis."""
    if sweep in _AXES:
        return _AXES[sweep]
    return f"k of {sweep}k" if sweep.endswith(tuple(OPERATORS)) else f"k of {sweep}"


def borders(values: Sequence[float]) -> list[float]:
    """Return the borders of cells around ascending values, half-way to the next: one more."""
    if len(values) == 1:
        return [values[0] - 0.5, values[0] + 0.5]
    between = [(one + other) / 2 for one, other in itertools.pairwise(values)]
    first, last = 2 * values[0] - between[0], 2 * values[-1] - between[-1]
    return [first, *between, last]


def curve(
    rows: Sequence[Row],
    x: str,
    y: str,
    shown: Mapping[str, str],
    *,
    colour: str = ACCENT,
    beside: Sequence[Spec] = (),
) -> Spec:
    """Return a curve over thresholds with the band of its intervals.

    Args:
        rows: The rows in the order of their `threshold`: `mean`; `low` and `high`, or None.
        x: The label of the x-axis.
        y: The label of the y-axis.
        shown: What appears while pointing above or below a threshold: field -> its name.
        colour: The colour.
        beside: Layers between the band and the line.
    """
    thresholds = [row["threshold"] for row in rows]
    ends = borders(thresholds)
    if len(ends) > 2:  # the axis begins and ends with a threshold
        ends[0], ends[-1] = thresholds[0], thresholds[-1]
    cells = [
        {**row, "left": left, "right": right}
        for row, (left, right) in zip(rows, itertools.pairwise(ends), strict=True)
    ]
    exact = {"zero": False, "nice": False}
    along = axis("threshold", x, axis={"grid": False}, scale=exact)
    size = 30 if len(rows) <= _MANY_DOTS else 12
    line = {"type": "line", "color": colour, "strokeWidth": 2}
    return {
        "data": {"values": cells},
        "layer": [
            layer(
                {"type": "area", "color": colour, "opacity": 0.2},
                [row for row in cells if row["low"] is not None],
                x=along,
                y=axis("low", y),
                y2={"field": "high"},
            ),
            *beside,
            layer(
                {**line, "point": {"size": size, "color": colour}},
                x=along,
                y=axis("mean", y),
            ),
            layer(
                {"type": "rect", "opacity": 0},
                x=axis("left", x, scale=exact),
                x2={"field": "right"},
                tooltip=tooltip(shown),
            ),
        ],
    }


def flat(row: Row, y: str, style: Spec, shown: Mapping[str, str]) -> Spec:
    """Return a layer with a line at a row's `mean`, from side to side.

    Args:
        row: The row.
        y: The label of the y-axis.
        style: The line's style.
        shown: What appears while pointing at it: field -> its name.
    """
    return layer(
        {"type": "rule", "strokeWidth": 1.5, **style},
        [row],
        y=axis("mean", y),
        tooltip=tooltip(shown),
    )


def ring(rows: Sequence[Row], x: str, y: str, colour: str = INK) -> Spec:
    """Return a layer with a ring around a point of a curve."""
    mark = {"type": "point", "size": 130, "strokeWidth": 2, "color": colour}
    return layer(mark, rows, x=axis("threshold", x), y=axis("mean", y))


def dot(
    name: str,
    mean: float,
    low: float | None,
    high: float | None,
    colour: str,
    *,
    filled: bool,
) -> Row:
    """Return a row for `dots`.

    Args:
        name: The name of its line.
        mean: The place of the dot.
        low: The lower end of its interval; None is not drawn.
        high: The upper end.
        colour: The colour.
        filled: Whether the dot is filled.
    """
    fill = colour if filled else None
    place = {"name": shortened(name), "mean": mean, "low": low, "high": high}
    return {**place, "colour": colour, "fill": fill}


def dots(
    rows: Sequence[Row],
    x: str,
    shown: Mapping[str, str],
    *,
    names: bool = True,
    zero: bool = False,
) -> Spec:
    """Return a dot with its interval for each row, the first on top.

    Args:
        rows: The rows: `name`, `mean`, `low` and `high` or None, `colour`, and `fill` or None.
        x: The label of the x-axis.
        shown: What appears while pointing left or right of a dot: field -> its name.
        names: Whether the names are beside the dots.
        zero: Whether there is a line at 0.
    """
    order = [row["name"] for row in rows]
    axis_of_names = {"labelColor": INK, "ticks": False} if names else None
    across: Spec = {"field": "name", "type": "nominal", "sort": order, "title": None}
    across["axis"] = axis_of_names
    room = {"zero": False, "padding": 8}
    along: Spec = {"title": x, "axis": {"tickCount": 4}, "scale": room}
    colour = {"field": "colour", "type": "nominal", "scale": None}
    fill = {**colour, "field": "fill"}
    line = {"type": "rule", "strokeWidth": 2}
    at_zero = [layer({"type": "rule", **DASHED}, [{}], x={"datum": 0})] if zero else []
    return {
        "data": {"values": list(rows)},
        "height": STEP * len(rows),
        "layer": [
            *at_zero,
            layer(
                line,
                [row for row in rows if row["low"] is not None],
                x=axis("low", **along),
                x2={"field": "high"},
                y=across,
                color=colour,
            ),
            layer(
                {"type": "point", "size": 80, "strokeWidth": 2, "opacity": 1},
                x=axis("mean", **along),
                y=across,
                stroke=colour,
                fill=fill,
            ),
            layer({"type": "bar", "opacity": 0}, y=across, tooltip=tooltip(shown)),
        ],
    }


def panels(
    rows: Sequence[Sequence[Spec]], title: Spec, shared: Sequence[str] = ("y",)
) -> Spec:
    """Return charts side by side in rows.

    Args:
        rows: The charts.
        title: The heading of all.
        shared: The axes of which a row has one scale.
    """
    size = {"width": 330, "height": 170}
    scales = {"scale": dict.fromkeys(shared, "shared")}
    beside = [
        {"hconcat": [{**size, **panel} for panel in row], "resolve": scales}
        for row in rows
    ]
    return {"title": title, "vconcat": beside}
