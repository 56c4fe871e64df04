"""The page that shows any query's lists under many cleaners, with a slider over thresholds.

The lists are of a block store, which may be that of a finished experiment.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

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
from boilersweep.eval.assess.assessment import Assessment, documents_to_judge
from boilersweep.eval.assess.betting import Family, SummedMeasure
from boilersweep.eval.assess.judgements import Judgements, keep_topics, known_topics
from boilersweep.eval.experiment.check import FinishedExperiment
from boilersweep.eval.explain.pages import AnalysedPage, analysed_pages
from boilersweep.eval.explain.snippets import moves
from boilersweep.eval.ranking.exact.engine import exact_analyzer, plan_exact
from boilersweep.eval.ranking.exact.top_hits import ranked
from boilersweep.eval.ranking.formulas import RankingModel, model_named
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.eval.serve.judging import judging_routes, marked, query_words, snippet
from boilersweep.eval.serve.serving import page_app, read_form, render, top_of
from boilersweep.indexer.analyzer import AnalyzerOptions, split_tokens
from boilersweep.indexer.arithmetic import docid_ranks
from boilersweep.pages.stray_characters import as_shown
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic, read_topics
from boilersweep.topics.query_log import query_topic

K = 10
_QUERIES = 10_000  # queries and cleaners whose lists are remembered
_DOCUMENTS = 1_000  # documents whose texts are remembered


class _StorePages:
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
        pages: _StorePages,
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
    pages: _StorePages
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
    pages = _StorePages(store, analyzer)
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


_LETTERS = "ABCD"
_LONGEST_QUERY = 1000
_MOST_QUERIES = 200  # whose lists are compared at the start

T = TypeVar("T")


class Worker:
    """Does all work in one thread: Java and open indexes take only one, and no page waits."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)

    async def do(self, work: Callable[..., T], *args: Any) -> T:
        """Do some work and return its result."""
        return await asyncio.wrap_future(self._pool.submit(work, *args))

    def close(self) -> None:
        """End the thread, which must leave Java first: otherwise the JVM never ends."""
        import jnius

        self._pool.submit(jnius.detach)
        self._pool.shutdown()


