"""Jobs of the sweep: one plain run, sweeps by both engines, and separate runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import boilersweep.eval.experiment.run
from benchmarks.marks import Marks
from benchmarks.systems import default_segmenter
from boilersweep.cleaners.syntax.variants import (
    PAPER_SWEEPS,
    Variant,
    collect_variants,
)
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.experiment.verification import spread
from boilersweep.eval.ranking.formulas import BM25
from boilersweep.eval.ranking.runs import write_run
from boilersweep.eval.ranking.search import (
    HITS,
    EngineName,
    SearchOptions,
    search_index,
)
from boilersweep.eval.sweep.sweep import run_sweep
from boilersweep.indexer.jvm import start_jvm
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import read_qrels, read_topics
from boilersweep.work.processes import default_workers

SEGMENT, START_JAVA, INDEX, ANALYSE, SCORE = (
    "segment",
    "start Java",
    "index",
    "analyse",
    "score",
)

_LUCENE_INDEXER_THREADS = 2


def segment(
    marks: Marks,
    *,
    input: str,  # noqa: A002 - as the command line names it
    collection: str | None,
    output: str,
) -> dict[str, Any]:
    """From a collection to `output/store`, on all cores."""
    store = segment_collection(
        Path(input), Path(output, "store"), Segmentation(collection=collection)
    )
    marks.mark(SEGMENT)
    return {
        "documents": store.documents,
        "store": str(store.path),
        "segmenter": default_segmenter(),
    }


def plain_run(
    marks: Marks, *, topics: str, output: str, **source: Any
) -> dict[str, Any]:
    """Return what one experiment takes without a sweep: segment, index everything, search."""
    facts = segment(marks, output=output, **source)
    start_jvm()
    marks.mark(START_JAVA)
    baseline = Variant.at_least("words", 1)
    _index_and_search(
        marks, open_store(Path(facts["store"])), baseline, queries_of(topics), output
    )
    return facts


def exact_sweep(
    marks: Marks,
    *,
    topics: str,
    qrels: str,
    output: str,
    store: str | None = None,
    verify_full: bool = False,
    **source: Any,
) -> dict[str, Any]:
    """Return the paper's sweep with the exact engine, to the report, with its proof.

    Args:
        marks: notes the phases.
        topics: a file.
        qrels: a file.
        output: a folder.
        store: a block store.
        verify_full: as for `run_sweep`.
        source: what to segment, where no store is given.
    """
    marks.around(
        boilersweep.eval.experiment.run,
        "ExactEngine",
        before="prepare",
        after=ANALYSE,
    )
    marks.around(
        boilersweep.eval.experiment.run, "verify", before=SCORE, after="verify"
    )
    return _sweep(
        marks,
        topics,
        qrels,
        output,
        store,
        source,
        engine="exact",
        verify_full=verify_full,
    )


def index_sweep(
    marks: Marks,
    *,
    topics: str,
    qrels: str,
    output: str,
    store: str | None = None,
    **source: Any,
) -> dict[str, Any]:
    """Return the paper's sweep with real indexes, to the report."""
    return _sweep(marks, topics, qrels, output, store, source, engine="indexes")


def _sweep(
    marks: Marks,
    topics: str,
    qrels: str,
    output: str,
    store_path: str | None,
    source: Mapping[str, Any],
    *,
    engine: EngineName,
    verify_full: bool = False,
) -> dict[str, Any]:
    if store_path is None:
        store_path = segment(marks, output=output, **source)["store"]
    store = open_store(Path(store_path))
    start_jvm()
    marks.mark(START_JAVA)
    if engine == "indexes":
        module = boilersweep.eval.experiment.run
        marks.around(module, "build_into", before="prepare", after=INDEX)
    found = run_sweep(
        store,
        PAPER_SWEEPS,
        read_topics(Path(topics)),
        read_qrels(Path(qrels)),
        Path(output),
        options=ExperimentOptions(
            search=SearchOptions(threads=default_workers()),
            engine=engine,
            verification=Verification(full=verify_full),
        ),
    )
    marks.mark("report" if engine == "exact" else "search, score and report")
    return {
        "documents": store.documents,
        "thresholds": len(found.rows),
        "scores": {row.variant.name: row.scores for row in found.rows},
        "verified": str(found.verified) if found.verified else None,
    }


def separate_runs(
    marks: Marks,
    *,
    store: str,
    topics: str,
    output: str,
    sample: int,
    numbers: list[int],
) -> dict[str, Any]:
    """Index and search some thresholds, one after the other, each as if it were the only one.

    Args:
        marks: notes the phases.
        store: a block store.
        topics: a file.
        output: a folder.
        sample: how many of the sweep's thresholds are measured, evenly spread.
        numbers: which of those this process does.
    """
    thresholds = collect_variants(PAPER_SWEEPS)
    chosen = spread(thresholds, sample)
    opened, queries = open_store(Path(store)), queries_of(topics)
    start_jvm()
    marks.mark(START_JAVA)
    for number in numbers:
        _index_and_search(marks, opened, chosen[number], queries, output)
    return {
        "of": len(thresholds),
        "thresholds": [chosen[number].name for number in numbers],
    }


def queries_of(topics: str) -> dict[str, str]:
    """Return the text of each query by its topic id."""
    return {topic.id: topic.text(("title",)) for topic in read_topics(Path(topics))}


def _index_and_search(
    marks: Marks,
    store: BlockStore,
    threshold: Variant,
    queries: Mapping[str, str],
    output: str,
) -> None:
    index = Path(output, "lucene", threshold.name)
    _lucene_index(store, threshold.cleaner, index)
    marks.mark(INDEX)
    run = search_index(index, queries, BM25(), hits=HITS, threads=default_workers())
    write_run(Path(output, f"{threshold.name}.trec"), run, threshold.name)
    marks.mark("search")


def _lucene_index(store: BlockStore, rule: Any, path: Path) -> None:
    """Index what a rule keeps, by the class of Anserini's under pyserini's LuceneIndexer.

    pyserini 2.4 needs the network to import its own.
    """
    from jnius import autoclass

    document = autoclass("io.anserini.collection.JsonCollection$Document")
    path.parent.mkdir(parents=True, exist_ok=True)
    simple = autoclass("io.anserini.index.SimpleIndexer")
    indexer = simple(str(path), False, _LUCENE_INDEXER_THREADS)
    for columns in store.columns():
        mask = rule.mask(columns)
        batch = []
        for number, docid in enumerate(columns.docids):
            here = range(columns.starts[number], columns.starts[number + 1])
            contents = "\n".join(columns.texts[block] for block in here if mask[block])
            if contents:
                batch.append(document.fromFields(docid, contents))
        indexer.addJsonDocuments(batch)
    indexer.close()
