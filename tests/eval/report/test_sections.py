"""Sections of the report: kinds of pages, languages, formulas, pairs of cleaners."""

import csv
import io
import json
import re
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep.eval.report.evidence import rows_to_explain
from boilersweep.eval.report.provenance import provenance_of
from boilersweep.eval.report.report_page import render
from boilersweep.eval.stats.sheets import frame_sheet
from boilersweep.eval.study.differences import Group, compare_pairs, letters_of
from boilersweep.eval.study.results import Formula, Study
from boilersweep.eval.study.tables import (
    document_tables,
    formula_tables,
    language_notes,
    language_tables,
    page_kind_tables,
    pair_notes,
    pair_tables,
)
from tests.eval.made_up import ReadStudy
from tests.eval.report.conftest import ReadHtml
from tests.eval.study.conftest import run_scores


@pytest.fixture
def with_kinds(document: dict[str, Any], read: ReadStudy) -> Study:
    names = [row.name for row in read(document).rows]
    document["kinds"] = [
        {
            "kind": "article",
            "pages": 30,
            "words": 4000,
            "kept": dict.fromkeys(names, 3000),
        },
        {"kind": "forum", "pages": 10, "words": 0, "kept": dict.fromkeys(names, 0)},
    ]
    return read(document)


def test_every_shown_cleaner_has_its_share(with_kinds: Study) -> None:
    (grid,) = page_kind_tables(with_kinds)
    assert grid.title.endswith("of 40 pages")
    assert [(head.text, head.note) for head in grid.heads] == [
        ("article", "30, 75.0%"),
        ("forum", "10, 25.0%"),
    ]
    assert [row.name for row in grid.rows] == [
        row.label for row in with_kinds.ordered(with_kinds.shown)
    ]
    assert {tuple(cell.text for cell in row.cells) for row in grid.rows} == {
        ("75.0%", "0.0%")
    }


@pytest.fixture
def mixed(document: dict[str, Any], read: ReadStudy) -> Study:
    """Return the study with 12 German topics, 3 Chinese ones and an undecided one."""
    languages = ["de"] * 12 + ["zh"] * 3 + [None]
    for variant in document["variants"]:
        low = variant["scores"]["P@10"][0]
        values = [low + n % 4 / 100 for n in range(12)] + [low / 2] * 3 + [0.0]
        values = [round(value, 6) for value in values]
        variant["scores"] = dict.fromkeys(variant["scores"], values)
        for losses in ("relevant_empty_by_topic", "terms_lost_by_topic"):
            variant[losses] = [0] * len(values)
    document["topics"] = [
        {**document["topics"][0], "id": f"t{n}", "language": language}
        for n, language in enumerate(languages)
    ]
    document["run"]["languages"] = {"de": 700, "zh": 250, "und": 45, "fr": 5}
    return read(document)


def test_documents_and_topics_are_counted_by_language(mixed: Study) -> None:
    (table,) = document_tables(mixed)
    assert table.lines == [
        ["German (de)", "700", "70.0%", "12"],
        ["Chinese (zh)", "250", "25.0%", "3"],
        ["unknown", "45", "4.5%", "-"],
        ["French (fr)", "5", "0.5%", "0"],
    ]
    (line,) = [line for line in provenance_of(mixed) if line.term == "Languages"]
    assert line.text == "German (de) 700, Chinese (zh) 250, unknown 45, French (fr) 5"


def test_every_cleaner_has_its_score_by_language_with_intervals_where_topics_suffice(
    mixed: Study,
) -> None:
    tables = language_tables(mixed)
    assert [grid.measure for grid in tables] == mixed.tested
    grid = tables[0]
    assert [(head.text, head.meaning) for head in grid.heads] == [
        ("de (12)", "German (de)"),
        ("zh (3)", "Chinese (zh)"),
        ("undecided (1)", "undecided"),
    ]
    by_cleaner = {row.name: row for row in grid.rows}
    german, chinese, undecided = by_cleaner["bte"].cells
    assert german.text == "0.615 +0.400"
    assert re.fullmatch(r"\[0\.6\d\d, 0\.6\d\d\] \[\+0\.400, \+0\.400\]", german.note)
    assert (chinese.text, chinese.note) == ("0.300 +0.200", "")
    assert undecided.text == "0.000 +0.000"
    assert by_cleaner["words>=1"].cells[0].text == "0.215"
    notes = " ".join(language_notes(mixed))
    assert "1 topic is undecided" in notes
    assert "too few for intervals: zh." in notes


