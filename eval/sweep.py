"""A whole sweep: parallel indexes, runs, scores, table and curve, in one folder.

OUT/indexes/words-011/...   one Lucene index a threshold
OUT/runs/words-011.trec     the run on it
OUT/scores.csv              a row a threshold
OUT/topics.csv              a row a topic of a threshold
OUT/curve.svg, curve.png    scores against thresholds
OUT/table.txt               what the terminal shows
OUT/manifest.json           what was run on what; written last
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from boilersweep import __version__
from boilersweep.eval.curve import draw_curve
from boilersweep.eval.runs import write_run
from boilersweep.eval.scoring import DEFAULT_MEASURES, parse_measures, score
from boilersweep.eval.search import BM25, HITS, RankingModel, search
from boilersweep.eval.table import SweepRow, scores_csv, sweep_table, topic_scores_csv
from boilersweep.files import make_folder, remove_leftovers, write_json, write_text
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.parallel import ParallelIndex, build_parallel_indexes
from boilersweep.progress import steps
from boilersweep.store.store import BlockStore
from boilersweep.sweeps import Sweep, Threshold, collect_thresholds
from boilersweep.topics import (
    FIELDS,
    Agreement,
    Qrels,
    Topic,
    describe,
    require_agreement,
    require_judged_documents,
)

CURVE_MEASURES = 2
"""The curve shows the first two measures, P@10 and nDCG@10 unless others are asked for."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How topics are run. fields: of a topic, joined to the query."""

    model: RankingModel = field(default_factory=BM25)
    hits: int = HITS
    fields: tuple[str, ...] = (FIELDS[0],)
    threads: int = 1


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep found. rows: in the order of the sweeps. files: what was written."""

    rows: list[SweepRow]
    agreement: Agreement
    table: str
    files: list[Path]


def run_sweep(
    store: BlockStore,
    sweeps: Sequence[Sweep],
    topics: Sequence[Topic],
    qrels: Qrels,
    output: Path,
    *,
    analyzer: AnalyzerOptions | None = None,
    options: SearchOptions | None = None,
    measures: Sequence[str] = DEFAULT_MEASURES,
    title: str = "What cleaning does to retrieval",
) -> SweepResult:
    """Index, search and score every threshold; indexes that are there already are used again.

    Raises QrelsError where no topic is judged, UsageError for unknown measures, and what indexing
    and searching raise.
    """
    options = options or SearchOptions()
    analyzer = analyzer or AnalyzerOptions()
    parsed = parse_measures(measures)
    agreement = require_agreement(topics, qrels)
    judged = require_judged_documents(store.docids(), qrels)
    make_folder(output / "runs")
    remove_leftovers(output)
    remove_leftovers(output / "runs")
    (output / "manifest.json").unlink(missing_ok=True)
    indexes = build_parallel_indexes(
        store,
        collect_thresholds(tuple(sweeps)),
        output / "indexes",
        analyzer=analyzer,
        threads=options.threads,
    )
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    grades = {topic: qrels.grades[topic] for topic in agreement.evaluated}
    rows: list[SweepRow] = []
    by_topic: dict[Threshold, dict[str, dict[str, float]]] = {}
    files: list[Path] = []
    with steps("search", len(indexes), "indexes") as bar:
        for index in indexes:
            run = search(
                index.path, queries, options.model, hits=options.hits, threads=options.threads
            )
            files.append(output / "runs" / f"{index.threshold.name}.trec")
            write_run(files[-1], run, f"boilersweep-{index.threshold.name}")
            scores = score(run, grades, parsed)
            rows.append(_row(index, scores.mean))
            by_topic[index.threshold] = scores.by_topic
            bar.update()
    table = sweep_table(rows, len(grades))
    names = list(rows[0].scores)
    write_text(output / "scores.csv", scores_csv(rows))
    write_text(output / "topics.csv", topic_scores_csv(by_topic))
    write_text(output / "table.txt", table + "\n")
    draw_curve(rows, names[:CURVE_MEASURES], title, output / "curve")
    write_json(
        output / "manifest.json",
        _manifest(store, sweeps, indexes, analyzer, options, agreement, judged),
    )
    files = [
        output / n for n in ("curve.png", "curve.svg", "table.txt", "scores.csv", "topics.csv")
    ] + files
    return SweepResult(rows, agreement, table, files)


def _row(index: ParallelIndex, scores: dict[str, float]) -> SweepRow:
    manifest = index.manifest
    return SweepRow(index.threshold, manifest.documents, manifest.empty, manifest.tokens, scores)


def _manifest(
    store: BlockStore,
    sweeps: Sequence[Sweep],
    indexes: Sequence[ParallelIndex],
    analyzer: AnalyzerOptions,
    options: SearchOptions,
    agreement: Agreement,
    judged: int,
) -> dict[str, Any]:
    return {
        "boilersweep": __version__,
        "input": store.manifest["input"],
        "store": str(store.path.resolve()),
        "store_fingerprint": store.fingerprint,
        "documents": store.documents,
        "skipped": dict(store.skipped),
        "sweeps": [str(sweep) for sweep in sweeps],
        "analyzer": asdict(analyzer),
        "model": str(options.model),
        "hits": options.hits,
        "fields": list(options.fields),
        "topics": asdict(agreement),
        "judged_documents": judged,
        "notes": describe(agreement),
        "versions": indexes[0].manifest.versions,
    }
