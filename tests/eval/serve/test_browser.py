"""A person's workflow in a real browser, with the keyboard alone."""

import time
from typing import Any

from tests.conftest import size
from tests.eval.people.serving import Served, begin, press
from tests.eval.serve.conftest import shown


def test_note_skip_back_and_cannot_tell(browser: Any, served: Served) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.get("about:blank")
    browser.get_log("browser")
    size(browser, 1280)
    begin(browser, served.address, "anna")
    bar = browser.find_element("css selector", ".bar").text
    assert bar == (
        "0% certain (95% decides), 0% of the evidence, 0 of 40 queries; "
        "too early to estimate the rest"
    )
    skipped = shown(browser)
    press(browser, "s")
    first = shown(browser)
    assert first != skipped
    ActionChains(browser).send_keys("n").send_keys("about 3 ovens <i>").send_keys(
        Keys.ENTER
    ).perform()
    time.sleep(0.2)
    assert shown(browser) == first  # the grades' keys are letters of the note
    assert "menu" not in browser.find_element("css selector", "article").text
    ActionChains(browser).send_keys("w").perform()  # what both cleaners drop
    assert "menu" in browser.find_element("css selector", "article").text
    for _ in range(2):  # a tap does what the key does
        browser.find_element("css selector", '[data-key="w"]').click()
        is_shown = "menu" in browser.find_element("css selector", "article").text
    assert is_shown
    browser.execute_script(
        "document.querySelector('article').style.padding = '150vh 0'; scrollTo(0, 0)"
    )
    browser.find_element("css selector", '[data-key="m"]').click()
    assert browser.execute_script("return scrollY") > 0
    keys = "[...document.querySelectorAll('kbd')]"
    tapped = f"return {keys}.every((key) => key.closest('button, a, label'))"
    assert browser.execute_script(tapped)
    press(browser, "3")
    press(browser, "c")
    press(browser, "b")
    press(browser, "b")
    assert shown(browser) == first
    press(browser, "1")
    records = served.page.judgements.records["people"]["anna"]
    assert [one.grade for one in records] == [3, None, 1]
    assert records[0].note == "about 3 ovens <i>"
    assert 0 < records[0].seconds < 600
    assert (served.page.judgements.folder / "qrels.txt").read_text().split()[-1] == "1"
    assert [
        log for log in browser.get_log("browser") if "favicon" not in log["message"]
    ] == []
