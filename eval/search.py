"""Search an index with topics, as Anserini's SimpleSearcher does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from boilersweep.errors import IndexingError, UsageError
from boilersweep.eval.exact.ranking import separate_ties
from boilersweep.eval.ranking_models import BM25, QueryLikelihood, RankingModel
from boilersweep.eval.runs import Run
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import (
    CONTENTS,
    DOCID,
    Docids,
    java_path,
    lucene_errors,
    open_directory,
)
from boilersweep.indexer.manifest import MANIFEST, indexes_in, read_manifest

HITS = 1000
"""The depth of a run, as TREC has it."""

_NAMED = 5  # indexes in a message


def search_index(
    index: Path | str,
    queries: Mapping[str, str],
    model: RankingModel | None = None,
    *,
    hits: int = HITS,
    threads: int = 1,
    analyzer: AnalyzerOptions | None = None,
) -> Run:
    """Search an index with every query; a query without a result has an empty list.

    queries: topic id -> text. model: None for BM25 with Anserini's parameters. hits: the most
    documents per topic. threads: for BM25 and query likelihood; the other models search one topic
    after the other.
    analyzer: None for that of the index, see `index_analyzer`.
    Raises IndexingError where the index cannot be opened, UsageError for fewer than one hit or a
    model that Lucene lacks.
    """
    if hits < 1:
        raise UsageError(f"hits: expected at least 1, got {hits}")
    index, model = Path(index), model or BM25()
    require_index(index)
    manifest = read_manifest(index)
    start_jvm()
    java_analyzer = make_analyzer(analyzer or index_analyzer(index))
    if manifest and manifest.documents == 0:
        return {topic: [] for topic in queries}
    with lucene_errors(index):
        if isinstance(model, BM25 | QueryLikelihood):
            return _simple_search(index, queries, model, hits, threads, java_analyzer)
        return _index_search(index, queries, model.similarity(), hits, java_analyzer)


def index_analyzer(index: Path) -> AnalyzerOptions:
    """The analyzer of the index; Anserini's default one where boilersweep did not make it."""
    manifest = read_manifest(index)
    return manifest.recipe.analyzer if manifest else AnalyzerOptions()


def require_index(path: Path) -> None:
    """Raises IndexingError where no Lucene index stands, which names those that stand near."""
    if path.is_dir() and any(path.glob("segments_*")):
        return
    near = [*indexes_in(path), *indexes_in(path / "indexes")]
    if near:
        names = ", ".join(map(str, near[:_NAMED])) + (", ..." if len(near) > _NAMED else "")
        raise IndexingError(
            f"expected the folder of one index, got {path}, which holds {len(near)}; name one of "
            f"them: {names}"
        )
    if (path / MANIFEST).is_file():
        raise IndexingError(
            f"{path} is damaged: it has the manifest of an index, and no file segments_N of "
            "Lucene; delete it and build it again"
        )
    raise IndexingError(
        f"no index in {path}: expected a folder with Lucene's files, got {_kind(path)}; build one "
        "with `boilersweep index`"
    )


def _kind(path: Path) -> str:
    if not path.exists():
        return "nothing there"
    return "a folder without them" if path.is_dir() else "a file"


def _simple_search(
    index: Path,
    queries: Mapping[str, str],
    model: BM25 | QueryLikelihood,
    hits: int,
    threads: int,
    analyzer: Any,
) -> Run:
    from jnius import autoclass, cast

    reader = autoclass("org.apache.lucene.index.DirectoryReader").open(open_directory(index))
    searcher = autoclass("io.anserini.search.SimpleSearcher")(java_path(index), analyzer)
    try:
        docids = Docids(cast("org.apache.lucene.index.IndexReader", reader))
        if isinstance(model, BM25):
            searcher.set_bm25(model.k1, model.b)
        else:
            searcher.set_qld(model.mu)
        topics, texts = autoclass("java.util.ArrayList")(), autoclass("java.util.ArrayList")()
        for topic, text in queries.items():
            topics.add(topic)
            texts.add(text)
        found = searcher.batch_search(texts, topics, hits, threads)
        run: Run = {}
        for topic in queries:
            here = found.get(topic) or ()
            names = [hit.docid for hit in here]
            if docids.any_marked:
                names = docids.mended([hit.lucene_docid for hit in here], names)
            run[topic] = [(name, hit.score) for name, hit in zip(names, here, strict=True)]
        return run
    finally:
        searcher.close()
        reader.close()


def _index_search(
    index: Path, queries: Mapping[str, str], similarity: Any, hits: int, analyzer: Any
) -> Run:
    """What SimpleSearcher does, with a similarity that it cannot be set to."""
    from jnius import autoclass, cast

    order = autoclass("io.anserini.search.SearchCollection").BREAK_SCORE_TIES_BY_DOCID
    generator = autoclass("io.anserini.search.query.BagOfWordsQueryGenerator")()
    reader = autoclass("org.apache.lucene.index.DirectoryReader").open(open_directory(index))
    try:
        searcher = autoclass("org.apache.lucene.search.IndexSearcher")(
            cast("org.apache.lucene.index.IndexReader", reader)
        )
        searcher.setSimilarity(similarity)
        stored = searcher.storedFields()
        docids = Docids(cast("org.apache.lucene.index.IndexReader", reader))
        run: Run = {}
        for topic, text in queries.items():
            query = generator.buildQuery(CONTENTS, analyzer, text)
            found = searcher.search(query, hits, order, True).scoreDocs
            names = [stored.document(hit.doc).get(DOCID) for hit in found]
            if docids.any_marked:
                names = docids.mended([hit.doc for hit in found], names)
            scores = separate_ties(np.array([hit.score for hit in found], dtype=np.float32))
            run[topic] = list(zip(names, scores.tolist(), strict=True))
        return run
    finally:
        reader.close()
