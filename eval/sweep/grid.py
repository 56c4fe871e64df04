"""A grid of two sweeps: every pair of their values scored, with a heat map, in one folder.

OUT/scores.csv              one row per variant
OUT/grid.svg, grid.png      scores over both sweeps, and each sweep alone
OUT/table.txt               what the terminal shows
OUT/runs/...                the runs of everything, of the corners and of the best pairs
OUT/topics.csv              one row per topic and variant with a run
OUT/indexes/...             real indexes of the variants with a run, which prove them
OUT/manifest.json           what was run on what; written last
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.language.variants import Grid, GridCell, Pair, Sweep, Variant, as_sweep
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.errors import UsageError, VerificationError
from boilersweep.eval.experiment.folder import RUNS
from boilersweep.eval.experiment.options import ExperimentOptions, OutputOptions
from boilersweep.eval.experiment.request import ExperimentRequest
from boilersweep.eval.experiment.scored import ScoredTopics, score_runs
from boilersweep.eval.experiment.verification import Verified, spread
from boilersweep.eval.figures.heat_map import draw_heat_maps
from boilersweep.eval.ranking.engines import GridEngine, VariantRun
from boilersweep.eval.stats.bootstrap import bootstrap_interval
from boilersweep.eval.stats.scoring import (
    TOP_MEASURES,
    depth_of,
)
from boilersweep.eval.sweep.grid_table import (
    Optimum,
    grid_csv,
    grid_table,
    heat_map,
)
from boilersweep.eval.sweep.table import (
    SweepRow,
    best_of,
    sweep_row,
    topic_scores_csv,
    write_tables,
)
from boilersweep.outputs.notebook import WrittenFrame
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, Qrels, Topic

if TYPE_CHECKING:
    import pandas as pd

# The heat map shows the first two measures, and the best pairs by them keep their runs.
DRAWN_MEASURES = 2

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class GridResult(WrittenFrame):
    """The results of a grid.

    Attributes:
        rows: The row of every place.
        best: The best pair by each drawn measure.
        agreement: Which topics are judged.
        table: The table for the terminal.
        files: The files that were written.
        verified: What was compared with real indexes.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    rows: dict[GridCell, SweepRow]
    best: list[Optimum]
    agreement: Agreement
    table: str
    files: list[Path]
    verified: Verified
    placed: Mapping[str, AlignmentCounts]

    def _draw(self, frame: "pd.DataFrame", measure: str, options: dict[str, Any]) -> Any:
        """Draw a line over the first sweep for each value of the second."""
        first, second = frame.columns[1:3]
        lines = frame.pivot_table(measure, first, second)
        return lines.plot(**{"ylabel": measure, **options})


