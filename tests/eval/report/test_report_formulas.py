"""Several formulas and external runs in the report."""

import csv
import io
import json
from typing import Any

import pytest
from msgspec.structs import replace

from boilersweep.eval.report.evidence import rows_to_explain
from boilersweep.eval.report.page import render
from boilersweep.eval.report.sections import formula_section
from boilersweep.eval.study.files import tidy_csv
from boilersweep.eval.study.results import Formula, FormulaRow, Study, Tuned
from boilersweep.eval.study.table import ResultTable
from tests.eval.conftest import known
from tests.eval.report.conftest import ReadHtml


def with_formulas(study: Study, *, tuned: bool = False) -> Study:
    """Return the study under `first`, and under `second`, whose differences are not tested."""
    choice = Tuned("bm25(k1=2,b=0)", ("bm25(k1=2,b=0)",) * 3) if tuned else None
    second = []
    for row in study.rows:
        results = {
            measure: replace(
                result, difference=result.difference and replace(result.difference, tests=None)
            )
            for measure, result in row.results.items()
        }
        second.append(FormulaRow(row.name, results, row.scores, row.run))
    formulas = [
        Formula("first", "bm25(k1=1,b=0)", True, None),
        Formula("second", "bm25(k1=1,b=0)+rm3(<b>)", False, second),
    ]
    return replace(
        study, rows=[replace(row, tuned=choice) for row in study.rows], formulas=formulas
    )


def with_run(study: Study) -> Study:
    row = study.rows[1]
    counts = dict.fromkeys("documents empty tokens tokens_kept index losses".split())
    run = replace(row, name="dense", cleaner=None, role="run", **counts)
    return replace(study, rows=[*study.rows[:-1], run, study.rows[-1]])


def test_one_formula_has_no_table(study: Study, page: str) -> None:
    assert formula_section(ResultTable(study)) is None
    assert "formulas-table" not in page


def test_the_table_stands_on_the_first_screen(
    study: Study, evidence: list[dict[str, Any]], read_html: ReadHtml
) -> None:
    several = with_formulas(study)
    page = render(several, evidence)
    answer = page[page.index('id="answer"') : page.index('id="comparison"')]
    assert "Does cleaning still help under feedback? P@10 of bte" in answer
    found = known(formula_section(ResultTable(several)))
    assert [(row.name, row.cells[-1].text, row.cells[2].kind) for row in found.grids[0].rows] == [
        ("first", "0.010", "gain"),
        ("second", "\u2013", ""),
    ]
    assert "Not tested, only shown: second." in answer
    assert "&lt;b&gt;" in answer
    assert "formulas.csv" in {a.get("download") for a in read_html(page).named("a")}
    assert "first: bm25(k1=1,b=0); second: " in page


def test_what_was_tuned_is_said(study: Study) -> None:
    found = known(formula_section(ResultTable(with_formulas(study, tuned=True))))
    assert "first: each side chose its parameters on four fifths of the topics" in found.notes[2]
    assert found.notes[2].endswith("By all topics both choose bm25(k1=2,b=0).")


def test_the_csv_has_every_cleaner_under_every_formula(study: Study) -> None:
    several = with_formulas(study)
    rows = [row for under in several.by_formula.values() for row in under]
    text = tidy_csv(ResultTable(several), rows, ["P@10", "nDCG@10"])
    lines = list(csv.DictReader(io.StringIO(text)))
    assert len(lines) == 2 * len(study.rows) * 2
    assert [line["formula"] for line in lines[:: 2 * len(study.rows)]] == ["first", "second"]


@pytest.mark.parametrize("several", [False, True])
def test_a_run_from_elsewhere_has_figures_and_no_evidence(
    study: Study, evidence: list[dict[str, Any]], several: bool
) -> None:
    made = with_run(with_formulas(study) if several else study)
    page = render(made, evidence)
    assert "run from elsewhere" in page
    assert "dense" not in [row.label for row in rows_to_explain(made)]
    start = page.index('id="study-data">') + len('id="study-data">')
    listed = json.loads(page[start : page.index("</script>", start)])["variants"]
    assert [one["role"] for one in listed if one["cleaner"] == "dense"] == ["run"]
    with pytest.raises(TypeError, match="dense is an external run"):
        _ = made.rows[-2].variant
