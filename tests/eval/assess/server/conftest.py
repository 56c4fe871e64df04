"""The page of the small assessment, served on this machine."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest

from boilersweep.eval.assess.assessment import Assessment
from tests.eval.assess.conftest import Make

TOKEN = "a-token-of-the-test"  # noqa: S105


@dataclass
class Served:
    """port: where the page listens."""

    port: int
    assessment: Assessment
    cookies: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def ask(
        self, path: str, form: Mapping[str, str] | None = None, **headers: str
    ) -> tuple[int, str, Mapping[str, str]]:
        """Status, body and headers of an answer, as a browser with the token's cookie asks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Cookie": f"boilersweep-token={TOKEN}; boilersweep-name=anna"}
        sent |= {"Origin": self.address.rstrip("/")} if form is not None else {}
        sent |= {name.title(): value for name, value in headers.items()}
        with contextlib.closing(connection):
            method, body = ("GET", None) if form is None else ("POST", urlencode(form))
            connection.request(method, path, body, {k: v for k, v in sent.items() if v})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())


@pytest.fixture
def served(make: Make) -> Iterator[Served]:
    """The page of a new assessment."""
    pytest.importorskip("starlette", reason="the extra `serve` is not installed")
    uvicorn = pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")
    from boilersweep.eval.assess.server.serve import make_app

    assessment = make()
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = make_app(assessment, TOKEN, [f"127.0.0.1:{port}"])
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    yield Served(port, assessment)
    server.should_exit = True
    thread.join()
    listening.close()
