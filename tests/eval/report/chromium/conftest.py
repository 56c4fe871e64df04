"""Headless Chromium that records what it complains of and asks for."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Headless Chromium with its log and all requests recorded."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no Chromium with chromedriver on this machine")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-background-networking "
        "--disable-component-update --no-first-run --disable-dev-shm-usage"
    ).split()
    for flag in (*flags, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options, Service(driver))
    yield started
    started.quit()


@pytest.fixture
def open_page(browser: Any) -> Callable[..., Any]:
    """Opens a file at a size in light or dark, and waits until its charts are drawn."""
    from selenium.webdriver.support.ui import WebDriverWait

    def open_(path: Path, *, width: int = 1280, dark: bool = False) -> Any:
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        size = {"width": width, "height": 850, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        browser.get(path.as_uri())
        scheme = "dark" if dark else "light"
        WebDriverWait(browser, 20).until(
            lambda b: b.execute_script("return document.documentElement.dataset.drawn") == scheme
        )
        return browser

    return open_
