"""A grid of two sweeps: every pair of their values scored, with a heat map, in one folder.

OUT/scores.csv              one row per variant
OUT/grid.svg, grid.png      scores over both sweeps, and each sweep alone
OUT/table.txt               what the terminal shows
OUT/runs/...                the runs of everything, of the corners and of the best pairs
OUT/topics.csv              one row per topic and variant with a run
OUT/indexes/...             real indexes of the variants with a run, which prove them
OUT/manifest.json           what was run on what; written last
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.language.variants import (
    Grid,
    GridCell,
    Pair,
    Sweep,
    Variant,
    as_sweep,
)
from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.run import Done, ExperimentResult, Plan, Prepared, run
from boilersweep.eval.experiment.scored import ScoreRow, Scores
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    axis_of,
    borders,
)
from boilersweep.eval.ranking.exact.engine import GridEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.stats.scoring import TOP_MEASURES
from boilersweep.eval.stats.statistics import (
    Interval,
    bootstrap_intervals,
    place_of_best,
)
from boilersweep.eval.sweep.table import (
    BEST,
    best_of,
    thinned,
    topic_scores_csv,
    write_tables,
)
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.notebook import points
from boilersweep.outputs.pictures import (
    Picture,
    Spec,
    axis,
    heading,
    layer,
    lines,
    shortened,
    tooltip,
)
from boilersweep.outputs.tables import text_table
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, AnyQrels, AnyTopics

if TYPE_CHECKING:
    import pandas as pd

Rows = Mapping[GridCell, ScoreRow]
_ByCell = Mapping[GridCell, float]

_COLOURS = "cividis"  # in which people who see fewer colours see the same steps
_LINE, _BEST = COLOURS[:2]
_WIDTH, _HEIGHT = 330, 260  # pixels of the map


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best pair of a grid by a measure.

    Attributes:
        measure: The measure.
        pair: The pair: its places in the first and in the second sweep.
        row: Its row.
        interval: The interval of its mean; nan for one topic.
    """

    measure: str
    pair: Pair
    row: ScoreRow
    interval: Interval

    def __str__(self) -> str:
        score = figure(self.row.scores[self.measure])
        low, high = self.interval
        return score if math.isnan(low) else f"{score} [{figure(low)}, {figure(high)}]"


# The heat map shows the first two measures, and the best pairs by them keep their runs.
DRAWN_MEASURES = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GridResult(ExperimentResult):
    """The results of a grid.

    Attributes:
        rows: The row of every place.
        best: The best pair by each drawn measure.
        agreement: Which topics are judged.
    """

    rows: dict[GridCell, ScoreRow]
    best: list[Optimum]
    agreement: Agreement

    def _draw(self, frame: "pd.DataFrame", measure: str) -> Spec:
        """Draw a line over the first sweep for each value of the second."""
        first, second = map(str, frame.columns[1:3])
        return lines(
            points(frame, first, measure, second), first, measure, title=second
        )


def run_grid(
    store: BlockStore | Path | str,
    grid: Grid | tuple[Sweep | str, Sweep | str],
    topics: AnyTopics,
    qrels: AnyQrels,
    output: Path | str,
    *,
    options: ExperimentOptions | None = None,
    output_options: OutputOptions | None = None,
) -> GridResult:
    """Score every pair of a grid, each of its sweeps alone, and everything, by the exact engine.

    The runs of everything, of the pairs at the corners and of the best pairs are kept, and compared
    with real indexes.

    Args:
        store: The block store, or its folder.
        grid: The grid, or its two sweeps, such as `("words=1:40", "link_density<=0.1:1:0.1")`.
        topics: The topics to run: a file, `irds:ID`, a dictionary of topic id -> query, a frame, or
            a list, as `boilersweep.topics.read_topics` takes them.
        qrels: Their judgements: likewise, as `boilersweep.topics.read_qrels` takes them.
        output: The folder for all results.
        options: How topics are run, scored and verified. A number of variants to verify replaces
            the kept ones by variants that are evenly spread.
        output_options: The title, the sources to record, and whether to replace another experiment.

    Returns:
        The scores, and the files that were written.

    Raises:
        QrelsError: No topic or no document is judged.
        UsageError: A measure is unknown, the engine is not the exact one, or the store lacks a text
            that a cleaner reads.
        VerificationError: A run differs from that of a real index.
        OutputError: The folder has another experiment, or cannot be written.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    options = (options or ExperimentOptions()).with_defaults(TOP_MEASURES, "exact")
    if options.engine != "exact":
        raise UsageError(
            "run_grid: expected the exact engine: a grid has too many variants"
        )
    request = ExperimentRequest.of(
        store, topics, qrels, output, options, output_options
    )
    return run(
        _Grid(request, grid if isinstance(grid, Grid) else Grid(*map(as_sweep, grid)))
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The scores of a grid.

    Attributes:
        rows: The row of every place.
        winners: Measure -> the place of the best pair, of the drawn measures.
        kept: The scores of the variants whose runs are kept.
    """

    rows: dict[GridCell, ScoreRow]
    winners: dict[str, Pair]
    kept: Scores


