"""F1 by rank: every cleaner's pages from the best to the worst, as Figure 2 of the 2010 paper."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boilersweep.eval.drawing import label, open_frame, saved_figure
from boilersweep.eval.judge.comparison import values
from boilersweep.eval.judge.judge import Judgement

MAX_CURVES = 10
"""The number of drawn cleaners, by the highest means."""

_AXES = {
    "f1": "F1 of bags of words",
    "word_f1": "word F1",
    "balanced": "strings kept and dropped, balanced",
}


def draw_ranked(judgements: Sequence[Judgement], measure: str, title: str, stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`; raises OutputError."""
    table = np.sort(values(judgements, measure), axis=0)[::-1]
    curves = {one.cleaner: curve for one, curve in zip(judgements, table.T, strict=True)}
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
            label(title) + (f" (the best {MAX_CURVES} of {len(curves)})" if left_out else "")
        )
        figure.tight_layout()
