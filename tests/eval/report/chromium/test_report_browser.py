"""The report in headless Chromium: it draws, sorts, hovers, follows its links, and holds still."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from boilersweep.eval.explain.documents import Effect, account
from boilersweep.eval.study.results import Study
from tests.conftest import size
from tests.eval.made_up import ReadStudy
from tests.eval.report.chromium.conftest import complaints, one, wait
from tests.eval.report.conftest import write_report

Opened = Callable[..., Any]

DRAWINGS = """
return [...document.querySelectorAll(`${arguments[0]} svg`)]
  .map((one) => one.clientWidth).filter((width) => width > 100);
"""

# Texts that are seen: Vega hides those that have no room.
NAMES = """
return [...document.querySelectorAll(`${arguments[0]} text`)]
  .filter((one) => arguments[1].includes(one.textContent) && getComputedStyle(one).opacity !== "0")
  .map((one) => [one.textContent, one.getBoundingClientRect().toJSON()]);
"""

# Colours of a chart's texts.
INKS = """
return [...document.querySelectorAll(`${arguments[0]} text`)]
  .map((one) => getComputedStyle(one).fill);
"""


def texts(browser: Any, selector: str) -> list[str]:
    return [found.text for found in browser.find_elements(By.CSS_SELECTOR, selector)]


def requests(browser: Any) -> list[str]:
    """Addresses that were asked for, but for the page, data in it, and what its policy refused."""
    sent = {}
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        about = message["params"]
        if message["method"] == "Network.requestWillBeSent":
            sent[about["requestId"]] = about["request"]["url"]
        elif (
            message["method"] == "Network.loadingFailed"
            and about.get("blockedReason") == "csp"
        ):
            sent.pop(about["requestId"], None)
    inside = ("file:", "data:", "about:")
    return [address for address in sent.values() if not address.startswith(inside)]


def open_topic(browser: Any, topic: str) -> None:
    one(browser, f'#topic-list tr[data-topic="{topic}"] a').click()
    wait(browser, lambda b: one(b, "#evidence-head").text.startswith(topic))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360], ids=["desk", "phone"])
def test_it_draws_in_the_width_there_is(
    open_page: Opened, report: Path, *, width: int, dark: bool
) -> None:
    browser = open_page(report, width=width, dark=dark)
    assert (
        browser.execute_script("return document.documentElement.scrollWidth") <= width
    )
    for name in (
        "means-0",
        "curves-0",
        "curves-3",
        "differences-0",
        "tradeoff-0",
        "mixture-0",
    ):
        assert browser.execute_script(DRAWINGS, f'[data-chart="{name}"]'), name
    ground = browser.execute_script(
        "return getComputedStyle(document.body).backgroundColor"
    )
    assert ground == ("rgb(20, 22, 26)" if dark else "rgb(251, 250, 247)")
    assert complaints(browser) == []
    assert requests(browser) == []


def test_charts_follow_the_scheme_while_open(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    muted = browser.execute_script(INKS, '[data-chart="curves-0"]')
    assert set(muted) == {"rgb(98, 94, 87)"}
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    muted = browser.execute_script(INKS, '[data-chart="curves-0"]')
    assert set(muted) == {"rgb(169, 165, 157)"}
    assert complaints(browser) == []


def test_charts_follow_the_width_while_open(open_page: Opened, report: Path) -> None:
    browser = open_page(report, width=1280)
    size(browser, 400, dark=False)
    (width,) = wait(
        browser,
        lambda b: [
            w for w in b.execute_script(DRAWINGS, '[data-chart="curves-0"]') if w < 400
        ],
    )
    assert width > 300
    assert complaints(browser) == []


def test_the_answer_stands_on_the_first_screen(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    for selector in ("h1", ".lede", ".facts", "#command", '[data-chart="means-0"]'):
        bottom = (
            one(browser, selector).rect["y"] + one(browser, selector).rect["height"]
        )
        assert bottom <= 850, selector
    assert one(browser, "h1").text == "Index with bte"


def test_a_head_sorts_and_says_so(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    table = ".comparison:not([hidden])"
    head = one(browser, f"{table} th:nth-child(2) button")
    names = f"{table} tbody tr:not([hidden]) th bdi"
    head.click()
    assert (
        one(browser, f"{table} th:nth-child(2)").get_attribute("aria-sort")
        == "descending"
    )
    assert texts(browser, names) == [
        "gold",
        "bte",
        "words>=2",
        "density>=2",
        "words>=1",
    ]
    head.send_keys(Keys.ENTER)
    assert (
        one(browser, f"{table} th:nth-child(2)").get_attribute("aria-sort")
        == "ascending"
    )
    assert texts(browser, names)[-1] == "gold"
    # The baseline has no difference: it stands at the end either way.
    difference = one(browser, f"{table} th:nth-child(4) button")
    for _ in range(2):
        difference.click()
        assert texts(browser, names)[-1] == "words>=1"
    assert one(browser, f"{table} th:nth-child(2)").get_attribute("aria-sort") is None


def test_all_thresholds_and_the_other_measure_on_demand(
    open_page: Opened, report: Path
) -> None:
    browser = open_page(report)
    assert "words>=3" not in texts(browser, ".comparison:not([hidden]) tbody bdi")
    one(browser, "#extra").click()
    assert "words>=3" in texts(browser, ".comparison:not([hidden]) tbody bdi")
    one(browser, "input[name=measure][value='1']").click()
    assert one(browser, ".comparison:not([hidden]) caption").text.startswith("nDCG@10")


def test_hovering_tells_the_figures(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    place = one(browser, '[data-chart="curves-0"]')
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
    ActionChains(browser).move_to_element(place).perform()
    text = one(browser, "#vg-tooltip-element.visible").text
    assert "words>=2" in text  # the middle one of three
    assert "0.433" in text
    assert "[0.333, 0.533]" in text


def test_from_a_topic_to_its_evidence_to_a_page(
    open_page: Opened, report: Path
) -> None:
    browser = open_page(report)
    assert [row[:2] for row in texts(browser, "#topic-list tbody th")] == [
        "t1",
        "t2",
        "t3",
    ]
    assert "1 better, 1 worse, 1 the same" in one(browser, "#topics-summary").text
    open_topic(browser, "t1")
    assert texts(browser, "#evidence h4") == [
        "Entered the top 10 (1)",
        "Left the top 10 (1)",
    ]
    assert "rank 12 \u2192 4" in one(browser, "#evidence").text
    assert texts(browser, "#evidence .badge")[0] == "relevant, 1"
    one(browser, "#evidence .documents summary").click()
    assert texts(browser, "#evidence .matches mark")[:2] == ["first", "first"]
    assert "dropped by bte" in one(browser, "#evidence .matches .dropped").text
    one(browser, "#evidence a.docid").send_keys(Keys.ENTER)
    assert "bte" in texts(browser, "#evidence .drawing svg text")
    frame = one(browser, "#evidence iframe")
    assert frame.get_attribute("sandbox") == ""
    browser.switch_to.frame(frame)
    blocks = browser.find_elements(By.CSS_SELECTOR, "p")
    assert [block.get_attribute("class") for block in blocks] == [
        "dropped",
        "",
        "dropped",
    ]
    assert blocks[0].text.startswith("dropped by bte")
    browser.switch_to.default_content()
    browser.back()
    wait(browser, lambda b: texts(b, "#evidence h4"))
    assert complaints(browser) == []


def test_an_address_leads_to_a_topic(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    open_topic(browser, "t3")
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    wait(browser, lambda b: one(b, "#evidence-head").text.startswith("t3"))
    assert (
        one(browser, "#topic-list tr[aria-current]").get_attribute("data-topic") == "t3"
    )


def test_another_cleaner_and_measure(open_page: Opened, report: Path) -> None:
    browser = open_page(report)
    Select(one(browser, "#topic-cleaner")).select_by_visible_text("gold (upper bound)")
    Select(one(browser, "#topic-measure")).select_by_visible_text("nDCG@10")
    assert texts(browser, "#topic-list td:last-child") == ["+0.700", "+0.500", "+0.300"]
    open_topic(browser, "t2")
    assert "no evidence for this topic with gold" in one(browser, "#evidence").text


def test_nothing_of_a_page_runs_or_leaves_its_frame(
    open_page: Opened, report: Path
) -> None:
    browser = open_page(report)
    for topic in ("t2", "t1"):
        open_topic(browser, topic)
    for summary in browser.find_elements(By.CSS_SELECTOR, "#evidence summary"):
        summary.click()
    for place in (0, 1):
        open_topic(browser, "t1")
        wait(browser, lambda b: b.find_elements(By.CSS_SELECTOR, "#evidence a.docid"))
        browser.find_elements(By.CSS_SELECTOR, "#evidence a.docid")[place].click()
        browser.switch_to.frame(one(browser, "#evidence iframe"))
        assert "window.pwned" in one(browser, "body").text
        inside = browser.execute_script(
            "const active = document.querySelectorAll('script, img, svg, iframe');"
            "return [typeof window.pwned, active.length]"
        )
        assert inside == ["undefined", 0]
        browser.switch_to.default_content()
        one(browser, "#evidence .page a").click()
    assert browser.execute_script("return typeof window.pwned") == "undefined"
    assert (
        browser.execute_script(
            "return document.querySelectorAll('img, #evidence svg').length"
        )
        == 0
    )
    assert browser.execute_script("return document.scripts.length") == 5
    assert complaints(browser) == []
    assert requests(browser) == []


def test_a_script_put_into_the_open_page_is_refused(
    open_page: Opened, report: Path
) -> None:
    browser = open_page(report)
    browser.execute_script(
        "const one = document.createElement('script'); one.textContent = 'window.pwned = 9';"
        "document.body.append(one);"
        "const two = document.createElement('img'); two.src = 'http://pwned.invalid/x.png';"
        "document.body.append(two);"
    )
    assert browser.execute_script("return typeof window.pwned") == "undefined"
    assert (
        len([text for text in complaints(browser) if "Content Security Policy" in text])
        == 2
    )
    assert requests(browser) == []


def test_the_evidence_opens_on_the_largest_win_and_loss(
    open_page: Opened, report: Path
) -> None:
    browser = open_page(report)
    wait(browser, lambda b: len(texts(b, "#evidence .extreme")) == 2)
    assert texts(browser, "#evidence h4.topic") == [
        "The largest win: t1 first query",
        "The largest loss: t3 third query",
    ]
    assert "Left the top 10 (1)" in texts(browser, "#evidence h4")
    assert browser.execute_script("return scrollY") == 0
    Select(one(browser, "#topic-cleaner")).select_by_visible_text("words>=2")
    # It loses nowhere
    wait(browser, lambda b: len(texts(b, "#evidence .extreme")) == 1)
    one(browser, "#evidence h4.topic a").click()
    wait(browser, lambda b: one(b, "#evidence-head").text.startswith("t1"))
    browser.back()
    wait(browser, lambda b: texts(b, "#evidence h4.topic"))


def test_what_is_not_relevant_is_not_green(
    open_page: Opened, study: Study, evidence: list[dict[str, Any]], tmp_path: Path
) -> None:
    left = evidence[0]["topics"][0]["documents"][0]
    left |= {"grade": 0, "verdict": "gain"}
    browser = open_page(write_report(study, evidence, tmp_path / "report.html"))
    open_topic(browser, "t1")
    wait(browser, lambda b: len(texts(b, "#evidence .badge")) >= 4)
    colours = browser.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('#evidence .badge')]"
        ".map((one) => [one.textContent, getComputedStyle(one).color]))"
    )
    green = colours["a gain"]
    assert {"not relevant", "relevant, 1"} <= colours.keys()
    assert all(colour != green for text, colour in colours.items() if text != "a gain")


@pytest.mark.parametrize("width", [1440, 1280])
def test_the_comparison_does_not_scroll_sideways(
    open_page: Opened,
    document: dict[str, Any],
    read: ReadStudy,
    tmp_path: Path,
    width: int,
) -> None:
    for variant in document["variants"][1:]:
        variant |= {"index_bytes": 1_900_000, "index_measured": False}
        variant["results"]["P@10"] |= {"gap_low": -0.12, "gap_high": 0.93}
    report = write_report(read(document), [], tmp_path / "report.html")
    browser = open_page(report, width=width)
    table = one(browser, ".comparison:not([hidden])")
    wider = "return arguments[0].scrollWidth - arguments[0].clientWidth"
    assert browser.execute_script(wider, table) <= 0
    heads = ".comparison:not([hidden]) thead th"
    shown = [text for text in texts(browser, heads) if text]
    assert "p (t)" not in shown
    one(browser, "#details").click()
    more = [text for text in texts(browser, heads) if text]
    assert {"p (t)", "terms lost", "relevant left empty"} <= {
        " ".join(text.split()) for text in more
    }
    assert len(more) > len(shown) + 5
    assert "[\u221212%, 93%]" in texts(browser, ".comparison:not([hidden]) tbody td")


CROWD = [f"words>=2 & density>={number}" for number in range(2, 14)]


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.parametrize("width", [1440, 390])
def test_names_of_dots_do_not_overlap(
    open_page: Opened,
    document: dict[str, Any],
    read: ReadStudy,
    tmp_path: Path,
    width: int,
) -> None:
    """A dozen cleaners that score alike and keep alike."""
    baseline, bte = document["variants"][:2]
    crowd = []
    for number, cleaner in enumerate(CROWD):
        one_of_many = json.loads(json.dumps(bte)) | {
            "cleaner": cleaner,
            "name": f"n{number}",
        }
        one_of_many["tokens_kept"] = 0.8 + 0.004 * number
        one_of_many["results"]["P@10"]["mean"] = 0.5 + 0.003 * (number % 4)
        crowd.append(one_of_many)
    document["variants"] = [baseline, bte, *crowd, document["variants"][-1]]
    document |= {"gold": 14, "choice": None, "advice": None, "suggestion": None}
    browser = open_page(
        write_report(read(document), [], tmp_path / "report.html"), width=width
    )
    names = [*CROWD, "bte", "gold", "words>=1"]
    found = browser.execute_script(NAMES, '[data-chart="tradeoff-0"]', names)
    boxes = dict(found)
    assert {"bte", "gold", "words>=1"} <= boxes.keys() or {
        "gold",
        "words>=1",
    } <= boxes.keys()
    assert len(boxes) >= 4
    for name, box in boxes.items():
        for other, beside in boxes.items():
            is_apart = (
                box["right"] <= beside["left"] + 1
                or beside["right"] <= box["left"] + 1
                or box["bottom"] <= beside["top"] + 2
                or beside["bottom"] <= box["top"] + 2
            )
            assert name == other or is_apart, (name, other)
    assert complaints(browser) == []


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
        Effect(
            ("words>=1", "bte"), (3, 1), (30, 20), 2, 2, 0, 0, ("خبز", "فرن"), (3, 12)
        )
    )
    left, entered, _ = first["documents"]
    for docid, document_, snippet in (("d1", left, ARABIC), ("d2", entered, HEBREW)):
        document_ |= {"docid": docid, "title": TITLES[docid], "sentence": sentence}
        document_["matches"] = [
            {"block": 1, "kept": [1, 0], "counts": [1], "snippet": snippet}
        ]
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
    browser = open_page(
        write_report(read(document), evidence, tmp_path / "report.html")
    )
    one(browser, '#topic-list tr[data-topic="t1"] a').click()
    wait(
        browser,
        lambda b: len(b.find_elements(By.CSS_SELECTOR, "#evidence .documents")) == 2,
    )
    for summary in browser.find_elements(
        By.CSS_SELECTOR, "#evidence .documents summary"
    ):
        summary.click()
    return browser


def direction(browser: Any, one: Any) -> str:
    found: str = browser.execute_script(
        "return getComputedStyle(arguments[0]).direction", one
    )
    return found


def from_the_right(boxes: list[dict[str, float]]) -> bool:
    return all(
        before["left"] >= after["right"] - 1
        for before, after in itertools.pairwise(boxes)
    )


def test_snippets_run_from_the_right_and_what_is_said_of_them_does_not(
    opened: Any,
) -> None:
    snippets = opened.find_elements(By.CSS_SELECTOR, "#evidence .matches bdi")
    assert len(snippets) == 2
    for snippet in snippets:
        assert direction(opened, snippet) == "rtl"
        boxes = opened.execute_script(PLACES, snippet)
        assert len(boxes) == 3
        assert from_the_right(boxes)
        item = snippet.rect
        # As the lines of such a text do
        assert boxes[0]["right"] > item["x"] + item["width"] - 3
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
    terms = [
        one.rect["x"]
        for one in opened.find_elements(By.CSS_SELECTOR, "#evidence .term")
    ]
    assert terms == sorted(terms)


def test_topics_and_titles_are_directed_by_their_own_text(opened: Any) -> None:
    queries = opened.find_elements(By.CSS_SELECTOR, "#topic-list tbody bdi")
    directions = {one.text: direction(opened, one) for one in queries}
    assert directions == {
        QUERIES["t1"]: "rtl",
        QUERIES["t2"]: "rtl",
        QUERIES["t3"]: "ltr",
    }
    titles = opened.find_elements(By.CSS_SELECTOR, "#evidence bdi.title")
    assert {one.text: direction(opened, one) for one in titles} == dict.fromkeys(
        TITLES.values(), "rtl"
    )
    head = one(opened, "#evidence-head bdi")
    assert (head.text, direction(opened, head)) == (QUERIES["t1"], "rtl")
