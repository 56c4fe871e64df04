"""The report as text: nothing hostile in it, nothing from elsewhere, the figures right."""

import base64
import hashlib
import itertools
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.report.charts import (
    differences_chart,
    legends_of,
    tradeoff_chart,
)
from boilersweep.eval.report.paper import PaperComparison
from boilersweep.eval.report.provenance import notes_of
from boilersweep.eval.report.report_page import render
from boilersweep.eval.study.advice import advise, answer_of
from boilersweep.eval.study.differences import SEQUENTIAL
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.tables import score_table
from boilersweep.indexer import AnalyzerOptions
from boilersweep.outputs.pictures import ACCENT
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml
from tests.eval.rows import row_of

pytestmark = pytest.mark.usefixtures("drawn_figures")


def test_it_is_the_same_for_the_same_study(
    study: Study, evidence: list[dict[str, Any]], page: str
) -> None:
    assert render(study, evidence) == page


@pytest.mark.parametrize(
    ("gain", "flatters"), [(0.05, True), (0.1, False), (0.2, False)]
)
def test_the_gain_on_seen_topics_flatters_only_where_it_is_larger(
    document: dict[str, Any], read: ReadStudy, gain: float, flatters: bool
) -> None:
    document["choice"]["gain"] = gain  # that on the seen topics is .1
    page = render(read(document), [])
    assert "+0.100 on the topics it was chosen by" in page
    assert ("which flatters" in page) is flatters


def test_hostile_text_makes_no_element(read_html: ReadHtml, page: str) -> None:
    elements = read_html(page)
    assert not [tag for tag, _ in elements.found if tag in ("img", "iframe", "svg")]
    assert [script.get("id") for script in elements.named("script")] == [
        *("chart-data", "study-data", "evidence-data"),
        *(None, None),
    ]
    assert not [name for _, a in elements.found for name in a if name.startswith("on")]
    assert "49<" not in page


def test_only_the_scripts_of_the_page_may_run(read_html: ReadHtml, page: str) -> None:
    elements = read_html(page)
    (policy,) = (
        str(meta["content"])
        for meta in elements.named("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "http" not in policy
    for name in ("script-3", "script-4"):
        digest = hashlib.sha256(elements.scripts[name].encode()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_nothing_is_fetched(read_html: ReadHtml, page: str) -> None:
    addresses = [
        str(value)
        for _, attributes in read_html(page).found
        for name, value in attributes.items()
        if name in ("src", "href", "action", "srcset", "data", "poster")
    ]
    assert addresses
    assert all(address.startswith(("#", "data:text/csv;")) for address in addresses)
    style = page[page.index("<style>") : page.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_tables_have_captions_and_scopes(read_html: ReadHtml, page: str) -> None:
    elements = read_html(page)
    assert len(elements.named("caption")) == len(elements.named("table")) == 3
    assert all(head.get("scope") for head in elements.named("th"))
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))


def test_charts_have_words_for_those_who_do_not_see_them(
    read_html: ReadHtml, page: str
) -> None:
    drawings = [a for _, a in read_html(page).found if "data-chart" in a]
    assert all(drawing.get("role") == "img" for drawing in drawings)
    assert all(len(str(drawing.get("aria-label"))) > 20 for drawing in drawings)
    data = json.loads(read_html(page).scripts["chart-data"])
    # That of a page's blocks is filled and placed by evidence.js
    assert {str(drawing["data-chart"]) for drawing in drawings} == set(data) - {"page"}


def test_the_answer_comes_first(page: str) -> None:
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page[page.index("<h1") :]))
    first = text[:900]
    for part in (
        "Index with bte",
        "+0.050",  # held out, not the +0.100 of the topics that chose
        "p = 0.010 after Holm\u2019s correction for 8 comparisons",
        "2 of 3 folds chose the same, 1 density&gt;=2",
        "90% kept",
        "1 topic better, 1 worse, 1 the same",
    ):
        assert part in first


UNCHOSEN: dict[str, Any] = {"choice": None, "advice": None, "suggestion": None}


