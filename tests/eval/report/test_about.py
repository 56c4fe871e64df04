"""What the chosen cleaner is, and what its model was trained on."""

from typing import Any

import pytest

from boilersweep import parse_cleaner
from boilersweep.cleaners.selection import PageText
from boilersweep.eval.report.report_page import render
from boilersweep.eval.study.plan import about_cleaners
from tests.eval.made_up import ReadStudy


def about(*texts: str) -> dict[str, Any]:
    return about_cleaners(map(parse_cleaner, texts))


@pytest.mark.parametrize(
    ("cleaner", "names"),
    [
        ("words>=11", []),
        ("bte & numwords-rules", ["bte", "numwords-rules"]),
        ("weighted(bte, 3)", ["weighted(bte, 3)", "bte"]),
    ],
)
def test_of_a_rule_and_of_those_it_is_made_of(cleaner: str, names: list[str]) -> None:
    found = about(cleaner).get(cleaner, [])
    assert [one["name"] for one in found] == names
    assert not any("model" in one for one in found)


@pytest.mark.application("learned")
@pytest.mark.slow
def test_of_a_model_from_its_own_record(
    document: dict[str, Any], read: ReadStudy
) -> None:
    (one,) = about("learned")["learned"]
    assert one["summary"] == "blocks that a trained model classifies as content"
    assert one["model"].keys() == {"trained_on", "pages", "licence", "word_f1"}
    document["run"]["about"] = {"bte": [{**one, "name": "bte"}]}
    page = " ".join(render(read(document), []).split())
    assert (
        f"trained on {one['model']['pages']:,} pages of {one['model']['trained_on']}"
        in page
    )
    assert (
        f"word F1 against people\u2019s text is {one['model']['word_f1']:.3f}" in page
    )
    assert "Trained model" in page


def test_of_a_model_that_says_little(document: dict[str, Any], read: ReadStudy) -> None:
    hostile = "<script>alert(1)</script>"
    known = {"name": "bte", "summary": hostile, "model": {"trained_on": "our pages"}}
    document["run"]["about"] = {"bte": [known]}
    page = render(read(document), [])
    assert "The model was trained on our pages. Its figures are too high" in page
    assert hostile not in page
    assert "Trained model" not in page


@pytest.mark.slow
def test_of_a_text_and_of_nothing_known(
    document: dict[str, Any], read: ReadStudy
) -> None:
    (one,) = about_cleaners([PageText("trafilatura")])["trafilatura"]
    assert one["summary"] == "a text of each page beside its blocks"
    assert 'class="about"' not in render(read(document), [])