class _Grid(Plan[_Found, GridResult]):
    """Every pair of two sweeps, each sweep alone, and everything, under one formula."""

    kind = "grid"

    def __init__(self, request: ExperimentRequest, grid: Grid) -> None:
        self.request = request
        self.grid = grid
        self.places = {place: grid.variant(place) for place in grid.places()}
        self.variants = list(self.places.values())

    @property
    def named(self) -> list[Variant]:
        """Each sweep alone, and everything: the sweeps themselves name the pairs."""
        return [variant for place, variant in self.places.items() if None in place]

    @property
    def cleaners(self) -> list[Cleaner]:
        return [*self.grid.rules[0], *self.grid.rules[1]]

    def depends_on(self) -> dict[str, Any]:
        return {"grid": [str(self.grid.first), str(self.grid.second)]}

    def prepare(self, indexes: Path) -> Prepared:  # noqa: ARG002
        request = self.request
        engine = GridEngine(request.store, self.grid, request.queries, request.search)
        return Prepared({request.search.model: engine}, engine.placed)

    def score(self, prepared: Prepared) -> _Found:
        """Score all variants, and keep the runs of everything, the corners and the best pairs."""
        grid, request, [engine] = self.grid, self.request, prepared.engines.values()
        unwritten = self.scores(engine, self.variants, [None] * len(self.variants))
        rows = dict(zip(self.places, unwritten.rows, strict=True))
        pairs = list(grid.pairs())
        winners = {
            measure: pairs[
                place_of_best([rows[pair].scores[measure] for pair in pairs])
            ]
            for measure in request.measure_names[:DRAWN_MEASURES]
        }
        ends = (grid.baseline, *grid.corners, *winners.values())
        kept = list(dict.fromkeys(rows[place].variant for place in ends))
        paths = [request.output / run_name(variant.name) for variant in kept]
        return _Found(rows, winners, self.scores(engine, kept, paths))

    def to_verify(self, found: _Found) -> tuple[list[Variant], list[RankingModel]]:
        return found.kept.variants, [self.request.search.model]

    def facts(self, found: _Found) -> dict[str, Any]:
        return {
            **self.depends_on(),
            "variants": len(found.rows),
            "kept": {variant.name: str(variant) for variant in found.kept.variants},
            "measures": found.kept.measures,
        }

    def show(self, done: Done[_Found]) -> GridResult:
        grid, request, rows, kept = (
            self.grid,
            self.request,
            done.found.rows,
            done.found.kept,
        )
        best = []
        for measure, pair in done.found.winners.items():
            column = kept.variants.index(rows[pair].variant)
            scores = kept.values(measure)[:, [column]]
            low, high = bootstrap_intervals(scores)[0].tolist()
            best.append(Optimum(measure, pair, rows[pair], (low, high)))
        table = grid_table(grid, rows, best, len(request.grades))
        cells = {variant: [variant] for variant in kept.variants}
        title = request.output_options.title
        texts = {
            "table.txt": table + "\n",
            "scores.csv": grid_csv(grid, rows),
            "topics.csv": topic_scores_csv(kept, ["cleaner"], cells),
        }
        files = [
            *draw_heat_maps(grid, rows, best, title, request.output / "grid"),
            *write_tables(request.output, texts),
            *(request.output / run_name(variant.name) for variant in kept.variants),
        ]
        return GridResult(
            rows=rows,
            best=best,
            agreement=request.agreement,
            table=table,
            files=files,
            **done.beside,
        )


