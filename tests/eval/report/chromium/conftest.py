"""Pages of reports in headless Chromium, at a size and in light or dark."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import size


@pytest.fixture
def open_page(browser: Any) -> Callable[..., Any]:
    """Return a function that opens a file in light or dark, and waits for its charts."""
    from selenium.webdriver.support.ui import WebDriverWait

    def open_(path: Path, *, width: int = 1280, dark: bool = False) -> Any:
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        size(browser, width, dark=dark)
        browser.get(path.as_uri())
        WebDriverWait(browser, 120).until(
            lambda b: b.execute_script("return document.documentElement.dataset.drawn")
        )
        return browser

    return open_


def wait(browser: Any, condition: Callable[[Any], Any]) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 120).until(condition)


def one(browser: Any, selector: str) -> Any:
    return wait(browser, lambda b: b.find_element("css selector", selector))


def complaints(browser: Any) -> list[str]:
    return [
        entry["message"]
        for entry in browser.get_log("browser")
        if entry["level"] != "INFO"
    ]
