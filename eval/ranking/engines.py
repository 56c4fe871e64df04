"""Engines give the runs of variants: real indexes here, and in `exact` others with equal runs."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, TypeVar

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval.ranking.formula_base import RankingModel
from boilersweep.eval.ranking.formulas import BM25
from boilersweep.eval.ranking.runs import Run
from boilersweep.eval.ranking.search import HITS, search_index
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.options import ParallelOptions, Proof
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.store.store import BlockStore
from boilersweep.topics import FIELDS

# Real Lucene indexes, or the exact engine, which needs none.
EngineName = Literal["indexes", "exact"]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How topics are run.

    Attributes:
        model: The ranking model.
        hits: The greatest number of documents per topic.
        fields: The fields of a topic that are joined to the query.
        threads: The number of Java's threads, and of processes if the exact engine ranks more than
            one variant.
        analyzer: How texts become tokens.
        heap: Java's heap in other processes that start it, as text; None for the default.
    """

    model: RankingModel = field(default_factory=BM25)
    hits: int = HITS
    fields: tuple[str, ...] = (FIELDS[0],)
    threads: int = 1
    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)
    heap: str | None = None


@dataclass(frozen=True, slots=True)
class VariantRun:
    """The run on a variant, and the counts of what it keeps of the collection.

    Attributes:
        variant: The variant.
        documents: The number of documents with a token left.
        empty: The number of documents without a token.
        tokens: The number of tokens, with repeats.
        run: The run.
    """

    variant: Variant
    documents: int
    empty: int
    tokens: int
    run: Run


class Engine(Protocol):
    """Gives the run of one variant after the other; its constructor does the long work."""

    @property
    def needs_java(self) -> bool:
        """Whether its runs come from this process's JVM, and so from no other process."""
        ...

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant the engine was made for; of all its topics, or of some."""
        ...


_Query = TypeVar("_Query")


def queries_of(
    queries: Mapping[str, _Query], topics: Sequence[str] | None
) -> Mapping[str, _Query]:
    """Return the queries of some topics, in their order; all where topics is None."""
    return queries if topics is None else {topic: queries[topic] for topic in topics}


class IndexEngine:
    """Builds parallel indexes and searches them.

    Attributes:
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    needs_java = True

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        indexes: Path,
        options: SearchOptions,
        *,
        docvectors: bool = False,
        proof: Proof | None = None,
        executor: Executor | None = None,
    ) -> None:
        """Build the indexes that are missing.

        Args:
            store: The block store.
            variants: The variants, each of which gets an index.
            queries: The text of each query by its topic id.
            indexes: The folder of the indexes.
            options: How topics are run.
            docvectors: Whether the indexes store document vectors even if the model reads none.
            proof: See `ParallelOptions`.
            executor: See `ParallelOptions`; each of its workers builds with one thread.
        """
        build_options = ParallelOptions(
            analyzer=options.analyzer,
            docvectors=docvectors or options.model.reads_vectors,
            proof=proof,
            threads=1 if executor else options.threads,
            executor=executor,
            heap=options.heap,
        )
        built = build_parallel_indexes(store, variants, indexes, build_options)
        self._indexes = {index.variant: index for index in built}
        self.placed: dict[str, AlignmentCounts] = {}
        for index in built:
            self.placed |= index.manifest.placed
        self._queries = queries
        self._options = options

    def under(self, model: RankingModel) -> "IndexEngine":
        """Return these indexes under another formula; they must have vectors if it reads them."""
        other = copy(self)
        other._options = replace(self._options, model=model)
        return other

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        index = self._indexes[variant]
        manifest = index.manifest
        run = search_index(
            index.path,
            queries_of(self._queries, topics),
            self._options.model,
            hits=self._options.hits,
            threads=self._options.threads,
        )
        return VariantRun(
            variant, manifest.documents, manifest.empty, manifest.tokens, run
        )
