"""Pictures of one page: its blocks along the page, what cleaners keep, and what CETR sees.

`blocks_chart` is drawn by `clean --picture`, by `serve` and by the page of the report.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from boilersweep.extractors.cetr import Profile
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

_WIDTH = 760
_STRIP = 14  # pixels of a cleaner
_CONTENT = "#4f8a5b"
_FEATURES = ("words", "text density", "link density")


@dataclass(frozen=True, slots=True)
class DrawnBlocks:
    """The b blocks of a page.

    Attributes:
        features: "words", "text density", "link density", those that are known -> (b,) values.
        kept: Cleaner -> (b,) whether it keeps a block.
    """

    features: Mapping[str, Sequence[float]]
    kept: Mapping[str, Sequence[bool]] = field(default_factory=dict)


def page_chart(title: str, blocks: DrawnBlocks, lines: Profile) -> Spec:
    """Draw a page: its blocks, what cleaners keep of them, and its lines as CETR sees them."""
    chart = blocks_chart(blocks)
    lines_of_page = [_lines_chart(lines)] if len(lines.ratios) else []
    return {
        "title": heading(shortened(title)),
        "datasets": {**chart.pop("datasets"), "lines": _rows_of_lines(lines)},
        "vconcat": [chart, *lines_of_page],
    }


def blocks_chart(blocks: DrawnBlocks, width: int = _WIDTH) -> Spec:
    """Draw a page's blocks, and what cleaners keep of them.

    Its data are the datasets `blocks`, with the features, and `strips`, with the cleaners; the
    report's script fills them for a page.
    """
    values = zip(*blocks.features.values(), strict=True)
    rows: list[Row] = [
        {"start": n, "end": n + 1, **dict(zip(blocks.features, row, strict=True))}
        for n, row in enumerate(values)
    ]
    strips: list[Row] = [
        {"cleaner": shortened(name), "start": start, "end": end}
        for name, kept in blocks.kept.items()
        for start, end in _runs(kept)
    ]
    names = [shortened(name) for name in blocks.kept]
    charts = [_bars(name, width) for name in _FEATURES if name in blocks.features]
    return {
        "datasets": {"blocks": rows, "strips": strips},
        "vconcat": [*charts, _strips(names, width)],
        "resolve": {"scale": {"x": "shared"}},
    }


def _bars(name: str, width: int) -> Spec:
    """Draw a bar for each block, as high as its value."""
    # The longest block would flatten all others
    scale = {"type": "sqrt"} if name == "words" else {}
    bars = layer(
        {"type": "rect", "color": ACCENT},
        x=_along(None),
        x2={"field": "end"},
        y=axis(name, name, scale={**scale, "zero": True}, axis={"tickCount": 4}),
        y2={"datum": 0},
        tooltip=tooltip({"end": "block", name: name}),
    )
    return {"data": {"name": "blocks"}, "width": width, "height": 70, **bars}


def _strips(names: Sequence[str], width: int) -> Spec:
    """Draw a strip for each cleaner, filled where it keeps blocks; no names: those of the data."""
    scale = {"paddingInner": 0.25, **({"domain": names} if names else {})}
    across = {"field": "cleaner", "type": "nominal", "title": None, "scale": scale}
    strips = layer(
        {"type": "rect", "color": _CONTENT},
        x=_along("block"),
        x2={"field": "end"},
        y={**across, "sort": None},
        tooltip=tooltip({"cleaner": "kept by"}),
    )
    height = {"height": {"step": _STRIP}}
    return {"data": {"name": "strips"}, "width": width, **height, **strips}


def _along(title: str | None) -> Spec:
    return axis(
        "start", title, scale={"zero": True, "nice": False}, axis={"grid": False}
    )


def _runs(kept: Sequence[bool]) -> list[tuple[int, int]]:
    """Return where blocks that are kept begin and end, neighbours as one."""
    around = [False, *map(bool, kept), False]
    borders = [n for n in range(len(kept) + 1) if around[n] != around[n + 1]]
    return list(zip(borders[::2], borders[1::2], strict=True))


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
        "condition": {"test": "datum['is content']", "value": _CONTENT},
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
            {**data, "width": _WIDTH, "height": 110, **ratios},
            {**data, "width": _WIDTH, "height": 70, **changes},
            {**data, "width": 340, "height": 220, **scatter},
        ]
    }