@pytest.mark.parametrize(
    ("changes", "variants", "shown", "absent"),
    [
        (
            UNCHOSEN,
            6,
            ["Best here:", "picked by the topics it is scored on"],
            ["Build the index", "Without judgements"],
        ),
        (
            UNCHOSEN | {"gold": None},
            2,
            ["P@10: the best, the baseline<"],
            ["What each threshold does", "gap closed"],
        ),
        (UNCHOSEN | {"gold": None}, 1, ["No other cleaner has a better P@10"], []),
        ({}, 6, ["P@10: the best, the baseline, the gold text"], []),
    ],
    ids=["no choice", "one cleaner", "the baseline alone", "gold text"],
)
def test_studies_that_lack_parts(
    document: dict[str, Any],
    read: ReadStudy,
    changes: dict[str, Any],
    variants: int,
    shown: list[str],
    absent: list[str],
) -> None:
    document |= {**changes, "variants": document["variants"][:variants]}
    for variant in document["variants"] if variants < 6 else ():  # no gold text
        for result in variant["results"].values():
            result.pop("gap_closed", None)
    page = render(read(document), [])
    assert [text for text in shown if text not in page] == []
    assert [text for text in absent if text in page] == []


def test_the_first_screen_has_two_measures(
    document: dict[str, Any], read: ReadStudy
) -> None:
    page = unescape(render(read(document), []))
    first = page[page.index('class="beside"') : page.index('id="curves"')]
    for place, measure in enumerate(document["measures"]["tested"][:2]):
        assert f'data-chart="means-{place}"' in first
        assert f"<figcaption>{measure}: the best, the baseline" in first


@pytest.fixture
def sequential(document: dict[str, Any]) -> dict[str, Any]:
    """Return a study of judgements that `assess` collected of two queries of a log."""
    document |= UNCHOSEN | {"variants": document["variants"][:2]}
    document["statistics"] |= {"tests": [SEQUENTIAL], "comparisons": 3}
    document["topics"][0] |= {"id": "q0123456789", "query": "harbour dues"}
    document["run"]["queries_without_qrels"] = {"qabcdef0123": "tide tables"}
    document["notes"] = [
        "1 topic has no qrels and is not evaluated: qabcdef0123.",
        "1 topic has no relevant document in the qrels: q0123456789.",
        "Collected by `boilersweep assess`; q9999999999 is of no topic.",
    ]
    for variant in document["variants"]:
        for result in variant["results"].values():
            result |= {"low": None, "high": None}
            if "difference" in result:
                p = {SEQUENTIAL: 0.01, f"{SEQUENTIAL}_holm": 0.01}
                result |= {"tests": p, "detectable": None}
    return document


def test_judgements_of_assess_have_their_own_statistics(
    sequential: dict[str, Any], read: ReadStudy
) -> None:
    page = unescape(render(read(sequential), []))
    assert "Certainly better:" in page
    # Differences stand where others have means
    first = page[page.index('class="beside"') : page.index('id="comparison"')]
    assert 'data-chart="means-0"' in first
    assert "P@10: difference to words>=1" in first
    assert "on the topics judged so far" in first
    assert "p = 0.010 valid together for 3 comparisons after any topic" in page
    assert "of the difference, valid together for 3 comparisons after any topic" in page
    for absent in ("Holm", "bootstrap over topics", "of the mean", "`"):
        assert absent not in page[page.index("<h1") : page.index("What was run")]


def test_notes_have_queries_of_a_log_for_their_ids(
    sequential: dict[str, Any], read: ReadStudy
) -> None:
    notes = notes_of(read(sequential))
    assert notes[:3] == [
        "1 topic has no qrels and is not evaluated: \u201ctide tables\u201d.",
        "1 topic has no relevant document in the qrels: \u201charbour dues\u201d.",
        "Collected by boilersweep assess; q9999999999 is of no topic.",
    ]
    del sequential["run"]["queries_without_qrels"]  # a study of an earlier version
    assert "qabcdef0123" in notes_of(read(sequential))[0]


