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
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.grids import Grid, GridCell, Pair, as_grid
from boilersweep.cleaners.variants import Sweep, Variant
from boilersweep.errors import VerificationError
from boilersweep.eval.bootstrap import bootstrap_interval
from boilersweep.eval.engines import GridEngine, SearchOptions
from boilersweep.eval.experiment import RUNS
from boilersweep.eval.frames import WrittenFrame
from boilersweep.eval.request import Request
from boilersweep.eval.scored import batches
from boilersweep.eval.scoring import TOP_MEASURES, Scorer, depth_of, join_scores, parse_measures
from boilersweep.eval.sweep.grid_table import Optimum, grid_csv, grid_table, grid_topics_csv
from boilersweep.eval.sweep.heat_map import draw_heat_map
from boilersweep.eval.sweep.table import SweepRow, best_of
from boilersweep.eval.verification import Verified, spread
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.outputs.files import write_text
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, Qrels, Topic
from boilersweep.work.tasks import run_tasks

if TYPE_CHECKING:
    import pandas as pd

DRAWN_MEASURES = 2
"""The heat map shows the first two measures, and the best pairs by them keep their runs."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class GridResult(WrittenFrame):
    """What a grid found. rows: of every place. best: the best pair by each drawn measure.

    files: what was written. verified: what was compared with real indexes. placed: as in
    `SweepResult`.
    """

    rows: dict[GridCell, SweepRow]
    best: list[Optimum]
    agreement: Agreement
    table: str
    files: list[Path]
    verified: Verified
    placed: Mapping[str, AlignmentCounts]

    def _draw(self, frame: "pd.DataFrame", measure: str, options: dict[str, Any]) -> Any:
        """A line over the first sweep for each value of the second."""
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
    options: SearchOptions | None = None,
    measures: Sequence[str] = TOP_MEASURES,
    verified_variants: int | None = None,
    verify_full: bool = False,
    build: IndexBuilder = build_parallel_indexes,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    overwrite: bool = False,
) -> GridResult:
    """Score every pair of a grid, each of its sweeps alone, and everything, by the exact engine.

    grid: or its two sweeps, such as `("words=1:40", "link_density<=0.1:1:0.1")`. Runs are kept of
    everything, of the pairs at the corners, and of the best pairs; these are compared with real
    indexes. measures: those with a cutoff, as P@10, look at the top of a run alone; with others
    every pair is ranked to the end. verified_variants: how many, evenly spread, to compare instead.
    verify_full, build, sources and overwrite are as in `run_sweep`, which raises the same.
    """
    grid = as_grid(grid)
    request = Request(
        *(store, topics, qrels, Path(output), options or SearchOptions()),
        measures=parse_measures(measures),
        engine="exact",
        sources=sources,
        verified_variants=verified_variants,
        verify_full=verify_full,
        build=build,
        overwrite=overwrite,
    )
    store.require_for([*grid.rules[0], *grid.rules[1]])
    variants = {place: grid.variant(place) for place in grid.places()}
    every = list(variants.values())
    with request.folder(
        "grid",
        [variant for place, variant in variants.items() if None in place],
        indexed=every,
        grid=[str(grid.first), str(grid.second)],
    ) as folder:
        engine = GridEngine(store, grid, request.queries, request.options)
        rows = dict(zip(variants, _score_tops(request, engine, every), strict=True))
        pairs = {pair: rows[pair] for pair in grid.pairs()}
        drawn = request.measure_names[:DRAWN_MEASURES]
        winners = {measure: best_of(list(pairs.values()), measure) for measure in drawn}
        ends = [rows[place] for place in (grid.baseline, *grid.corners)]
        kept = {row.variant: row for row in (*ends, *winners.values())}
        runs = {variant: request.output / RUNS / f"{variant.name}.trec" for variant in kept}
        by_topic = {}
        for one in request.score(engine, runs):
            _require_same(kept[one.found.variant], one.scores.mean)
            by_topic[one.found.variant] = one.scores.by_topic
        chosen = list(kept) if verified_variants is None else spread(every, verified_variants)
        verified = request.verify(engine, chosen, folder.index_folder)
        folder.use_indexes(verified.indexes)
        best = [_optimum(measure, row, pairs, by_topic) for measure, row in winners.items()]
        table = grid_table(grid, rows, best, len(request.grades))
        texts = {
            "table.txt": table + "\n",
            "scores.csv": grid_csv(grid, rows),
            "topics.csv": grid_topics_csv(by_topic),
        }
        for name, text in texts.items():
            write_text(request.output / name, text)
        pictures = draw_heat_map(grid, rows, best, title, request.output / "grid")
        folder.files = [*pictures, *(request.output / name for name in texts), *runs.values()]
        folder.manifest = {
            **request.provenance(verified, engine.placed),
            "grid": [str(grid.first), str(grid.second)],
            "variants": len(rows),
            "kept": {variant.name: str(variant) for variant in kept},
            "measures": request.measure_names,
        }
    return GridResult(rows, best, request.agreement, table, folder.files, verified, engine.placed)


def _score_tops(
    request: Request, engine: GridEngine, variants: Sequence[Variant]
) -> list[SweepRow]:
    """Score every variant by as much of its run as the measures look at."""
    options = request.options
    tops = _Tops(engine, variants, request.grades, request.measures, options.hits)
    scored = run_tasks(
        tops,
        range(len(variants)),
        what="search",
        unit="variants",
        workers=options.threads,
        arrays=request.output / RUNS,
    )
    return [replace(row, variant=v) for v, row in zip(variants, scored, strict=True)]


def _optimum(
    measure: str,
    row: SweepRow,
    pairs: Mapping[Pair, SweepRow],
    by_topic: Mapping[Variant, Mapping[str, Mapping[str, float]]],
) -> Optimum:
    pair = next(pair for pair, one in pairs.items() if one is row)
    scores = [topic[measure] for topic in by_topic[row.variant].values()]
    return Optimum(measure, pair, row, bootstrap_interval(scores))


class _Tops:
    """Scores a variant, by its number, by as much of its run as the measures look at."""

    def __init__(
        self,
        engine: GridEngine,
        variants: Sequence[Variant],
        grades: Mapping[str, Mapping[str, int]],
        measures: Sequence[Any],
        hits: int,
    ) -> None:
        self._given = (engine, variants, grades, measures, hits)

    @cached_property
    def _scorers(self) -> list[tuple[Sequence[str], Scorer]]:
        _, _, grades, measures, _ = self._given
        return [
            (some, Scorer({topic: grades[topic] for topic in some}, measures))
            for some in batches(list(grades))
        ]

    def __call__(self, number: int) -> SweepRow:
        engine, variants, grades, measures, hits = self._given
        depth = depth_of(measures) or hits
        parts = []
        for topics, scorer in self._scorers:
            found = engine.top(variants[number], topics, depth)
            parts.append(scorer.score(found.run))
        scores = join_scores(parts, grades, measures).mean
        return SweepRow(found.variant, found.documents, found.empty, found.tokens, scores)


def _require_same(row: SweepRow, scores: Mapping[str, float]) -> None:
    """Raises VerificationError where a whole run has other scores than its top."""
    for measure, score in scores.items():
        if abs(score - row.scores[measure]) > _ROUNDING:
            raise VerificationError(
                f"{row.variant}: its run has {measure} {score}, the top of it "
                f"{row.scores[measure]}; please report it"
            )
