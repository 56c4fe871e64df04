"""The page's answers: what a form may say, who may ask, and what hostile pages become."""

import json
import re
from pathlib import Path

import pytest
from lxml import html

from boilersweep.eval.annotate.proposal import proposal
from boilersweep.pages.segmenter import Segmenter
from tests.eval.annotate.conftest import GIVEN, WANTED, mark_page
from tests.eval.people.serving import Served, needs_serve
from tests.hostile_pages import ATTACKS, CONSTRUCTS

__all__ = ["needs_serve"]  # a fixture


def form(**more: str) -> dict[str, str]:
    ranges = json.dumps(GIVEN)
    right = {"docid": "p1", "action": "mark", "ranges": ranges, "proposed": "0"}
    return {**right, "seconds": "2.5", **more}


def test_a_mark_is_on_the_disk_when_its_answer_comes(
    marking: Served, folder: Path
) -> None:
    status, body, _ = marking.ask("/mark", form())
    assert status == 200
    assert json.loads(body) == {"classes": WANTED, "done": False, "steps": 1}
    [line] = (folder / "people/anna.jsonl").read_text().splitlines()
    assert '"ranges":[[2,2,"headline"],[3,4,"full text"],[5,5,"comments"]]' in line
    assert '"proposed":false,"seconds":2.5' in line
    assert json.loads(marking.ask("/mark", form(action="done"))[1])["done"]
    shown = marking.ask("/?docid=p1")[1]
    assert "anna: 1 marked, of 10 pages." in shown
    assert '"done": true' in shown
    assert "marked by anna" in marking.ask("/?all=1")[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"docid": "elsewhere"}, "no page"),
        ({"docid": ""}, "no page"),
        ({"action": "erase"}, "expected a mark"),
        ({"ranges": "[[0,0"}, "expected a mark"),
        ({"ranges": '[[0,0,"title"]]'}, "expected a mark"),
        ({"ranges": '[[-1,0,"headline"]]'}, "expected a mark"),
        ({"ranges": '[[0,99,"headline"]]'}, "expected blocks from 0 to 5"),
        ({"ranges": "[" * 3000}, "expected a mark"),
        ({"ranges": " " * 30_000}, "at most 20,000 bytes"),
    ],
)
def test_wrong_forms_are_refused(
    marking: Served, folder: Path, change: dict[str, str], message: str
) -> None:
    status, body, _ = marking.ask("/mark", form(**change))
    assert (status, message in body) == (400, True)
    assert not (folder / "people/anna.jsonl").exists()


def test_strangers_and_unknown_pages(marking: Served) -> None:
    assert marking.ask("/mark", form(), origin="http://attacker.example")[0] == 403
    assert marking.ask("/mark", form(), cookie="")[0] == 400
    assert "Who marks?" in marking.ask("/", cookie="")[1]
    assert marking.ask("/copy?docid=elsewhere")[0] == 400
    assert marking.ask("/proposal?docid=elsewhere")[0] == 400
    assert marking.ask("/marking.py")[0] == 404
    for name in ("marking.js", "page.css", "copy.css"):
        assert marking.ask(f"/{name}")[0] == 200
    assert 'id="mark"' in marking.ask("/?docid=elsewhere")[1]


@pytest.mark.application("learned")
def test_the_proposal_is_learned_s_or_the_others_marks(marking: Served) -> None:
    found = json.loads(marking.ask("/proposal?docid=p1")[1])
    assert found == proposal(marking.page.pages.read("p1"))
    assert found[3] == 2
    mark_page(marking.page, "anna", "p1")
    mark_page(marking.page, "bob", "p1", [(3, 4, "full text")])
    cookie = "boilersweep-name=adjudicator"
    found = json.loads(marking.ask("/proposal?docid=p1", cookie=cookie)[1])
    assert found == [0, 0, 0, 2, 2, 0]
    shown = marking.ask("/", cookie=cookie)[1]
    assert 'data-docid="p1"' in shown
    assert "1 need an adjudicator" in shown
    marking.ask("/mark", form(proposed="1"), cookie=cookie)
    assert not marking.page.sheet("adjudicator", "p1").is_proposed
    marking.ask("/mark", form(docid="p2", proposed="1"))
    assert marking.page.sheet("anna", "p2").is_proposed


@pytest.mark.parametrize("page", [*CONSTRUCTS, *ATTACKS])
def test_the_copy_has_the_numbers_of_blocks(needs_serve: None, page: str) -> None:
    from boilersweep.collection.format import Record, SourceLocation
    from boilersweep.eval.people.copy import copy_of_page
    from boilersweep.eval.people.documents import ShownDocument

    body, place = f"<p>before</p>{page}<p>behind".encode(), SourceLocation("", 0)
    shown = ShownDocument("d", "", "", "", (), (), place)
    answer = copy_of_page(Record("d", body, place), shown, numbered=True)
    copy = html.document_fromstring(bytes(answer.body).decode())
    texts = Segmenter().html(body).texts
    found = [""] * len(texts)
    for span in copy.iter("span"):
        found[int(span.get("data-block") or 0)] += span.text or ""
    letters = [re.sub(r"[\W_]|\xad", "", text) for text in found]
    assert letters == [re.sub(r"[\W_]", "", text) for text in texts]
