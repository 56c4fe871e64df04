"""Serve the page of an assessment: forms that work without scripts, and keys for each button."""

import contextlib
import math
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from boilersweep.errors import BoilersweepError, OutputError, UsageError, reason_of
from boilersweep.eval.assess.assessment import Assessment, Pair
from boilersweep.eval.assess.judgements import (
    ADJUDICATOR,
    Judgement,
    clean_note,
    consistency,
    parse_grade,
    require_assessor,
)
from boilersweep.eval.assess.server.guard import Guard, new_token

_NAME = "boilersweep-name"
_MOST_BYTES = 20_000
_WORD = re.compile(r"\w+")
_ENDINGS = re.compile(r"(?:ing|ed|es|s)$")
_LONGEST_STAY = 3600.0
_GRADES = ("not relevant", "marginally relevant", "relevant", "highly relevant")


def make_app(assessment: Assessment, token: str, hosts: Sequence[str]) -> Guard:
    """The application. hosts: the Host headers that it answers to."""
    page = _Page(assessment)
    routes = [
        Route("/", page.show),
        Route("/name", page.name, methods=["POST"]),
        Route("/judge", page.judge, methods=["POST"]),
        Route("/{file}", _file),
    ]
    app = Starlette(routes=routes, exception_handlers={BoilersweepError: _failed})
    return Guard(app, token, hosts)


def serve_assessment(
    assessment: Assessment, host: str, port: int, announce: Callable[[str], object]
) -> None:
    """Serve until interrupted. announce: is told the address; port: 0 for a free one.

    Raises OutputError where nobody can listen there.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise OutputError(
            f"cannot listen on {host}, port {port}: {reason_of(error)}; choose another --port"
        ) from error
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    hosts = [f"{name}:{port}" for name in dict.fromkeys((shown, "127.0.0.1", "localhost"))]
    token = new_token()
    announce(f"http://{shown}:{port}/?token={token}")
    config = uvicorn.Config(
        make_app(assessment, token, hosts), log_level="warning", access_log=False, lifespan="off"
    )
    with listening, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


class _Page:
    """The page's answers; Starlette calls them in threads."""

    def __init__(self, assessment: Assessment) -> None:
        self._assessment = assessment
        self._skipped: dict[str, list[Pair]] = {}
        self._template = Environment(
            loader=FunctionLoader(_packaged),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        ).get_template("page.html.jinja")

    def show(self, request: Request) -> Response:
        """The next document, an earlier one (?back=1), or the question who judges."""
        name = request.cookies.get(_NAME)
        if name is None:
            return self._html(view="name")
        require_assessor(name)
        back = request.query_params.get("back", "0")
        back = back if back.isdigit() and len(back) < 7 else "0"
        records = self._assessment.judgements.records["people"].get(name, [])
        earlier = list(dict.fromkeys((one.topic, one.docid) for one in reversed(records)))
        number = min(int(back), len(earlier))
        if number:
            found: tuple[Pair, bool] | None = (earlier[number - 1], False)
        else:
            found = self._assessment.next_for(name, self._skipped.get(name, ()))
        status = self._status(name)
        if found is None or found[0][1] not in self._assessment.documents:
            return self._html(view="done", **status)
        (topic_id, docid), repeat = found
        topic, shown = self._assessment.topics[topic_id], self._assessment.documents[docid]
        words = query_words(topic.title)
        return self._html(
            view="document",
            topic=topic,
            need=topic.desc or topic.narr,
            shown=shown,
            blocks=[list(marked(text, words)) for text in shown.texts],
            title=list(marked(shown.title, words)),
            grades=list(enumerate(_labels(self._assessment.most))),
            given=self._assessment.judgements.grades_of("people", name).get((topic_id, docid), "")
            if number
            else "",
            others=self._grades_of_others(name, (topic_id, docid)),
            repeat=repeat,
            back=number + 1 if number < len(earlier) else None,
            is_back=bool(number),
            **status,
        )

    async def name(self, request: Request) -> Response:
        """Take the assessor's name."""
        form = await _form(request)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            _NAME, require_assessor(form.get("name", "").strip()), httponly=True, samesite="strict"
        )
        return answer

    async def judge(self, request: Request) -> Response:
        """Keep a judgement, or put the document off; then the next one."""
        from starlette.concurrency import run_in_threadpool

        form = await _form(request)
        name = require_assessor(request.cookies.get(_NAME, ""))
        pair = (form.get("topic", ""), form.get("docid", ""))
        if form.get("grade") == "skip":
            skipped = self._skipped.setdefault(name, [])
            if pair in skipped:
                skipped.remove(pair)
            skipped.append(pair)
            return RedirectResponse("/", 303)
        judgement = Judgement(
            *pair,
            parse_grade(form.get("grade", ""), self._assessment.most),
            seconds=_seconds(form.get("seconds", "")),
            note=clean_note(form.get("note", "")),
            repeat=form.get("repeat") == "1",
        )
        await run_in_threadpool(self._assessment.add, "people", name, judgement)
        return RedirectResponse("/", 303)

    def _status(self, name: str) -> dict[str, Any]:
        judgements = self._assessment.judgements
        same, again = consistency(judgements.records["people"].get(name, []))
        return {
            "name": name,
            "conclusions": self._assessment.conclusions(),
            "judged": len(judgements.grades()),
            "own": len(judgements.grades_of("people", name)),
            "deciding": self._assessment.certain_after(),
            "differing": len(judgements.differing()),
            "same": same,
            "again": again,
        }

    def _grades_of_others(self, name: str, pair: Pair) -> list[tuple[str, Any]]:
        """What the adjudicator sees of the others' judgements; nobody else does."""
        if name != ADJUDICATOR:
            return []
        judgements = self._assessment.judgements
        return [
            (other, judgements.grades_of("people", other)[pair])
            for other in judgements.records["people"]
            if other != name and pair in judgements.grades_of("people", other)
        ]

    def _html(self, **values: Any) -> HTMLResponse:
        return HTMLResponse(self._template.render(**values))


def query_words(query: str) -> frozenset[str]:
    """The words of a query without the commonest endings."""
    return frozenset(_stem(word) for word in _WORD.findall(query))


def marked(text: str, words: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """A text in pieces, and whether each is a word of the query."""
    end = 0
    for found in _WORD.finditer(text):
        if _stem(found[0]) in words:
            yield text[end : found.start()], False
            yield found[0], True
            end = found.end()
    yield text[end:], False


def _stem(word: str) -> str:
    folded = word.casefold()
    return _ENDINGS.sub("", folded) if len(folded) > 4 else folded


def _labels(most: int) -> list[str]:
    return [_GRADES[grade] if most < len(_GRADES) else "" for grade in range(most + 1)]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return round(min(max(seconds, 0.0), _LONGEST_STAY), 1) if math.isfinite(seconds) else 0.0


async def _form(request: Request) -> dict[str, str]:
    """The fields of a small form; raises UsageError for a large one."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _MOST_BYTES:
            raise UsageError(f"expected a form of at most {_MOST_BYTES:,} bytes")
    fields = parse_qs(data.decode("utf-8", "replace"), keep_blank_values=True)
    return {key: values[0] for key, values in fields.items()}


def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return PlainTextResponse(str(error), 400)


def _file(request: Request) -> Response:
    kinds = {"page.css": "text/css", "page.js": "text/javascript"}
    name = request.path_params["file"]
    if name not in kinds:
        return PlainTextResponse("not found", 404)
    return Response(_packaged(name), media_type=kinds[name])


def _packaged(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")