def run_grid(
    store: BlockStore,
    grid: Grid | tuple[Sweep | str, Sweep | str],
    topics: Sequence[Topic],
    qrels: Qrels,
    output: Path | str,
    *,
    options: ExperimentOptions | None = None,
    output_options: OutputOptions | None = None,
) -> GridResult:
    """Score every pair of a grid, each of its sweeps alone, and everything, by the exact engine.

    The runs of everything, of the pairs at the corners and of the best pairs are kept, and compared
    with real indexes.

    Args:
        store: The block store.
        grid: The grid, or its two sweeps, such as `("words=1:40", "link_density<=0.1:1:0.1")`.
        topics: The topics to run.
        qrels: Their judgements.
        output: The folder for all results.
        options: How topics are run, scored and verified. Measures with a cutoff, such as P@10, look
            at the top of a run only; with others every pair is ranked to the end. A number of
            variants to verify replaces the kept ones by variants that are evenly spread.
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
    grid = grid if isinstance(grid, Grid) else Grid(*map(as_sweep, grid))
    options = (options or ExperimentOptions()).with_defaults(TOP_MEASURES, "exact")
    output_options = output_options or OutputOptions()
    if options.engine != "exact":
        raise UsageError("run_grid: expected the exact engine: a grid has too many variants")
    request = ExperimentRequest(store, topics, qrels, Path(output), options, output_options)
    store.require_for([*grid.rules[0], *grid.rules[1]])
    variants = {place: grid.variant(place) for place in grid.places()}
    every = list(variants.values())
    with request.folder(
        "grid",
        [variant for place, variant in variants.items() if None in place],
        indexed=every,
        more={"grid": [str(grid.first), str(grid.second)]},
    ) as folder:
        engine = GridEngine(store, grid, request.queries, request.search)
        rows = dict(zip(variants, _score_tops(request, engine, every), strict=True))
        pairs = {pair: rows[pair] for pair in grid.pairs()}
        drawn = request.measure_names[:DRAWN_MEASURES]
        winners = {measure: best_of(list(pairs.values()), measure) for measure in drawn}
        ends = [rows[place] for place in (grid.baseline, *grid.corners)]
        kept = {row.variant: row for row in (*ends, *winners.values())}
        runs = {variant: request.output / RUNS / f"{variant.name}.trec" for variant in kept}
        by_topic = {}
        for scored_run in request.score(engine, runs):
            _require_same(kept[scored_run.found.variant], scored_run.scores.mean)
            by_topic[scored_run.found.variant] = scored_run.scores.by_topic
        count = request.verification.variants
        chosen = list(kept) if count is None else spread(every, count)
        verified = request.verify(engine, chosen, folder.index_folder)
        folder.use_indexes(verified.indexes)
        best = [_optimum(measure, row, pairs, by_topic) for measure, row in winners.items()]
        table = grid_table(grid, rows, best, len(request.grades))
        tables = {
            "table.txt": table + "\n",
            "scores.csv": grid_csv(grid, rows),
            "topics.csv": topic_scores_csv(
                by_topic, ["cleaner"], {variant: [variant] for variant in by_topic}
            ),
        }
        maps = [heat_map(grid, rows, optimum) for optimum in best]
        pictures = draw_heat_maps(maps, output_options.title, request.output / "grid")
        folder.files = [*pictures, *write_tables(request.output, tables), *runs.values()]
        folder.manifest = {
            **request.provenance(verified, engine.placed),
            "grid": [str(grid.first), str(grid.second)],
            "variants": len(rows),
            "kept": {variant.name: str(variant) for variant in kept},
            "measures": request.measure_names,
        }
    return GridResult(rows, best, request.agreement, table, folder.files, verified, engine.placed)


def _score_tops(
    request: ExperimentRequest, engine: GridEngine, variants: Sequence[Variant]
) -> list[SweepRow]:
    """Score every variant by as much of its run as the measures look at."""
    depth = depth_of(request.measures) or request.search.hits
    scored = ScoredTopics(list(request.grades), request.grades, request.measures)
    folder, threads = request.output / RUNS, request.search.threads
    scored_runs = score_runs(_Tops(engine, depth), variants, scored, folder, threads)
    return [sweep_row(scored_run) for scored_run in scored_runs]


@dataclass(frozen=True, slots=True)
class _Tops:
    """Gives the first hits of the runs of a grid."""

    engine: GridEngine
    depth: int
    needs_java = False

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        return self.engine.top(variant, topics or (), self.depth)


def _optimum(
    measure: str,
    row: SweepRow,
    pairs: Mapping[Pair, SweepRow],
    by_topic: Mapping[Variant, Mapping[str, Mapping[str, float]]],
) -> Optimum:
    pair = next(pair for pair, pair_row in pairs.items() if pair_row is row)
    scores = [topic[measure] for topic in by_topic[row.variant].values()]
    return Optimum(measure, pair, row, bootstrap_interval(scores))


def _require_same(row: SweepRow, scores: Mapping[str, float]) -> None:
    """Raise VerificationError if a whole run has other scores than its top."""
    for measure, score in scores.items():
        if abs(score - row.scores[measure]) > _ROUNDING:
            raise VerificationError(
                f"{row.variant}: its run has {measure} {score}, the top of it "
                f"{row.scores[measure]}; please report it"
            )
