"""Open a folder to explore: a block store, or a finished experiment with its store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import (
    Sweep,
    collect_variants,
    curves_of,
    parse_sweep,
)
from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import OutputError, UsageError
from boilersweep.eval.experiment.check import FinishedExperiment
from boilersweep.eval.ranking.formulas import RankingModel, model_named
from boilersweep.eval.serve.lists import Lists, StorePages
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.store.store import BlockStore
from boilersweep.topics import read_topics


@dataclass(frozen=True, slots=True)
class Explored:
    """The lists and the pages that a user explores.

    Attributes:
        lists: The lists.
        curves: Label of a sweep -> the numbers of its lists, by ascending threshold.
        pages: The pages.
        cleaners: The cleaners of the lists.
        judged: The folder of the judgements.
        queries: Known queries, to begin with.
    """

    lists: Lists
    curves: Mapping[str, Sequence[int]]
    pages: StorePages
    cleaners: Sequence[Cleaner]
    judged: Path
    queries: Sequence[str] = ()

    @property
    def first_choice(self) -> list[int]:
        """The lists that are shown at first: the first one, and an eighth along its curve."""
        count = len(self.lists.names)
        curve = next(iter(self.curves.values()), range(count))
        second = curve[min(max(1, len(curve) // 8), len(curve) - 1)]
        return [0, second if second else count - 1]


def explore_store(
    store: BlockStore,
    sweeps: Sequence[Sweep],
    cleaners: Sequence[Cleaner],
    model: RankingModel,
    analyzer: AnalyzerOptions,
    judged: Path,
) -> Explored:
    """Explore thresholds and cleaners over a store. The JVM must run."""
    variants = collect_variants(sweeps, cleaners)
    if len(variants) < 2:
        raise UsageError("expected at least two thresholds or cleaners to compare")
    pages = StorePages(store, analyzer)
    chosen = [variant.cleaner for variant in variants]
    lists = Lists(pages, chosen, model, analyzer)
    curves = {
        label: [number for _, number in curve]
        for label, curve in curves_of(variants, sweeps).items()
        if len(curve) > 1
    }
    return Explored(lists, curves, pages, chosen, judged)


def explore_experiment(folder: Path, judged: Path) -> Explored:
    """Explore a finished sweep or study by its store."""
    finished = FinishedExperiment(folder)
    manifest = finished.manifest
    model = model_named(manifest.model)
    store = finished.store
    if store is None:
        raise OutputError(f"{folder}: its store {finished.store_path} is gone")
    sweeps = [parse_sweep(text) for text in manifest.sweeps]
    cleaners = [parse_cleaner(text) for text in finished.variants.values()]
    explored = explore_store(store, sweeps, cleaners, model, manifest.analyzer, judged)
    return replace(explored, queries=_known_queries(finished))


def _known_queries(finished: FinishedExperiment) -> list[str]:
    """Return the evaluated queries, if the file of the topics is still there and the same."""
    source = finished.manifest.sources.get("topics")
    path = Path(source["path"]) if source else Path()
    if not path.is_file():
        return []
    evaluated = finished.manifest.topics["evaluated"]
    return [topic.title for topic in read_topics(path) if topic.id in evaluated]
