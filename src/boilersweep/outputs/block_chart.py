"""The blocks of a page drawn along the page, and what cleaners keep of them.

`clean --picture`, `serve` and the page of the report draw it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from boilersweep.outputs.pictures import (
    ACCENT,
    Row,
    Spec,
    axis,
    layer,
    shortened,
    tooltip,
)

WIDTH = 760
KEPT = "#4f8a5b"

_STRIP = 14  # pixels of a cleaner
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


def blocks_chart(blocks: DrawnBlocks, width: int = WIDTH) -> Spec:
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
        {"type": "rect", "color": KEPT},
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
