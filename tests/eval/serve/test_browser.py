"""A person's workflow in a real browser, with the keyboard alone."""

import time
from pathlib import Path
from typing import Any

import pytest

from tests.eval.assess.conftest import Make, grade
from tests.eval.serve.conftest import TOKEN, Served


def _size(browser: Any, width: int, *, dark: bool = False) -> None:
    size = {"width": width, "height": 850, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def _press(browser: Any, keys: str) -> None:
    """Press keys and wait for the next page."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.expected_conditions import staleness_of
    from selenium.webdriver.support.ui import WebDriverWait

    before = browser.find_element(By.TAG_NAME, "html")
    ActionChains(browser).send_keys(keys).perform()
    WebDriverWait(browser, 20).until(staleness_of(before))
    WebDriverWait(browser, 20).until(
        lambda b: b.execute_script("return document.readyState") == "complete"
    )


def _shown(browser: Any) -> tuple[str, str]:
    script = "const f = document.forms.judge; return [f.topic.value, f.docid.value]"
    topic, docid = browser.execute_script(script)
    return topic, docid


def _begin(browser: Any, served: Served, name: str) -> None:
    browser.delete_all_cookies()
    browser.get(f"{served.address}?token={TOKEN}")
    _press(browser, f"{name}\n")


@pytest.mark.usefixtures("needs_chromium")
def test_person_reaches_a_certain_answer_with_keys(
    browser: Any, served: Served, make: Make
) -> None:
    browser.get("about:blank")
    browser.get_log("browser")
    _size(browser, 1280)
    _begin(browser, served, "anna")
    assert TOKEN not in browser.current_url
    judged = 0
    while not served.page.conclusions()[0].certain:
        _, docid = _shown(browser)
        _press(browser, str(grade(docid)))
        judged += 1
        assert judged < 100
    assert "learned is better than words>=1 by" in browser.page_source.replace("&gt;", ">")
    assert "No document can decide anything more." in browser.page_source
    again = make()  # as after a kill: everything is read from the files
    assert again.judgements.records == served.page.judgements.records
    assert browser.title == "Judge"
    assert [log for log in browser.get_log("browser") if "favicon" not in log["message"]] == []


@pytest.mark.usefixtures("needs_chromium")
def test_note_skip_back_and_cannot_tell(browser: Any, served: Served) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    _size(browser, 1280)
    _begin(browser, served, "anna")
    skipped = _shown(browser)
    _press(browser, "s")
    first = _shown(browser)
    assert first != skipped
    ActionChains(browser).send_keys("n").send_keys("about 3 ovens <i>").send_keys(
        Keys.ENTER
    ).perform()
    time.sleep(0.2)
    assert _shown(browser) == first  # the grades' keys are letters of the note
    _press(browser, "3")
    _press(browser, "c")
    _press(browser, "b")
    _press(browser, "b")
    assert _shown(browser) == first
    _press(browser, "1")
    records = served.page.judgements.records["people"]["anna"]
    assert [one.grade for one in records] == [3, None, 1]
    assert records[0].note == "about 3 ovens <i>"
    assert 0 < records[0].seconds < 600
    assert (served.page.judgements.folder / "qrels.txt").read_text().split()[-1] == "1"


@pytest.mark.usefixtures("needs_chromium")
@pytest.mark.parametrize("dark", [False, True])
def test_small_screen_needs_no_scrolling_sideways(
    browser: Any, served: Served, tmp_path: Path, dark: bool
) -> None:
    _size(browser, 390, dark=dark)
    _begin(browser, served, "anna")
    width = "return document.documentElement.scrollWidth"
    assert browser.execute_script(width) <= 390
    background = "return getComputedStyle(document.body).backgroundColor"
    assert browser.execute_script(background) == (
        "rgb(20, 22, 26)" if dark else "rgb(251, 250, 247)"
    )
    assert browser.save_screenshot(str(tmp_path / "page.png"))