def test_stray_languages_are_no_quantity(
    document: dict[str, Any], read: ReadStudy
) -> None:
    document["run"]["languages"] = {"en": 995, "id": 5}
    assert document_tables(read(document)) == language_tables(read(document)) == []
    document["run"]["languages"] = {"en": 900, "de": 100}
    (table,) = document_tables(read(document))
    assert [line[-1] for line in table.lines] == ["-", "-"]
    for topic in document["topics"]:  # all of one language
        topic["language"] = "de"
    (table,) = document_tables(read(document))
    counts = [line[-1] for line in table.lines]
    assert counts == ["0", str(len(document["topics"]))]
    assert language_tables(read(document)) == []


def with_formulas(study: Study, *, tuned: bool = False) -> Study:
    """Return the study under `first`, and under `second`, whose differences are not tested."""
    settings = {"tuned": "bm25(k1=2,b=0)"} if tuned else {}
    rows = [replace(row, formula="first", **settings) for row in study.rows]
    for row in study.rows:
        results = {m: replace(result, tests={}) for m, result in row.results.items()}
        rows.append(replace(row, formula="second", results=results))
    formulas = [
        Formula("first", "bm25(k1=1,b=0)", True),
        Formula("second", "bm25(k1=1,b=0)+rm3(<b>)", False),
    ]
    return replace(study, all_rows=rows, formulas=formulas)


def with_run(study: Study) -> Study:
    row, last = study.rows[1], len(study.rows) - 1
    counts = dict.fromkeys(
        "formula documents empty tokens tokens_kept index_bytes relevant_empty".split()
    )
    run = replace(row, name="dense", cleaner=None, role="run", **counts)
    rows = [*study.all_rows[:last], run, *study.all_rows[last:]]
    return replace(study, all_rows=rows)


def test_the_table_stands_on_the_first_screen(
    study: Study, evidence: list[dict[str, Any]], read_html: ReadHtml
) -> None:
    several = with_formulas(study)
    page = render(several, evidence)
    answer = page[page.index('id="answer"') : page.index('id="comparison"')]
    assert "Does cleaning still help under feedback? P@10 of bte" in answer
    found = formula_tables(several)[0]
    assert [(row.name, row.cells[4].text, row.cells[2].kind) for row in found.rows] == [
        ("first", "0.010", "gain"),
        ("second", "", ""),
    ]
    assert "Not tested, and not among the comparisons: second." in answer
    assert "&lt;b&gt;" in answer
    assert "formulas.csv" in {a.get("download") for a in read_html(page).named("a")}
    assert "first: bm25(k1=1,b=0); second: " in page


def test_what_was_tuned_is_said(study: Study) -> None:
    tuned = with_formulas(study, tuned=True)
    assert formula_tables(tuned)[0].lines[0][-2:] == ["bm25(k1=2,b=0)"] * 2
    assert "chooses its parameters on four fifths of the topics" in render(tuned, [])


def test_the_csv_has_every_cleaner_under_every_formula(study: Study) -> None:
    several = with_formulas(study)
    rows = [row for under in several.by_formula.values() for row in under]
    text = frame_sheet(rows, ["P@10", "nDCG@10"]).csv
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == 2 * len(study.rows) * 2
    assert [line["formula"] for line in lines[:: 2 * len(study.rows)]] == [
        "first",
        "second",
    ]


@pytest.mark.parametrize("several", [False, True])
def test_a_run_from_elsewhere_has_figures_and_no_evidence(
    study: Study, evidence: list[dict[str, Any]], several: bool
) -> None:
    made = with_run(with_formulas(study) if several else study)
    page = render(made, evidence)
    assert "external run" in page
    assert "dense" not in [row.label for row in rows_to_explain(made)]
    start = page.index('id="study-data">') + len('id="study-data">')
    listed = json.loads(page[start : page.index("</script>", start)])["variants"]
    assert [one["role"] for one in listed if one["cleaner"] == "dense"] == ["run"]
    with pytest.raises(TypeError, match="dense is an external run"):
        _ = made.rows[-2].variant


