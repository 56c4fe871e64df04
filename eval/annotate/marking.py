"""The page where people mark the blocks of pages: `boilersweep judge --annotate`."""

from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from boilersweep.errors import UsageError
from boilersweep.eval.annotate.annotations import Annotations, merged
from boilersweep.eval.annotate.marks import Mark, Sheet
from boilersweep.eval.annotate.proposal import proposal
from boilersweep.eval.judge.datasets.judged_page import CLASSES
from boilersweep.eval.people.assessors import ADJUDICATOR
from boilersweep.eval.people.copy import copy_of_page
from boilersweep.eval.people.naming import Naming, is_named, name_of
from boilersweep.eval.people.serving import as_seconds, files_of, read_fields, render
from boilersweep.outputs.typed_files import parse_json

# The keys of the classes are their numbers; that of no class comes last.
_ORDER = (1, 2, 3, 5, 4, 0)
_ABOUT_NAMES = (
    "Your marks are kept in a file of this name. The name adjudicator settles what others marked "
    "differently."
)


def marking_routes(annotations: Annotations) -> list[BaseRoute]:
    """Return the routes of the page."""
    page = _Page(annotations)
    return [
        Route("/", page.show),
        Route("/copy", page.copy),
        Route("/proposal", page.proposal),
        Route("/mark", page.mark, methods=["POST"]),
        page.naming.route,
        files_of(__package__),
    ]


class _Page:
    """The page's answers; Starlette calls them in threads."""

    def __init__(self, annotations: Annotations) -> None:
        self._annotations = annotations
        self.naming = Naming("Who marks?", [_ABOUT_NAMES])

    def show(self, request: Request) -> Response:
        """Show a page (?docid=...), the next one (?after=...), or all (?all=1)."""
        if not is_named(request):
            return self.naming.ask()
        name, asked = name_of(request), request.query_params
        known = self._annotations.pages.documents
        docid = asked.get("docid")
        if docid not in known and "all" not in asked:
            docid = self._annotations.next_for(name, asked.get("after", ""))
        marked = self._annotations.marked
        values: dict[str, Any] = {
            "name": name,
            "pages": known,
            "marked": marked,
            "own": sum(name in sheets for sheets in marked.values()),
            "differing": self._annotations.differing,
            "shown": known.get(docid) if docid else None,
        }
        if shown := values["shown"]:
            values["labels"] = [(number, CLASSES[number]) for number in _ORDER]
            values["state"] = _state(self._annotations.sheet(name, shown.docid))
            others = self._others(shown.docid) if name == ADJUDICATOR else {}
            values["others"] = {
                assessor: _state(sheet) for assessor, sheet in others.items()
            }
        return render(__package__, "marking", values)

    def copy(self, request: Request) -> Response:
        """Answer with a copy of a page (?docid=...), with the numbers of its blocks."""
        docid = request.query_params.get("docid", "")
        record = self._annotations.pages.read(docid)
        shown = self._annotations.pages.document(docid)
        return copy_of_page(record, shown, numbered="numbers" in request.query_params)

    def proposal(self, request: Request) -> Response:
        """Answer with what `learned` proposes for a page, or the adjudicator with others' marks."""
        docid = request.query_params.get("docid", "")
        if name_of(request) == ADJUDICATOR:
            return JSONResponse(merged(self._others(docid)))
        return JSONResponse(proposal(self._annotations.pages.read(docid)))

    def _others(self, docid: str) -> dict[str, Sheet]:
        """Return what the adjudicator sees of others."""
        sheets = self._annotations.marked_by(docid)
        return {name: sheet for name, sheet in sheets.items() if name != ADJUDICATOR}

    async def mark(self, request: Request) -> Response:
        """Save what a person does to a page; answer with what is marked now."""
        name, form = name_of(request), await read_fields(request)
        fields = {
            "docid": form.get("docid", ""),
            "action": form.get("action", ""),
            "proposed": form.get("proposed") == "1" and name != ADJUDICATOR,
            "seconds": as_seconds(form.get("seconds", "")),
        }
        try:
            ranges = parse_json(form.get("ranges", "[]"))
            line = msgspec.convert({**fields, "ranges": ranges}, Mark)
        except ValueError as error:
            raise UsageError(f"expected a mark of blocks: {error}") from error
        sheet = await run_in_threadpool(self._annotations.add, name, line)
        return JSONResponse(_state(sheet))


def _state(sheet: Sheet) -> dict[str, Any]:
    return {"classes": sheet.classes, "done": sheet.is_done, "steps": sheet.steps}
