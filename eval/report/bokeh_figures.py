"""Bokeh's figures in the report's style, and their JSON, which is the same in every run."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from boilersweep.eval.report.html import INK, LINE, MUTED

FONT = "system-ui, sans-serif"


@cache
def bokeh_script() -> str:
    """Return BokehJS's core: the charts, without widgets, tables, formulas and WebGL."""
    import bokeh

    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    return (folder / "bokeh.min.js").read_text("utf-8").strip()


def source_of(rows: Sequence[Mapping[str, Any]], fields: Sequence[str]) -> Any:
    """Return a column data source of some fields of the rows; None is missing."""
    from bokeh.models import ColumnDataSource

    return ColumnDataSource({field: [row[field] for row in rows] for field in fields})


def new_figure(
    x: str, y: str | None, *, height: int = 280, factors: Sequence[str] | None = None
) -> Any:
    """Return an empty figure as wide as its place.

    Args:
        x: The label of the x-axis.
        y: The label of the y-axis.
        height: The height in pixels.
        factors: Names along the y-axis, from below.
    """
    from bokeh.models import BasicTicker
    from bokeh.plotting import figure

    ranges: dict[str, Any] = {"y_range": list(factors)} if factors else {}
    chart = figure(
        height=height,
        sizing_mode="stretch_width",
        toolbar_location=None,
        output_backend="svg",  # sharp on paper, too
        tools="",
        background_fill_color=None,
        border_fill_color=None,
        outline_line_color=None,
        min_border_right=12,
        **ranges,
    )
    chart.xaxis.axis_label = x
    chart.yaxis.axis_label = y
    for axis in chart.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "12px"
        axis.axis_label_text_color = MUTED
        axis.major_label_text_color = INK if factors and axis in chart.yaxis else MUTED
        axis.axis_line_color = LINE
        axis.major_tick_line_color = LINE
        axis.minor_tick_line_color = None
    if factors:
        chart.xaxis.ticker = BasicTicker(desired_num_ticks=4)  # names leave little room on a phone
    chart.grid.grid_line_color = LINE
    chart.xgrid.grid_line_color = LINE if factors else None
    return chart


def add_hover(
    figure: Any,
    renderer: Any,
    tooltips: list[tuple[str, str]],
    *,
    mode: Literal["mouse", "vline", "hline"],
) -> None:
    """Show figures while pointing at a renderer.

    Args:
        figure: The figure.
        renderer: The renderer.
        tooltips: Names and formats of the figures.
        mode: `mouse`; `vline` or `hline` react in the whole height or width.
    """
    from bokeh.models import HoverTool

    tool = HoverTool(renderers=[renderer], tooltips=tooltips, mode=mode, line_policy="nearest")
    figure.add_tools(tool)


def embedded(figure: Any, name: str) -> dict[str, Any]:
    """Return the figure for `Bokeh.embed.embed_item`, with names in place of Bokeh's ids."""
    from bokeh.embed import json_item

    item: dict[str, Any] = dict(json_item(figure))
    names: dict[str, str] = {}
    renamed: dict[str, Any] = _renamed(item, names, name)
    renamed["target_id"] = None
    return renamed


def _renamed(value: Any, names: dict[str, str], prefix: str) -> Any:
    if isinstance(value, Mapping):
        return {
            key: names.setdefault(one, f"{prefix}-{len(names)}")
            if key in ("id", "root_id") and isinstance(one, str)
            else _renamed(one, names, prefix)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_renamed(one, names, prefix) for one in value]
    return value