def grid_csv(grid: Grid, rows: Rows) -> str:
    """Write the CSV of a grid, one row per variant.

    The columns are `cleaner`, a column for each sweep with its value, `documents,empty,tokens`, and
    one per measure. A value is empty if its sweep does not apply.
    """
    measures = _measures(rows)
    heads = [
        "cleaner",
        grid.first.label,
        grid.second.label,
        "documents",
        "empty",
        "tokens",
    ]
    return csv_text(
        [*heads, *measures],
        (
            [
                row.variant,
                *(
                    "" if value is None else number_text(value)
                    for value in grid.values(place)
                ),
                row.documents,
                row.empty,
                row.tokens,
                *(figure(row.scores[measure], ".4f") for measure in measures),
            ]
            for place, row in rows.items()
        ),
    )


def grid_table(grid: Grid, rows: Rows, best: Sequence[Optimum], topics: int) -> str:
    """Write the table for the terminal: the best pair of every value of the first sweep.

    Args:
        grid: The grid.
        rows: The rows of its places.
        best: The best pairs by the drawn measures; the first measure chooses the pairs.
        topics: The number of topics.
    """
    measures, first = _measures(rows), best[0].measure
    lines = []
    for i in thinned(grid.first.values, [optimum.pair[0] for optimum in best]):
        in_row = [rows[i, j] for j in range(grid.shape[1])]
        j = place_of_best([row.scores[first] for row in in_row])
        row = in_row[j]
        line = [number_text(grid.first.values[i]), figure(rows[i, None].scores[first])]
        line.append(number_text(grid.second.values[j]))
        for measure in measures:
            marked = any(
                optimum.measure == measure and optimum.row is row for optimum in best
            )
            line.append(f"{figure(row.scores[measure])}{BEST if marked else ' '}")
        lines.append([*line, f"{row.documents:,}", f"{row.tokens:,}"])
    heads = [grid.first.head, f"{first} alone", f"best {grid.second.head}", *measures]
    heads += ["documents", "tokens"]
    notes = [_sentence(grid, rows, optimum) for optimum in best]
    notes.append(
        f"Means over {topics:,} topics with 95 % bootstrap intervals. {BEST} best of all pairs on "
        "these topics: a choice made on the topics it is judged by looks better than it is."
    )
    left_out = grid.shape[0] - len(lines)
    if left_out:
        notes.append(f"{left_out:,} more lines and all pairs are in scores.csv.")
    return "\n".join([text_table(lines, heads, left=()), "", *notes])


def _measures(rows: Rows) -> list[str]:
    return list(next(iter(rows.values())).scores)


def _sentence(grid: Grid, rows: Rows, best: Optimum) -> str:
    measure = best.measure
    edges = [best_of([rows[place] for place in edge], measure) for edge in grid.edges]
    alone = " and ".join(
        f"{row.variant} {figure(row.scores[measure])}" for row in edges
    )
    pairs = math.prod(grid.shape)
    return (
        f"{measure}: {best} at {best.row.variant}, the best of {pairs:,} pairs; alone {alone}; "
        f"everything {figure(rows[grid.baseline].scores[measure])}."
    )


