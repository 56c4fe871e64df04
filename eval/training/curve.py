"""The learning curve: scores on unseen pages by the number of pages that a model learned from.

DIR/learning-curve.csv       one row per share of the pages and source, and for all gold texts
DIR/learning-curve.svg, png  the same drawn
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.judge.comparison import NAMES
from boilersweep.eval.training.train import Training, one_thread, scores_without
from boilersweep.eval.training.validation import MEASURES, Split, splits
from boilersweep.outputs.atomic import make_folder, write_text
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.pictures import Picture, heading, lines, shortened
from boilersweep.pages.alignment import HELD_SHARE
from boilersweep.pages.columns import BoolArray
from boilersweep.work.progress import steps

# Shares of the pages that a fold may learn from.
SHARES = (0.125, 0.25, 0.5, 1.0)

NAME = "learning-curve"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the learning curve.

    Attributes:
        source: The label of a source; "" for all pages with gold texts.
        share: One of SHARES.
        pages: The number of pages that a model learned from, as the mean over the folds.
        measure: word_f1, or balanced if the source's pages have strings.
        mean: The mean of the measure over the pages that were left out.
    """

    source: str
    share: float
    pages: float
    measure: str
    mean: float


def learning_curve(training: Training) -> list[CurvePoint]:
    """Score five folds by site at each of SHARES; a smaller share is part of every larger one.

    Raises:
        UsageError: There are too few pages.
    """
    request, pages = training.request, training.pages
    plan = splits("site", pages, request.sources, training.languages)
    taught = np.array([source.weight > 0 for source in request.sources])[pages.sources]
    # A random place for each group of pages: a share learns from the groups with the first places.
    rank = np.random.default_rng(request.seed).permutation(int(pages.groups.max()) + 1)
    plans = {}
    for share in SHARES:
        chosen = rank[pages.groups] < share * len(rank)
        plans[share] = [Split(full.out, full.learned & chosen) for full in plan]
        for split in plans[share]:
            _require_both(training, split)
    points: list[CurvePoint] = []
    with (
        one_thread(),
        steps("Learning curve", len(SHARES) * len(plan), "models") as bar,
    ):
        for share, parts in plans.items():
            counts = [(split.learned & taught).sum() for split in parts]
            scores = scores_without(training, parts, bar.update)
            points += [
                CurvePoint(
                    source, share, float(np.mean(counts)), measure, found[measure]
                )
                for source, found in {"": scores["all"], **scores["source"]}.items()
                for measure in MEASURES[: 1 if source == "" else None]
                if measure in found
            ]
    return points


def write_curve(points: Sequence[CurvePoint], folder: Path) -> list[Path]:
    """Write the files above and return them.

    Raises:
        OutputError: A file cannot be written.
    """
    make_folder(folder)
    table = folder / f"{NAME}.csv"
    columns = [field.name for field in fields(CurvePoint)]
    write_text(table, csv_text(columns, (astuple(point) for point in points)))
    return [table, *_picture(points).write(folder / NAME)]


def _require_both(training: Training, split: Split) -> None:
    labelled = training.pages.labelled
    rows: BoolArray = training.learned & split.learned[labelled.rows.owners]
    content = labelled.labels[rows] >= HELD_SHARE
    if content.all() or not content.any():
        raise UsageError(
            f"a learning curve begins with {SHARES[0]:.1%} of the pages: expected main text and "
            f"boilerplate in these, got {int(split.learned.sum()):,} pages of one kind"
        )


def _picture(points: Sequence[CurvePoint]) -> Picture:
    last = {point.source: point for point in points}
    rows = [
        {
            "x": point.pages,
            "y": point.mean,
            "name": shortened(
                f"{point.source or 'all'}: {NAMES[point.measure]} {last[point.source].mean:.3f}"
            ),
        }
        for point in points
    ]
    x, y = "pages learned from, of other sites", "mean over pages that were left out"
    drawn = lines(rows, x, y, dots=True, title="with all")
    drawn["encoding"]["x"]["scale"] = {"type": "log"}
    drawn["encoding"]["x"]["axis"] = {
        "values": sorted({point.pages for point in points}),
        "format": ",.0f",
    }
    size = {"width": 480, "height": 340}
    return Picture({"title": heading("Learning curve"), **size, **drawn})