@pytest.fixture
def paired(document: dict[str, Any], read: ReadStudy) -> Study:
    """Return the study with 30 topics instead of 3: bte and words>=2 share a letter."""
    random = np.random.default_rng(1)
    means = {
        "words>=1": 0.4,
        "bte": 0.6,
        "words>=2": 0.6,
        "words>=3": 0.2,
        "density>=2": 0.5,
    }
    for variant in document["variants"]:
        name = variant["cleaner"]
        values = (means.get(name, 0.9) + random.normal(0, 0.02, 30)).round(6).tolist()
        variant["scores"] = dict.fromkeys(variant["scores"], values)
        for losses in ("relevant_empty_by_topic", "terms_lost_by_topic"):
            variant[losses] = [0] * 30
    document["topics"] = [{**document["topics"][0], "id": f"t{n}"} for n in range(30)]
    document["variants"][1]["results"]["P@10"] |= {"gap_low": 0.1, "gap_high": 0.3}
    study = read(document)
    scores = {
        measure: np.array([row.scores[measure] for row in study.rows]).T
        for measure in study.tested
    }
    group, tests = Group(run_scores(scores), None), ("randomisation", "t")
    pairs = compare_pairs(group, ([0, 1, 2, 3, 4], 7), study.tested, tests, 1)
    for measure in study.tested:
        here = [study.rows[n].results[measure].mean for n in pairs.rows]
        letters = letters_of(pairs, measure, dict(zip(pairs.rows, here, strict=True)))
        for n, groups in letters.items():
            results = study.rows[n].results
            results[measure] = replace(results[measure], groups=groups)
    return replace(study, pairs=pairs)


def test_the_first_screen_says_what_is_within_noise(paired: Study) -> None:
    page = render(paired, [])
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page[page.index("<h1") :]))
    first = text[:1100]
    assert (
        "words&gt;=2 is within noise of it on these 30 topics. The smallest difference"
        in first
    )
    assert "among the 20 pairs and measures tested here" in first
    assert "(10% to 30%)" in first


def test_the_matrix_has_every_pair_twice_with_opposite_signs(paired: Study) -> None:
    (matrix, _) = pair_tables(paired)
    names = [row.name for row in matrix.rows]
    assert [name.partition(" ")[2] for name in names[-2:]] == ["words>=1", "words>=3"]
    letters = [row.cells[1].text for row in matrix.rows]
    assert letters == ["a", "a", "b", "c", "d"]
    assert "7 more cleaners are compared with the baseline alone." in pair_notes(paired)
    signs = str.maketrans("+-", "-+")
    for n, row in enumerate(matrix.rows):
        for k, cell in enumerate(row.cells[2:]):
            other = matrix.rows[k].cells[2 + n]
            if n == k:
                assert cell.kind == "self"
                continue
            assert (other.text, other.note) == (cell.text.translate(signs), cell.note)
            alike = letters[n] == letters[k]
            assert {cell.kind, other.kind} == ({""} if alike else {"gain", "loss"})
    best = matrix.rows[0].cells[-1]
    assert best.kind == "gain"
    assert best.title.startswith(f"{names[0].partition(' ')[2]} less words>=3: +0.4")
    assert "30 better, 0 the same, 0 worse" in best.title
    assert "tested alone" in best.title


def test_of_many_rows_the_best_are_drawn_with_baseline_and_choice(
    paired: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.eval.study.tables.MOST_PAIRED", 3)
    table = pair_tables(paired)[0]
    names = {row.name.partition(" ")[2] for row in table.rows}
    assert names == {"words>=1", "bte", "words>=2"}


@pytest.mark.parametrize(
    ("fixture", "section", "download", "tables"),
    [
        ("with_kinds", "kinds", None, 1),
        ("mixed", "languages", "languages.csv", 3),
        ("paired", "pairs", "pairs.csv", 2),
    ],
)
def test_a_section_is_on_the_page_of_a_study_that_has_its_figures(
    fixture: str,
    section: str,
    download: str | None,
    tables: int,
    page: str,
    read_html: ReadHtml,
    request: pytest.FixtureRequest,
) -> None:
    plain, elements = (
        read_html(page),
        read_html(render(request.getfixturevalue(fixture), [])),
    )
    for one, is_there in ((plain, False), (elements, True)):
        assert (
            section in {found.get("id") for found in one.named("section")}
        ) == is_there
        assert ({"href": f"#{section}"} in one.named("a")) == is_there
    assert download is None or download in {
        link.get("download") for link in elements.named("a")
    }
    assert len(elements.named("caption")) == len(elements.named("table")) == 3 + tables
    assert all(head.get("scope") for head in elements.named("th"))


def test_what_one_language_and_one_formula_do_not_need(study: Study, page: str) -> None:
    assert language_tables(study) == formula_tables(study) == []
    assert "formulas-table" not in page
