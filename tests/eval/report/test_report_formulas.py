"""Several formulas and runs from elsewhere in the report."""

import json
from dataclasses import replace
from typing import Any

import pytest

from boilersweep.eval.report.evidence import rows_to_explain
from boilersweep.eval.report.formulas import formulas_csv, formulas_of
from boilersweep.eval.report.page import render
from boilersweep.eval.study.outside import outside_row
from boilersweep.eval.study.results import FormulaRows, Study, Tuned
from tests.eval.report.conftest import ReadHtml


def with_formulas(study: Study, *, tuned: bool = False) -> Study:
    """The study under `first`, and under `second`, whose differences are not tested."""
    choice = Tuned("bm25(k1=2,b=0)", ("bm25(k1=2,b=0)",) * 3) if tuned else None
    first = [replace(row, formula="first", tuned=choice) for row in study.rows]
    second = []
    for row in study.rows:
        results = {
            measure: replace(
                result, difference=result.difference and replace(result.difference, tests=None)
            )
            for measure, result in row.results.items()
        }
        second.append(replace(row, formula="second", results=results))
    formulas = [
        FormulaRows("first", "bm25(k1=1,b=0)", True, first),
        FormulaRows("second", "bm25(k1=1,b=0)+rm3(<b>)", False, second),
    ]
    return replace(study, rows=first, formulas=formulas)


def with_run(study: Study) -> Study:
    row = study.rows[1]
    run = outside_row("dense", row.results, row.topic_scores)
    return replace(study, rows=[*study.rows[:-1], run, study.rows[-1]])


def test_one_formula_has_no_table(study: Study, page: str) -> None:
    assert formulas_of(study) is None
    assert "formulas-table" not in page


def test_the_table_stands_on_the_first_screen(
    study: Study, evidence: list[dict[str, Any]], read_html: ReadHtml
) -> None:
    several = with_formulas(study)
    page = render(several, evidence)
    answer = page[page.index('id="answer"') : page.index('id="comparison"')]
    assert "Does cleaning still help under feedback? P@10 of <bdi>bte</bdi>" in answer
    found = formulas_of(several)
    assert found
    assert [(line.name, line.cells[-1], line.kind) for line in found.lines] == [
        ("first", "0.010", "gain"),
        ("second", "\u2013", ""),
    ]
    assert "Not tested, only shown: second." in answer
    assert "&lt;b&gt;" in answer
    assert "formulas.csv" in {a.get("download") for a in read_html(page).named("a")}
    assert "first: bm25(k1=1,b=0); second: " in page


def test_what_was_tuned_is_said(study: Study) -> None:
    found = formulas_of(with_formulas(study, tuned=True))
    assert found
    assert "first: each side chose its parameters on four fifths of the topics" in found.notes[2]
    assert found.notes[2].endswith("By all topics both choose bm25(k1=2,b=0).")


def test_the_csv_has_every_cleaner_under_every_formula(study: Study) -> None:
    several = with_formulas(study)
    lines = formulas_csv(several).splitlines()
    assert len(lines) == 1 + 2 * len(study.rows) * len(study.rows[0].results)
    assert lines[0].startswith("formula,cleaner,role,measure,mean,low,high,difference")


@pytest.mark.parametrize("several", [False, True])
def test_a_run_from_elsewhere_has_figures_and_no_evidence(
    study: Study, evidence: list[dict[str, Any]], several: bool
) -> None:
    made = with_run(with_formulas(study) if several else study)
    page = render(made, evidence)
    assert "run from elsewhere" in page
    assert "dense" not in [str(row.variant) for row in rows_to_explain(made)]
    start = page.index('id="study-data">') + len('id="study-data">')
    listed = json.loads(page[start : page.index("</script>", start)])["variants"]
    assert [one["role"] for one in listed if one["cleaner"] == "dense"] == ["run"]
    with pytest.raises(TypeError, match="dense is a run from elsewhere"):
        _ = made.rows[-2].cleaner
