"""The question who judges, and the answer in a cookie that is no secret."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from boilersweep.errors import UsageError
from boilersweep.eval.people.assessors import require_assessor
from boilersweep.eval.people.serving import home_of, read_fields, render, top_of

_NAME = "boilersweep-name"


@dataclass(frozen=True, slots=True)
class Naming:
    """The question.

    Attributes:
        question: The question.
        about: Sentences below it.
    """

    question: str
    about: Sequence[str]

    @property
    def route(self) -> Route:
        """The address that takes the answer."""
        return Route("/name", self._take, methods=["POST"])

    def ask(self, status: int = 200, mistake: str = "") -> HTMLResponse:
        """Ask, again after a mistake."""
        values = {"question": self.question, "about": self.about, "mistake": mistake}
        return render(__package__, "naming", values, status)

    async def _take(self, request: Request) -> Response:
        form = await read_fields(request)
        try:
            name = require_assessor(form.get("name", "").strip())
        except UsageError as error:
            return self.ask(400, mistake=str(error))
        answer = home_of(request)
        answer.set_cookie(
            _NAME,
            quote(name),  # a header has no other letters
            path=top_of(request.scope),
            httponly=True,
            samesite="strict",
        )
        return answer


def is_named(request: Request) -> bool:
    """Return whether a browser knows who judges."""
    return _NAME in request.cookies


def name_of(request: Request) -> str:
    """Return who judges; raise UsageError if no name is known."""
    return require_assessor(unquote(request.cookies.get(_NAME, "")))
