"""Pictures: one Vega-Lite chart as SVG and PNG files, in a notebook, and in a page."""

import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.outputs.atomic import whole_file
from boilersweep.outputs.figures import figure

# A chart or a part of it, as Vega-Lite has it: https://vega.github.io/vega-lite/docs/
Spec = dict[str, Any]
Row = Mapping[str, Any]

FORMATS = ("svg", "png")

# Colours, with a contrast of at least 4.5 : 1 to white (lines and bands excepted).
INK = "#1d1c1a"
MUTED = "#625e57"
LINE = "#dedad2"
ACCENT = "#0a6a93"
GOLD = "#86680f"

_MOST = 70  # characters of a label
_TEXT = {
    "aria": False,
    "labelColor": MUTED,
    "titleColor": MUTED,
    "labelFontSize": 11,
    "titleFontSize": 11,
    "titleFontWeight": "normal",
}
# vl-convert has this font: the same bytes on every machine.
STYLE: Spec = {
    "font": "Liberation Sans, Arial, sans-serif",
    "aria": False,  # else every mark says in words where it is
    "view": {"stroke": None},
    "point": {"opacity": 1, "strokeWidth": 2},
    "axis": {
        **_TEXT,
        "gridColor": LINE,
        "domainColor": LINE,
        "tickColor": LINE,
        "labelLimit": 260,
        "titlePadding": 6,
        "labelFlush": False,
    },
    "legend": {
        **_TEXT,
        "labelLimit": 0,
        "labelColor": INK,
        "symbolStrokeWidth": 2,
    },
    "title": {
        "aria": False,
        "anchor": "start",
        "color": INK,
        "fontSize": 11,
        "fontWeight": "normal",
        "subtitleColor": MUTED,
        "subtitleFontSize": 11,
    },
}


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A chart.

    Attributes:
        spec: What is drawn, as Vega-Lite without its schema and style.
    """

    spec: Spec

    @property
    def whole(self) -> Spec:
        """The chart with its style, on white ground."""
        return {"background": "white", "padding": 8, "config": STYLE, **self.spec}

    def __repr__(self) -> str:
        return "<Picture>"

    def svg(self) -> str:
        """Return the chart as SVG; the same chart gives the same text."""
        from vl_convert import vegalite_to_svg

        return _renumbered(vegalite_to_svg(self.whole))

    def png(self) -> bytes:
        """Return the chart as PNG, with two pixels for one of the SVG."""
        return _png(self.svg())

    def write(self, stem: Path) -> list[Path]:
        """Write `picture_files(stem)` and return them.

        Raises:
            OutputError: A file cannot be written.
        """
        files = picture_files(stem)
        svg = self.svg()
        for path, data in zip(files, (svg.encode(), _png(svg)), strict=True):
            with whole_file(path) as temporary:
                temporary.write_bytes(data)
        return files

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return what a notebook shows: the chart with hover, or else its SVG."""
        schema = "https://vega.github.io/schema/vega-lite/v5.json"
        return {
            "application/vnd.vegalite.v5+json": {"$schema": schema, **self.whole},
            "image/svg+xml": self.svg(),
        }


def _png(svg: str) -> bytes:
    from vl_convert import svg_to_png

    return _smaller(svg_to_png(svg, scale=2))


def _renumbered(svg: str) -> str:
    """Return the SVG with the gradients numbered anew: Vega counts all that it ever drew."""
    numbers: dict[str, int] = {}
    return re.sub(
        r'(?<=["#]gradient_)\d+(?=["\)])',
        lambda found: str(numbers.setdefault(found[0], len(numbers))),
        svg,
    )


