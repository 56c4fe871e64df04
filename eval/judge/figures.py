"""Figures of a judgement: F1 by rank, as in the 2010 paper; cleaners by source and language."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boilersweep.eval.figures.drawing import (
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.eval.judge.comparison import values
from boilersweep.eval.judge.judge import Judgement
from boilersweep.eval.judge.sources import GroupScore
from boilersweep.eval.judge.tables import ranked

# The most cleaners in the picture of ranks: those with the highest means.
MAX_CURVES = 10

_AXES = {
    "f1": "F1 of bags of words",
    "word_f1": "word F1",
    "balanced": "strings kept and dropped, balanced",
}


def draw_ranked(
    judgements: Sequence[Judgement], measure: str, title: str, stem: Path
) -> list[Path]:
    """Draw F1 by rank of page, and return the files; raises OutputError."""
    table = np.sort(values(judgements, measure), axis=0)[::-1]
    curves = {
        one.cleaner: curve for one, curve in zip(judgements, table.T, strict=True)
    }
    chosen = sorted(curves, key=lambda cleaner: -curves[cleaner].mean())[:MAX_CURVES]
    with saved_figure(stem, 7.5, 4.5) as figure:
        panel = figure.subplots()
        for number, cleaner in enumerate(chosen):
            curve = curves[cleaner]
            panel.plot(
                range(1, len(curve) + 1),
                curve,
                color=f"C{number}",
                linewidth=1.2,
                label=f"{label(cleaner)}: {curve.mean():.3f}",
            )
        panel.set_xlabel("page, by rank")
        panel.set_ylabel(_AXES[measure])
        panel.set_ylim(0, 1.02)
        open_frame(panel)
        panel.legend(title="mean", frameon=False, loc="lower left", fontsize=8)
        left_out = len(curves) - len(chosen)
        panel.set_title(
            label(title)
            + (f" (the best {MAX_CURVES} of {len(curves)})" if left_out else "")
        )
        figure.tight_layout()
    return figure_files(stem)


# The most cleaners in the picture of sources: those whose worst source is the best.
MAX_CLEANERS = 8

_INCHES = 0.11  # of height for a point
_SPREAD = 0.8  # of the room between two groups


def draw_sources(
    sources: Sequence[GroupScore], languages: Sequence[GroupScore], stem: Path
) -> list[Path]:
    """Draw means by source and language, and return the files; raises OutputError."""
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
            panel.hlines(
                heights, [r.low for r in own], [r.high for r in own], color, linewidth=1
            )
            means = [row.mean for row in own]
            panel.plot(
                means, heights, "o", color=color, markersize=3.5, label=label(cleaner)
            )
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
    return figure_files(stem)
