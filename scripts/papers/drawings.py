"""The papers' figures, drawn as the product draws its own, beside the CSV files of their data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.outputs.pictures import (
    INK,
    Picture,
    Row,
    Spec,
    axis,
    bars,
    heading,
    layer,
    lines,
)
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

_PANEL = {"width": 420, "height": 260}
_MOST_WORDS = 100  # Figure 4 ends there


def draw_gains(gains: Mapping[int, Mapping[str, float]], stem: Path) -> None:
    """Figure 1 of the 2010 paper: number of classes -> feature -> information gain in bits."""
    charts = [
        {"title": f"{count} classes", "width": 300, **bars(found.items(), "bits")}
        for count, found in gains.items()
    ]
    title = heading("Information gain of each feature (the paper's Figure 1)")
    Picture({"title": title, "hconcat": charts}).write(stem)


def draw_spread(
    x: str, y: str, parts: Mapping[str, FloatArray], stem: Path, scale: str = "linear"
) -> None:
    """Figures 3 to 5: a line for each class over words or text density."""
    rows = [
        {"name": name, "x": place, "y": float(value)}
        for name, values in parts.items()
        for place, value in enumerate(values[: _MOST_WORDS + 1].tolist())
    ]
    chart = lines(rows, x, y)
    chart["encoding"]["y"]["scale"] = {"type": scale}
    Picture({**_PANEL, **chart}).write(stem)


def draw_errors(errors: Mapping[str, FloatArray], stem: Path) -> None:
    """Schäfer's Figure 2: "training" and "testing" -> (folds, epochs) mean square errors."""
    colours = {"training": "#4f8a5b", "testing": "#c8553d"}
    curves = [
        layer(
            {"type": "line", "color": colours[name], "strokeWidth": 1},
            [{"epoch": n, "error": error} for n, error in enumerate(fold, start=1)],
            x=axis("epoch", "epoch"),
            y=axis("error", "mean square error"),
        )
        for name, folds in errors.items()
        for fold in folds.tolist()
    ]
    title = heading("Errors of the folds: training green, testing red (Figure 2)")
    Picture({"title": title, **_PANEL, "layer": curves}).write(stem)


def draw_thresholds(
    scores: Sequence[Mapping[str, float]],
    marks: Mapping[str, tuple[float, float]],
    title: str,
    stem: Path,
) -> None:
    """Schäfer's Figures 3 and 4: scores over thresholds, and marked points.

    Args:
        scores: rows of a threshold and scores.
        marks: a name of a point -> its threshold and score.
        title: of the picture.
        stem: of the files.
    """
    rows = [
        {"name": name, "x": row["threshold"], "y": row[name]}
        for row in scores
        for name in row
        if name != "threshold"
    ]
    points: list[Row] = [
        {"x": x, "y": y, "what": name} for name, (x, y) in marks.items()
    ]
    marked = layer(
        {"type": "point", "size": 70, "color": INK},
        points,
        x=axis("x", "threshold"),
        y=axis("y", "score"),
        shape={"field": "what", "type": "nominal", "sort": None, "title": None},
    )
    curves: Spec = lines(rows, "threshold", "score")
    Picture({"title": heading(title), **_PANEL, "layer": [curves, marked]}).write(stem)


def draw_text_mass(words: IntArray, content: BoolArray, stem: Path) -> list[Any]:
    """Schäfer's Figure 1: the cumulative share of a page's words over its blocks.

    Args:
        words: (b,) of the blocks.
        content: (b,) whether each is content.
        stem: of the files.

    Returns:
        The rows: block, share, and whether it is content.
    """
    shares = np.cumsum(words) / max(int(words.sum()), 1)
    rows = [
        {"block": number, "share": share, "content": is_content}
        for number, (share, is_content) in enumerate(
            zip(shares.tolist(), content.tolist(), strict=True), start=1
        )
    ]
    colour = {
        "condition": {"test": "datum.content", "value": "#4f8a5b"},
        "value": "#c8553d",
    }
    points = layer(
        {"type": "point", "filled": True, "size": 24},
        rows,
        x=axis("block", "block"),
        y=axis("share", "cumulative share of the words"),
        color=colour,
    )
    title = heading("Text mass of a page: content green, boilerplate red (Figure 1)")
    Picture({"title": title, **_PANEL, **points}).write(stem)
    return rows