def _smaller(png: bytes) -> bytes:
    """Return the same PNG, whose data was packed in a hurry, in a quarter of its size."""
    start, parts, packed = 8, [png[:8]], b""
    while start < len(png):
        (size,) = struct.unpack_from(">I", png, start)
        kind, data = png[start + 4 : start + 8], png[start + 8 : start + 8 + size]
        if kind == b"IDAT":
            packed += data
        else:
            if kind == b"IEND":
                parts.append(_chunk(b"IDAT", zlib.compress(zlib.decompress(packed))))
            parts.append(_chunk(kind, data))
        start += size + 12
    return b"".join(parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def picture_names(stem: str) -> list[str]:
    """Return the names of a picture's files: `<stem>.svg` and `<stem>.png`."""
    return [f"{stem}.{suffix}" for suffix in FORMATS]


def picture_files(stem: Path) -> list[Path]:
    """Return the files of a picture: `<stem>.svg` and `<stem>.png`."""
    return [stem.with_name(name) for name in picture_names(stem.name)]


def shortened(text: str) -> str:
    """Return a text for a picture: a long one without its middle."""
    return text if len(text) <= _MOST else f"{text[: _MOST - 20]} ... {text[-15:]}"


def heading(*lines: str) -> Spec:
    """Return the title of a whole picture."""
    return {
        "text": list(lines),
        "fontSize": 12,
        "fontWeight": "bold",
        "offset": 12,
    }


def axis(field: str, title: str | None, **more: Any) -> Spec:
    """Return the channel of numbers along an axis, whose scale need not begin at zero.

    Args:
        field: The field of the rows.
        title: The axis' label; None for none.
        **more: Further properties, as Vega-Lite has them.
    """
    channel = {"field": field, "type": "quantitative", "title": title}
    return {**channel, "scale": {"zero": False}, **more}


def tooltip(fields: Mapping[str, str]) -> list[Spec]:
    """Return the channel of what pointing at a mark shows: field of the rows -> its name."""
    return [{"field": field, "title": name} for field, name in fields.items()]


def with_text(rows: Iterable[Row], score: str) -> list[Row]:
    """Return rows with `text`: a score as people read it; Vega rounds by its own rule."""
    return [{**row, "text": figure(row[score])} for row in rows]


def layer(mark: Spec, rows: Sequence[Row] | None = None, **channels: Any) -> Spec:
    """Return a layer: a mark for each row, or one through all of them.

    Args:
        mark: The kind of mark, as `type`, and its style.
        rows: The rows; None for those of the chart.
        **channels: The fields or values of its channels.
    """
    drawn: Spec = {"mark": mark, "encoding": channels}
    return drawn if rows is None else {"data": {"values": list(rows)}, **drawn}


def lines(
    rows: Sequence[Row],
    x: str,
    y: str,
    *,
    dots: bool = False,
    title: str | list[str] | None = None,
) -> Spec:
    """Return a chart with a line through the rows of each `name`, in their order.

    Args:
        rows: The rows, with `x`, `y` and `name`.
        x: The label of the x-axis.
        y: The label of the y-axis.
        dots: Whether each row has a dot.
        title: The title of the legend, or its lines; None for none.
    """
    names = list(dict.fromkeys(row["name"] for row in rows))
    shown = {"name": "line", "x": x, "text": y}
    point = {"size": 18} if dots else "transparent"  # to point at
    mark = {"type": "line", "point": point, "strokeWidth": 1.4}
    colour = {
        "field": "name",
        "type": "nominal",
        "title": title,
        "scale": {"domain": names, "scheme": "category10"},
        "legend": {"symbolType": "stroke"} if len(names) > 1 else None,
    }
    return {
        "data": {"values": with_text(rows, "y")},
        "mark": mark,
        "encoding": {
            "x": axis("x", x),
            "y": axis("y", y),
            "color": colour,
            "tooltip": tooltip(shown),
        },
    }


def bars(values: Iterable[tuple[str, float]], x: str) -> Spec:
    """Return a chart with a bar to the right for each name, the first on top.

    Args:
        values: Names and values.
        x: The label of the x-axis.
    """
    rows: list[Row] = [{"name": name, "value": value} for name, value in values]
    names = {"field": "name", "type": "nominal", "sort": None, "title": None}
    return {
        "data": {"values": with_text(rows, "value")},
        "height": {"step": 20},
        "mark": {"type": "bar", "color": ACCENT},
        "encoding": {
            "x": axis("value", x, scale={"zero": True}),
            "y": names,
            "tooltip": tooltip({"name": "", "text": x}),
        },
    }
