"""Two ways to the runs of a sweep that give the same: real indexes, and the exact engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from boilersweep.eval.exact.engine import ExactSweep
from boilersweep.eval.models import BM25, RankingModel
from boilersweep.eval.runs import Run
from boilersweep.eval.search import HITS, search
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.parallel import build_parallel_indexes
from boilersweep.store.store import BlockStore
from boilersweep.sweeps import Threshold
from boilersweep.topics import FIELDS

ENGINES = ("indexes", "exact")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How topics are run. fields: of a topic, joined to the query."""

    model: RankingModel = field(default_factory=BM25)
    hits: int = HITS
    fields: tuple[str, ...] = (FIELDS[0],)
    threads: int = 1
    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)


@dataclass(frozen=True, slots=True)
class ThresholdRun:
    """What a threshold leaves of a collection, and the run on it.

    documents: with a token left. empty: without. tokens: with repeats.
    """

    threshold: Threshold
    documents: int
    empty: int
    tokens: int
    run: Run


class Engine(Protocol):
    """Gives the run of one threshold after the other; the long work is done when it is made."""

    def run(self, threshold: Threshold) -> ThresholdRun:
        """The run of a threshold the engine was made for."""
        ...


class IndexEngine:
    """Builds parallel indexes and searches them."""

    def __init__(
        self,
        store: BlockStore,
        thresholds: Sequence[Threshold],
        queries: Mapping[str, str],
        indexes: Path,
        options: SearchOptions,
    ) -> None:
        built = build_parallel_indexes(
            store, thresholds, indexes, analyzer=options.analyzer, threads=options.threads
        )
        self._indexes = {index.threshold: index for index in built}
        self._queries = queries
        self._options = options

    def run(self, threshold: Threshold) -> ThresholdRun:
        index = self._indexes[threshold]
        manifest = index.manifest
        run = search(
            index.path,
            self._queries,
            self._options.model,
            hits=self._options.hits,
            threads=self._options.threads,
        )
        return ThresholdRun(threshold, manifest.documents, manifest.empty, manifest.tokens, run)


class ExactEngine:
    """Scores every threshold from one pass over the block store."""

    def __init__(
        self,
        store: BlockStore,
        thresholds: Sequence[Threshold],
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> None:
        self._documents = store.documents
        self._numbers = {threshold: number for number, threshold in enumerate(thresholds)}
        self._sweep = ExactSweep(
            store,
            [threshold.rule for threshold in thresholds],
            queries,
            options.model.formula,
            analyzer=options.analyzer,
        )
        self._hits = options.hits

    def run(self, threshold: Threshold) -> ThresholdRun:
        found = self._sweep.run(self._numbers[threshold], self._hits)
        empty = self._documents - found.documents
        return ThresholdRun(threshold, found.documents, empty, found.tokens, found.run)
