"""Headless Chromium, and a socket that hears whoever calls."""

import contextlib
import socketserver
import threading
from collections.abc import Callable, Iterator
from typing import Any

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


class Listener(socketserver.TCPServer):
    """Listens on a port of this machine.

    heard: what came, one entry for each call.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.port = self.server_address[1]
        self.heard: list[bytes] = []

    def process_request(self, request: Any, _: object) -> None:
        request.settimeout(1)
        self.heard.append(b"")
        with contextlib.suppress(TimeoutError):
            self.heard[-1] = request.recv(1000)
        self.shutdown_request(request)


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Nobody is to call it."""
    with Listener() as one:
        threading.Thread(target=one.serve_forever).start()
        yield one
        one.shutdown()
