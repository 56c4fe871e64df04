"""Headless Chromium, and a socket that hears whoever calls."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from boilersweep.rendering.browser import Browser, RenderLimits
from boilersweep.rendering.drawing import DrawnPage, draw
from boilersweep.rendering.marking import MarkingSegmenter

Draw = Callable[[str], DrawnPage]


@pytest.fixture(scope="module")
def chromium(needs_chromium: None) -> Iterator[Browser]:
    """Yield a browser as pages are drawn in."""
    with Browser(RenderLimits(seconds=20)) as browser:
        yield browser


@pytest.fixture
def drawn(chromium: Browser) -> Draw:
    """Draws a page."""
    segmenter = MarkingSegmenter(structure=True)
    return lambda html: draw(segmenter.html(html.encode()), chromium)


class Listener:
    """Listens on a port of this machine.

    heard: what came, one entry for each call.
    """

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.heard: list[bytes] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    self.heard.append(connection.recv(1000))
                except TimeoutError:
                    self.heard.append(b"")

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Nobody is to call it."""
    one = Listener()
    yield one
    one.close()
