"""A page on this machine in a thread, and a browser that opens it."""

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

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
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
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
    from boilersweep.eval.people.serving import host_headers, make_app, make_server

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


def press(browser: Any, keys: str) -> None:
    """Press keys and wait for the next page."""
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import WebDriverWait

    browser.execute_script("document.body.isOld = true")
    ActionChains(browser).send_keys(keys).perform()
    # Between two pages a browser may answer any question with an error.
    WebDriverWait(browser, 120, 0.02, ignored_exceptions=[WebDriverException]).until(
        lambda b: b.execute_script(
            "return !document.body.isOld && document.readyState === 'complete'"
        )
    )


def forget(browser: Any) -> None:
    """Delete the cookies of all hosts, not only those of the page that is shown."""
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})


def begin(browser: Any, address: str, name: str) -> None:
    """Open an address as an assessor."""
    from selenium.common.exceptions import TimeoutException
    from selenium.webdriver.support.ui import WebDriverWait

    focused = "return document.activeElement.tagName === 'INPUT'"
    forget(browser)
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