def draw_heat_maps(
    grid: Grid, rows: Rows, best: Sequence[Optimum], title: str, stem: Path
) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png` with a map for each optimum's measure, side by side.

    The curves of either sweep alone are above the map and beside it, with everything as a dashed
    line. A ring marks the best pair. The scales of scores need not begin at zero.

    Args:
        grid: The grid, its first sweep to the right and its second upwards.
        rows: The rows of its places.
        best: The best pairs.
        title: The title of the figure.
        stem: The path of the files without its suffix.

    Returns:
        The files.

    Raises:
        OutputError: A file cannot be written.
    """
    maps = [
        _map(grid, {place: row.scores[one.measure] for place, row in rows.items()}, one)
        for one in best
    ]
    apart = {"scale": {"color": "independent"}}
    picture = {"title": heading(shortened(title)), "hconcat": maps, "resolve": apart}
    return Picture(picture).write(stem)


def _map(grid: Grid, scores: _ByCell, best: Optimum) -> Spec:
    """Draw a map, with the curve of the first sweep above it and of the second beside it."""
    sweeps = (grid.first, grid.second)
    x, y = [
        axis(
            "",
            axis_of(sweep.label),
            scale=_fixed(borders(sweep.values)),
            axis={"grid": False},
        )
        for sweep in sweeps
    ]
    above, beside = [
        [
            (value, scores[place])
            for value, place in zip(sweep.values, edge, strict=True)
        ]
        for sweep, edge in zip(sweeps, grid.edges, strict=True)
    ]
    everything = scores[grid.baseline]
    seen = [everything, *(score for _, score in above + beside)]
    room = 0.08 * (max(seen) - min(seen)) or 0.01
    alone = axis("score", "alone", scale=_fixed([min(seen) - room, max(seen) + room]))
    alone["axis"] = {"tickCount": 2}
    head = [f"{best.measure}: {best}", shortened(str(best.row.variant))]
    kept = f"everything: {figure(everything)}"
    across = {"x": {**x, "title": None}, "y": alone}
    upwards = {"x": alone, "y": {**y, "title": None}}
    return {
        "title": {"text": head, "color": _BEST, "subtitle": kept},
        "vconcat": [
            {"width": _WIDTH, "height": 80, **_edge(above, across, everything)},
            {
                "hconcat": [
                    _cells(grid, scores, best, x, y),
                    {
                        "width": 80,
                        "height": _HEIGHT,
                        **_edge(beside, upwards, everything),
                    },
                ]
            },
        ],
    }


def _fixed(bounds: Sequence[float]) -> Spec:
    return {"domain": [bounds[0], bounds[-1]], "nice": False, "zero": False}


def _cells(grid: Grid, scores: _ByCell, best: Optimum, x: Spec, y: Spec) -> Spec:
    """Draw the score of each pair, along two axes, and a ring around the best.

    Each cell reaches to the far corner, and the next ones cover it: no ground is seen between two.
    """
    first, second = grid.first.values, grid.second.values
    (*lefts, right), (*lows, high) = borders(first), borders(second)
    cells = [
        {
            "left": left,
            "low": low,
            "first": first[i],
            "second": second[j],
            "score": scores[i, j],
            "text": figure(scores[i, j]),
        }
        for i, left in enumerate(lefts)
        for j, low in enumerate(lows)
    ]
    shown = {"first": x["title"], "second": y["title"], "text": best.measure}
    colour = axis("score", best.measure, legend={"orient": "bottom"})
    colour["scale"] = {"scheme": _COLOURS, "zero": False, "nice": False}
    i, j = best.pair
    ring = {"type": "point", "size": 130, "strokeWidth": 2, "color": _BEST}
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "layer": [
            layer(
                {"type": "rect"},
                cells,
                x={**x, "field": "left"},
                x2={"datum": right},
                y={**y, "field": "low"},
                y2={"datum": high},
                color=colour,
                tooltip=tooltip(shown),
            ),
            layer(
                ring,
                [{"first": first[i], "second": second[j]}],
                x={**x, "field": "first"},
                y={**y, "field": "second"},
            ),
        ],
    }


def _edge(
    scored: Sequence[tuple[float, float]], axes: Mapping[str, Spec], everything: float
) -> Spec:
    """Draw the curve of a sweep alone, with a ring around its best, and everything.

    Args:
        scored: Values and their scores.
        axes: The channels `x` and `y`, of which one has the field `score`.
        everything: The score of everything.
    """
    rows = [{"value": value, "score": score} for value, score in scored]
    best = rows[place_of_best([row["score"] for row in rows])]
    along = {
        name: {**one, "field": one["field"] or "value"} for name, one in axes.items()
    }
    (of_score,) = [name for name, one in axes.items() if one["field"] == "score"]
    level = {of_score: {**along[of_score], "datum": everything}}
    del level[of_score]["field"]
    return {
        "layer": [
            layer({"type": "rule", **DASHED}, [{}], **level),
            layer(
                {"type": "line", "color": _LINE},
                rows,
                **along,
                order={"field": "value"},
            ),
            layer({"type": "point", "size": 60, "color": _LINE}, [best], **along),
        ]
    }
