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
from typing import Any

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.grids import Grid, GridCell, as_grid
from boilersweep.cleaners.variants import Sweep, Variant
from boilersweep.errors import VerificationError
from boilersweep.eval.engines import GridEngine, SearchOptions
from boilersweep.eval.experiment import RUNS, experiment
from boilersweep.eval.languages import judgements_left_out
from boilersweep.eval.provenance import file_facts, identity, index_recipes, provenance
from boilersweep.eval.scored import batches, write_scored_runs
from boilersweep.eval.scoring import TOP_MEASURES, Scorer, depth_of, join_scores, parse_measures
from boilersweep.eval.statistics import bootstrap_interval
from boilersweep.eval.sweep.grid_table import (
    Optimum,
    grid_csv,
    grid_table,
    grid_topics_csv,
)
from boilersweep.eval.sweep.heat_map import draw_heat_map
from boilersweep.eval.sweep.table import SweepRow, best_of
from boilersweep.eval.verification import Verified, spread, verify
from boilersweep.eval.workers import in_workers, prepare_workers
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.outputs.files import write_text
from boilersweep.store.store import BlockStore
from boilersweep.topics import (
    Agreement,
    Qrels,
    Topic,
    require_agreement,
    require_judged_documents,
)
from boilersweep.work.progress import steps

DRAWN_MEASURES = 2
"""The heat map shows the first two measures, and the best pairs by them keep their runs."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GridResult:
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
    build, sources and overwrite are as in `run_sweep`, which raises the same.
    """
    options = options or SearchOptions()
    output, grid = Path(output), as_grid(grid)
    read = file_facts(sources)  # before the long work, in which they may change
    parsed = parse_measures(measures)
    agreement = require_agreement(topics, qrels)
    judged = require_judged_documents(store.docids(), qrels)
    store.require_for([*grid.rules[0], *grid.rules[1]])
    variants = {place: grid.variant(place) for place in grid.places()}
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    asked = identity(
        "grid",
        store,
        [variant for place, variant in variants.items() if None in place],
        queries,
        qrels,
        options,
        list(map(str, parsed)),
        grid=[str(grid.first), str(grid.second)],
        verify=verified_variants,
    )
    recipes = index_recipes(store, list(variants.values()), options)
    prepare_workers(options.threads)
    with experiment(output, store, asked, recipes, overwrite=overwrite) as folder:
        engine = GridEngine(store, grid, queries, options)
        grades = {topic: qrels.grades[topic] for topic in agreement.evaluated}
        every = list(variants.values())
        tops = _Tops(engine, every, grades, parsed, options.hits)
        with steps("search", len(variants), "variants") as bar:
            scored = in_workers(
                tops, range(len(variants)), options.threads, output / RUNS, bar.update
            )
        rows = {
            place: replace(row, variant=variant)
            for (place, variant), row in zip(variants.items(), scored, strict=True)
        }
        drawn = list(map(str, parsed))[:DRAWN_MEASURES]
        pairs = {pair: rows[pair] for pair in grid.pairs()}
        winners = {measure: best_of(list(pairs.values()), measure) for measure in drawn}
        ends = [rows[place] for place in (grid.baseline, *grid.corners)]
        kept = {row.variant: row for row in (*ends, *winners.values())}
        by_topic = {}
        runs = {variant: output / RUNS / f"{variant.name}.trec" for variant in kept}
        for one in write_scored_runs(engine, runs, list(queries), grades, parsed, options.threads):
            _require_same(kept[one.found.variant], one.scores.mean)
            by_topic[one.found.variant] = one.scores.by_topic
        names = ("table.txt", "scores.csv", "topics.csv")
        files = [*(output / name for name in names), *runs.values()]
        chosen = list(kept) if verified_variants is None else spread(every, verified_variants)
        verified = verify(engine, store, chosen, queries, folder.index_folder, options, build)
        folder.use_indexes(verified.variants)
        best = [
            Optimum(
                measure,
                next(pair for pair, one in pairs.items() if one is row),
                row,
                bootstrap_interval([scores[measure] for scores in by_topic[row.variant].values()]),
            )
            for measure, row in winners.items()
        ]
        table = grid_table(grid, rows, best, len(grades))
        write_text(output / "scores.csv", grid_csv(grid, rows))
        write_text(output / "topics.csv", grid_topics_csv(by_topic))
        write_text(output / "table.txt", table + "\n")
        pictures = draw_heat_map(grid, rows, best, title, output / "grid")
        folder.files = pictures + files
        folder.manifest = {
            **provenance(
                store,
                options,
                agreement,
                judged,
                verified,
                engine="exact",
                placed=engine.placed,
                sources=read,
                notes=judgements_left_out(store, grades),
            ),
            "grid": [str(grid.first), str(grid.second)],
            "variants": len(rows),
            "kept": {variant.name: str(variant) for variant in kept},
            "measures": list(map(str, parsed)),
        }
    return GridResult(rows, best, agreement, table, pictures + files, verified, engine.placed)


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
