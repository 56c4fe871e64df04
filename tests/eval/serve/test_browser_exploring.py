"""Exploring in a real browser, with the keyboard alone; and every page read by axe."""

import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from tests.conftest import size
from tests.eval.people.serving import Served, begin, forget, press
from tests.eval.serve.conftest import shown

pytestmark = pytest.mark.java


def wait_for(browser: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 120).until(lambda b: b.execute_script(f"return {script}"))


def keys(browser: Any, *pressed: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*pressed).perform()


def test_slider_changes_the_list_as_it_moves(browser: Any, exploring: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    size(browser, 1280)
    forget(browser)
    browser.get(exploring.address)
    browser.get_log("browser")
    press(browser, "bread\n")
    assert browser.title == "bread"
    # Button, rule and sliders of A, rule and sliders of B
    keys(browser, *[Keys.TAB] * 6)
    label = "return document.activeElement.getAttribute('aria-label')"
    for _ in range(4):
        if browser.execute_script(label) == "least of B":
            break
        keys(browser, Keys.TAB)
    assert browser.execute_script(label) == "least of B"
    for key, cleaner in (
        (Keys.END, "words>=11"),
        (Keys.HOME, "words>=1"),
        (Keys.RIGHT, "words>=2"),
        (Keys.RIGHT, "words>=3"),
    ):
        keys(browser, key)
        wait_for(
            browser, f"document.querySelector('#listB bdi').textContent === '{cleaner}'"
        )
        assert browser.execute_script(label) == "least of B"
    wait_for(browser, "location.search.endsWith('c=words%3E%3D1&c=words%3E%3D3')")
    # The chosen lists stay
    for name, columns in (("one list more", 3), ("one less", 2)):
        [button] = [
            one
            for one in browser.find_elements("css selector", ".more button")
            if one.text == name
        ]
        button.click()
        wait_for(browser, f"document.querySelectorAll('[list]').length === {columns}")
        assert (
            browser.execute_script("return document.forms.explore.cB.value")
            == "words>=3"
        )
    wait_for(browser, "location.search.endsWith('c=words%3E%3D1&c=words%3E%3D3')")
    browser.execute_script(
        "document.querySelector('[aria-label=\"least of B\"]').focus()"
    )
    keys(browser, Keys.END)
    wait_for(browser, "document.querySelectorAll('ul.left li').length === 1")
    left = browser.find_element("css selector", "ul.left a").text
    assert left.startswith("<script>")  # the hostile page's title, as text
    snippets = browser.find_elements("css selector", "#listB ~ ol .snippet mark")
    assert {one.text.casefold() for one in snippets} == {"bread"}
    press_link = "document.querySelector('#lists ol a').click()"
    browser.execute_script(press_link)
    wait_for(browser, "document.querySelector('#match mark') !== null")
    wait_for(browser, "document.querySelector('.block') !== null")
    press(browser, "b")
    assert browser.current_url.endswith("?q=bread&c=words%3E%3D1&c=words%3E%3D11")
    keys(browser, "/", "oven", Keys.ENTER)
    wait_for(browser, "document.title === 'oven'")
    assert [
        log for log in browser.get_log("browser") if "favicon" not in log["message"]
    ] == []


def test_hostile_queries_are_text(browser: Any, exploring: Served) -> None:
    begin_exploring(browser, exploring)
    query = "</title><script>document.title='attacked'</script>'\"><img src=x onerror=alert(1)>"
    browser.execute_script("document.forms.explore.q.value = arguments[0]", query)
    press(browser, "\n")
    assert "attacked" not in browser.title.replace("='attacked'", "")
    assert browser.find_elements("css selector", "main img, main script") == []
    assert browser.execute_script("return document.forms.explore.q.value") == query


def begin_exploring(browser: Any, exploring: Served) -> None:
    size(browser, 1280)
    forget(browser)
    browser.get(exploring.address)


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_where_queries_are_explored(
    browser: Any, exploring: Served, dark: bool
) -> None:
    begin_exploring(browser, exploring)
    for width in (1440, 390):
        size(browser, width, dark=dark)
        for path in (
            "",
            "?q=bread&c=words>=1&c=words>=11",
            "?q=bread&c=words>=1&c=words>=11&c=bte&c=(",
            "page?q=bread&docid=d3",
        ):
            browser.get(exploring.address + path)
            assert violations(browser) == []
            assert (
                browser.execute_script("return document.documentElement.scrollWidth")
                <= width
            )


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_where_documents_are_judged(
    browser: Any, served: Served, dark: bool
) -> None:
    for width in (1440, 390):
        size(browser, width, dark=dark)
        forget(browser)
        browser.get(served.address)
        assert violations(browser) == []
        press(browser, "anna\n")
        assert violations(browser) == []
        assert (
            browser.execute_script("return document.documentElement.scrollWidth")
            <= width
        )
        background = "return getComputedStyle(document.body).backgroundColor"
        expected = "rgb(20, 22, 26)" if dark else "rgb(251, 250, 247)"
        assert browser.execute_script(background) == expected
        press(browser, "2")
        browser.get(f"{served.address}?back=1")
        assert violations(browser) == []


def violations(browser: Any) -> list[str]:
    """Return what axe finds on the page, each as its rule and the first element."""
    package = pytest.importorskip(
        "axe_core_python", reason="axe-core-python is not installed"
    )
    axe = resources.files(package).joinpath("axe.min.js").read_text("utf-8")
    browser.execute_script(axe)
    found = browser.execute_async_script(
        "axe.run().then(arguments[arguments.length - 1], e => arguments[arguments.length - 1](e))"
    )
    assert found["passes"], json.dumps(found)[:500]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]
    ]


def test_two_assessors_judge_at_once(
    browser: Any, start_browser: Callable[[], Any], served: Served
) -> None:
    other = start_browser()
    for one, name in ((browser, "anna"), (other, "ben")):
        size(one, 1280)
        begin(one, served.address, name)
    seen = set()
    for _ in range(6):
        here, there = shown(browser), shown(other)
        assert here != there  # a document on one screen is not shown on the other
        seen |= {here, there}
        press(browser, "2")
        press(other, "0")
    records = served.page.judgements.records["people"]
    assert {name: len(own) for name, own in records.items()} == {"anna": 6, "ben": 6}
    assert {(one.topic, one.docid) for own in records.values() for one in own} == seen
    for name, grade in (("anna", "2"), ("ben", "0")):
        lines = (
            (served.page.judgements.folder / f"people/{name}.qrels")
            .read_text()
            .split("\n")
        )
        assert {line.split()[-1] for line in lines if line} == {grade}
    browser.refresh()
    assert f"6 judged, {len(seen)} by all" in browser.page_source
