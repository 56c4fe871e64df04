"""What can be explored in a folder: a block store, a finished experiment, or Lucene indexes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, collect_variants, curves_of, parse_sweep
from boilersweep.errors import OutputError, UsageError
from boilersweep.eval.check import FinishedExperiment
from boilersweep.eval.experiment import INDEXES
from boilersweep.eval.ranking_models import RankingModel, model_named
from boilersweep.eval.serve.lists import ExactLists, IndexLists, Lists, StorePages
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.manifest import indexes_in
from boilersweep.indexer.searcher import index_analyzer, require_index
from boilersweep.store.store import BlockStore


@dataclass(frozen=True, slots=True)
class Explored:
    """What can be explored.

    curves: label of a sweep -> the numbers of its lists, by ascending threshold. pages: None
    without a block store. cleaners: of the lists; None where an index does not tell.
    judged: the folder of the judgements.
    """

    lists: Lists
    curves: Mapping[str, Sequence[int]]
    pages: StorePages | None = None
    cleaners: Sequence[Cleaner] | None = None
    judged: Path | None = None

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
    """The thresholds and cleaners over a store. The JVM must run."""
    variants = collect_variants(sweeps, cleaners)
    if len(variants) < 2:
        raise UsageError("expected at least two thresholds or cleaners to compare")
    pages = StorePages(store, analyzer)
    chosen = [variant.cleaner for variant in variants]
    lists = ExactLists(pages, chosen, model, analyzer)
    return Explored(lists, _curves(variants, sweeps), pages, chosen, judged)


def explore_experiment(folder: Path, judged: Path) -> Explored:
    """A finished sweep or study, searched from its store; from its indexes where that is gone."""
    finished = FinishedExperiment(folder)
    manifest = finished.manifest
    model = model_named(manifest["model"])
    store = finished.store
    if store is None:
        indexes = indexes_in(folder / INDEXES)
        if not indexes:
            raise OutputError(
                f"{folder} has no indexes, and its store {finished.store_path} is gone"
            )
        return explore_indexes(indexes, None, model, judged)
    sweeps = [parse_sweep(text) for text in manifest.get("sweeps", ())]
    cleaners = [parse_cleaner(text) for text in finished.variants.values()]
    return explore_store(
        *(store, sweeps, cleaners, model, AnalyzerOptions(**manifest["analyzer"]), judged)
    )


def explore_indexes(
    folders: Sequence[Path], store: BlockStore | None, model: RankingModel, judged: Path
) -> Explored:
    """Lucene indexes, or those in a folder. store: that they were built from."""
    found = [path for folder in folders for path in indexes_in(folder) or [folder]]
    for path in found:
        require_index(path)
    if len(found) < 2:
        raise UsageError(f"expected two or more indexes to compare, got {found[0]} alone")
    pages = StorePages(store, index_analyzer(found[0])) if store else None
    lists = IndexLists(found, model, pages)
    cleaners = lists.cleaners()
    variants = [Variant(cleaner) for cleaner in cleaners or ()]
    can_judge = pages is not None and cleaners is not None
    return Explored(lists, _curves(variants), pages, cleaners, judged if can_judge else None)


def _curves(variants: Sequence[Variant], sweeps: Sequence[Sweep] = ()) -> dict[str, list[int]]:
    curves = curves_of(variants, sweeps)
    return {
        label: [number for _, number in curve] for label, curve in curves.items() if len(curve) > 1
    }
