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

from boilersweep.cleaners.extractor_blocks import AlignmentCounts
from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, as_sweep, collect_variants
from boilersweep.eval.engines import (
    EngineName,
    ExactEngine,
    IndexEngine,
    SearchOptions,
    SharedEngine,
    VariantRun,
    shared_sweep,
)
from boilersweep.eval.experiment import RUNS, experiment
from boilersweep.eval.languages import judgements_left_out, relevant_documents, topic_languages
from boilersweep.eval.provenance import file_facts, identity, index_recipes, provenance
from boilersweep.eval.scored import write_scored_runs
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
from boilersweep.eval.verification import Verified, spread, verify
from boilersweep.eval.workers import prepare_workers
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

FILES = ("table.txt", "scores.csv", "topics.csv")
CURVE_MEASURES = 2
"""The curve shows the first two measures, P@10 and nDCG@10 unless others are asked for."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep found. rows: in the order of the sweeps. files: what was written.

    verified: what was compared with real indexes; None where all runs come from real ones.
    placed: by name of the texts that stand for blocks, how much of them does.
    """

    rows: list[SweepRow]
    agreement: Agreement
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]


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
    build: IndexBuilder = build_parallel_indexes,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    overwrite: bool = False,
) -> SweepResult:
    """Run and score every threshold of some sweeps; indexes that are there are used again.

    sweeps: such as `words=1:100`, as text or parsed. cleaners: to run and score beside them, as
    text or parsed. engine: what gives the runs. verified_variants: how many
    runs of the exact engine to compare with real indexes; None for the baseline and the best.
    build: makes the real indexes. sources: the files of topics and qrels, to be noted. overwrite:
    replace another experiment in the folder.
    Raises QrelsError where no topic or document is judged, UsageError for unknown measures,
    VerificationError, what `experiment` raises, and what indexing and searching raise.
    """
    options = options or SearchOptions()
    output = Path(output)
    swept, cleaners = [*map(as_sweep, sweeps)], [*map(as_cleaner, cleaners)]
    read = file_facts(sources)  # before the long work, in which they may change
    parsed = parse_measures(measures)
    agreement = require_agreement(topics, qrels)
    judged = require_judged_documents(store.docids(), qrels)
    variants = collect_variants(swept, cleaners)
    store.require_for([variant.cleaner for variant in variants])
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    asked = identity(
        "sweep",
        store,
        variants,
        queries,
        qrels,
        options,
        list(map(str, parsed)),
        engine=engine,
        verify=verified_variants,
    )
    recipes = index_recipes(store, variants, options)
    if engine == "exact":
        prepare_workers(options.threads)
    with experiment(output, store, asked, recipes, overwrite=overwrite) as folder:
        indexes = folder.index_folder
        searcher = (
            _exact_engine(store, variants, queries, output, options)
            if engine == "exact"
            else IndexEngine(store, variants, queries, indexes, options, build)
        )
        grades = {topic: qrels.grades[topic] for topic in agreement.evaluated}
        rows: list[SweepRow] = []
        by_topic: dict[Variant, dict[str, dict[str, float]]] = {}
        files = [output / name for name in FILES]
        runs = {variant: output / RUNS / f"{variant.name}.trec" for variant in variants}
        for one in write_scored_runs(
            searcher, runs, list(queries), grades, parsed, options.threads
        ):
            rows.append(_row(one.found, one.scores.mean))
            by_topic[one.found.variant] = one.scores.by_topic
        files += runs.values()
        verified = None
        drawn = list(rows[0].scores)[:CURVE_MEASURES]
        with ThreadPoolExecutor(1) as beside:
            # While Java's threads are at the proof.
            drawing = beside.submit(draw_curve, rows, drawn, title, output / "curve", swept)
            if engine == "exact":
                chosen = _to_verify(rows, verified_variants)
                verified = verify(searcher, store, chosen, queries, indexes, options, build)
        curve = drawing.result()
        folder.use_indexes(verified.variants if verified else [v.name for v in variants])
        table = sweep_table(rows, len(grades), swept)
        write_text(output / "scores.csv", scores_csv(rows, swept))
        write_text(output / "topics.csv", topic_scores_csv(by_topic, swept))
        write_text(output / "table.txt", table + "\n")
        languages = topic_languages(store, relevant_documents(grades))
        curve += write_languages(by_topic, languages, store.languages, output, swept)
        folder.files = curve + files
        folder.manifest = {
            **provenance(
                store,
                options,
                agreement,
                judged,
                verified,
                engine=engine,
                placed=searcher.placed,
                sources=read,
                notes=judgements_left_out(store, grades),
            ),
            "sweeps": list(map(str, swept)),
            "cleaners": list(map(str, cleaners)),
            "measures": list(map(str, parsed)),
        }
    return SweepResult(rows, agreement, table, curve + files, verified, searcher.placed)


def _exact_engine(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
) -> SharedEngine | ExactEngine:
    """From what all shares left beside the output; else from a pass over the store."""
    shared = shared_sweep(store, variants, queries, output, options)
    if shared.shares():
        return SharedEngine(variants, shared)
    return ExactEngine(store, variants, queries, options)


def _row(found: VariantRun, scores: dict[str, float]) -> SweepRow:
    return SweepRow(found.variant, found.documents, found.empty, found.tokens, scores)


def _to_verify(rows: Sequence[SweepRow], count: int | None) -> list[Variant]:
    """Evenly spread variants, or the baseline (else the lowest) and the best one."""
    if count is not None:
        return spread([row.variant for row in rows], count)
    best = best_of(rows, next(iter(rows[0].scores)))
    chosen = [baseline_of(rows) or rows[0], best]
    return list(dict.fromkeys(row.variant for row in chosen))
