"""Arabic and Hebrew in the report: every text runs from right to left, and turns nothing else."""

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver.common.by import By

from boilersweep.eval.explain.documents import Effect, account
from tests.eval.made_up import ReadStudy
from tests.eval.report.chromium.conftest import one, wait
from tests.eval.report.conftest import write_report

Opened = Callable[..., Any]

QUERIES = {"t1": "خبز الفرن (1998)", "t2": "לחם מהתנור, 1998", "t3": "bread ovens"}
ARABIC = ["كل صباح نضع ", "الخبز", " في الفرن (منذ 1998)!"]
HEBREW = ["בכל בוקר אופים ", "לחם", " בתנור הישן (משנת 1998)!"]
TITLES = {"d1": "خبز الفرن: وصفة 1998!", "d2": "לחם מהתנור: מתכון 1998!"}
MENU = "Home | Contact"

PLACES = """
// The boxes of the texts within an element, in the order of the document.
const walker = document.createTreeWalker(arguments[0], NodeFilter.SHOW_TEXT);
const boxes = [];
while (walker.nextNode()) {
  const range = document.createRange();
  range.selectNodeContents(walker.currentNode);
  boxes.push(range.getBoundingClientRect().toJSON());
}
return boxes;
"""

TERMS = """
// Where the terms stand in a sentence.
const text = arguments[0].firstChild;
return arguments[1].map((term) => {
  const at = text.data.indexOf(term), range = document.createRange();
  range.setStart(text, at);
  range.setEnd(text, at + term.length);
  return range.getBoundingClientRect().left;
});
"""


@pytest.fixture
def opened(
    open_page: Opened,
    document: dict[str, Any],
    evidence: list[dict[str, Any]],
    read: ReadStudy,
    tmp_path: Path,
) -> Any:
    """Open the report of a study with Arabic and Hebrew documents on the first topic."""
    for topic in document["topics"]:
        topic["query"] = QUERIES[topic["id"]]
    first = evidence[0]["topics"][0]
    sentence = account(
        Effect(("words>=1", "bte"), (3, 1), (30, 20), 2, 2, 0, 0, ("خبز", "فرن"), (3, 12))
    )
    left, entered, _ = first["documents"]
    for docid, document_, snippet in (("d1", left, ARABIC), ("d2", entered, HEBREW)):
        document_ |= {"docid": docid, "sentence": sentence}
        document_["matches"] = [{"block": 1, "kept": [1, 0], "counts": [1], "snippet": snippet}]
    first |= {"documents": [left, entered], "terms": ["خبز", "فرن"]}
    evidence[0]["pages"] = {
        docid: {
            "title": TITLES[docid],
            "texts": [MENU, "".join(snippet), MENU],
            "words": [2, 9, 2],
            "kept": ["111", "010"],
            "extractors": [],
        }
        for docid, snippet in (("d1", ARABIC), ("d2", HEBREW))
    }
    browser = open_page(write_report(read(document), evidence, tmp_path / "report.html"))
    one(browser, '#topic-list tr[data-topic="t1"] a').click()
    wait(browser, lambda b: len(b.find_elements(By.CSS_SELECTOR, "#evidence .documents")) == 2)
    for summary in browser.find_elements(By.CSS_SELECTOR, "#evidence .documents summary"):
        summary.click()
    return browser


def direction(browser: Any, one: Any) -> str:
    found: str = browser.execute_script("return getComputedStyle(arguments[0]).direction", one)
    return found


def from_the_right(boxes: list[dict[str, float]]) -> bool:
    return all(before["left"] >= after["right"] - 1 for before, after in itertools.pairwise(boxes))


def test_snippets_run_from_the_right_and_what_is_said_of_them_does_not(opened: Any) -> None:
    snippets = opened.find_elements(By.CSS_SELECTOR, "#evidence .matches bdi")
    assert len(snippets) == 2
    for snippet in snippets:
        assert direction(opened, snippet) == "rtl"
        boxes = opened.execute_script(PLACES, snippet)
        assert len(boxes) == 3
        assert from_the_right(boxes)
        item = snippet.rect
        assert boxes[0]["right"] > item["x"] + item["width"] - 3  # as the lines of such a text do
    for said in opened.find_elements(By.CSS_SELECTOR, "#evidence .matches .what"):
        assert direction(opened, said) == "ltr"


def test_terms_stand_in_the_order_of_the_sentence(opened: Any) -> None:
    sentence = next(
        one
        for one in opened.find_elements(By.CSS_SELECTOR, "#evidence .documents p")
        if "gone" in one.text
    )
    first, second = opened.execute_script(TERMS, sentence, ["خبز", "فرن"])
    assert first < second
    terms = [one.rect["x"] for one in opened.find_elements(By.CSS_SELECTOR, "#evidence .term")]
    assert terms == sorted(terms)


def test_topics_and_titles_are_directed_by_their_own_text(opened: Any) -> None:
    queries = opened.find_elements(By.CSS_SELECTOR, "#topic-list tbody bdi")
    directions = {one.text: direction(opened, one) for one in queries}
    assert directions == {QUERIES["t1"]: "rtl", QUERIES["t2"]: "rtl", QUERIES["t3"]: "ltr"}
    titles = opened.find_elements(By.CSS_SELECTOR, "#evidence bdi.title")
    assert {one.text: direction(opened, one) for one in titles} == dict.fromkeys(
        TITLES.values(), "rtl"
    )
    head = one(opened, "#evidence-head bdi")
    assert (head.text, direction(opened, head)) == (QUERIES["t1"], "rtl")
