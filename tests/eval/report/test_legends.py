"""Legends: a mark for each kind that is drawn, and none for what is not."""

from collections.abc import Sequence
from typing import Any

import pytest

from boilersweep.cleaners.language.variants import Variant
from boilersweep.eval.report.legends import (
    Mark,
    curves_legend,
    differences_legend,
    means_legend,
    tradeoff_legend,
)
from boilersweep.eval.report.page import render
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.study.results import Study
from boilersweep.eval.sweep.table import SweepRow
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml


def kinds(marks: Sequence[Mark]) -> list[str]:
    return [mark.kind for mark in marks]


def test_of_curves(study: Study, document: dict[str, Any], read: ReadStudy) -> None:
    assert kinds(curves_legend(study, None)) == [*("line", "baseline", "chosen", "gold")]
    # A threshold of words is a ring among them, and a level line in the chart of density.
    document["choice"]["chosen"] = 2
    marks = curves_legend(read(document), None)
    assert kinds(marks) == ["line", "baseline", "chosen", "ring", "gold"]
    assert marks[3].text == "chosen, words>=2"
    document["choice"]["chosen"] = 0
    document["variants"].pop()
    document["gold"] = None
    marks = curves_legend(read(document), None)
    assert kinds(marks) == ["line", "baseline", "ring"]


def test_of_dots(study: Study, document: dict[str, Any], read: ReadStudy) -> None:
    rows = study.ordered(study.shown)
    assert kinds(means_legend(study, rows)) == [*("dot-chosen", "dot", "dot-baseline", "dot-gold")]
    assert kinds(differences_legend(study, rows)) == [*("dot-chosen", "dot-gold", "dot", "hollow")]
    assert differences_legend(study, rows)[-1].text == "not significant, or not tested"
    assert kinds(tradeoff_legend(study, rows)) == [
        *("dot-chosen", "dot-baseline", "dot-gold", "thin", "thin-dashed")
    ]
    # Nothing but the baseline and one cleaner, which is significant.
    document |= {"choice": None, "advice": None, "suggestion": None, "gold": None}
    document["variants"] = document["variants"][:2]
    study = read(document)
    assert kinds(differences_legend(study, study.rows)) == ["dot-chosen", "dot"]
    assert [mark.text for mark in tradeoff_legend(study, study.rows)] == [
        *("best, bte", "baseline, words>=1")
    ]


@pytest.mark.slow
def test_in_the_page(study: Study, read_html: ReadHtml, page: str) -> None:
    classes = {one.get("class") for one in read_html(page).named("li")}
    shown = "key-line key-chosen key-gold key-hollow key-thin key-observed"
    assert set(shown.split()) <= classes
    assert not {"key-published", "key-other", "key-ring", "key-bar"} & classes
    rows = [SweepRow(Variant.at_least("words", 2.0), 9, 0, 9, {"P@10": 0.1, "nDCG@10": 0.1})]
    assert "key-bar-other" in render(study, [], paper=PaperComparison({"BM25": rows}))
