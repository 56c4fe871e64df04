"""The page where people judge: forms that work without scripts, and keys for each button.

When judging ends it shows how certain it became, and what the best cleaner changes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.decision import Decision, decide, prospect
from boilersweep.eval.assess.judgements import (
    TopicDocument,
    clean_note,
    consistency,
    parse_grade,
)
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.people.assessors import ADJUDICATOR
from boilersweep.eval.people.copy import copy_of_page
from boilersweep.eval.people.documents import ShownDocument
from boilersweep.eval.people.naming import Naming, is_named, name_of
from boilersweep.eval.people.originals import Originals
from boilersweep.eval.people.serving import (
    as_seconds,
    files_of,
    home_of,
    read_fields,
    render,
)
from boilersweep.eval.ranking.snippets import Move, moves
from boilersweep.eval.stats.families import ALPHA
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic

_MOST_LISTS = 5
_ABOUT_NAMES = (
    "Your judgements are kept in files of this name. The name adjudicator settles what others "
    "judged differently."
)


@dataclass(frozen=True, slots=True)
class Course:
    """How certain it was that some cleaner is best.

    Attributes:
        levels: A number of judgements -> the certainty from then on.
        judged: How many documents are judged.
    """

    levels: Mapping[int, float]
    judged: int

    @property
    def text(self) -> str:
        """The course in words."""
        passed = [
            f"{level:.0%} after {number:,}"
            for level in (0.5, 1 - ALPHA)
            for number in [
                next((n for n, c in self.levels.items() if c >= level), None)
            ]
            if number
        ]
        now = f"{[*self.levels.values()][-1]:.0%} after all {self.judged:,} judgements"
        return f"Certainty that one cleaner is best: {', '.join([*passed, now])}"


@dataclass(frozen=True, slots=True)
class ChangedList:
    """A query's first documents before and after the best cleaner.

    Attributes:
        topic: The topic.
        moves: See `boilersweep.eval.ranking.snippets.moves`.
    """

    topic: Topic
    moves: list[Move]

    @property
    def entered(self) -> int:
        """How many documents are new."""
        return sum(move.before is None for move in self.moves)

    @property
    def before(self) -> list[Move]:
        """The documents of the list before, best first."""
        known = [(move.before, move) for move in self.moves if move.before]
        return [one for _, one in sorted(known, key=lambda ranked: ranked[0])]


def _changed_lists(
    assessment: Assessment, baseline: str, best: str
) -> list[ChangedList]:
    """Return the lists that differ between two cleaners, those with most new documents first."""
    family = assessment.family
    lists = []
    for topic in family.topics:
        before, after = (
            list(family.runs[name].get(topic, ()))[: family.measure.k]
            for name in (baseline, best)
        )
        if before != after:
            moved = moves(before, after)
            lists.append(ChangedList(assessment.topics[topic], moved))
    return sorted(lists, key=lambda one: -one.entered)[:_MOST_LISTS]


Piece = tuple[str, bool]
Pieces = list[Piece]

_WORD = re.compile(r"\w+")
_ENDINGS = re.compile(r"(?:ing|ed|es|s)$")
_SNIPPET = 200  # characters
_GRADES = ("not relevant", "marginally relevant", "relevant", "highly relevant")


def judging_routes(
    assessment: Assessment, store: BlockStore | None = None, home: str = ""
) -> list[BaseRoute]:
    """Return the routes of an assessment's page.

    Args:
        assessment: The assessment.
        store: The store of its documents, whose pages can be looked at as they were collected.
        home: A link to where the page was opened.
    """
    page = _Page(assessment, store, home)
    return [
        Route("/", page.show),
        Route("/copy", page.copy),
        page.naming.route,
        Route("/judge", page.judge, methods=["POST"]),
        Route("/more", page.more, methods=["POST"]),
        Route("/rest", page.rest, methods=["POST"]),
        files_of(__package__),
    ]


class _Page:
    """The page's answers; Starlette calls them in threads."""

    def __init__(
        self, assessment: Assessment, store: BlockStore | None, home: str
    ) -> None:
        self._assessment = assessment
        self._originals = Originals(store) if store else None
        self._home = home
        prospects = "" if home else f"{prospect(assessment.family)}."
        self.naming = Naming("Who judges?", [prospects, _ABOUT_NAMES])
        self._skipped: dict[str, list[TopicDocument]] = {}
        self._rest: set[str] = set()  # who judges documents that decide nothing

    def show(self, request: Request) -> Response:
        """Show the next document, an earlier one (?back=1), or the question who judges."""
        if not is_named(request):
            return self.naming.ask()
        name = name_of(request)
        back = request.query_params.get("back", "0")
        is_number = back.isascii() and back.isdigit() and len(back) < 7
        records = self._assessment.judgements.records["people"].get(name, [])
        earlier = list(
            dict.fromkeys(
                (judgement.topic, judgement.docid) for judgement in reversed(records)
            )
        )
        number = min(int(back), len(earlier)) if is_number else 0
        if number:
            chosen: tuple[TopicDocument, bool] | None = (earlier[number - 1], False)
        else:
            skipped, rest = self._skipped.get(name, ()), name in self._rest
            chosen = self._assessment.next_for(name, skipped, rest=rest)
        status = self._status(name, number + 1 if number < len(earlier) else None)
        if chosen is None or chosen[0][1] not in self._assessment.documents:
            return self._html(
                view="decision", **self._end(status["decision"]), **status
            )
        (topic_id, docid), repeat = chosen
        topic, shown = (
            self._assessment.topics[topic_id],
            self._assessment.documents[docid],
        )
        words = query_words(topic.title)
        return self._html(
            view="document",
            topic=topic,
            need=topic.desc or topic.narr,
            shown=shown,
            link=self._link(shown),
            parts=folded(shown, words),
            title=list(marked(shown.title, words)),
            grades=list(enumerate(_GRADES)),
            given=self._assessment.judgements.grades_of("people", name).get(
                (topic_id, docid), ""
            )
            if number
            else "",
            others=self._grades_of_others(name, (topic_id, docid)),
            repeat=repeat,
            is_back=bool(number),
            **status,
        )

    def copy(self, request: Request) -> Response:
        """Answer with a copy of a document's page (?docid=...)."""
        docid = request.query_params.get("docid", "")
        shown = self._assessment.documents.get(docid)
        if shown is None or self._originals is None:
            raise UsageError(f"expected a document to judge, got {docid[:80]!r}")
        return copy_of_page(self._originals.read(docid, shown.place), shown)

    async def more(self, request: Request) -> Response:
        """Add the queries that the decision proposes; then lead to their first document."""
        await run_in_threadpool(self._add_queries)
        return home_of(request)

    async def rest(self, request: Request) -> Response:
        """Let the assessor judge documents that decide nothing."""
        self._rest.add(name_of(request))
        return home_of(request)

    async def judge(self, request: Request) -> Response:
        """Save a judgement, or put the document off; then lead to the next one."""
        form = await read_fields(request)
        name = name_of(request)
        pair = (form.get("topic", ""), form.get("docid", ""))
        if form.get("grade") == "skip":
            skipped = self._skipped.setdefault(name, [])
            if pair in skipped:
                skipped.remove(pair)
            skipped.append(pair)
            if form.get("repeat") != "1":
                await run_in_threadpool(self._assessment.put_off, pair)
            return home_of(request)
        topic, docid = pair
        judgement = Judgement(
            topic,
            docid,
            parse_grade(form.get("grade", "")),
            seconds=as_seconds(form.get("seconds", "")),
            note=clean_note(form.get("note", "")),
            repeat=form.get("repeat") == "1",
        )
        await run_in_threadpool(self._assessment.add, "people", name, judgement)
        # The script shows the next document without asking for it.
        is_script = request.headers.get("accept") == "text/x-next"
        return (
            await run_in_threadpool(self.show, request)
            if is_script
            else home_of(request)
        )

    def _add_queries(self) -> None:
        if queries := decide(self._assessment).queries:
            import jnius

            try:
                self._assessment.add_topics(queries)
            finally:
                # A thread that ends attached would keep the JVM from ending
                jnius.detach()

    def _link(self, shown: ShownDocument) -> str:
        """Return a link to the document: to a copy, or to its address if only that is known."""
        if self._originals and self._originals.has(shown.place):
            return f"copy?{urlencode({'docid': shown.docid})}"
        return shown.url if shown.url.startswith(("http://", "https://")) else ""

    def _status(self, name: str, back: int | None) -> dict[str, Any]:
        judgements = self._assessment.judgements
        same, again = consistency(judgements.records["people"].get(name, []))
        return {
            "name": name,
            "decision": decide(self._assessment),
            "reserve": len(self._assessment.reserve),
            "own": len(judgements.grades_of("people", name)),
            "differing": len(judgements.differing()),
            "same": same,
            "again": again,
            "back": back,
        }

    def _end(self, decision: Decision) -> dict[str, Any]:
        """Return what the end shows beside the decision."""
        assessment, best = self._assessment, decision.best
        baseline = next(name for name in assessment.family.runs if name != best)
        changed = _changed_lists(assessment, baseline, best) if best else []
        found = {move.docid for changed_list in changed for move in changed_list.moves}
        return {
            "course": Course(assessment.course(), decision.judged),
            "changed": changed,
            "baseline": baseline,
            "documents": {docid: assessment.documents[docid] for docid in found},
            "grades": assessment.judgements.merged(),
        }

    def _grades_of_others(
        self, name: str, pair: TopicDocument
    ) -> list[tuple[str, Any]]:
        """List the others' grades, which only the adjudicator sees."""
        if name != ADJUDICATOR:
            return []
        judgements = self._assessment.judgements
        return [
            (other, judgements.grades_of("people", other)[pair])
            for other in judgements.records["people"]
            if other != name and pair in judgements.grades_of("people", other)
        ]

    def _html(self, **values: Any) -> HTMLResponse:
        return render(__package__, "judging", {"home": self._home, **values})


