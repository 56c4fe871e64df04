"""The lists of any query under many cleaners, from a block store or a finished experiment's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import (
    Sweep,
    collect_variants,
    curves_of,
    parse_sweep,
)
from boilersweep.cleaners.rules import TEXTS
from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import OutputError, UsageError
from boilersweep.eval.experiment.check import FinishedExperiment
from boilersweep.eval.explain.pages import AnalysedPage, analysed_pages
from boilersweep.eval.ranking.exact.engine import exact_analyzer, plan_exact
from boilersweep.eval.ranking.exact.top_hits import docid_ranks, ranked
from boilersweep.eval.ranking.formulas import RankingModel, model_named
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.indexer.analyzer import AnalyzerOptions, split_tokens
from boilersweep.pages.stray_characters import as_shown
from boilersweep.store.store import BlockStore
from boilersweep.topics import read_topics

K = 10
_QUERIES = 10_000  # queries and cleaners whose lists are remembered
_DOCUMENTS = 1_000  # documents whose texts are remembered


class StorePages:
    """The pages of a block store: titles in memory, everything else read on request."""

    def __init__(self, store: BlockStore, analyzer: AnalyzerOptions) -> None:
        """Read the titles; raises StoreError. The JVM must run."""
        self.store, self._analyzer = store, exact_analyzer(analyzer)
        self._texts: dict[str, list[str]] = {}
        self._shards = [shard for _, shard in store.by_shard()]
        self._known = {
            docid: (title, url, date, number)
            for number, shard in enumerate(self._shards)
            for docid, (title, url, date) in zip(
                shard.docids(), shard.fields(("title", "url", "date")), strict=True
            )
        }

    def __contains__(self, docid: str) -> bool:
        return docid in self._known

    def titles(self, docids: Sequence[str]) -> dict[str, tuple[str, str]]:
        """Map documents to title and URL."""
        return {docid: self._known[docid][:2] for docid in docids}

    def date(self, docid: str) -> str:
        """Return when the page was fetched or published, as the collection records it."""
        return self._known[docid][2] or ""

    def texts(self, docid: str, *, read: bool) -> list[str]:
        """Return the texts of a document's blocks; [] if they must be read first, unless `read`."""
        if read and docid not in self._texts:
            for columns in self._shards[self._known[docid][3]].columns(TEXTS):
                for number, name in enumerate(columns.docids):
                    if name == docid:
                        start, end = columns.starts[number], columns.starts[number + 1]
                        self._texts[docid] = columns.texts[start:end]
            if len(self._texts) > _DOCUMENTS:
                self._texts.pop(next(iter(self._texts)))
        return self._texts.get(docid, [])

    def page(self, docid: str, cleaners: Sequence[Cleaner]) -> AnalysedPage:
        """Return the page's blocks, and what each cleaner keeps of them."""
        shard = self._shards[self._known[docid][3]]
        [page] = analysed_pages(shard, {docid}, cleaners, (), self._analyzer)
        return page


class Lists:
    """Ranks as Lucene's searcher does on an index of each cleaner, from one pass over a store.

    One thread asks at a time.
    """

    def __init__(
        self,
        pages: StorePages,
        cleaners: Sequence[Cleaner],
        model: RankingModel,
        analyzer: AnalyzerOptions,
    ) -> None:
        """Keep all terms of all documents. Raises UsageError where `plan_exact` does, StoreError.

        Memory: 12 bytes for each term of a document and set of cleaners that keep it.
        """
        pages.store.require_for(cleaners)
        self.names = [str(cleaner) for cleaner in cleaners]
        self._analyzer = exact_analyzer(analyzer)
        plan = plan_exact(cleaners, {}, SearchOptions(model, analyzer=analyzer))
        self._formula = plan.formula
        self._rows = plan.collect(pages.store, every_term=True)
        self._ranks = docid_ranks(self._rows.docids)
        # Of a query and the number of a list: the docids of its first K documents.
        self.top = lru_cache(_QUERIES)(self._search)

    def _search(self, query: str, number: int) -> list[str]:
        queries = {"": split_tokens(self._analyzer.tokens([as_shown(query)])[0])}
        ranking = ranked(self._rows, number, queries, self._formula, self._ranks, K)
        return [
            self._rows.docids[n] for _, numbers, _ in ranking for n in numbers.tolist()
        ]


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
