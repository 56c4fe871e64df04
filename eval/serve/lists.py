"""The lists of any query under many cleaners, from a block store."""

from collections.abc import Sequence
from functools import lru_cache

from boilersweep.cleaners.rules import TEXTS
from boilersweep.cleaners.selection import Cleaner
from boilersweep.eval.explain.pages import AnalysedPage, analysed_pages
from boilersweep.eval.ranking.exact.engine import exact_analyzer, plan_exact
from boilersweep.eval.ranking.exact.top_hits import docid_ranks, ranked
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.indexer.analyzer import AnalyzerOptions, split_tokens
from boilersweep.pages.stray_characters import as_shown
from boilersweep.store.store import BlockStore

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