@pytest.mark.parametrize("certain", [True, False])
def test_the_index_of_a_certain_winner_has_its_command(
    sequential: dict[str, Any], read: ReadStudy, certain: bool
) -> None:
    if not certain:
        for name in (SEQUENTIAL, f"{SEQUENTIAL}_holm"):
            for result in sequential["variants"][1]["results"].values():
                if "difference" in result:
                    result["tests"][name] = 0.2
    study = read(sequential)
    advice = advise(study, Path("s"), Path("o"), AnalyzerOptions("de"))
    page = unescape(render(replace(study, advice=advice), []))
    index = (
        "boilersweep index --store s --keep bte --storeContents --output o/index-bte "
        "--language de"
    )
    export = "boilersweep export --store s --keep bte --output o/export-bte"
    assert (index in page, export in page) == (certain, certain)
    assert ("Certainly better:" in page, "Not decided yet between" in page) == (
        certain,
        not certain,
    )


def marks_of(study: Study) -> str:
    """Return everything that marks a row: headline, remarks, legends, colours of dots."""
    remarks = [row.remark for row in score_table(study, "P@10").rows]
    legends = [
        mark.text for marks in legends_of(study, None).values() for mark in marks
    ]
    dots = json.dumps(differences_chart(study, study.rows, "P@10"))
    answer = answer_of(study)
    return "\n".join([*answer.sentences, *remarks, *legends, dots])


def test_undecided_is_no_choice(sequential: dict[str, Any], read: ReadStudy) -> None:
    certain = marks_of(read(sequential))
    assert "Certainly better: bte" in certain
    assert "certainly better, bte" in certain
    for result in sequential["variants"][1]["results"].values():
        if "difference" in result:
            result["tests"] = {SEQUENTIAL: 0.2, f"{SEQUENTIAL}_holm": 0.2}
    study = read(sequential)
    undecided = marks_of(study)
    assert "Not decided yet between words>=1 and bte. " in undecided
    for absent in ("best", "chosen", "ertainly", "stopped", "+0.000", ACCENT):
        assert absent not in undecided
    assert advise(study, Path("s"), Path("o"), AnalyzerOptions()) is None


def test_a_baseline_may_be_certainly_better(
    sequential: dict[str, Any], read: ReadStudy
) -> None:
    for result in sequential["variants"][1]["results"].values():
        if "difference" in result:
            ends = {"difference_low": -0.2, "difference_high": -0.05}
            result |= {"difference": -0.1, **ends}
    assert "Certainly better: words>=1" in marks_of(read(sequential))


@pytest.mark.parametrize("chosen", [1, 2, 3, 4])
def test_score_and_size_holds_all_that_it_draws(
    document: dict[str, Any], read: ReadStudy, chosen: int
) -> None:
    document["choice"]["chosen"] = chosen
    study = read(document)
    chart = tradeoff_chart(study, study.ordered(study.shown), "P@10")
    drawn = {one["name"]: one.get("values", []) for one in chart["data"]}
    dots = next(rows for rows in drawn.values() if rows and "colour" in rows[0])
    assert [row["cleaner"] for row in dots if row["colour"] == ACCENT] == [
        study.chosen.label
    ]
    for scale in chart["scales"]:
        field = {"x": "kept", "y": "mean"}[scale["name"]]
        low, high = scale["domain"]
        values = [row[field] for rows in drawn.values() for row in rows if field in row]
        assert 0 <= low <= min(values)
        assert max(values) <= high


def test_an_unproved_choice_is_no_request(
    document: dict[str, Any], read: ReadStudy
) -> None:
    document["choice"]["gain_interval"] = [-0.01, 0.11]
    page = render(read(document), [])
    head = page[page.index("<h1") : page.index("</h1>")]
    assert "Not proved, but ahead:" in head
    assert "Index with" not in head


def test_a_formula_that_lucene_lacks_is_not_called_verified(
    document: dict[str, Any], read: ReadStudy
) -> None:
    document["run"]["verified"]["unverified"] = "lucene-2.9"
    page = render(read(document), [])
    assert "lucene-2.9 is not verified, as Lucene has no such formula; in" in page


