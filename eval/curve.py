"""The curve of a sweep: scores against thresholds, as Figure 7 of the 2010 paper."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boilersweep.eval.table import SweepRow, baseline_of, best_of, sweeps_of
from boilersweep.files import whole_file
from boilersweep.rules import number_text

FORMATS = ("svg", "png")

_AXES = {"words": "minimum words of a block", "density": "minimum text density of a block"}
_COLOURS = ("#0b6e99", "#d1495b", "#66a182", "#8d6a9f", "#b5893b")


def draw_curve(rows: Sequence[SweepRow], measures: Sequence[str], title: str, stem: Path) -> None:
    """Draw `<stem>.svg` and `<stem>.png`: a panel a sweep, a line a measure.

    The baseline (every block kept) is a dashed line of the measure's colour, the best threshold a
    ring. Raises OutputError.
    """
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    sweeps = sweeps_of(rows)
    baseline = baseline_of(rows)
    style: Any = {"svg.hashsalt": "boilersweep", "font.size": 9, "axes.titlesize": 10}
    with mpl.rc_context(style):
        figure, panels = plt.subplots(
            1, len(sweeps), figsize=(5 * len(sweeps), 3.6), sharey=True, squeeze=False
        )
        for panel, (feature, sweep) in zip(panels[0], sweeps.items(), strict=True):
            _draw_panel(panel, sweep, measures, baseline)
            panel.set_xlabel(_AXES[feature])
        panels[0][0].set_ylabel("mean over topics")
        panels[0][0].set_ylim(bottom=0)
        panels[0][0].legend(loc="lower left", frameon=False)
        figure.suptitle(title)
        figure.tight_layout()
        for suffix in FORMATS:
            with whole_file(stem.with_suffix(f".{suffix}")) as temporary:
                metadata = {"Date": None} if suffix == "svg" else None
                figure.savefig(temporary, format=suffix, dpi=150, metadata=metadata)
        plt.close(figure)


def _draw_panel(
    panel: Any, sweep: Sequence[SweepRow], measures: Sequence[str], baseline: SweepRow | None
) -> None:
    thresholds = [row.threshold.value for row in sweep]
    for measure, colour in zip(measures, _COLOURS, strict=False):
        values = [row.scores[measure] for row in sweep]
        marker = "o" if len(sweep) <= 30 else None
        panel.plot(thresholds, values, color=colour, marker=marker, markersize=3, label=measure)
        if baseline is not None:
            panel.axhline(
                baseline.scores[measure],
                color=colour,
                linestyle=(0, (4, 3)),
                linewidth=0.9,
                label=f"{measure}, every block kept",
            )
        best = best_of(sweep, measure)
        panel.plot(
            [best.threshold.value], [best.scores[measure]], "o", color=colour, fillstyle="none"
        )
        panel.annotate(
            f"{best.scores[measure]:.3f} at {number_text(best.threshold.value)}",
            (best.threshold.value, best.scores[measure]),
            xytext=(4, 6),
            textcoords="offset points",
            color=colour,
            fontsize=8,
        )
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)
