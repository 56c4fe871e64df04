"""A whole sweep: parallel indexes, runs, scores, table and curve, in one folder.

OUT/indexes/words-011/...   one Lucene index per variant, a threshold or a cleaner
OUT/runs/words-011.trec     the run on it
OUT/scores.csv              one row per variant
OUT/topics.csv              one row per variant and topic
OUT/curve.svg, curve.png    scores against thresholds
OUT/languages.csv           one row per language of the topics, variant and measure, where these
OUT/languages.svg, .png     are of several: the curve of each language
OUT/table.txt               what the terminal shows
OUT/manifest.json           what was run on what; written last
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, as_sweep, collect_variants
from boilersweep.eval.engines import (
    Engine,
    EngineName,
    ExactEngine,
    IndexEngine,
    SearchOptions,
    SharedEngine,
    shared_sweep,
)
from boilersweep.eval.experiment import RUNS
from boilersweep.eval.frames import WrittenFrame
from boilersweep.eval.request import Request
from boilersweep.eval.scored import ScoredRun
from boilersweep.eval.scoring import DEFAULT_MEASURES, parse_measures
from boilersweep.eval.sweep.curve import draw_curve
from boilersweep.eval.sweep.languages import write_languages
from boilersweep.eval.sweep.table import (
    SweepRow,
    baseline_of,
    best_of,
    scores_csv,
    sweep_table,
    topic_scores_csv,
)
from boilersweep.eval.verification import Verified, spread
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.outputs.files import write_text
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, Qrels, Topic

if TYPE_CHECKING:
    import pandas as pd

CURVE_MEASURES = 2
"""The curve shows the first two measures, P@10 and nDCG@10 unless others are asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class SweepResult(WrittenFrame):
    """What a sweep found. rows: in the order of the sweeps. files: what was written.

    verified: what was compared with real indexes; None where all runs come from real ones.
    placed: by name of the texts that are matched to blocks, how much of them was matched.
    """

    rows: list[SweepRow]
    agreement: Agreement
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]

    def _draw(self, frame: "pd.DataFrame", measure: str, options: dict[str, Any]) -> Any:
        """A line for each sweep."""
        swept = frame.dropna(subset="threshold")
        lines = swept.pivot_table(measure, "threshold", "sweep", sort=False).sort_index()
        return lines.interpolate(limit_area="inside").plot(**{"ylabel": measure, **options})


def run_sweep(
    store: BlockStore,
    sweeps: Sequence[Sweep | str],
    topics: Sequence[Topic],
    qrels: Qrels,
    output: Path | str,
    *,
    cleaners: Sequence[Cleaner | str] = (),
    options: SearchOptions | None = None,
    measures: Sequence[str] = DEFAULT_MEASURES,
    engine: EngineName = "indexes",
    verified_variants: int | None = None,
    verify_full: bool = False,
    build: IndexBuilder = build_parallel_indexes,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    overwrite: bool = False,
) -> SweepResult:
    """Run and score every threshold of some sweeps; indexes that are there are used again.

    sweeps: such as `words=1:100`, as text or parsed. cleaners: to run and score beside them, as
    text or parsed. engine: what gives the runs. verified_variants: how many
    runs of the exact engine to compare with Lucene's; None for the baseline and the best.
    verify_full: have Lucene analyse all texts for that, and not those of a sample of documents.
    build: makes the real indexes. sources: the files of topics and qrels, to be noted. overwrite:
    replace another experiment in the folder.
    Raises QrelsError where no topic or document is judged, UsageError for unknown measures,
    VerificationError, what `experiment` raises, and what indexing and searching raise.
    """
    swept, cleaners = [*map(as_sweep, sweeps)], [*map(as_cleaner, cleaners)]
    request = Request(
        *(store, topics, qrels, Path(output), options or SearchOptions()),
        measures=parse_measures(measures),
        engine=engine,
        sources=sources,
        verified_variants=verified_variants,
        verify_full=verify_full,
        build=build,
        overwrite=overwrite,
    )
    variants = collect_variants(swept, cleaners)
    store.require_for([variant.cleaner for variant in variants])
    with request.folder("sweep", variants, engine=engine) as folder:
        found = _engine(request, variants, folder.index_folder)
        runs = {variant: request.output / RUNS / f"{variant.name}.trec" for variant in variants}
        scored = request.score(found, runs)
        rows = [_row(one) for one in scored]
        with ThreadPoolExecutor(1) as beside:  # while Java's threads verify
            drawing = beside.submit(_draw, request, rows, swept, title)
            verified = _verify(request, found, rows, folder.index_folder)
        folder.use_indexes(verified.indexes if verified else [v.name for v in variants])
        table = sweep_table(rows, len(request.grades), swept)
        by_topic = {one.found.variant: one.scores.by_topic for one in scored}
        files = drawing.result() + _write(request, rows, by_topic, swept, table)
        folder.files = [*files, *runs.values()]
        folder.manifest = {
            **request.provenance(verified, found.placed),
            "sweeps": list(map(str, swept)),
            "cleaners": list(map(str, cleaners)),
            "measures": request.measure_names,
        }
    return SweepResult(rows, request.agreement, table, folder.files, verified, found.placed)


def _engine(
    request: Request, variants: Sequence[Variant], indexes: Path
) -> IndexEngine | SharedEngine | ExactEngine:
    """Real indexes; or the exact engine, on what all shares left, else on a pass over the store."""
    store, queries, options = request.store, request.queries, request.options
    if request.engine == "indexes":
        return IndexEngine(store, variants, queries, indexes, options, request.build)
    shared = shared_sweep(store, variants, queries, request.output, options)
    if shared.shares():
        return SharedEngine(variants, shared)
    return ExactEngine(store, variants, queries, options)


def _row(one: ScoredRun) -> SweepRow:
    found = one.found
    return SweepRow(found.variant, found.documents, found.empty, found.tokens, one.scores.mean)


def _draw(
    request: Request, rows: Sequence[SweepRow], sweeps: Sequence[Sweep], title: str
) -> list[Path]:
    measures = list(rows[0].scores)[:CURVE_MEASURES]
    return draw_curve(rows, measures, title, request.output / "curve", sweeps)


def _verify(
    request: Request, engine: Engine, rows: Sequence[SweepRow], indexes: Path
) -> Verified | None:
    """Verify evenly spread variants of the exact engine, or the baseline and the best one."""
    if request.engine == "indexes":
        return None
    if request.verified_variants is not None:
        chosen = spread([row.variant for row in rows], request.verified_variants)
    else:
        best = best_of(rows, next(iter(rows[0].scores)))
        chosen = list(dict.fromkeys([(baseline_of(rows) or rows[0]).variant, best.variant]))
    return request.verify(engine, chosen, indexes)


def _write(
    request: Request,
    rows: Sequence[SweepRow],
    by_topic: dict[Variant, dict[str, dict[str, float]]],
    sweeps: Sequence[Sweep],
    table: str,
) -> list[Path]:
    texts = {
        "table.txt": table + "\n",
        "scores.csv": scores_csv(rows, sweeps),
        "topics.csv": topic_scores_csv(by_topic, sweeps),
    }
    for name, text in texts.items():
        write_text(request.output / name, text)
    languages = write_languages(
        *(by_topic, request.topic_languages(), request.store.languages, request.output, sweeps)
    )
    return [*languages, *(request.output / name for name in texts)]
