"""Where a page on this machine is served."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from boilersweep.cli.options.values import parsed
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

_MAX_PORT = 65535


_THIS_MACHINE = "127.0.0.1"


def _address(text: str) -> tuple[str, int]:
    """Parse `PORT` or `HOST:PORT`; raise UsageError."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MAX_PORT:
        raise UsageError(
            f"expected HOST:PORT or PORT, with a port from 1 to {_MAX_PORT} or 0 for a free one, "
            f"got {text!r}"
        )
    try:
        host.encode("idna")
    except UnicodeError:
        raise UsageError(f"expected a host name or an address, got {host!r}") from None
    return host.strip("[]") or _THIS_MACHINE, int(port)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Page:
    """Where a page on this machine is.

    Attributes:
        address: Where the page is, such as 8080 or 0.0.0.0:8080; others than this machine need the
            address with its token (default: 127.0.0.1 and a free port).
    """

    address: Annotated[tuple[str, int], parsed(_address, "HOST:PORT")] = (
        _THIS_MACHINE,
        0,
    )

    def serve(self, routes: "Sequence[BaseRoute]") -> None:
        """Serve a page until interrupted."""
        from boilersweep.eval.people.serving import serve_page

        # A program that starts the page reads the address from a pipe.
        serve_page(routes, *self.address, partial(print, flush=True))
