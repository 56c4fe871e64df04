"""Results of a frame by hand; one mean in all its views."""

import json
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.stats.frames import (
    Pair,
    Result,
    Row,
    results_of,
    size_text,
    sweeps_of,
)
from boilersweep.eval.stats.sheets import add_results, frame_sheet, named_sheet
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.sheets import compare_sheet
from boilersweep.eval.study.study_json import read_study, study_json
from boilersweep.eval.study.tables import score_table
from boilersweep.eval.sweep.table import sweep_table
from boilersweep.outputs.columns import Column, Sheet, table_columns
from boilersweep.outputs.tables import as_latex, as_text
from tests.eval.made_up import document, read, study
from tests.eval.rows import row_of

__all__ = ["document", "read", "study"]

VALUES = np.array([[0.1, 0.3, 0.9], [0.5, 0.5, 0.9], [0.3, 0.7, 0.9]])
MEANS = {"P@10": VALUES.mean(axis=0).tolist()}


def test_differences_are_to_the_baseline_wherever_it_is() -> None:
    found = [one["P@10"] for one in results_of({"P@10": VALUES}, MEANS, baseline=1)]
    assert found[0].difference == pytest.approx(-0.2)
    assert (found[0].wins, found[0].ties, found[0].losses) == (0, 1, 2)
    assert found[1].difference is found[1].wins is found[1].effect is None
    assert found[1].mean == 0.5
    assert found[2].difference == pytest.approx(0.4)
    assert found[2].gap_closed is None


def test_without_a_baseline_or_intervals_there_are_none() -> None:
    alone = [one["P@10"] for one in results_of({"P@10": VALUES}, MEANS, baseline=None)]
    assert alone[0].low is not None
    assert alone[0].difference is None
    few = results_of({"P@10": VALUES}, MEANS, has_intervals=False)[2]["P@10"]
    assert few.low is few.difference_low is None
    assert few.difference == pytest.approx(0.6)


def test_the_gap_is_that_to_a_better_gold_text() -> None:
    found = results_of({"P@10": VALUES}, MEANS, gold=2)
    assert [one["P@10"].gap_closed for one in found] == pytest.approx([0, 1 / 3, 1])
    worse = results_of({"P@10": VALUES[:, ::-1]}, MEANS, gold=2)
    assert {one["P@10"].gap_closed for one in worse} == {None}


def test_a_new_field_is_a_column_of_all_views() -> None:
    class Wider(Result, frozen=True, kw_only=True):
        median: Annotated[float | None, Column("median", ".2f", "over topics")] = None

    wide = [Wider(mean=0.5, median=0.256)]
    sheet = Sheet()
    add_results(sheet, Wider, wide, [])
    assert "0.2560" in sheet.csv.splitlines()[1]
    assert table_columns(Wider, wide)["median"][1][0].text == "0.26"


def test_a_pair_is_the_opposite_of_its_mirror() -> None:
    numbers: dict[str, Any] = {"wins": 3, "ties": 1, "losses": 2, "effect": 0.5}
    pair = Pair(measure="AP", first=1, second=4, mean=0.5, difference=0.2, **numbers)
    mirrored = replace(pair, difference_low=0.1, difference_high=0.4).mirrored
    assert (mirrored.first, mirrored.second) == (4, 1)
    assert (mirrored.difference_low, mirrored.difference_high) == (-0.4, -0.1)
    assert (mirrored.wins, mirrored.losses, mirrored.effect) == (2, 3, -0.5)
    assert pair.mirrored.difference_low is None


def test_the_frame_has_a_line_for_each_row_and_measure(study: Study) -> None:
    rows = [replace(row, formula="bm25") for row in study.rows]
    lines = frame_sheet(rows, ["P@10", "nDCG@10"]).to_pandas()
    assert len(lines) == 2 * len(rows)
    assert list(lines.columns[:3]) == ["formula", "cleaner", "role"]
    assert lines["measure"].tolist()[:2] == ["P@10", "nDCG@10"]
    assert lines["p_t_holm"].tolist()[2] == 0.01
    assert "formula" not in named_sheet(study.rows).to_pandas()


def test_external_runs_are_on_no_curve() -> None:
    run = Row(name="dense", cleaner=None, role="run", results={})
    words = row_of(Variant.at_least("words", 3), {})
    assert sweeps_of([run, words]) == {"words": [(3, words)]}
    assert size_text(run) == ""


# 0.5125 as sums of different orders give it, and ties that go up and down.
@pytest.mark.parametrize(
    ("means", "text"),
    [
        ((0.5125, 0.51249999999999996, 0.51250000000000018), "0.512"),
        ((0.5135, 0.51349999999999985, 0.51350000000000018), "0.514"),
    ],
)
def test_one_mean_is_one_number_in_every_view(
    study: Study, tmp_path: Path, means: tuple[float, ...], text: str
) -> None:
    for mean in means:
        rows = []
        for row in study.rows:
            result = replace(row.results["P@10"], mean=mean)
            rows.append(replace(row, results={**row.results, "P@10": result}))
        made = replace(study, all_rows=rows)
        (tmp_path / "study.json").write_text(study_json(made), "utf-8")
        for one in (made, read_study(tmp_path / "study.json")):
            table = score_table(one, "P@10")
            assert {line[1] for line in table.lines} == {text}
            assert as_text([table], []).count(f" {text} ") == len(table.lines)
            assert text in as_latex([table], [], "")
            # Four digits of the same figure
            frame = compare_sheet(one).to_pandas()
            assert {f"{value:.4f}" for value in frame["P@10"]} == {f"{mean:.4f}"}
        swept = [row_of(Variant.at_least("words", 1), {"P@10": mean})]
        assert f" {text}*" in sweep_table(swept, 9)
        assert json.loads((tmp_path / "study.json").read_text("utf-8"))
