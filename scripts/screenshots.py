"""Pictures of a report for the manual, by headless Chromium.

python scripts/screenshots.py REPORT.html eval/report answer curves comparison pairs evidence
python scripts/screenshots.py BESIDE.html eval/report beside
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from selenium import webdriver
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking "
    "--disable-component-update --no-first-run --hide-scrollbars"
).split()


def main() -> int:
    """Take the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pictures", nargs="+", choices=PICTURES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as profile:
        browser = _started(profile)
        try:
            for name in options.pictures:
                width, height, dark, arrange = PICTURES[name]
                _open(browser, options.report, width, height, dark)
                arrange(browser)
                path = options.folder / f"report-{name}.png"
                browser.save_screenshot(str(path))
                print(f"{path}: {path.stat().st_size:,} bytes")
        finally:
            browser.quit()
    return 0


def _started(profile: str) -> Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "google-chrome"
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options, Service(shutil.which("chromedriver")))


def _open(browser: Chrome, report: Path, width: int, height: int, dark: bool) -> None:
    browser.get("about:blank")
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(report.resolve().as_uri())
    drawn = "return document.documentElement.dataset.drawn || !document.scripts.length"
    WebDriverWait(browser, 30).until(lambda b: b.execute_script(drawn))
    ActionChains(browser).pause(0.5).perform()


def _one(browser: Chrome, selector: str) -> WebElement:
    return WebDriverWait(browser, 10).until(lambda b: b.find_element(By.CSS_SELECTOR, selector))


def _as_it_opens(browser: Chrome) -> None:
    ActionChains(browser).pause(0.5).perform()


def _curves(browser: Chrome) -> None:
    _scroll(browser, "#curves")
    chart = _one(browser, '[data-chart="curves-0"]')
    ActionChains(browser).move_to_element_with_offset(chart, -150, 0).pause(1).perform()


def _comparison(browser: Chrome) -> None:
    _scroll(browser, "#comparison")


def _pairs(browser: Chrome) -> None:
    _scroll(browser, "#pairs")


def _evidence(browser: Chrome) -> None:
    _one(browser, "#topic-list tbody a").click()
    _one(browser, "#evidence a.docid").click()
    _one(browser, "#evidence iframe")
    _scroll(browser, "#topics")


def _scroll(browser: Chrome, selector: str) -> None:
    browser.execute_script("arguments[0].scrollIntoView()", _one(browser, selector))
    ActionChains(browser).pause(0.8).perform()


PICTURES: dict[str, tuple[int, int, bool, Callable[[Chrome], None]]] = {
    "answer": (1280, 760, False, _as_it_opens),
    "formulas": (1280, 900, False, _as_it_opens),
    "curves": (1280, 800, True, _curves),
    "comparison": (1280, 1440, False, _comparison),
    "pairs": (1280, 640, False, _pairs),
    "evidence": (1280, 900, False, _evidence),
    "beside": (1280, 1000, False, _as_it_opens),
}
"""Name -> width, height, whether in the dark, and what to do before the picture."""

if __name__ == "__main__":
    raise SystemExit(main())
