"""Pages on this machine: that of the small assessment, and one that explores seven pages."""

import contextlib
import html
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from boilersweep import BlockStore, parse_cleaner
from boilersweep.cleaners.language.variants import parse_sweep
from boilersweep.eval.assess.judgements import judgements_in
from boilersweep.indexer import AnalyzerOptions, open_index
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
        """The address that the command prints."""
        return f"http://127.0.0.1:{self.port}/{TOKEN}/"

    def ask(
        self,
        path: str,
        form: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
        token: str = TOKEN,
        **headers: str,
    ) -> tuple[int, str, Mapping[str, str]]:
        """Return status, body and headers of an answer to an assessor's browser."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Cookie": "boilersweep-name=anna"}
        sent |= {"Origin": f"http://127.0.0.1:{self.port}"} if form is not None else {}
        sent |= {name.title(): value for name, value in headers.items()}
        with contextlib.closing(connection):
            method, body = ("GET", None) if form is None else ("POST", urlencode(form))
            connection.request(
                method, f"/{token}{path}", body, {k: v for k, v in sent.items() if v}
            )
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), dict(answer.getheaders())


@contextlib.contextmanager
def serving(
    page: Any, routes: Sequence[Any], host: str = "127.0.0.1"
) -> Iterator[Served]:
    """Serve a page in a thread."""
    from boilersweep.eval.serve.serving import host_headers, make_app, make_server

    listening = socket.create_server((host, 0))
    port = listening.getsockname()[1]
    app = make_app(routes, TOKEN, host_headers(host, port))
    server = make_server(app)
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
    """Serve the page of a new assessment."""
    from boilersweep.eval.serve.judging import judging_routes

    assessment = make()
    with serving(assessment, judging_routes(assessment)) as server:
        yield server


@pytest.fixture
def pages(make_store: MakeStore) -> BlockStore:
    """Seven pages about bread, in blocks of different lengths; one is hostile."""
    menu = "<p>bread</p><p>Home bread contact</p>"
    bodies = {
        f"d{number}": f"<title>Page {number}</title>{menu * number}"
        f"<p>{'Our bread comes from the oven of a neighbour who bakes well. ' * (7 - number)}</p>"
        for number in range(1, 7)
    }
    bodies["evil"] = (
        f"<title>{html.escape(HOSTILE)}</title><p>bread {html.escape(HOSTILE)}</p>"
    )
    return make_store(bodies)


@pytest.fixture
def exploring(
    needs_serve: None, java: None, pages: BlockStore, tmp_path: Path
) -> Iterator[Served]:
    """Serve the page that explores the store under three thresholds and `bte`."""
    from boilersweep.eval.serve.exploring import (
        Worker,
        explore_index,
        exploring_routes,
        index_of_blocks,
    )

    index = index_of_blocks(pages, AnalyzerOptions(), tmp_path / "pages")
    explored = explore_index(
        open_index(index, store=pages),
        pages,
        [parse_sweep("words=1,3,11")],
        [parse_cleaner("bte"), parse_cleaner("headed(bte)")],
        tmp_path / "judged",
    )
    explored = replace(explored, queries=["neighbour", "contact bread"])
    worker = Worker()
    with (
        contextlib.closing(worker),
        judgements_in(explored.judged) as judgements,
        serving(explored, exploring_routes(explored, worker, judgements)) as server,
    ):
        yield server


def press(browser: Any, keys: str) -> None:
    """Press keys and wait for the next page."""
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_script("document.body.isOld = true")
    ActionChains(browser).send_keys(keys).perform()
    # Between two pages a browser may answer any question with an error.
    WebDriverWait(browser, 60, 0.02, ignored_exceptions=[WebDriverException]).until(
        lambda b: b.execute_script(
            "return !document.body.isOld && document.readyState === 'complete'"
        )
    )


def shown(browser: Any) -> tuple[str, str]:
    """Topic and docid of the document that is to be judged."""
    script = "const f = document.forms.judge; return [f.topic.value, f.docid.value]"
    topic, docid = browser.execute_script(script)
    return topic, docid


def begin(browser: Any, address: str, name: str) -> None:
    """Open an address as an assessor."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    focused = "return document.activeElement.tagName === 'INPUT'"
    browser.delete_all_cookies()
    # A browser under load may draw no frame of a new page, and then focuses nothing: keys get lost.
    # A screenshot makes it draw one.
    for _ in range(3):
        browser.get(address)
        browser.get_screenshot_as_png()
        with contextlib.suppress(TimeoutException):
            WebDriverWait(browser, 20).until(lambda b: b.execute_script(focused))
            break
    assert browser.execute_script(focused)
    press(browser, f"{name}\n")