def folded(
    shown: ShownDocument, words: frozenset[str]
) -> list[tuple[str, list[Pieces]]]:
    """Divide a document into passages around matches and what lies between them.

    Args:
        shown: The document.
        words: The words of the query, as `query_words` gives them.

    Returns:
        Parts in their order: "" or a description if the part is folded, and its blocks. What all
        compared cleaners drop is folded, and without matches nothing else.
    """
    blocks = [list(marked(text, words)) for text in shown.texts]
    kept = [number for number, is_kept in enumerate(shown.kept) if is_kept]
    hits = [place for place, number in enumerate(kept) if len(blocks[number]) > 1]
    near = {number for place in hits for number in kept[max(0, place - 1) : place + 2]}
    near = near or set(kept) or set(range(len(blocks)))
    parts = []
    for is_near, numbers in groupby(range(len(blocks)), near.__contains__):
        chosen = list(numbers)
        count = sum(len(_WORD.findall(shown.texts[number])) for number in chosen)
        dropped = (
            ""
            if any(shown.kept[number] for number in chosen)
            else " that no cleaner keeps"
        )
        description = (
            "" if is_near else f"{len(chosen):,} blocks, {count:,} words{dropped}"
        )
        parts.append((description, [blocks[number] for number in chosen]))
    return parts


def query_words(query: str) -> frozenset[str]:
    """Return the words of a query without the commonest endings."""
    return frozenset(_stem(word) for word in _WORD.findall(query))


def marked(text: str, words: frozenset[str]) -> Iterator[Piece]:
    """Divide a text into pieces, and say whether each is a word of the query."""
    end = 0
    for match in _WORD.finditer(text):
        if _stem(match[0]) in words:
            yield text[end : match.start()], False
            yield match[0], True
            end = match.end()
    yield text[end:], False


def snippet(texts: Sequence[str], words: frozenset[str]) -> Pieces:
    """Return the passage of a document with most words of the query, as `marked` does."""
    passages = [
        (len({_stem(match[0]) for match in matches}), matches[0].start(), text)
        for text in texts
        if (
            matches := [
                match for match in _WORD.finditer(text) if _stem(match[0]) in words
            ]
        )
    ]
    if not passages:
        return []
    _, place, text = max(passages, key=lambda one: one[0])
    start = max(0, place - _SNIPPET // 3)
    return list(marked(text[start : start + _SNIPPET], words))


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    folded = word.casefold()
    return _ENDINGS.sub("", folded) if len(folded) > 4 else folded
