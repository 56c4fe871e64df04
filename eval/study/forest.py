"""The differences to the baseline with their intervals, as a forest plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boilersweep.eval.drawing import COLOURS, DASHED, GOLD, label, open_frame, saved_figure
from boilersweep.eval.significance import SIGNIFICANT
from boilersweep.eval.study.results import StudyRow


def draw_forest(
    rows: Sequence[StudyRow], measures: Sequence[str], baseline: str, stem: Path
) -> None:
    """Draw `<stem>.svg` and `<stem>.png`: one panel per measure, one line per variant.

    The best is on top. A dot is the mean difference over topics, its line the 95 % interval; a
    filled dot is statistically significant. Raises OutputError.
    """
    shown = [row for row in rows if row.role != "baseline"]
    shown.sort(key=lambda row: (row.role == "gold", row.results[measures[0]].mean))
    with saved_figure(stem, 2.2 + 3.6 * len(measures), 1.3 + 0.24 * max(len(shown), 1)) as figure:
        panels = figure.subplots(1, len(measures), sharey=True, squeeze=False)
        for panel, measure, colour in zip(panels[0], measures, COLOURS, strict=False):
            _draw_panel(panel, shown, measure, colour)
        panels[0][0].set_yticks(range(len(shown)), [label(str(row.variant)) for row in shown])
        panels[0][0].set_ylim(-0.7, len(shown) - 0.3)
        figure.suptitle(
            f"Difference to {label(baseline)}: mean and 95 % interval over topics; filled: "
            f"statistically significant (p < {SIGNIFICANT} after Holm's correction)",
            fontsize=10,
        )
        figure.tight_layout()


def _draw_panel(panel: Any, rows: Sequence[StudyRow], measure: str, colour: str) -> None:
    for place, row in enumerate(rows):
        difference = row.results[measure].difference
        if difference is None:
            continue
        shade = GOLD if row.role == "gold" else colour
        if difference.interval:
            panel.plot(difference.interval, (place, place), color=shade, linewidth=1.2)
        fill = shade if difference.is_significant else "white"
        panel.plot(difference.mean, place, "o", color=shade, markerfacecolor=fill, markersize=4.5)
    panel.axvline(0, **DASHED)
    panel.locator_params(axis="x", nbins=6)
    panel.set_xlabel(measure)
    open_frame(panel)
