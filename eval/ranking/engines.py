"""Ways to the runs of a sweep that give the same: real indexes, the exact engine, shares of it."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol

from boilersweep.cleaners.language.variants import Grid, Variant
from boilersweep.cleaners.selection import AlignmentCounts, alignment_of_json
from boilersweep.eval.ranking.exact.engine import ExactRun, ExactSweep, plan_exact
from boilersweep.eval.ranking.exact.grid import ExactGrid
from boilersweep.eval.ranking.exact.shares import SharedSweep
from boilersweep.eval.ranking.exact.top_hits import queries_of
from boilersweep.eval.ranking.formula import RankingModel, exact_formula
from boilersweep.eval.ranking.models import BM25
from boilersweep.eval.ranking.runs import Run
from boilersweep.eval.ranking.search import HITS, search_index
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.options import ParallelOptions, Proof
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.store.store import BlockStore
from boilersweep.topics import FIELDS
from boilersweep.work.shares import parts_folder

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
    """

    model: RankingModel = field(default_factory=BM25)
    hits: int = HITS
    fields: tuple[str, ...] = (FIELDS[0],)
    threads: int = 1
    analyzer: AnalyzerOptions = field(default_factory=AnalyzerOptions)


@dataclass(frozen=True, slots=True)
class VariantRun:
    """What a variant leaves of a collection, and the run on it.

    Attributes:
        variant: The variant.
        documents: The number of documents with a token left.
        empty: The number of documents without.
        tokens: The number of tokens, with repeats.
        run: The run.
    """

    variant: Variant
    documents: int
    empty: int
    tokens: int
    run: Run


class Engine(Protocol):
    """Gives the run of one variant after the other; the long work is done when it is made."""

    @property
    def needs_java(self) -> bool:
        """Whether its runs come from this process's JVM, and so from no other process."""
        ...

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant the engine was made for; of all its topics, or of some."""
        ...


class IndexEngine:
    """Builds parallel indexes and searches them."""

    needs_java = True

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        indexes: Path,
        options: SearchOptions,
        build: IndexBuilder = build_parallel_indexes,
        *,
        docvectors: bool = False,
        proof: Proof | None = None,
    ) -> None:
        """Build the indexes that are missing.

        Args:
            store: The block store.
            variants: The variants, each of which gets an index.
            queries: The text of each query by its topic id.
            indexes: The folder of the indexes.
            options: How topics are run.
            build: Builds the indexes.
            docvectors: Whether the indexes store document vectors even if the model reads none.
            proof: See `build_parallel_indexes`.
        """
        build_options = ParallelOptions(
            analyzer=options.analyzer,
            docvectors=docvectors or options.model.reads_vectors,
            proof=proof,
            threads=options.threads,
        )
        built = build(store, variants, indexes, build_options)
        self._indexes = {index.variant: index for index in built}
        self._queries = queries
        self._options = options

    def under(self, model: RankingModel) -> "IndexEngine":
        """Return these indexes under another formula; they must have vectors if it reads them."""
        other = copy(self)
        other._options = replace(self._options, model=model)
        return other

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """By name of the texts that are matched to blocks, how much of them was matched."""
        counts: dict[str, AlignmentCounts] = {}
        for index in self._indexes.values():
            counts |= alignment_of_json(index.manifest.placed)
        return counts

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
        return VariantRun(variant, manifest.documents, manifest.empty, manifest.tokens, run)


def shared_sweep(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
) -> SharedSweep:
    """Plan an exact engine's work in shares; `output` is the sweep's folder.

    Raises:
        UsageError: The analyzer cannot be swept exactly.
        JavaError: No Java can be started.
    """
    plan = plan_exact(
        [variant.cleaner for variant in variants],
        queries,
        options.model,
        analyzer=options.analyzer,
    )
    return SharedSweep(plan, options.hits, store, parts_folder(output))


class SharedEngine:
    """Has the runs of every variant from what shares of an exact sweep left."""

    needs_java = False

    def __init__(self, variants: Sequence[Variant], sweep: SharedSweep) -> None:
        """Read the shares; raise StoreError if the rows of one are missing or damaged."""
        self._documents = sweep.store.documents
        self._numbers = {variant: number for number, variant in enumerate(variants)}
        self._topics = list(sweep.plan.queries)
        self._totals = sweep.totals()
        self._lists = sweep.lists(self._totals)

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """By name of the texts that are matched to blocks, how much of them was matched."""
        return self._totals.placed

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        number = self._numbers[variant]
        documents = int(self._totals.documents[number])
        tokens = int(self._totals.tokens[number])
        run = self._lists.run(number, self._topics if topics is None else topics)
        return VariantRun(variant, documents, self._documents - documents, tokens, run)


class ExactEngine:
    """Scores every variant from one pass over the block store."""

    needs_java = False

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        options: SearchOptions,
    ) -> None:
        self._documents = store.documents
        self._numbers = {variant: number for number, variant in enumerate(variants)}
        self._sweep = ExactSweep(
            store,
            [variant.cleaner for variant in variants],
            queries,
            options.model,
            analyzer=options.analyzer,
            threads=options.threads,
        )
        self._model = options.model
        self._hits = options.hits

    def under(self, model: RankingModel) -> "ExactEngine | None":
        """Return these rows under another formula; None if it reads lengths differently."""
        if not self._sweep.has_codes_for(exact_formula(model)):
            return None
        other = copy(self)
        other._model = model
        return other

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """By name of the texts that are matched to blocks, how much of them was matched."""
        return self._sweep.rows.placed

    @property
    def sweep(self) -> ExactSweep:
        """What the runs come from; its cleaners are numbered as the variants were given."""
        return self._sweep

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        found = self._sweep.run(
            self._numbers[variant], self._hits, topics, exact_formula(self._model)
        )
        empty = self._documents - found.documents
        return VariantRun(variant, found.documents, empty, found.tokens, found.run)


class GridEngine:
    """Scores every variant of a grid from one pass over the block store."""

    needs_java = False

    def __init__(
        self, store: BlockStore, grid: Grid, queries: Mapping[str, str], options: SearchOptions
    ) -> None:
        self._documents = store.documents
        self._places = {grid.variant(place): place for place in grid.places()}
        self._grid = ExactGrid(
            store,
            grid,
            queries,
            options.model,
            hits=options.hits,
            analyzer=options.analyzer,
            threads=options.threads,
        )

    @property
    def placed(self) -> Mapping[str, AlignmentCounts]:
        """By name of the texts that are matched to blocks, how much of them was matched."""
        return self._grid.placed

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        return self._of(variant, self._grid.run(self._places[variant], topics))

    def top(self, variant: Variant, topics: Sequence[str], depth: int) -> VariantRun:
        """Return the first hits alone, as `ExactGrid.top` gives them."""
        return self._of(variant, self._grid.top(self._places[variant], topics, depth))

    def _of(self, variant: Variant, found: ExactRun) -> VariantRun:
        empty = self._documents - found.documents
        return VariantRun(variant, found.documents, empty, found.tokens, found.run)
