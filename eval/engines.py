"""Two ways to the runs of a sweep that give the same: real indexes, and the exact engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from boilersweep.cluster.running import Crew
from boilersweep.eval.exact.clustered import collect_on
from boilersweep.eval.exact.engine import ExactSweep, plan_rows
from boilersweep.eval.models import BM25, RankingModel
from boilersweep.eval.runs import Run
from boilersweep.eval.search import HITS, search
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.parallel import IndexBuilder, build_parallel_indexes
from boilersweep.shares import Share, parts_folder
from boilersweep.store.store import BlockStore
from boilersweep.sweeps import Variant
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
class VariantRun:
    """What a variant leaves of a collection, and the run on it.

    documents: with a token left. empty: without. tokens: with repeats.
    """

    variant: Variant
    documents: int
    empty: int
    tokens: int
    run: Run


class Engine(Protocol):
    """Gives the run of one variant after the other; the long work is done when it is made."""

    def run(self, variant: Variant) -> VariantRun:
        """The run of a variant the engine was made for."""
        ...


class IndexEngine:
    """Builds parallel indexes and searches them."""

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        indexes: Path,
        options: SearchOptions,
        build: IndexBuilder = build_parallel_indexes,
    ) -> None:
        built = build(store, variants, indexes, analyzer=options.analyzer, threads=options.threads)
        self._indexes = {index.variant: index for index in built}
        self._queries = queries
        self._options = options

    def run(self, variant: Variant) -> VariantRun:
        index = self._indexes[variant]
        manifest = index.manifest
        run = search(
            index.path,
            self._queries,
            self._options.model,
            hits=self._options.hits,
            threads=self._options.threads,
        )
        return VariantRun(variant, manifest.documents, manifest.empty, manifest.tokens, run)


def sweep_share(
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
    share: Share,
) -> Path:
    """Do a share of an exact engine's pass; its rows are taken when all shares have theirs there.

    output: the sweep's folder. Raises what `ExactEngine` raises, and OutputError.
    """
    cleaners = [variant.cleaner for variant in variants]
    _, plan = plan_rows(cleaners, queries, options.model.formula, analyzer=options.analyzer)
    return plan.collect_share(store, share, parts_folder(output))


def sweep_shares_on(
    crew: Crew,
    store: BlockStore,
    variants: Sequence[Variant],
    queries: Mapping[str, str],
    output: Path,
    options: SearchOptions,
    *,
    heap: str | None = None,
) -> None:
    """Do all shares of an exact engine's pass on the workers of a cluster.

    output: the sweep's folder. heap: of each worker's JVM. Raises what `sweep_share` raises, and
    BoilersweepError that names the shares that failed.
    """
    cleaners = [variant.cleaner for variant in variants]
    _, plan = plan_rows(cleaners, queries, options.model.formula, analyzer=options.analyzer)
    collect_on(crew, plan, store, parts_folder(output), heap=heap)


class ExactEngine:
    """Scores every variant from one pass over the block store."""

    def __init__(
        self,
        store: BlockStore,
        variants: Sequence[Variant],
        queries: Mapping[str, str],
        options: SearchOptions,
        parts: Path | None = None,
    ) -> None:
        """parts: where shares of the pass may have left their rows (see `ExactSweep`)."""
        self._documents = store.documents
        self._numbers = {variant: number for number, variant in enumerate(variants)}
        self._sweep = ExactSweep(
            store,
            [variant.cleaner for variant in variants],
            queries,
            options.model.formula,
            analyzer=options.analyzer,
            parts=parts,
        )
        self._hits = options.hits

    @property
    def sweep(self) -> ExactSweep:
        """What the runs come from; its cleaners are numbered as the variants were given."""
        return self._sweep

    def run(self, variant: Variant) -> VariantRun:
        found = self._sweep.run(self._numbers[variant], self._hits)
        empty = self._documents - found.documents
        return VariantRun(variant, found.documents, empty, found.tokens, found.run)
