"""Search an index with topics, through Anserini's SimpleSearcher."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from boilersweep.errors import IndexingError, UsageError
from boilersweep.eval.runs import Run
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.lucene import lucene_errors
from boilersweep.indexer.manifest import read_manifest

HITS = 1000
"""The depth of a run, as TREC has it."""


class RankingModel(Protocol):
    """A ranking formula that SimpleSearcher can be set to; `str(model)` names it in a run's tag."""

    def configure(self, searcher: Any) -> None:
        """Set the searcher to this formula."""
        ...


@dataclass(frozen=True, slots=True)
class BM25:
    """Robertson et al., Okapi at TREC-3, as Lucene has it; Anserini's default parameters."""

    k1: float = 0.9
    b: float = 0.4

    def __post_init__(self) -> None:
        if self.k1 < 0 or not 0 <= self.b <= 1:
            raise UsageError(
                f"BM25: expected k1 of at least 0 and b from 0 to 1, got {self.k1:g} and {self.b:g}"
            )

    def configure(self, searcher: Any) -> None:
        searcher.set_bm25(self.k1, self.b)

    def __str__(self) -> str:
        return f"bm25(k1={self.k1:g},b={self.b:g})"


@dataclass(frozen=True, slots=True)
class QueryLikelihood:
    """Query likelihood with Dirichlet smoothing (Zhai and Lafferty, SIGIR 2001)."""

    mu: float = 1000.0

    def configure(self, searcher: Any) -> None:
        searcher.set_qld(self.mu)

    def __str__(self) -> str:
        return f"qld(mu={self.mu:g})"


def search(
    index: Path,
    queries: Mapping[str, str],
    model: RankingModel,
    *,
    hits: int = HITS,
    threads: int = 1,
    analyzer: AnalyzerOptions | None = None,
) -> Run:
    """Search an index with every query; a query without a result has an empty list.

    queries: topic id -> text. hits: the most documents a topic.
    analyzer: None for the one in the index's manifest, or Anserini's default English one for an
    index that boilersweep did not make.
    Raises IndexingError where the index cannot be opened, UsageError for fewer than one hit.
    """
    if hits < 1:
        raise UsageError(f"hits: expected at least 1, got {hits}")
    if not index.is_dir():
        raise IndexingError(f"no index in {index}; build one with `boilersweep index`")
    manifest = read_manifest(index)
    start_jvm()
    from jnius import autoclass

    options = analyzer or (manifest.recipe.analyzer if manifest else AnalyzerOptions())
    if manifest and manifest.documents == 0:
        return {topic: [] for topic in queries}
    with lucene_errors(index):
        searcher = autoclass("io.anserini.search.SimpleSearcher")(
            str(index), make_analyzer(options)
        )
        try:
            model.configure(searcher)
            topics, texts = autoclass("java.util.ArrayList")(), autoclass("java.util.ArrayList")()
            for topic, text in queries.items():
                topics.add(topic)
                texts.add(text)
            found = searcher.batch_search(texts, topics, hits, threads)
            return {
                topic: [(hit.docid, hit.score) for hit in found.get(topic) or ()]
                for topic in queries
            }
        finally:
            searcher.close()
