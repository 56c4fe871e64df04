"""The page that shows any query's lists under any rules, with sliders over thresholds.

The lists are of an index of blocks, which is searched as each rule leaves it.
"""

import asyncio
import re
import threading
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from boilersweep.cleaners.registry import NAMED
from boilersweep.cleaners.rules import AT_LEAST_ONE, FEATURES, Weighted
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.syntax.grammar import parse_cleaner
from boilersweep.cleaners.syntax.variants import Sweep, collect_variants, parse_sweep
from boilersweep.errors import InputError, OutputError, UsageError
from boilersweep.eval.assess.assessment import Assessment, documents_to_judge
from boilersweep.eval.assess.judgements import Judgements, known_topics
from boilersweep.eval.experiment.finished import FinishedExperiment
from boilersweep.eval.people.serving import (
    files_of,
    page_app,
    read_form,
    render,
    top_of,
)
from boilersweep.eval.ranking.exact.plan import exact_analyzer
from boilersweep.eval.ranking.formulas import model_named
from boilersweep.eval.ranking.snippets import moves
from boilersweep.eval.ranking.texts_of_pages import AnalysedPage, analysed_pages
from boilersweep.eval.serve.judging import judging_routes, marked, query_words, snippet
from boilersweep.eval.stats.families import Family, SummedMeasure
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.options import IndexOptions
from boilersweep.indexer.searcher import IndexSearcher, open_index
from boilersweep.indexer.single import ALL_BLOCKS, build_index
from boilersweep.outputs.block_chart import DrawnBlocks, blocks_chart
from boilersweep.outputs.identity import digest_of
from boilersweep.outputs.pictures import Picture
from boilersweep.pages.columns import TEXTS
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic, read_topics
from boilersweep.topics.query_log import query_topic

K = 10
_NAMES = re.compile(r"[^\W\d][\w.:-]*")
_KNOWN_NAMES = {*NAMED, *FEATURES, Weighted.name, "yes", "no"}
_KNOWN_NAMES |= {switch for rule in NAMED.values() for switch in rule.switches}
_QUERIES = 10_000  # queries and cleaners whose lists are remembered
_DOCUMENTS = 1_000  # documents whose texts are remembered


class _Pages:
    """The pages of an index: titles in the index, everything else in its block store."""

    def __init__(self, searcher: IndexSearcher, store: BlockStore | None) -> None:
        self._searcher, self._store = searcher, store
        analyzer = searcher.blocks.manifest.identity.analyzer
        self._analyzer = exact_analyzer(analyzer)
        self._texts: dict[str, list[str]] = {}

    @property
    def store(self) -> BlockStore:
        """The block store; raises UsageError where the index was opened without it."""
        if self._store is None:
            raise UsageError(
                "expected a block store for texts of pages and for judging: restart the command "
                "with --store"
            )
        return self._store

    @cached_property
    def _shards(self) -> dict[str, BlockStore]:
        shards = self._store.by_shard() if self._store else ()
        return {docid: shard for _, shard in shards for docid in shard.docids()}

    def fields(self, docid: str, *names: str) -> tuple[str, ...]:
        """Return what the index stores of a page: title, url, date.

        Raises:
            UsageError: The index has no such page.
        """
        document = self._searcher.doc(docid)
        if document is None:
            raise UsageError(
                f"expected a document of the collection, got {docid[:80]!r}"
            )
        return tuple(document.get(name) or "" for name in names)

    def titles(self, docids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Map documents to title and URL."""
        return {docid: self.fields(docid, "title", "url") for docid in docids}

    def texts(self, docid: str, *, read: bool) -> list[str]:
        """Return the texts of a document's blocks; [] if they must be read first, unless `read`."""
        if read and docid not in self._texts and self._store:
            for columns in self._shards[docid].columns(TEXTS):
                for index, name in enumerate(columns.docids):
                    if name == docid:
                        start, end = columns.starts[index], columns.starts[index + 1]
                        self._texts[docid] = columns.texts[start:end]
            if len(self._texts) > _DOCUMENTS:
                self._texts.pop(next(iter(self._texts)))
        return self._texts.get(docid, [])

    def page(self, docid: str, cleaners: Sequence[Cleaner]) -> AnalysedPage:
        """Return the page's blocks, and what each cleaner keeps of them."""
        _ = self.store
        [page] = analysed_pages(
            self._shards[docid], {docid}, cleaners, (), self._analyzer
        )
        return page


class Lists:
    """Ranks as Lucene's searcher does on an index of each rule. One thread asks at a time.

    Attributes:
        names: The texts of the cleaners that the page offers.
    """

    def __init__(self, searcher: IndexSearcher, cleaners: Sequence[Cleaner]) -> None:
        self._searcher = searcher
        self._offered = {str(cleaner): cleaner for cleaner in cleaners}
        self.names = list(self._offered)
        # Of a query and the text of a rule: the docids of the first K documents.
        self.top = lru_cache(_QUERIES)(self._search)

    def cleaner(self, text: str) -> Cleaner:
        """Return an offered cleaner, or a typed one that reads the index alone.

        Raises:
            UsageError: The text is no rule, or one that reads more.
        """
        if text in self._offered:
            return self._offered[text]
        typed = set(_NAMES.findall(text))
        if "'" in text or not typed <= _KNOWN_NAMES or len(text) > _LONGEST_QUERY:
            raise UsageError(
                f"expected a rule such as words>=11 & link_density<=0.33, got {text[:80]!r}; a "
                "typed rule names no file, plug-in or extractor"
            )
        cleaner = parse_cleaner(text)
        if self._searcher.blocks.reads_store(cleaner):
            raise UsageError(
                f"{cleaner} reads the block store: restart the command with it in --cleaners"
            )
        return cleaner

    def _search(self, query: str, text: str) -> list[str]:
        hits = self._searcher.batch_lists([query], [""], K, keep=self.cleaner(text))
        return [docid for docid, _ in hits[""]]


@dataclass(frozen=True, slots=True)
class Explored:
    """The lists and the pages that a user explores.

    Attributes:
        lists: The lists.
        most: Feature -> the greatest threshold of its sliders.
        pages: The pages.
        judged: The folder of the judgements.
        queries: Known queries, to begin with.
    """

    lists: Lists
    most: Mapping[str, float]
    pages: _Pages
    judged: Path
    queries: Sequence[str] = ()

    @property
    def first_choice(self) -> list[str]:
        """The rules that are shown at first: the first one, and an eighth along the others."""
        names = self.lists.names
        return [names[0], names[min(max(1, len(names) // 8), len(names) - 1)]]


def explore_index(
    searcher: IndexSearcher,
    store: BlockStore | None,
    sweeps: Sequence[Sweep],
    cleaners: Sequence[Cleaner],
    judged: Path,
) -> Explored:
    """Explore thresholds and cleaners over an index of blocks.

    Args:
        searcher: The open index; it ranks.
        store: Its block store, which has the pages' texts; None if only lists are shown.
        sweeps: The rules that the page offers, each at all its thresholds.
        cleaners: More cleaners that the page offers.
        judged: The folder of the judgements.
    """
    variants = collect_variants(sweeps, cleaners)
    if len(variants) < 2:
        raise UsageError("expected at least two thresholds or cleaners to compare")
    points = [variant.point for variant in variants]
    most = {
        feature: max((p.value for p in points if p and p.feature == feature), default=1)
        for feature in AT_LEAST_ONE
    }
    lists = Lists(searcher, [variant.cleaner for variant in variants])
    return Explored(lists, most, _Pages(searcher, store), judged)


def explore_experiment(folder: Path, judged: Path, stack: ExitStack) -> Explored:
    """Explore a finished sweep or study by its store, until the stack ends."""
    finished = FinishedExperiment(folder)
    manifest, store = finished.manifest, finished.store
    if store is None:
        raise OutputError(f"{folder}: its store {finished.store_path} is gone")
    index = index_of_blocks(store, manifest.analyzer, folder)
    searcher = stack.enter_context(open_index(index, store=store))
    model_named(manifest.model).configure(searcher)
    sweeps = [parse_sweep(text) for text in manifest.sweeps]
    cleaners = [parse_cleaner(text) for text in finished.variants.values()]
    explored = explore_index(searcher, store, sweeps, cleaners, judged)
    return replace(explored, queries=_known_queries(finished))


def index_of_blocks(store: BlockStore, analyzer: AnalyzerOptions, folder: Path) -> Path:
    """Return the index of blocks beside a folder; build it, or bring it to the store's state.

    Raises:
        IndexingError: The index cannot be built, or is of other options.
        UsageError: The analyzer cannot be used.
    """
    layout = IndexLayout(blocks=True)
    options = IndexOptions(analyzer=analyzer, layout=layout, update=True)
    index = folder.with_name(f"{folder.name}.blocks")
    build_index(store, ALL_BLOCKS, index, options)
    return index


def _known_queries(finished: FinishedExperiment) -> list[str]:
    """Return the evaluated queries, if the file of the topics is still there and the same."""
    try:
        path = finished.source("topics")
    except InputError:
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


def exploring_routes(
    explored: Explored, worker: Worker, judgements: Judgements
) -> list[BaseRoute]:
    """Return the routes of the page, and of those for judging its queries."""
    page = _Page(explored, worker, judgements)
    return [
        Route("/", page.show),
        Route("/lists", page.lists),
        Route("/page", page.page),
        Route("/judge", page.judge, methods=["POST"]),
        Mount("/assess/{key}", app=page.judging),
        files_of(__package__),
    ]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query, and the texts of the rules to show it under."""

    query: str
    rules: Sequence[str]

    def address(self, **more: str) -> str:
        """Return what follows ? in the address of a page."""
        values = {
            "q": self.query,
            "c": self.rules,
            **more,
        }
        return urlencode(values, doseq=True)


class _Page:
    def __init__(
        self, explored: Explored, worker: Worker, judgements: Judgements
    ) -> None:
        self._explored, self._worker = explored, worker
        self._judgements = judgements
        # The pages for judging that were opened, by topic and cleaners, with the same files.
        self._apps: dict[str, ASGIApp] = {}
        self._lock = threading.RLock()

    async def show(self, request: Request) -> Response:
        """Answer with the whole page, or lead to it with one list less."""
        asked = self._asked(request.query_params.multi_items())
        if "less" in request.query_params:
            fewer = _Asked(asked.query, asked.rules[: max(2, len(asked.rules) - 1)])
            return RedirectResponse(f"./?{fewer.address()}", 303)
        names = self._explored.lists.names
        unseen = [name for name in names if name not in asked.rules]
        values = {
            "asked": asked,
            "columns": list(zip(_LETTERS, asked.rules, strict=False)),
            "names": names,
            "most": self._explored.most,
            "more": [*unseen, names[0]][0]
            if len(asked.rules) < len(_LETTERS)
            else None,
            "changed": []
            if asked.query
            else await self._worker.do(self._most_changed, asked),
            "lists": await self._worker.do(self._lists, asked, True),
        }
        return render(__package__, "exploring", values)

    async def lists(self, request: Request) -> Response:
        """Answer with the lists only, for the page's script."""
        asked = self._asked(request.query_params.multi_items())
        return render(
            __package__,
            "lists",
            {"asked": asked, "lists": await self._worker.do(self._lists, asked, False)},
        )

    async def page(self, request: Request) -> Response:
        """Answer with a document and the text that each cleaner keeps of it."""
        asked = self._asked(request.query_params.multi_items())
        docid = request.query_params.get("docid", "")
        values = await self._worker.do(self._document, asked, docid)
        return render(__package__, "document", {"asked": asked, **values})

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
        rules = [value.strip() for key, value in fields if key == "c" and value.strip()]
        if len(rules) < 2:
            rules = self._explored.first_choice
        return _Asked(query[:_LONGEST_QUERY], rules[: len(_LETTERS)])

    def _most_changed(self, asked: _Asked) -> list[tuple[str, int]]:
        """List the known queries, and how many documents enter and leave, the most first."""
        top, (first, second, *_) = self._explored.lists.top, asked.rules
        try:
            self._explored.lists.cleaner(first), self._explored.lists.cleaner(second)
        except UsageError:  # a list says so once there is a query
            return []
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
        first: list[str] | None = None
        shown: list[dict[str, Any]] = []
        for rule in asked.rules:
            top, error = [], ""
            try:
                top = lists.top(asked.query, rule)
            except UsageError as mistake:
                error = str(mistake)
            first = top if first is None else first
            documents = moves(first, top)
            before = [document.docid for document in documents if document.before]
            snippets = {
                docid: snippet(pages.texts(docid, read=read), words) for docid in top
            }
            changes = [document.change.partition(" ")[0] for document in documents]
            shown.append(
                {
                    "letter": _LETTERS[len(shown)],
                    "name": rule,
                    "error": error,
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
        pages, lists = self._explored.pages, self._explored.lists
        title, url, date = pages.fields(docid, "title", "url", "date")
        names = list(dict.fromkeys(asked.rules))
        page = pages.page(docid, [lists.cleaner(name) for name in names])
        words = query_words(asked.query)
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
            "title": title,
            "url": url,
            "date": date,
            "columns": _columns(names, page),
            "picture": _picture(page),
            "blocks": blocks,
            "first": [*places, -1][0],
        }

    def _open_judging(self, asked: _Asked) -> str:
        explored, judgements = self._explored, self._judgements
        rules = list(dict.fromkeys(asked.rules))
        if len(rules) < 2:
            raise UsageError(
                "expected two different cleaners to judge documents of, got one"
            )
        topic = query_topic(asked.query)
        # In the spelling in which it was judged before.
        known = known_topics(judgements.folder).get(topic.id, topic.title)
        topic = Topic(topic.id, known)
        key = f"{topic.id}-{digest_of(list(asked.rules))[:16]}"
        if key not in self._apps:
            runs = {
                rule: {topic.id: explored.lists.top(asked.query, rule)}
                for rule in rules
            }
            family = Family(
                runs, judgements.keep_topics([topic]), SummedMeasure("P", K)
            )
            cleaners = [explored.lists.cleaner(rule) for rule in rules]
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


def _picture(page: AnalysedPage) -> str:
    """Draw the page's blocks with what each cleaner keeps; return the picture's address."""
    kept = {
        letter: row[: page.own].tolist()
        for letter, row in zip(_LETTERS, page.kept, strict=False)
    }
    svg = Picture(blocks_chart(DrawnBlocks({"words": page.words}, kept))).svg()
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


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
