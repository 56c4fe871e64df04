"""A page on this machine: its server, its guard, its templates, and the forms that it reads."""

import contextlib
import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Route
from starlette.types import Scope

from boilersweep.errors import BoilersweepError, OutputError, UsageError, reason_of
from boilersweep.eval.serve.guard import Guard

_MOST_BYTES = 20_000
_SECONDS_TO_END = 2
_KINDS = {".css": "text/css", ".js": "text/javascript"}


def make_app(routes: Sequence[BaseRoute], token: str, hosts: Sequence[str]) -> Guard:
    """Return the application behind its guard; `hosts` are the Host headers that it answers to."""
    return Guard(page_app(routes), token, hosts)


def page_app(routes: Sequence[BaseRoute]) -> Starlette:
    """Return a page with its style sheet and scripts, to be guarded, or mounted in another."""
    return Starlette(
        routes=[*routes, Route("/{file}", _file)],
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
            f"cannot listen on {host}, port {port}: {reason_of(error)}; choose another --port"
        ) from error
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    hosts = [
        f"{name}:{port}" for name in dict.fromkeys((shown, "127.0.0.1", "localhost"))
    ]
    token = secrets.token_urlsafe(24)
    announce(f"http://{shown}:{port}/{token}/")
    with listening, contextlib.suppress(KeyboardInterrupt):
        make_server(make_app(routes, token, hosts)).run(sockets=[listening])


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


def render(template: str, values: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """Fill a template of this folder, with everything escaped."""
    return HTMLResponse(
        _ENVIRONMENT.get_template(f"{template}.html.jinja").render(values), status
    )


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


def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return PlainTextResponse(str(error), 400)


def _file(request: Request) -> Response:
    name = request.path_params["file"]
    kind = next(
        (kind for ending, kind in _KINDS.items() if name.endswith(ending)), None
    )
    if kind is None or not _folder().joinpath(name).is_file():
        return PlainTextResponse("not found", 404)
    return Response(_packaged(name), media_type=kind)


def _folder() -> Any:
    return resources.files(__package__)


def _packaged(name: str) -> str:
    return str(_folder().joinpath(name).read_text("utf-8"))


_ENVIRONMENT = Environment(
    loader=FunctionLoader(_packaged),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
