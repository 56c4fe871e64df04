"""Who may use a page on this machine: those who have its token, from its own address."""

import hmac
import secrets
from collections.abc import Awaitable, Callable, Collection

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "boilersweep-token"

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """Checks Host, Origin and token of every request, and adds the headers of security.

    The token arrives once, in the address; a cookie that scripts cannot read replaces it. The
    Host check keeps out other sites' names for this machine, the Origin check their forms.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        """hosts: the Host headers that the page answers to, with the port."""
        self._app, self._token, self._hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._answer(Request(scope))
        await (refused or self._app)(scope, receive, _with_headers(send))

    def _answer(self, request: Request) -> Response | None:
        """The answer to a request that the page does not see; None for one that it does."""
        headers: Headers = request.headers
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("unknown Host", 403)
        if request.method != "GET" and headers.get("origin") != f"http://{headers['host']}":
            return PlainTextResponse("another page's form", 403)
        given = request.query_params.get("token")
        if given is not None and self._is_token(given):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
            return answer
        if not self._is_token(request.cookies.get(COOKIE, "")):
            return PlainTextResponse(
                "open the address that the terminal shows, with its token", 403
            )
        return None

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending
