"""The copy of a page that is judged: what it shows, and that it can do nothing."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep.eval.assess.assessment import Assessment, documents_to_judge
from boilersweep.eval.assess.judgements import Judgements
from boilersweep.eval.stats.families import Family, parse_summed_measure
from boilersweep.pages.segmenter import Segmenter
from boilersweep.topics import Topic
from tests.conftest import size
from tests.eval.people.serving import Served, begin, serving
from tests.hostile_pages import ATTACKS, CONSTRUCTS
from tests.stores import make_store_of

PAGE = (
    "<title>A page</title><h1>Bread</h1><p>Our <b>bread</b> &amp; ovens ü</p>"
    "<noscript><i>without scripts</i></noscript>"
)

MakeServed = Callable[[dict[str, str]], contextlib.AbstractContextManager[Served]]


@pytest.fixture
def serve(needs_serve: None, tmp_path: Path) -> MakeServed:
    """Return a function that serves the judging of some pages, docid -> HTML."""
    from boilersweep.eval.serve.judging import judging_routes

    @contextlib.contextmanager
    def serve_pages(pages: dict[str, str]) -> Iterator[Served]:
        store = make_store_of(tmp_path, pages)
        runs = {"words>=1": {"t": list(pages)}, "learned": {"t": ["elsewhere"]}}
        judged = tmp_path / "judged"
        topic = Topic("t", "bread")
        judgements = Judgements(judged)
        order = judgements.keep_topics([topic])
        family = Family(runs, order, parse_summed_measure("P@9"))
        shown = documents_to_judge(store, pages.keys(), judgements)
        assessment = Assessment({"t": topic}, family, shown, judgements)
        with serving(store, judging_routes(assessment, store)) as served:
            yield served

    return serve_pages


def test_the_page_links_to_a_copy(serve: MakeServed) -> None:
    with serve({"a&b": PAGE}) as served:
        assert 'href="copy?docid=a%26b" target="_blank"' in served.ask("/")[1]
        status, body, headers = served.ask("/copy?docid=a%26b")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert "<h1>Bread</h1><p>Our <b>bread</b> &amp; ovens ü</p>" in body
        assert "<title>A page</title>" in body
        assert "<i>without scripts</i>" in body
        assert served.ask("/copy?docid=other")[0] == 400
        assert served.ask("/copy")[0] == 400


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_a_copy_has_the_blocks_of_the_page(serve: MakeServed, construct: str) -> None:
    with serve({"d": construct}) as served:
        body = served.ask("/copy?docid=d")[1].partition("<hr>")[2]
    wanted = Segmenter().html(construct.encode()).texts
    assert wanted
    assert Segmenter().html(body.encode()).texts == wanted


def test_a_browser_shows_the_text_of_a_copy(browser: Any, serve: MakeServed) -> None:
    pages = {str(number): page for number, page in enumerate(CONSTRUCTS[:18])}
    script = "return document.body.innerText"
    with serve(pages) as served:
        begin(browser, served.address, "anna")
        for docid, page in pages.items():
            browser.get(f"{served.address}copy?docid={docid}")
            words = browser.execute_script(script).split("collected, without")[1]
            wanted = " ".join(Segmenter().html(page.encode()).texts).split()
            assert words.split()[6:] == wanted, page


def test_strangers_see_no_copy(serve: MakeServed) -> None:
    with serve({"d": PAGE}) as served:
        assert served.ask("/copy?docid=d", token="guess")[0] == 403  # noqa: S106
        assert served.ask("/copy?docid=d", host="attacker.example")[0] == 403


def test_a_copy_has_one_policy_and_all_other_headers(serve: MakeServed) -> None:
    with serve({"d": PAGE}) as served:
        copy, page = served.ask("/copy?docid=d")[2], served.ask("/")[2]
    policy = copy["content-security-policy"].split("; ")
    assert {"sandbox", "default-src 'none'", "form-action 'none'"} <= {*policy}
    assert not re.search("script-src|connect-src|allow-", "".join(policy))
    for name in ("x-content-type-options", "referrer-policy", "cache-control"):
        assert copy[name] == page[name]
    assert "script-src 'self'" in page["content-security-policy"]
    assert "sandbox" not in page["content-security-policy"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_of_a_pages_own_markup_is_passed_on(
    serve: MakeServed, attack: str
) -> None:
    with serve({"d": f"<p>before</p>{attack}<p>after</p>"}) as served:
        body = served.ask("/copy?docid=d")[1].partition("<hr>")[2]
    assert "before" in body
    tags = re.findall(r"<[^>]*>", re.sub(r'"[^"]*"', '""', body))
    forbidden = r"script|link|meta|base|frame|object|embed|video|audio|form|svg"
    assert not [tag for tag in tags if re.match(rf"</?(?:{forbidden})", tag)]
    names = {name for tag in tags for name in re.findall(r"\s([\w-]+)=", tag)}
    assert names <= {"style", "title", "alt"}


def test_a_changed_collection_is_told(serve: MakeServed, tmp_path: Path) -> None:
    with serve({"d": PAGE}) as served:
        path = tmp_path / "pages" / "0.jsonl"
        path.write_text(path.read_text().replace("Bread", "Wheat"))
        status, body, _ = served.ask("/copy?docid=d")
        assert (status, "was changed after it was read" in body) == (400, True)
        path.unlink()
        assert "copy?docid" not in served.ask("/")[1]


def test_only_the_address_is_known(served: Served) -> None:
    body = served.ask("/")[1]
    assert "javascript:alert(1)" in body  # as text
    assert "the page</a>" not in body
    documents = served.page.documents
    for docid, shown in documents.items():
        documents[docid] = type(shown)(
            docid,
            shown.title,
            "https://example.org/?a=1&b=2",
            *(getattr(shown, name) for name in ("date", "texts", "kept", "place")),
        )
    link = 'href="https://example.org/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"'
    assert link in served.ask("/")[1]


def test_a_copy_runs_and_fetches_nothing_in_a_browser(
    browser: Any, serve: MakeServed
) -> None:
    size(browser, 1280)
    with serve({"d": PAGE + "".join(ATTACKS)}) as served:
        begin(browser, served.address, "anna")
        opened = browser.current_window_handle
        browser.get_log("performance")
        browser.find_element("css selector", '[data-key="o"]').click()
        [window] = [one for one in browser.window_handles if one != opened]
        try:
            browser.switch_to.window(window)
            assert browser.title == "A page"
            text = browser.find_element("tag name", "body").text
            assert "Our bread & ovens ü" in text
            browser.get_log("performance")
            browser.refresh()
            assert browser.title == "A page"
            asked = [
                json.loads(entry["message"])["message"]["params"]
                for entry in browser.get_log("performance")
                if "Network.requestWillBeSent" in entry["message"]
            ]
            addresses = {one["request"]["url"] for one in asked if "request" in one}
        finally:
            browser.close()
            browser.switch_to.window(opened)
    assert any(url.startswith(served.address) for url in addresses)
    assert not [url for url in addresses if "attacker" in url]


def test_a_plain_text_is_shown_as_it_is(needs_serve: None) -> None:
    from boilersweep.collection.format import Record, SourceLocation
    from boilersweep.eval.people.copy import copy_of_page
    from boilersweep.eval.people.documents import ShownDocument

    place = SourceLocation("a.jsonl", 0)
    record = Record("d", b"1 < 2\n  <b>", place, plain=True)
    body = copy_of_page(record, ShownDocument("d", "", "", "", (), (), place)).body
    assert "<pre>1 &lt; 2\n  &lt;b&gt;</pre>" in bytes(body).decode()
