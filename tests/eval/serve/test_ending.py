"""The end of judging: the course of certainty, and the lists that the best cleaner changes."""

import re
from typing import Any

import pytest

from boilersweep.eval.assess.assessment import Assessment
from boilersweep.eval.assess.output import Judgement
from tests.conftest import size
from tests.eval.assess.conftest import grade
from tests.eval.people.serving import Served, begin, press
from tests.eval.serve.conftest import shown

WIDTH = "return document.documentElement.scrollWidth"


def judge_all(assessment: Assessment, *, same: bool = False) -> int:
    """Judge all that decides; return how many documents that was."""
    judged = 0
    while chosen := assessment.next_for("anna", rest=False):
        (topic, docid), repeat = chosen
        given = 0 if same else grade(docid)
        assessment.add("people", "anna", Judgement(topic, docid, given, repeat=repeat))
        judged += not repeat
    return judged


def test_the_chart_says_when_it_was_certain(served: Served) -> None:
    assert "<svg" not in served.ask("/")[1]
    judged = judge_all(served.page)
    body = served.ask("/")[1]
    label = re.search(r'role="img" aria-label="([^"]*)"', body)
    assert label
    found = re.fullmatch(
        r"Certainty that one cleaner is best: 50% after (\d+), 95% after (\d+), "
        rf"(9[5-9]|100)% after all {judged} judgements",
        label[1],
    )
    assert found
    assert 0 < int(found[1]) < int(found[2]) == judged
    # As it was at each judgement, by the log
    for number in (int(found[1]), int(found[2])):
        levels = served.page.course()
        assert max(at for at in levels if at <= number) == number
    assert re.search(r'<path d="M40 107H40\.0V107\.0(H[\d.]+V[\d.]+)+H352"/>', body)


def test_without_an_answer_the_chart_stays_low(served: Served) -> None:
    judged = judge_all(served.page, same=True)
    body = served.ask("/")[1]
    text = f"Certainty that one cleaner is best: 0% after all {judged} judgements"
    assert text in body
    assert "What learned changes" not in body
    assert "new documents" not in body


def test_a_judgement_that_changes_counts_where_it_was_first_made(
    served: Served,
) -> None:
    judge_all(served.page)
    before = served.page.course()
    topic, docid = served.page.family.topics[0], "r2"
    again = Judgement(topic, docid, 1, time="2999-01-01T00:00:00+00:00")
    served.page.add("people", "anna", again)
    assert served.page.course() == before


def test_the_winners_lists_beside_those_before(served: Served) -> None:
    judge_all(served.page)
    body = served.ask("/")[1]
    assert "<h2>What learned changes</h2>" in body
    assert body.count('<details class="changed"') == 5
    assert body.count('<details class="changed" open>') == 1
    first = body.partition('<details class="changed"')[2].partition("</details>")[0]
    assert "<bdi>bread ovens" in first
    assert "· 2 new" in first
    before, _, after = first.partition("<h3><bdi>learned</bdi></h3>")
    assert "<h3><bdi>words&gt;=1</bdi></h3>" in before
    assert (before.count("<li"), after.count("<li")) == (3, 3)
    assert (before.count(">left<"), after.count(">new<")) == (2, 2)
    assert '<b class="letter" title="grade">2</b>' in after
    assert "<script>document" not in body


def test_no_cleaner_is_named_before_the_end(served: Served) -> None:
    body = served.ask("/")[1].partition("<aside")[0]
    assert "learned" not in body
    assert "changed" not in body


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_end_fits_and_can_be_read(
    browser: Any, served: Served, width: int, *, dark: bool
) -> None:
    judge_all(served.page)
    size(browser, width, dark=dark)
    begin(browser, served.address, "anna")
    assert browser.execute_script(WIDTH) <= width
    box, colour, ground = browser.execute_script(
        "const chart = document.querySelector('.chart');"
        "return [chart.getBoundingClientRect().toJSON(),"
        " getComputedStyle(chart.querySelector('path:not([class])')).stroke,"
        " getComputedStyle(document.body).backgroundColor]"
    )
    assert 0 <= box["left"] < box["right"] <= width
    assert box["height"] > 100
    lightness = [
        sum(map(int, re.findall(r"\d+", text)[:3])) for text in (colour, ground)
    ]
    assert (lightness[0] > lightness[1]) == dark


@pytest.mark.parametrize("width", [390, 1280])
def test_a_whole_audit_by_keyboard(browser: Any, served: Served, width: int) -> None:
    assessment = served.page
    for topic, docid in assessment.to_predict("model"):
        assessment.add("programs", "model", Judgement(topic, docid, grade(docid)))
    assessment.audit("model")
    size(browser, width)
    begin(browser, served.address, "anna")
    aside = browser.find_element("css selector", "aside").text
    assert "Claims are about these 40 queries alone" in aside
    assert "of 160 documents" in browser.find_element("css selector", ".bar").text
    press(browser, "s")  # what is skipped counts as the worst
    pressed = 0
    while not browser.find_elements("css selector", "main.decision"):
        assert browser.execute_script(WIDTH) <= width
        press(browser, str(grade(shown(browser)[1])))
        pressed += 1
        assert pressed < 40
    text = browser.find_element("css selector", "main").text
    assert text.startswith("You are done: use learned")
    assert f"certain for these queries ({pressed + 1} documents)" in text
    assert "They audit model, which was right about" in text
    assert browser.execute_script(WIDTH) <= width
    assert assessment.judgements.audit.program == "model"