def exploring_routes(explored: Explored, worker: Worker) -> list[BaseRoute]:
    """Return the routes of the page, and of those for judging its queries."""
    page = _Page(explored, worker)
    return [
        Route("/", page.show),
        Route("/lists", page.lists),
        Route("/page", page.page),
        Route("/judge", page.judge, methods=["POST"]),
        Mount("/assess/{key}", app=page.judging),
    ]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, and the numbers of the lists to show it in."""

    query: str
    numbers: Sequence[int]

    def address(self, **more: str) -> str:
        """Return what follows ? in the address of a page."""
        values = {
            "q": self.query,
            "c": [str(number) for number in self.numbers],
            **more,
        }
        return urlencode(values, doseq=True)


class _Page:
    def __init__(self, explored: Explored, worker: Worker) -> None:
        self._explored, self._worker = explored, worker
        self._judgements = Judgements(explored.judged)
        # The pages for judging that were opened, by topic and cleaners, with the same files.
        self._apps: dict[str, ASGIApp] = {}
        self._lock = threading.RLock()

    async def show(self, request: Request) -> Response:
        """Answer with the whole page, or lead to it with one list less."""
        asked = self._asked(request.query_params.multi_items())
        if "less" in request.query_params:
            fewer = _Asked(asked.query, asked.numbers[: max(2, len(asked.numbers) - 1)])
            return RedirectResponse(f"./?{fewer.address()}", 303)
        curve_of = {
            number: list(numbers)
            for numbers in self._explored.curves.values()
            for number in numbers
        }
        columns = [
            {
                "letter": letter,
                "number": number,
                "name": self._explored.lists.names[number],
                "last": len(curve_of.get(number, [0])) - 1,
                "place": curve_of.get(number, [number]).index(number),
            }
            for letter, number in zip(_LETTERS, asked.numbers, strict=False)
        ]
        every = range(len(self._explored.lists.names))
        others = [number for number in every if number not in curve_of]
        unseen = [number for number in every if number not in asked.numbers]
        values = {
            "asked": asked,
            "columns": columns,
            "names": self._explored.lists.names,
            "groups": {**self._explored.curves, **({"": others} if others else {})},
            "more": [*unseen, 0][0] if len(columns) < len(_LETTERS) else None,
            "changed": []
            if asked.query
            else await self._worker.do(self._most_changed, asked),
            "lists": await self._worker.do(self._lists, asked, True),
        }
        return render("exploring", values)

    async def lists(self, request: Request) -> Response:
        """Answer with the lists only, for the page's script."""
        asked = self._asked(request.query_params.multi_items())
        return render(
            "lists",
            {"asked": asked, "lists": await self._worker.do(self._lists, asked, False)},
        )

    async def page(self, request: Request) -> Response:
        """Answer with a document and the text that each cleaner keeps of it."""
        asked = self._asked(request.query_params.multi_items())
        docid = request.query_params.get("docid", "")
        values = await self._worker.do(self._document, asked, docid)
        return render("document", {"asked": asked, **values})

    async def judge(self, request: Request) -> Response:
        """Open the page that judges a query's documents under these cleaners."""
        form = await read_form(request)
        asked = self._asked(
            [(key, value) for key, values in form.items() for value in values]
        )
        if not asked.query:
            raise UsageError("expected a query to judge, got none")
        key = await self._worker.do(self._open_judging, asked)
        return RedirectResponse(f"{top_of(request.scope)}assess/{key}/", 303)

    async def judging(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a page for judging, or with the lists after a restart."""
        app = self._apps.get(scope["path_params"]["key"]) or RedirectResponse(
            top_of(scope), 303
        )
        await app(scope, receive, send)

    def _asked(self, fields: Sequence[tuple[str, str]]) -> _Asked:
        query = " ".join(
            next((value for key, value in fields if key == "q"), "").split()
        )
        count = len(self._explored.lists.names)
        numbers = [
            int(value)
            for key, value in fields
            if key == "c" and value.isascii() and value.isdigit() and len(value) < 7
        ]
        numbers = [number for number in numbers if number < count][: len(_LETTERS)]
        if len(numbers) < 2:
            numbers = self._explored.first_choice
        return _Asked(query[:_LONGEST_QUERY], numbers)

    def _most_changed(self, asked: _Asked) -> list[tuple[str, int]]:
        """List the known queries, and how many documents enter and leave, the most first."""
        top, (first, second, *_) = self._explored.lists.top, asked.numbers
        changes = {
            query: len({*top(query, first)} ^ {*top(query, second)})
            for query in self._explored.queries[:_MOST_QUERIES]
        }
        return sorted(changes.items(), key=lambda one: -one[1])

    def _lists(self, asked: _Asked, read: bool) -> list[dict[str, Any]]:
        """Return what the lists show; without `read`, snippets only of pages in memory."""
        lists, pages, words = (
            self._explored.lists,
            self._explored.pages,
            query_words(asked.query),
        )
        if not asked.query:
            return []
        tops = [lists.top(asked.query, number) for number in asked.numbers]
        shown: list[dict[str, Any]] = []
        for number, top in zip(asked.numbers, tops, strict=True):
            documents = moves(tops[0], top)
            before = [document.docid for document in documents if document.before]
            snippets = {
                docid: snippet(pages.texts(docid, read=read), words) for docid in top
            }
            changes = [document.change.partition(" ")[0] for document in documents]
            shown.append(
                {
                    "letter": _LETTERS[len(shown)],
                    "name": lists.names[number],
                    "found": [document for document in documents if document.rank],
                    "left": [document for document in documents if not document.rank],
                    "titles": pages.titles([*before, *top]),
                    "snippets": snippets,
                    "grades": self._grades(asked.query),
                    "counts": [(c, changes.count(w)) for w, c in _CHANGES.items()],
                }
            )
        return shown

    def _grades(self, query: str) -> dict[str, int]:
        """Map documents to the grades that people gave them for this query."""
        topic = query_topic(query).id
        merged = self._judgements.merged()
        return {docid: grade for (id_, docid), grade in merged.items() if id_ == topic}

    def _document(self, asked: _Asked, docid: str) -> dict[str, Any]:
        pages, cleaners = self._explored.pages, self._explored.cleaners
        if docid not in pages:
            raise UsageError(
                f"expected a document of the collection, got {docid[:80]!r}"
            )
        chosen = list(dict.fromkeys(asked.numbers))
        page = pages.page(docid, [cleaners[number] for number in chosen])
        words = query_words(asked.query)
        names = [str(cleaners[number]) for number in chosen]
        blocks = [
            (
                list(marked(text, words)),
                [
                    letter
                    for letter, row in zip(_LETTERS, page.kept, strict=False)
                    if row[n]
                ],
            )
            for n, text in enumerate(page.texts[: page.own])
        ]
        places = [
            n
            for n, (pieces, letters) in enumerate(blocks)
            if len(pieces) > 1 and letters
        ]
        return {
            "docid": docid,
            "title": page.title,
            "url": pages.titles([docid])[docid][1],
            "date": pages.date(docid),
            "columns": _columns(names, page),
            "blocks": blocks,
            "first": [*places, -1][0],
        }

    def _open_judging(self, asked: _Asked) -> str:
        explored, judgements = self._explored, self._judgements
        numbers = list(dict.fromkeys(asked.numbers))
        if len(numbers) < 2:
            raise UsageError(
                "expected two different cleaners to judge documents of, got one"
            )
        topic = query_topic(asked.query)
        # In the spelling in which it was judged before.
        known = known_topics(judgements.folder).get(topic.id, topic.title)
        topic = Topic(topic.id, known)
        key = f"{topic.id}-{'-'.join(map(str, asked.numbers))}"
        if key not in self._apps:
            runs = {
                explored.lists.names[number]: {
                    topic.id: explored.lists.top(asked.query, number)
                }
                for number in numbers
            }
            family = Family(
                runs, keep_topics(judgements.folder, [topic]), SummedMeasure("P", K)
            )
            cleaners = [explored.cleaners[number] for number in numbers]
            pool = family.pool(topic.id)
            documents = documents_to_judge(
                explored.pages.store, pool, judgements, cleaners
            )
            assessment = Assessment(
                {topic.id: topic}, family, documents, judgements, _lock=self._lock
            )
            home = f"../../?{asked.address()}"
            routes = judging_routes(assessment, explored.pages.store, home)
            self._apps[key] = page_app(routes)
        return key


_CHANGES = {"entered": "entered", "left": "left", "was": "moved"}


def _columns(names: Sequence[str], page: AnalysedPage) -> list[dict[str, Any]]:
    own = page.own
    return [
        {
            "letter": letter,
            "name": name,
            "blocks": int(kept[:own].sum()),
            "words": sum(
                count
                for count, is_kept in zip(page.words, kept[:own], strict=True)
                if is_kept
            ),
            "of": own,
        }
        for letter, name, kept in zip(_LETTERS, names, page.kept, strict=False)
    ]
