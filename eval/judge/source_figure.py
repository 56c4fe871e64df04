"""Cleaners by source and language as points with intervals, one line of points per group."""

from collections.abc import Sequence
from pathlib import Path

from boilersweep.eval.drawing import label, open_frame, saved_figure
from boilersweep.eval.judge.source_tables import ranked
from boilersweep.eval.judge.sources import GroupScore

MAX_CLEANERS = 8
"""Drawn: those whose worst source is the best."""

_INCHES = 0.11  # of height for a point
_SPREAD = 0.8  # of the room between two groups


def draw_sources(
    sources: Sequence[GroupScore], languages: Sequence[GroupScore], stem: Path
) -> None:
    """Draw `<stem>.svg` and `<stem>.png`; raises OutputError."""
    order = list(ranked(sources))
    chosen = order[:MAX_CLEANERS]
    rows = [row for row in (*sources, *languages) if row.cleaner in chosen]
    groups = list(dict.fromkeys((row.group, row.pages) for row in rows))
    places = {group: place for place, (group, _) in enumerate(groups)}
    height = 1.6 + len(groups) * max(len(chosen) * _INCHES, 0.35)
    with saved_figure(stem, 7.5, height) as figure:
        panel = figure.subplots()
        for number, cleaner in enumerate(chosen):
            shift = _SPREAD * ((number + 0.5) / len(chosen) - 0.5)
            own = [row for row in rows if row.cleaner == cleaner]
            heights = [places[row.group] + shift for row in own]
            color = f"C{number}"
            panel.hlines(heights, [r.low for r in own], [r.high for r in own], color, linewidth=1)
            means = [row.mean for row in own]
            panel.plot(means, heights, "o", color=color, markersize=3.5, label=label(cleaner))
        panel.set_yticks(range(len(groups)), [label(f"{g} ({n:,})") for g, n in groups])
        panel.set_ylim(len(groups) - 0.5, -0.5)
        for place in range(1, len(groups)):
            panel.axhline(place - 0.5, color="0.85", linewidth=0.6)
        panel.set_xlabel("mean of the source's measure, with its 95 % interval")
        panel.set_xlim(right=1.0)
        open_frame(panel, grid="x")
        panel.legend(
            frameon=False,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            fontsize=8,
            title="best worst source first",
        )
        left_out = len(order) - len(chosen)
        panel.set_title(
            "Cleaners by source and language"
            + (f" ({MAX_CLEANERS} of {len(order)})" if left_out else "")
        )
        figure.tight_layout()
