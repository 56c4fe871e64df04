"""The picture of a page: its blocks, what cleaners keep, and its lines as CETR sees them."""

from boilersweep.extractors.cetr import Profile
from boilersweep.outputs.block_chart import KEPT, WIDTH, DrawnBlocks, blocks_chart
from boilersweep.outputs.pictures import (
    ACCENT,
    MUTED,
    Row,
    Spec,
    axis,
    heading,
    layer,
    shortened,
    tooltip,
)


def page_chart(title: str, blocks: DrawnBlocks, lines: Profile) -> Spec:
    """Draw a page: its blocks, what cleaners keep of them, and its lines as CETR sees them."""
    chart = blocks_chart(blocks)
    lines_of_page = [_lines_chart(lines)] if len(lines.ratios) else []
    return {
        "title": heading(shortened(title)),
        "datasets": {**chart.pop("datasets"), "lines": _rows_of_lines(lines)},
        "vconcat": [chart, *lines_of_page],
    }


def _rows_of_lines(lines: Profile) -> list[Row]:
    columns = {
        "ratio": lines.ratios.tolist(),
        "smoothed": lines.smoothed.tolist(),
        "change": lines.changes.tolist(),
        "is content": lines.by_ratio_and_change().tolist() if len(lines.ratios) else [],
    }
    return [
        {"line": n, **dict(zip(columns, row, strict=True))}
        for n, row in enumerate(zip(*columns.values(), strict=True))
    ]


def _lines_chart(lines: Profile) -> Spec:
    """Draw the ratios along the lines, smoothed, and their derivative; and the scatter of both."""
    last = max(len(lines.ratios) - 1, 1)
    along = axis("line", "line", scale={"domain": [0, last], "nice": False})
    colour = {
        "condition": {"test": "datum['is content']", "value": KEPT},
        "value": MUTED,
    }
    thin = {"type": "line", "strokeWidth": 1.4, "color": ACCENT}
    shown = tooltip({"line": "line", "ratio": "ratio", "is content": "content"})
    data = {"data": {"name": "lines"}}
    ratio = axis("ratio", "characters per tag", scale={"zero": True})
    ratios: Spec = {
        "title": "CETR: each line's ratio, green for content; the smoothed ratio",
        "layer": [
            layer(
                {"type": "bar", "size": 1},
                x=along,
                y=ratio,
                color=colour,
                tooltip=shown,
            ),
            layer(thin, x=along, y=axis("smoothed", "characters per tag")),
        ],
    }
    changes = layer(thin, x=along, y=axis("change", "|derivative|"))
    scatter = layer(
        {"type": "point", "filled": True, "size": 22},
        x=axis("smoothed", "smoothed characters per tag"),
        y=axis("change", "|derivative|"),
        color=colour,
        tooltip=shown,
    )
    return {
        "vconcat": [
            {**data, "width": WIDTH, "height": 110, **ratios},
            {**data, "width": WIDTH, "height": 70, **changes},
            {**data, "width": 340, "height": 220, **scatter},
        ]
    }
