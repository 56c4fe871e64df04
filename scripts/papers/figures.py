"""The figures of the papers, drawn from our data, as SVG and PNG."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.eval.drawing import open_frame, saved_figure
from boilersweep.eval.study.textmodel import Geometric, TwoClass
from boilersweep.pages.columns import FloatArray
from papers.densitymodel import DensityModel
from papers.distributions import LINKED
from papers.thresholds import ThresholdScores

_COLOURS = {
    "not content": "#9aa5ad",
    LINKED: "#5f6b73",
    "related": "#b5893b",
    "headline": "#c8553d",
    "supplemental": "#8d6a9f",
    "comments": "#4f8a5b",
    "full text": "#0b6e99",
}
"""The classes from the bottom of a stack to its top."""

_MAGNIFIED_FROM = 10  # words, where Figure 4's second panel begins
_MAGNIFIED_TO = 100


@contextmanager
def _figure(stem: Path, size: tuple[float, float], panels: int = 1) -> Iterator[Any]:
    """The panels of a figure that is written to `<stem>.svg` and `<stem>.png` at the end."""
    with saved_figure(stem, *size) as figure:
        axes = figure.subplots(1, panels, squeeze=False)[0]
        for panel in axes:
            open_frame(panel)
            panel.set_axisbelow(True)
        yield axes
        figure.tight_layout()


def draw_gains(gains: Mapping[str, float], title: str, stem: Path, most: int = 40) -> None:
    """Figure 1 of the 2010 paper: the features of most gain. Raises OutputError."""
    chosen = list(gains.items())[:most]
    with _figure(stem, (6.5, 0.9 + 0.19 * len(chosen))) as (panel,):
        names, values = zip(*chosen, strict=True) if chosen else ((), ())
        panel.barh(range(len(names)), values, color="#0b6e99")
        panel.set_yticks(range(len(names)), names, fontsize=7)
        panel.invert_yaxis()
        panel.set_xlabel("information gain, bits")
        panel.set_title(title)


def draw_density(
    words: Mapping[str, FloatArray], model: DensityModel | None, title: str, stem: Path
) -> None:
    """Figures 3 and 5 of the 2010 paper: words over text density, stacked by class.

    words: class -> words at text density 0, 1, 2, ... Raises OutputError.
    """
    with _figure(stem, (6.5, 4)) as (panel,):
        total = _stack(panel, words)
        if model is not None:
            densities = np.linspace(0.5, len(total) - 0.5, 400)
            fitted = model.proportions(densities) * total.sum()
            label = f"two betas and a normal, R² {model.fit.r2:.3f}"
            panel.plot(densities, fitted, color="black", linewidth=1, label=label)
        panel.set_xlabel("text density, rounded")
        panel.set_ylabel("words")
        panel.set_title(title)
        panel.legend(frameon=False, fontsize=8, loc="upper right")


def draw_words(
    blocks: Mapping[str, FloatArray],
    geometric: Geometric | None,
    two_class: TwoClass | None,
    title: str,
    stem: Path,
) -> None:
    """Figure 4 of the 2010 paper: blocks over words, with its content part magnified.

    blocks: class -> blocks with 0, 1, 2, ... words. Raises OutputError.
    """
    whole = sum(float(values.sum()) for values in blocks.values())
    shown = {name: values[: _MAGNIFIED_TO + 1] for name, values in blocks.items()}
    with _figure(stem, (10, 4), panels=2) as panels:
        for panel, low in zip(panels, (1, _MAGNIFIED_FROM), strict=True):
            total = _stack(panel, shown)
            words = np.arange(low, _MAGNIFIED_TO + 1)
            if geometric is not None:
                fitted = geometric.proportions(words) * whole
                panel.plot(words, fitted, color="#c8553d", linewidth=1, label="geometric")
            if two_class is not None:
                fitted = two_class.proportions(words) * whole
                panel.plot(words, fitted, color="black", linewidth=1, label="short and long text")
            panel.set_xlim(low - 0.5, _MAGNIFIED_TO + 0.5)
            panel.set_ylim(0, 1.05 * float(total[low:].max(initial=1)))
            panel.set_xlabel("words of a block")
            panel.set_ylabel("blocks")
        panels[0].set_title(title)
        panels[1].set_title(f"from {_MAGNIFIED_FROM} words on")
        panels[1].legend(frameon=False, fontsize=8, loc="upper right")


def draw_thresholds(scores: Sequence[ThresholdScores], title: str, stem: Path) -> None:
    """Schäfer's Figure 3. Raises OutputError."""
    with _figure(stem, (6.5, 4)) as (panel,):
        thresholds = [one.threshold for one in scores]
        colours = ("#222222", "#0b6e99", "#c8553d", "#4f8a5b")
        for name, colour in zip(("accuracy", "precision", "recall", "f1"), colours, strict=True):
            values = [getattr(one, name) for one in scores]
            panel.plot(thresholds, values, color=colour, linewidth=1.2, label=name)
        panel.set_xlabel("threshold")
        panel.set_ylim(0.5, 1.005)
        panel.set_title(title)
        panel.legend(frameon=False, loc="lower right")


def draw_ranked(curves: Mapping[str, FloatArray], title: str, stem: Path) -> None:
    """Figure 2 of the 2010 paper: cleaner -> (n,) F1 by page, the best first.

    Raises OutputError.
    """
    with _figure(stem, (7.5, 4.5)) as (panel,):
        for number, (name, curve) in enumerate(curves.items()):
            label = f"{name}: mean {curve.mean():.3f}, median {np.median(curve):.3f}"
            ranks = np.arange(1, len(curve) + 1)
            panel.plot(ranks, curve, color=f"C{number % 10}", linewidth=1.2, label=label)
        panel.set_xlabel("page, by rank")
        panel.set_ylabel("F1 of bags of words")
        panel.set_ylim(0, 1.02)
        panel.set_title(title)
        panel.legend(frameon=False, fontsize=8, loc="lower left")


def _stack(panel: Any, parts: Mapping[str, FloatArray]) -> FloatArray:
    """Stacked bars of classes over 0, 1, 2, ...; returns their heights in all."""
    order = sorted(parts, key=lambda name: list(_COLOURS).index(name) if name in _COLOURS else 99)
    height = np.zeros(max(map(len, parts.values()), default=0))
    edges = np.arange(len(height) + 1) - 0.5
    for name in order:
        values = parts[name]
        colour = _COLOURS.get(name, "#0b6e99")
        top = height + values
        panel.stairs(top, edges, baseline=height, fill=True, color=colour, label=name)
        height = top
    return height
