"""What the report holds: figures as CSV, evidence, the paper, scripts and data."""

import base64
import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from boilersweep import parse_cleaner
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.report.evidence import moved_pages, pack, rows_to_explain
from boilersweep.eval.report.html import content_policy, data_address, script_json
from boilersweep.eval.report.paper import PaperComparison, trec_runs
from boilersweep.eval.report.provenance import explain_command, method_of
from boilersweep.eval.report.report_page import render
from boilersweep.eval.study import results
from boilersweep.eval.study.results import Study
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml
from tests.eval.rows import row_of

LIMIT = 5_000_000

CsvOf = Callable[[str, str], list[dict[str, str]]]


@pytest.fixture
def csv_of(read_html: ReadHtml) -> CsvOf:
    def read(page: str, name: str) -> list[dict[str, str]]:
        links = read_html(page).named("a")
        address = next(
            str(link["href"]) for link in links if link.get("download") == name
        )
        head, encoded = address.split(",", 1)
        assert head == "data:text/csv;charset=utf-8;base64"
        return list(csv.DictReader(io.StringIO(base64.b64decode(encoded).decode())))

    return read


def unpacked(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(text)))
    return found


@pytest.mark.parametrize(
    ("name", "row", "cells"),
    [
        # (.3 + .4 + .6) / 3 and (.1 + 0 + 0) / 3
        (
            "curves.csv",
            {"feature": "words", "threshold": "2", "measure": "P@10"},
            {"mean": "0.4333", "difference": "0.0333"},
        ),
        (
            "curves.csv",
            {"feature": "words", "threshold": "1", "measure": "P@10"},
            {"cleaner": "words>=1", "difference": ""},
        ),
        (
            "comparison.csv",
            {"cleaner": "bte", "measure": "P@10"},
            {
                "p_randomisation_holm": "0.01",
                "tokens_kept": "0.9000",
                "role": "cleaner",
            },
        ),
        (
            "topics.csv",
            {"topic": "t1", "cleaner": "bte", "measure": "P@10"},
            {"score": "0.6000", "baseline": "0.2000", "difference": "0.4000"},
        ),
        (
            "mixture.csv",
            {"words": "2"},
            {"observed": "0.3", "short": "0.2", "long": "0.1"},
        ),
    ],
)
def test_figures_as_csv(
    csv_of: CsvOf, page: str, name: str, row: dict[str, str], cells: dict[str, str]
) -> None:
    (found,) = (one for one in csv_of(page, name) if row.items() <= one.items())
    assert cells.items() <= found.items()


