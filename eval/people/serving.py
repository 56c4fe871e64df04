"""A page on this machine: its server, its guard, its templates, and the forms that it reads."""

import asyncio
import contextlib
import hmac
import math
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import resources
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boilersweep.errors import BoilersweepError, OutputError, UsageError, reason_of

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
        host, (own, port) = headers.get("host", ""), scope["server"]
        # A connection's own address is no other site's name
        if host.lower() not in self._hosts.union(_with_port(_in_url(own), port)):
            return PlainTextResponse("unknown Host", 403)
        if scope["method"] != "GET" and headers.get("origin") != f"http://{host}":
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


_MOST_BYTES = 20_000
_SECONDS_TO_END = 2
_USUAL_PORT = 80
_LONGEST_STAY = 3600.0
_KINDS = {".css": "text/css", ".js": "text/javascript"}


def make_app(routes: Sequence[BaseRoute], token: str, hosts: Sequence[str]) -> Guard:
    """Return the application behind its guard; `hosts` are the Host headers that it answers to."""
    return Guard(page_app(routes), token, hosts)


def page_app(routes: Sequence[BaseRoute]) -> Starlette:
    """Return a page, to be guarded, or mounted in another."""
    return Starlette(
        routes=[*routes],
        exception_handlers={BoilersweepError: _failed, ClientDisconnect: _failed},
    )


def serve_page(
    routes: Sequence[BaseRoute], host: str, port: int, announce: Callable[[str], object]
) -> None:
    """Serve until interrupted.

    Args:
        routes: The routes of the page.
        host: The address to listen on.
        port: The port; 0 for a free one.
        announce: Receives the address of the page.

    Raises:
        OutputError: The address or the port is not available.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise OutputError(
            f"cannot listen on {host}, port {port}: {reason_of(error)}; choose another `address`"
        ) from error
    port = listening.getsockname()[1]
    hosts = host_headers(host, port)
    token = secrets.token_urlsafe(24)
    announce(f"http://{hosts[0]}/{token}/")
    with listening, contextlib.suppress(KeyboardInterrupt):
        make_server(make_app(routes, token, hosts)).run(sockets=[listening])


def host_headers(host: str, port: int) -> list[str]:
    """Return the Host headers of a browser that is led to an address, the given one first."""
    names = [_in_url(host), "127.0.0.1", "localhost"]
    if not host.strip("0.:"):  # all addresses of this machine
        names += [_in_url(socket.gethostname()), _in_url(socket.getfqdn())]
    return [
        header for name in dict.fromkeys(names) for header in _with_port(name, port)
    ]


def _in_url(host: str) -> str:
    """Return a host as browsers write it."""
    if ":" in host:
        return f"[{ip_address(host)}]"
    return host.encode("idna").decode().lower()


def _with_port(name: str, port: int) -> list[str]:
    """Return a host with its port, which browsers leave out if it is the usual one."""
    return [f"{name}:{port}", *([name] if port == _USUAL_PORT else [])]


def make_server(app: Guard) -> uvicorn.Server:
    """Return the server of a page; when it is told to end, it waits for no slow client."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )
    return uvicorn.Server(config)


def render(
    package: str, template: str, values: Mapping[str, Any], status: int = 200
) -> HTMLResponse:
    """Fill a template, with everything escaped.

    Args:
        package: The package with the template's file.
        template: Its name.
        values: What it reads.
        status: The status of the answer.
    """
    found = _environment(package).get_template(f"{template}.html.jinja")
    return HTMLResponse(found.render(values), status)


def home_of(request: Request) -> RedirectResponse:
    """Lead to the beginning of the page that was asked, wherever it is mounted."""
    return RedirectResponse(f"{request.scope['root_path']}/", 303)


def top_of(scope: Scope) -> str:
    """Return the path of the first page, below the token."""
    return f"/{scope['path'].split('/')[1]}/"


async def read_form(request: Request) -> dict[str, list[str]]:
    """Read the fields of a small form with their values; raise UsageError for a large form."""
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _MOST_BYTES:
            raise UsageError(f"expected a form of at most {_MOST_BYTES:,} bytes")
    return parse_qs(data.decode("utf-8", "replace"), keep_blank_values=True)


async def read_fields(request: Request) -> dict[str, str]:
    """Read the fields of a small form with the first value of each; raises UsageError."""
    return {key: values[0] for key, values in (await read_form(request)).items()}


def as_seconds(text: str) -> float:
    """Return how long a page was open, up to an hour; 0 for what is no number."""
    try:
        seconds = float(text)
    except ValueError:
        return 0.0
    return (
        round(min(max(seconds, 0.0), _LONGEST_STAY), 1)
        if math.isfinite(seconds)
        else 0.0
    )


def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return PlainTextResponse(str(error), 400)


def files_of(package: str) -> Route:
    """Return the last route of a page: the scripts of a package, and the style sheets here."""

    def answer(request: Request) -> Response:
        name = request.path_params["file"]
        kind = next((k for end, k in _KINDS.items() if name.endswith(end)), None)
        for one in (package, __package__):
            folder = resources.files(one)
            if kind and name in {path.name for path in folder.iterdir()}:
                return Response(
                    folder.joinpath(name).read_text("utf-8"), media_type=kind
                )
        return PlainTextResponse("not found", 404)

    return Route("/{file}", answer)


@cache
def _environment(package: str) -> Environment:
    folder = resources.files(package)
    return Environment(
        loader=FunctionLoader(lambda name: folder.joinpath(name).read_text("utf-8")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
