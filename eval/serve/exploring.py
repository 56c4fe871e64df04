"""The page that shows a query's lists side by side, with a slider over thresholds."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment, documents_to_judge
from boilersweep.eval.assess.family import Family, SummedMeasure
from boilersweep.eval.assess.judgements import Judgements, keep_topics, known_topics
from boilersweep.eval.explain.pages import AnalysedPage
from boilersweep.eval.explain.snippets import moves
from boilersweep.eval.serve.judging import judging_routes, marked, query_words, snippet
from boilersweep.eval.serve.lists import Explored, K
from boilersweep.eval.serve.serving import page_app, read_form, render, top_of
from boilersweep.topics import Topic
from boilersweep.topics.query_log import query_topic

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
