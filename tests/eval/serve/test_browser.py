"""A person's workflow in a real browser, with the keyboard alone."""

import re
import time
from typing import Any

import pytest

from tests.eval.assess.conftest import Make, grade
from tests.eval.serve.conftest import TOKEN, Served, begin, press, shown, size


@pytest.mark.usefixtures("needs_chromium")
def test_person_reaches_a_certain_answer_with_keys(
    browser: Any, served: Served, make: Make
) -> None:
    browser.get("about:blank")
    browser.get_log("browser")
    size(browser, 1280)
    begin(browser, served.address, "anna")
    cookies = {(cookie["value"], cookie["path"]) for cookie in browser.get_cookies()}
    assert cookies == {("anna", f"/{TOKEN}/")}
    judged = 0
    while not served.page.conclusions()[0].certain:
        _, docid = shown(browser)
        bar = browser.find_element("css selector", ".bar").text
        assert re.search(r"^\d+% certain \(95% decides\); (about \d+ more|too early|no num)", bar)
        press(browser, str(grade(docid)))
        judged += 1
        assert judged < 100
    assert browser.find_element("css selector", "h1").text == "You are done: use learned"
    assert "learned is better than words>=1 by" in browser.page_source.replace("&gt;", ">")
    assert "No document can decide anything more." in browser.page_source
    press(browser, "r")  # the rest of the pool, for other uses of the judgements
    again = make()  # as after a kill: everything is read from the files
    assert again.judgements.records == served.page.judgements.records
    assert browser.title == "Judge"
    assert [log for log in browser.get_log("browser") if "favicon" not in log["message"]] == []


@pytest.mark.usefixtures("needs_chromium")
def test_note_skip_back_and_cannot_tell(browser: Any, served: Served) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    size(browser, 1280)
    begin(browser, served.address, "anna")
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
