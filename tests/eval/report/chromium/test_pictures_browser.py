"""Pictures of pages in the report, in headless Chromium."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from boilersweep.eval.report.pictures import Picture
from boilersweep.eval.study.results import Study
from tests.eval.made_up import HOSTILE
from tests.eval.report.chromium.conftest import complaints, one, wait
from tests.eval.report.conftest import write_report

Opened = Callable[..., Any]

# Of three blocks: one across the page, and two beside each other.
BOXES = ((0, 0, 320, 10), (0, 10, 160, 20), (160, 10, 320, 20))

PICTURE = Picture(
    height=40,
    boxes=BOXES,
    kept={"words>=1": (5, "111"), "bte": (1, "010")},
    blocks=5,
    unseen=1,
    outside=0,
    small=2,
    merged=True,
)

PANELS = """
return [...document.querySelectorAll("#evidence .pictures figure")].map((one) => ({
  caption: one.querySelector("figcaption").textContent,
  name: one.querySelector("svg").getAttribute("aria-label"),
  view: one.querySelector("svg").getAttribute("viewBox"),
  width: one.querySelector("svg").clientWidth,
  paths: Object.fromEntries(
    [...one.querySelectorAll("path")]
      .map((path) => [path.className.baseVal, path.getAttribute("d")])
  ),
}));
"""

PAINTED = """
return ["kept", "dropped"].map((fate) => {
  const path = document.querySelector(`#evidence .pictures path.${fate}`);
  const pattern = document.querySelector(getComputedStyle(path).fill.match(/#[\\w-]+/)[0]);
  return [getComputedStyle(path).stroke, getComputedStyle(pattern.firstChild).fill,
          pattern.getAttribute("patternTransform")];
});
"""


@pytest.fixture
def opened(
    open_page: Opened, study: Study, evidence: list[dict[str, Any]], tmp_path: Path
) -> Callable[..., Any]:
    """Return a function that opens the report with pictures, at a page of the first topic."""

    def open_(pictures: dict[str, Picture | None], docid: str, **how: Any) -> Any:
        path = write_report(study, evidence, tmp_path / "report.html", pictures=pictures)
        browser = open_page(path, **how)
        one(browser, '#topic-list tr[data-topic="t1"] a').click()
        follow(browser, docid)
        return browser

    return open_


def follow(browser: Any, docid: str) -> None:
    """To a page in the evidence, until its text and what stands above it are there."""
    one(browser, "#evidence a.docid")
    links = browser.find_elements(By.CSS_SELECTOR, "#evidence a.docid")
    link = next(link for link in links if link.text.startswith(docid))
    wait(browser, lambda _: link.is_displayed())
    link.send_keys(Keys.ENTER)
    one(browser, "#evidence .picture-key")


def test_the_blocks_of_a_page_are_drawn_for_two_cleaners(opened: Opened) -> None:
    browser = opened({"d2": PICTURE}, "d2")
    every, some = browser.execute_script(PANELS)
    across, left, right = "M0 0h320v10h-320z", "M0 10h160v10h-160z", "M160 10h160v10h-160z"
    assert every["caption"] == "words>=1: 5 of 5 blocks kept"
    assert every["paths"] == {"dropped": "", "kept": across + left + right}
    assert some["caption"] == "bte: 1 of 5 blocks kept"
    assert some["name"] == "The page as drawn, 1 of 5 blocks kept by bte"
    assert some["paths"] == {"dropped": across + right, "kept": left}
    assert every["view"] == some["view"] == "0 0 320 40"
    assert every["width"] > 200
    assert complaints(browser) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_kept_and_dropped_differ_in_colour_and_in_hatching(opened: Opened, *, dark: bool) -> None:
    browser = opened({"d2": PICTURE}, "d2", dark=dark)
    kept, dropped = browser.execute_script(PAINTED)
    assert kept == ["rgb(0, 114, 178)", "rgb(0, 114, 178)", "rotate(45)"]
    assert dropped == ["rgb(213, 94, 0)", "rgb(213, 94, 0)", "rotate(-45)"]


def test_the_legend_says_what_is_not_drawn(opened: Opened) -> None:
    browser = opened({"d2": PICTURE}, "d2")
    assert one(browser, "#evidence .picture-key").text == (
        "kept dropped Of so many blocks, neighbours that are treated alike are drawn as one. "
        "Blocks left out: 1 that nobody sees on the page, 2 that are the smallest."
    )


def test_a_page_without_a_picture_says_why(opened: Opened) -> None:
    browser = opened({"d2": None, f"d1 {HOSTILE}": PICTURE}, "d2")
    assert one(browser, "#evidence .picture-key").text == "The browser did not draw this page."
    assert browser.execute_script(PANELS) == []
    one(browser, "#evidence .page a").click()
    follow(browser, "d1")
    assert len(browser.execute_script(PANELS)) == 2
    browser = opened({f"d1 {HOSTILE}": PICTURE}, "d2")
    assert "left out for its size" in one(browser, "#evidence .picture-key").text


def test_pictures_fit_on_a_phone_and_on_paper(opened: Opened) -> None:
    browser = opened({"d2": PICTURE}, "d2", width=360)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 360
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    (both,) = browser.find_elements(By.CSS_SELECTOR, "#evidence .pictures")
    assert both.value_of_css_property("overflow") == "visible"


def test_going_back_and_forth_draws_one_picture(opened: Opened) -> None:
    browser = opened({"d2": PICTURE}, "d2")
    for _ in range(3):
        browser.back()
        browser.forward()
    one(browser, "#evidence .pictures")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#evidence .pictures")) == 1
    assert len(browser.find_elements(By.CSS_SELECTOR, "#evidence .picture-key")) == 1
    assert complaints(browser) == []