@pytest.mark.slow
def test_of_many_topics_those_that_differ_most_are_listed(
    csv_of: CsvOf,
    read_html: ReadHtml,
    document: dict[str, Any],
    read: ReadStudy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = read(document)
    assert "topics that differ most" not in render(study, [])
    monkeypatch.setattr(results, "MOST_TOPICS", 2)
    # To the baseline's .2, .4 and .6 they differ by up to .7, .5 and .3, the gold text's .9.
    assert study.listed_topics == [0, 1]
    for variant in document["variants"]:
        for scores in variant["scores"].values():
            scores.reverse()
    document["topics"].reverse()
    study = read(document)
    assert study.listed_topics == [1, 2]
    page = render(study, [])
    assert (
        "The 2 of 3 topics that differ most from the baseline; the file topics.csv"
        in page
    )
    assert {row["topic"] for row in csv_of(page, "topics.csv")} == {"t2", "t1"}
    data = json.loads(read_html(page).scripts["study-data"])
    assert [topic["id"] for topic in data["topics"]] == ["t2", "t1"]
    chosen = next(one for one in data["variants"] if one["cleaner"] == "bte")
    assert chosen["scores"]["P@10"] == [0.4, 0.6]
    assert chosen["outcomes"]["P@10"] == [1, 1, 1]  # of all three


@pytest.mark.slow
def test_a_page_does_not_grow_with_the_topics(
    document: dict[str, Any], read: ReadStudy
) -> None:
    for variant in document["variants"]:
        for measure, scores in variant["scores"].items():
            variant["scores"][measure] = scores * 10_000
        for losses in ("relevant_empty_by_topic", "terms_lost_by_topic"):
            variant[losses] *= 10_000
    document["topics"] = [
        {**document["topics"][n % 3], "id": f"t{n}", "query": "a query of some words"}
        for n in range(30_000)
    ]
    assert len(render(read(document), []).encode()) < LIMIT


def test_evidence_is_there_and_is_not_readable_as_html(
    read_html: ReadHtml, page: str
) -> None:
    packed = read_html(page).scripts["evidence-data"]
    assert re.fullmatch("[A-Za-z0-9+/=]+", packed)
    found = unpacked(packed)
    assert [one["place"] for one in found["cleaners"]] == [1]
    assert set(found["cleaners"][0]["topics"]) == {"t1", "t2", "t3"}
    assert found["pages"]["d2"]["kept"] == {"0": "111", "1": "010"}


def test_what_does_not_fit_is_left_out(
    study: Study, evidence: list[dict[str, Any]]
) -> None:
    def packed(most: int) -> dict[str, Any]:
        text = pack(study, evidence, most=most)
        assert len(text) < most + 200
        return unpacked(text)

    assert set(packed(100_000)["cleaners"][0]["topics"]) == {"t1", "t2", "t3"}
    assert not packed(0)["cleaners"][0]["topics"]
    assert not packed(0)["pages"]
    # Topics t1 and t3 differ by .4 and .1, t2 not at all: it is the first to go, pages before.
    some = packed(2000)
    assert next(iter(some["cleaners"][0]["topics"])) == "t1"


def test_documents_that_lose_come_first(
    study: Study, evidence: list[dict[str, Any]]
) -> None:
    topics = evidence[0]["topics"]
    moved = [
        d for t in topics for d in t["documents"] if d["change"] in ("entered", "left")
    ]
    moved[-1]["verdict"] = "loss"
    _, _, first = next(iter(moved_pages(study, evidence)))
    assert first == moved[-1]["docid"]


def test_what_is_left_out_has_its_command(study: Study) -> None:
    sources = {name: {"path": f"/my {name}"} for name in ("topics", "qrels")}
    run = {"store": "/data/store", "sources": sources}
    assert explain_command(replace(study, run=run)) == (
        "boilersweep search --store /data/store --topics '/my topics' --qrels '/my qrels'"
    )
    assert explain_command(study).endswith("--topics TOPICS --qrels QRELS")


def test_sentences_for_a_paper_name_tests_seed_and_versions(study: Study) -> None:
    text = method_of(
        replace(study, run={**study.run, "versions": {"boilersweep": "9.9"}})
    )
    for part in (
        "with words>=1 on",
        "Holm\u2019s correction",
        "seed",
        "Software: boilersweep 9.9.",
    ):
        assert part in text


def test_evidence_of_strangers_is_left_out(
    study: Study, evidence: list[dict[str, Any]]
) -> None:
    evidence[0]["cleaners"] = ["words>=1", "never-heard-of"]
    assert unpacked(pack(study, evidence, most=10_000))["cleaners"] == []


def test_what_was_chosen_is_explained_first(study: Study) -> None:
    rows = rows_to_explain(study)
    assert rows[0].label == "bte"
    assert study.baseline not in rows
    assert study.gold not in rows


def test_the_paper_and_the_runs_of_2006(csv_of: CsvOf, study: Study) -> None:
    rows = [
        row_of(variant, {"P@10": p, "nDCG@10": p / 2})
        for variant, p in (
            (Variant.at_least("words", 1), 0.2),
            (Variant.at_least("words", 11), 0.43),
            (Variant.at_least("words", 12), 0.45),
        )
    ]
    paper = PaperComparison(
        {"BM25": rows, "2010": rows[:1]}, caveat="Too few documents."
    )
    page = render(study, [], paper=paper)
    assert "0.430 to 0.450" in page
    assert page.count("Too few documents.") == 1
    # On the first screen
    assert page.index("Too few documents.") < page.index('class="facts"')
    assert "NIST" in page
    runs = csv_of(page, "runs.csv")
    assert len(runs) == 57 + 3
    ours = [(row["rank"], row["run"]) for row in runs if row["source"] == "ours"]
    assert trec_runs()[0].p10 == 0.706  # uicsr, the best
    better = sum(run.p10 >= 0.45 for run in trec_runs())
    assert ours[0] == (str(better + 1), "words>=12, BM25")


def test_a_cleaner_of_the_paper_is_found_by_name() -> None:
    rows = [
        row_of(Variant(parse_cleaner("bte")), {"P@10": 0.5}),
        row_of(Variant(parse_cleaner("numwords-rules")), {"P@10": 0.6}),
    ]
    paper = PaperComparison({"BM25": rows})
    assert paper.figures[-1].ours(rows, "P@10") == (0.5, 0.5)
    assert [run.name for run in paper.ranked() if run.ours] == ["bte, BM25"]


@given(
    st.recursive(
        st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_for_scripts_is_json_without_markup(value: Any) -> None:
    text = script_json(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_a_policy_names_scripts_by_hash() -> None:
    # printf 'x' | openssl dgst -sha256 -binary | base64
    assert "'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='" in content_policy(
        ["x"]
    )


def test_a_data_address_holds_the_text() -> None:
    assert data_address("ä,", "text/csv") == "data:text/csv;charset=utf-8;base64,w6Qs"