def test_a_gain_is_significant_where_held_out_topics_and_the_test_agree(
    document: dict[str, Any], read: ReadStudy
) -> None:
    assert "a statistically significant gain" in render(read(document), [])
    document["choice"]["gain_interval"] = [-0.01, 0.11]
    page = render(read(document), [])
    assert "a gain that held-out topics do not confirm" in page
    assert "the interval of the held-out gain includes zero" in page
    result = document["variants"][1]["results"]["P@10"]
    result["tests"]["randomisation_holm"] = 0.05
    assert "a gain that is not statistically significant" in render(read(document), [])
    document["choice"]["chosen"] = 0
    assert "nothing to test" in render(read(document), [])


def test_one_topic_has_no_intervals(document: dict[str, Any], read: ReadStudy) -> None:
    document |= {"choice": None, "advice": None, "topics": document["topics"][:1]}
    for variant in document["variants"]:
        variant["scores"] = {
            name: values[:1] for name, values in variant["scores"].items()
        }
        for result in variant["results"].values():
            for name in ("low", "difference_low", "tests"):
                result.pop(name, None)
    assert "Best here:" in render(read(document), [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(page: str, scheme: str) -> None:
    style = page[page.index("<style>") : page.index("</style>")]
    dark = re.findall(r"dark\) {\s*(:root {[^}]*})", style)
    for rule in dark if scheme == "light" else []:
        style = style.replace(rule, "")
    # In the dark the later rules win, as in a browser.
    colours = dict(re.findall("--([a-z]+): (#[0-9a-f]{6})", style))
    for rule in dark if scheme == "dark" else []:
        colours |= dict(re.findall("--([a-z]+): (#[0-9a-f]{6})", rule))
    for ground in ("ground", "raised", "sunk"):
        for text in ("ink", "muted", "accent", "gold", "published", "gain", "loss"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)


def _contrast(one: str, other: str) -> float:
    """WCAG 2's contrast ratio of two colours."""
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    linear = (
        p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    )
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def kinds(study: Study, section: str, paper: PaperComparison | None = None) -> str:
    return " ".join(mark.kind for mark in legends_of(study, paper)[section])


def test_the_legend_of_curves(
    study: Study, document: dict[str, Any], read: ReadStudy
) -> None:
    assert kinds(study, "curves") == "line baseline chosen gold"
    paper = PaperComparison({"BM25": [], "the formula of 2010": []})
    assert kinds(study, "curves", paper) == "line baseline chosen gold published other"
    # A threshold of words is a ring among them, and a level line in the chart of density.
    document["choice"]["chosen"] = 2
    assert kinds(read(document), "curves") == "line baseline chosen ring gold"


def test_the_legend_of_dots(
    study: Study, document: dict[str, Any], read: ReadStudy
) -> None:
    assert kinds(study, "means") == "dot-chosen dot dot-baseline dot-gold"
    assert kinds(study, "differences") == "dot-chosen dot-gold dot hollow"
    assert kinds(study, "tradeoff") == f"{kinds(study, 'means')} thin thin-dashed"
    document |= {"choice": None, "advice": None, "suggestion": None}
    document["variants"] = document["variants"][:2]
    marks = legends_of(read(document), None)["means"]
    assert [mark.text for mark in marks] == [
        "best, bte",
        "others",
        "baseline, words>=1",
    ]


@pytest.mark.slow
def test_legends_in_the_page(study: Study, read_html: ReadHtml, page: str) -> None:
    classes = {one.get("class") for one in read_html(page).named("li")}
    shown = "key-line key-chosen key-gold key-hollow key-thin"
    assert set(shown.split()) <= classes
    assert not {"key-published", "key-other", "key-ring", "key-bar"} & classes
    rows = [
        row_of(Variant.at_least("words", 2.0), {"P@10": 0.1, "nDCG@10": 0.1}, (9, 0, 9))
    ]
    assert "key-bar-other" in render(study, [], paper=PaperComparison({"BM25": rows}))
