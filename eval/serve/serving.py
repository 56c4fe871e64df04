"""A page on this machine: its server, its guard, its templates, and the forms that it reads."""

import contextlib
import socket
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, FunctionLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from boilersweep.errors import BoilersweepError, OutputError, UsageError, reason_of
from boilersweep.eval.serve.guard import Guard, new_token

_MOST_BYTES = 20_000
_KINDS = {".css": "text/css", ".js": "text/javascript"}


def make_app(routes: Sequence[BaseRoute], token: str, hosts: Sequence[str]) -> Guard:
    """The application. hosts: the Host headers that it answers to."""
    return Guard(page_app(routes), token, hosts)


def page_app(routes: Sequence[BaseRoute]) -> Starlette:
    """A page's routes with its style sheet and scripts, to be guarded, or mounted in another."""
    all_routes = [*routes, Route("/{file}", _file)]
    return Starlette(routes=all_routes, exception_handlers={BoilersweepError: _failed})


def serve_page(
    routes: Sequence[BaseRoute], host: str, port: int, announce: Callable[[str], object]
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
        make_app(routes, token, hosts), log_level="warning", access_log=False, lifespan="off"
    )
    with listening, contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def render(template: str, values: Mapping[str, Any]) -> HTMLResponse:
    """A page of this folder's templates, with everything escaped."""
    return HTMLResponse(_ENVIRONMENT.get_template(f"{template}.html.jinja").render(values))


def home_of(request: Request) -> RedirectResponse:
    """To the beginning of the page that was asked, wherever it is mounted."""
    return RedirectResponse(f"{request.scope.get('root_path', '')}/", 303)


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a small form with their values; raises UsageError for a large one."""
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
    kind = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
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
