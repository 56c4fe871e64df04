"""Pages on this machine: that of the small assessment, and one that explores seven pages."""

import contextlib
import html
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.variants import parse_sweep
from boilersweep.eval.ranking_models import BM25
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.store.store import BlockStore
from tests.eval.assess.conftest import HOSTILE, Make, folder, make
from tests.eval.conftest import MakeStore

__all__ = ["folder", "make"]  # fixtures

TOKEN = "a-token-of-the-test"  # noqa: S105


@dataclass
class Served:
    """port: where the page listens. page: what it shows."""

    port: int
    page: Any

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def entrance(self) -> str:
        """The address that the command prints."""
        return f"{self.address}?token={TOKEN}"

    def ask(
        self,
        path: str,
        form: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        **headers: str,
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


@contextlib.contextmanager
def serving(page: Any, routes: Sequence[Any]) -> Iterator[Served]:
    """A page served in a thread."""
    import uvicorn

    from boilersweep.eval.serve.serving import make_app

    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = make_app(routes, TOKEN, [f"127.0.0.1:{port}"])
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Served(port, page)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


@pytest.fixture
def needs_serve() -> None:
    """Skips the test where the extra is not installed."""
    for module in ("starlette", "uvicorn"):
        pytest.importorskip(module, reason="the extra `serve` is not installed")


@pytest.fixture
def served(needs_serve: None, make: Make) -> Iterator[Served]:
    """The page of a new assessment."""
    from boilersweep.eval.serve.judging import judging_routes

    assessment = make()
    with serving(assessment, judging_routes(assessment)) as found:
        yield found


@pytest.fixture
def pages(make_store: MakeStore) -> BlockStore:
    """Seven pages about bread, in blocks of different lengths; one is hostile."""
    menu = "<p>bread</p><p>Home bread contact</p>"
    found = {
        f"d{number}": f"<title>Page {number}</title>{menu * number}"
        f"<p>{'Our bread comes from the oven of a neighbour who bakes well. ' * (7 - number)}</p>"
        for number in range(1, 7)
    }
    found["evil"] = f"<title>{html.escape(HOSTILE)}</title><p>bread {html.escape(HOSTILE)}</p>"
    return make_store(found)


@pytest.fixture
def exploring(needs_serve: None, java: None, pages: BlockStore, tmp_path: Path) -> Iterator[Served]:
    """The page that explores that store under three thresholds and `bte`."""
    from boilersweep.eval.serve.exploring import Worker, exploring_routes
    from boilersweep.eval.serve.opening import explore_store

    explored = explore_store(
        *(pages, [parse_sweep("words=1,3,11")], [parse_cleaner("bte")], BM25()),
        *(AnalyzerOptions(), tmp_path / "judged"),
    )
    worker = Worker()
    with contextlib.closing(worker), serving(explored, exploring_routes(explored, worker)) as found:
        yield found


def size(browser: Any, width: int, *, dark: bool = False) -> None:
    """Show pages at a width, in light or dark colours."""
    size = {"width": width, "height": 850, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def press(browser: Any, keys: str) -> None:
    """Press keys and wait for the next page."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.expected_conditions import staleness_of
    from selenium.webdriver.support.ui import WebDriverWait

    before = browser.find_element(By.TAG_NAME, "html")
    ActionChains(browser).send_keys(keys).perform()
    WebDriverWait(browser, 60).until(staleness_of(before))
    WebDriverWait(browser, 60).until(
        lambda b: b.execute_script("return document.readyState") == "complete"
    )


def shown(browser: Any) -> tuple[str, str]:
    """Topic and docid of the document that is to be judged."""
    script = "const f = document.forms.judge; return [f.topic.value, f.docid.value]"
    topic, docid = browser.execute_script(script)
    return topic, docid


def begin(browser: Any, address: str, name: str) -> None:
    """Open an address with its token, as an assessor."""
    from selenium.webdriver.support.ui import WebDriverWait

    browser.delete_all_cookies()
    browser.get(address)
    WebDriverWait(browser, 60).until(  # else keys get lost
        lambda b: b.execute_script("return document.activeElement.tagName") == "INPUT"
    )
    press(browser, f"{name}\n")
