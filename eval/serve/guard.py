"""Who may use a page on this machine: those who know its token, from its own address."""

import asyncio
import contextlib
import hmac
from collections.abc import Awaitable, Callable, Collection

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    The token is the first part of every address. It is in no cookie, as a browser sends the
    cookies of 127.0.0.1 to the servers on all of its ports. The Host check keeps out other sites'
    names for this machine, the Origin check their forms.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Collection[str]) -> None:
        """Guard an application.

        Args:
            app: The application, which is mounted below the token.
            token: The token.
            hosts: The Host headers that the page answers to, with the port.
        """
        self._app, self._token, self._hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI has it."""
        answer = self._refusal(scope) or self._app
        below = {**scope, "root_path": f"/{self._token}"}
        # The server ends before a slow client
        with contextlib.suppress(asyncio.CancelledError):
            await answer(below, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that the page does not see, None for all others."""
        headers = Headers(scope=scope)
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("unknown Host", 403)
        if (
            scope["method"] != "GET"
            and headers.get("origin") != f"http://{headers['host']}"
        ):
            return PlainTextResponse("another page's form", 403)
        token, slash, _ = scope["path"].removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return PlainTextResponse(
                "open the whole address that the terminal shows", 403
            )
        return None if slash else RedirectResponse(f"/{token}/", 303)


def _with_headers(send: Send) -> Callable[[Message], Awaitable[None]]:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = message.get("headers", [])
            # A copy of a collected page has a stricter policy of its own
            added = [
                (name.encode(), value.encode())
                for name, value in _HEADERS.items()
                if name.encode() not in dict(own)
            ]
            message = {**message, "headers": [*own, *added]}
        await send(message)

    return sending
