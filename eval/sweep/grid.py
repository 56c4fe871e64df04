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
from typing import TYPE_CHECKING

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.syntax.variants import (
    Grid,
    GridCell,
    Pair,
    Sweep,
    Variant,
    as_sweep,
)
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.run import Experiment, ExperimentResult, experiment
from boilersweep.eval.experiment.scored import (
    ScoredTopics,
    Scores,
    ScoringJob,
    score_runs,
)
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    axis_of,
    borders,
)
from boilersweep.eval.ranking.exact.engine import GridEngine
from boilersweep.eval.stats.frames import Row, best_of, span
from boilersweep.eval.stats.scoring import TOP_MEASURES
from boilersweep.eval.stats.sheets import scores_sheet, topics_sheet
from boilersweep.eval.stats.statistics import place_of_best
from boilersweep.eval.sweep.table import BEST, thinned, write_tables
from boilersweep.outputs.columns import Column, Sheet
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

Rows = Mapping[GridCell, Row]
_ByCell = Mapping[GridCell, float]

_COLOURS = "cividis"  # in which people who see fewer colours see the same steps
_LINE, _BEST = COLOURS[:2]
_WIDTH, _HEIGHT = 330, 260  # pixels of the map


# The heat map shows the first two measures, and the best pairs by them keep their runs.
DRAWN_MEASURES = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GridResult(ExperimentResult):
    """The results of a grid.

    Attributes:
        places: The row of every place, those of `rows`.
        best: Measure -> the best pair, of the drawn measures: its places in the first and in the
            second sweep.
        agreement: Which topics are judged.
    """

    places: Rows
    best: dict[str, Pair]
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
    grid = grid if isinstance(grid, Grid) else Grid(*map(as_sweep, grid))
    places = {place: grid.variant(place) for place in grid.places()}
    # Each sweep alone, and everything: the sweeps themselves name the pairs.
    named = [variant for place, variant in places.items() if None in place]
    facts = {"grid": [str(grid.first), str(grid.second)]}
    identity = request.identity("grid", named, facts)
    rules = [*grid.rules[0], *grid.rules[1]]
    with experiment(
        request, list(places.values()), identity, cleaners=rules
    ) as running:
        engine = GridEngine(request.store, grid, request.queries, request.search)
        running.engines[request.search.model] = engine
        rows, best = _score_all(request, engine, places, list(grid.pairs()))
        # The runs of everything, the corners and the best pairs are kept.
        ends = (grid.baseline, *grid.corners, *best.values())
        scores = running.scores(
            engine, list(dict.fromkeys(places[place] for place in ends))
        )
        running.verify(scores.variants, [request.search.model])
        # With the intervals of their means
        with_runs = dict(zip(scores.variants, scores.frame(), strict=True))
        rows |= {place: with_runs[places[place]] for place in ends}
        running.record(
            {
                **facts,
                "variants": len(rows),
                "kept": {variant.name: str(variant) for variant in scores.variants},
                "measures": scores.measures,
            }
        )
        return _show(running, grid, rows, best, scores)


def _score_all(
    request: ExperimentRequest,
    engine: GridEngine,
    places: Mapping[GridCell, Variant],
    pairs: Sequence[Pair],
) -> tuple[dict[GridCell, Row], dict[str, Pair]]:
    """Score all variants without keeping runs.

    Returns:
        The row of every place, without intervals; and by each drawn measure the best pair.
    """
    judged = ScoredTopics(list(request.grades), request.grades, request.measures)
    runs = [ScoringJob(engine, variant) for variant in places.values()]
    threads = request.search.threads
    scores = Scores(score_runs(runs, judged, request.runs_folder, threads))
    rows = dict(zip(places, scores.frame(has_intervals=False), strict=True))
    best = {
        measure: pairs[
            place_of_best([rows[pair].results[measure].mean for pair in pairs])
        ]
        for measure in request.measure_names[:DRAWN_MEASURES]
    }
    return rows, best


def _show(
    running: Experiment, grid: Grid, rows: Rows, best: dict[str, Pair], kept: Scores
) -> GridResult:
    """Write the views of a grid.

    Args:
        running: The experiment.
        grid: The grid.
        rows: The row of every place.
        best: The best pairs by the drawn measures.
        kept: The scores of the variants whose runs are kept.
    """
    request = running.request
    table = grid_table(grid, rows, best, len(request.grades))
    title = request.output_options.title
    sheet = grid_sheet(grid, rows)
    named = Sheet()
    named.add("cleaner", kept.variants)
    by_topic = topics_sheet(kept.frame(has_intervals=False), named, kept.topics)
    texts = {
        "table.txt": table + "\n",
        "scores.csv": sheet.csv,
        "topics.csv": by_topic.csv,
    }
    running.files = [
        *draw_heat_maps(grid, rows, best, title, request.output / "grid"),
        *write_tables(request.output, texts),
        *(request.output / run_name(variant.name) for variant in kept.variants),
    ]
    return GridResult(
        places=rows,
        rows=list(rows.values()),
        sheet=sheet,
        best=best,
        agreement=request.agreement,
        table=table,
        files=running.files,
        verified=running.verified,
        placed=running.placed,
    )


def grid_sheet(grid: Grid, rows: Rows) -> Sheet:
    """Return a row per variant.

    The columns are `cleaner`, a column for each sweep with its value, `documents,empty,tokens`, and
    one per measure. A value is empty if its sweep does not apply.
    """
    sheet = Sheet()
    sheet.add("cleaner", [row.label for row in rows.values()])
    values = zip(*map(grid.values, rows), strict=True)
    for sweep, of_sweep in zip((grid.first, grid.second), values, strict=True):
        sheet.add(sweep.label, of_sweep, Column(file=number_text))
    return scores_sheet(list(rows.values()), sheet)


def grid_table(grid: Grid, rows: Rows, best: Mapping[str, Pair], topics: int) -> str:
    """Write the table for the terminal: the best pair of every value of the first sweep.

    Args:
        grid: The grid.
        rows: The rows of its places.
        best: The best pairs by the drawn measures; the first measure chooses the pairs.
        topics: The number of topics.
    """
    measures, first = list(rows[grid.baseline].results), next(iter(best))
    lines = []
    for i in thinned(grid.first.values, [pair[0] for pair in best.values()]):
        in_row = [rows[i, j] for j in range(grid.shape[1])]
        j = place_of_best([row.results[first].mean for row in in_row])
        alone = figure(rows[i, None].results[first].mean)
        line = [number_text(grid.first.values[i]), alone]
        line.append(number_text(grid.second.values[j]))
        for measure, result in in_row[j].results.items():
            mark = BEST if best.get(measure) == (i, j) else " "
            line.append(f"{figure(result.mean)}{mark}")
        counts = (in_row[j].documents, in_row[j].tokens)
        lines.append([*line, *(figure(count, ",") for count in counts)])
    heads = [grid.first.head, f"{first} alone", f"best {grid.second.head}", *measures]
    heads += ["documents", "tokens"]
    notes = [_sentence(grid, rows, *cell) for cell in best.items()]
    notes.append(
        f"Means over {topics:,} topics with 95 % bootstrap intervals. {BEST} best of all pairs on "
        "these topics: a choice made on the topics it is judged by looks better than it is."
    )
    left_out = grid.shape[0] - len(lines)
    if left_out:
        notes.append(f"{left_out:,} more lines and all pairs are in scores.csv.")
    return "\n".join([text_table(lines, heads, left=()), "", *notes])


def _sentence(grid: Grid, rows: Rows, measure: str, pair: Pair) -> str:
    edges = [best_of([rows[place] for place in edge], measure) for edge in grid.edges]
    alone = " and ".join(
        f"{row.label} {figure(row.results[measure].mean)}" for row in edges
    )
    pairs = math.prod(grid.shape)
    return (
        f"{measure}: {_score(rows[pair], measure)} at {rows[pair].label}, the best of {pairs:,} "
        f"pairs; alone {alone}; everything {figure(rows[grid.baseline].results[measure].mean)}."
    )


def _score(row: Row, measure: str) -> str:
    """Return a mean with its interval."""
    result = row.results[measure]
    return f"{figure(result.mean)} {span(result.low, result.high)}".rstrip()


def draw_heat_maps(
    grid: Grid, rows: Rows, best: Mapping[str, Pair], title: str, stem: Path
) -> list[Path]:
    """Draw `<stem>.svg` and `<stem>.png` with a map for each measure, side by side.

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
    maps = [_map(grid, rows, *cell) for cell in best.items()]
    apart = {"scale": {"color": "independent"}}
    picture = {"title": heading(shortened(title)), "hconcat": maps, "resolve": apart}
    return Picture(picture).write(stem)


def _map(grid: Grid, rows: Rows, measure: str, pair: Pair) -> Spec:
    """Draw a map, with the curve of the first sweep above it and of the second beside it."""
    scores = {place: row.results[measure].mean for place, row in rows.items()}
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
    best = rows[pair]
    head = [f"{measure}: {_score(best, measure)}", shortened(best.label)]
    kept = f"everything: {figure(everything)}"
    across = {"x": {**x, "title": None}, "y": alone}
    upwards = {"x": alone, "y": {**y, "title": None}}
    return {
        "title": {"text": head, "color": _BEST, "subtitle": kept},
        "vconcat": [
            {"width": _WIDTH, "height": 80, **_edge(above, across, everything)},
            {
                "hconcat": [
                    _cells(grid, scores, measure, pair, x, y),
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


def _cells(
    grid: Grid, scores: _ByCell, measure: str, pair: Pair, x: Spec, y: Spec
) -> Spec:
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
    shown = {"first": x["title"], "second": y["title"], "text": measure}
    colour = axis("score", measure, legend={"orient": "bottom"})
    colour["scale"] = {"scheme": _COLOURS, "zero": False, "nice": False}
    i, j = pair
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
        name: {**axis, "field": axis["field"] or "value"} for name, axis in axes.items()
    }
    (of_score,) = [name for name, axis in axes.items() if axis["field"] == "score"]
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
