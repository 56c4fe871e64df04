"""Legends: a mark for each kind that is drawn."""

from typing import Any

import pytest

from boilersweep.cleaners.language.variants import Variant
from boilersweep.eval.report.legends import legends_of
from boilersweep.eval.report.page import render
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.study.results import Study
from boilersweep.eval.sweep.table import SweepRow
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml


def kinds(study: Study, section: str, paper: PaperComparison | None = None) -> str:
    return " ".join(mark.kind for mark in legends_of(study, paper)[section])


def test_of_curves(study: Study, document: dict[str, Any], read: ReadStudy) -> None:
    assert kinds(study, "curves") == "line baseline chosen gold"
    paper = PaperComparison({"BM25": [], "the formula of 2010": []})
    assert kinds(study, "curves", paper) == "line baseline chosen gold published other"
    # A threshold of words is a ring among them, and a level line in the chart of density.
    document["choice"]["chosen"] = 2
    assert kinds(read(document), "curves") == "line baseline chosen ring gold"


def test_of_dots(study: Study, document: dict[str, Any], read: ReadStudy) -> None:
    assert kinds(study, "means") == "dot-chosen dot dot-baseline dot-gold"
    assert kinds(study, "differences") == "dot-chosen dot-gold dot hollow"
    assert kinds(study, "tradeoff") == f"{kinds(study, 'means')} thin thin-dashed"
    document |= {"choice": None, "advice": None, "suggestion": None, "gold": None}
    document["variants"] = document["variants"][:2]
    marks = legends_of(read(document), None)["means"]
    assert [mark.text for mark in marks] == ["best, bte", "others", "baseline, words>=1"]


@pytest.mark.slow
def test_in_the_page(study: Study, read_html: ReadHtml, page: str) -> None:
    classes = {one.get("class") for one in read_html(page).named("li")}
    shown = "key-line key-chosen key-gold key-hollow key-thin key-observed"
    assert set(shown.split()) <= classes
    assert not {"key-published", "key-other", "key-ring", "key-bar"} & classes
    rows = [SweepRow(Variant.at_least("words", 2.0), 9, 0, 9, {"P@10": 0.1, "nDCG@10": 0.1})]
    assert "key-bar-other" in render(study, [], paper=PaperComparison({"BM25": rows}))
