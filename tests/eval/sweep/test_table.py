"""The table and the CSV of a sweep."""

import csv
import io
import re
from collections.abc import Sequence

import pytest

from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.syntax.variants import Sweep, Variant, parse_sweep
from boilersweep.eval.stats.frames import Row, baseline_of, best_of, sweeps_of
from boilersweep.eval.stats.sheets import scores_sheet, sweep_sheet, topics_sheet
from boilersweep.eval.sweep.table import MAX_ROWS, sweep_table
from tests.eval.rows import row_of


def row(
    feature: str, value: float, p10: float, ndcg: float = 0.5, judged: float = 1.0
) -> Row:
    scores = {"P@10": p10, "nDCG@10": ndcg, "Judged@10": judged}
    return row_of(Variant.at_least(feature, value), scores, (1200, 34, 56789))


def scores_csv(rows: Sequence[Row]) -> str:
    return scores_sheet(rows, sweep_sheet(rows)).csv


def topics_csv(
    by_variant: dict[Variant, dict[str, list[float]]],
    topics: list[str],
    sweeps: Sequence[Sweep] = (),
) -> str:
    rows = [
        row_of(variant, {}, sweeps=sweeps, scores=scores)
        for variant, scores in by_variant.items()
    ]
    return topics_sheet(rows, sweep_sheet(rows), topics).csv


ROWS = [
    row("words", 1.0, 0.18),
    row("words", 11.0, 0.44, 0.6),
    row("words", 20.0, 0.44, 0.7),
    row("density", 1.0, 0.18),
    row("density", 10.5, 0.32),
]


def test_the_csv() -> None:
    assert scores_csv(ROWS[:2] + ROWS[4:]) == (
        "sweep,threshold,documents,empty,tokens,P@10,nDCG@10,Judged@10\n"
        "words,1,1200,34,56789,0.1800,0.5000,1.0000\n"
        "words,11,1200,34,56789,0.4400,0.6000,1.0000\n"
        "density,10.5,1200,34,56789,0.3200,0.5000,1.0000\n"
    )


def test_measures_with_commas_are_quoted() -> None:
    row = row_of(Variant.at_least("words", 1.0), {"nDCG(dcg='exp-log2',cutoff=5)": 0.5})
    header, values = csv.reader(io.StringIO(scores_csv([row])))
    assert header[5:] == ["nDCG(dcg='exp-log2',cutoff=5)"]
    assert len(values) == 6


def test_the_csv_of_topics() -> None:
    by_threshold = {
        Variant.at_least("words", 1.0): {"P@10": [0.1, 0.25]},
        Variant.at_least("density", 10.5): {"P@10": [1.0, 0.0]},
    }
    assert topics_csv(by_threshold, ["851", "852"]) == (
        "sweep,threshold,topic,P@10\n"
        "words,1,851,0.1000\n"
        "words,1,852,0.2500\n"
        "density,10.5,851,1.0000\n"
        "density,10.5,852,0.0000\n"
    )


def test_baseline_best_and_sweeps() -> None:
    assert baseline_of(ROWS) is ROWS[0]
    assert baseline_of(ROWS[1:3]) is None
    assert best_of(ROWS[:3], "P@10") is ROWS[1]
    assert best_of(ROWS[:3], "nDCG@10") is ROWS[2]
    sweeps = sweeps_of(ROWS[::-1])
    assert [row for _, row in sweeps["words"]] == ROWS[:3]
    assert [row for _, row in sweeps["density"]] == ROWS[3:]
    assert [value for value, _ in sweeps["words"]] == [1, 11, 20]


def test_cleaners_stand_below_the_sweeps() -> None:
    cleaner = Variant(Comparison("link_density", "<=", 0.33))
    rows = [row_of(cleaner, {"P@10": 0.5}, (7, 8, 9)), row("words", 1, 0.25)]
    assert baseline_of(rows) is rows[1]
    assert list(sweeps_of(rows)) == ["words"]
    assert scores_csv(rows).splitlines()[1] == "link_density<=0.33,,7,8,9,0.5000"
    assert topics_csv({cleaner: {"P@10": [0.5]}}, ["t"]).splitlines()[1] == (
        "link_density<=0.33,,t,0.5000"
    )
    lines = sweep_table(rows, 1).splitlines()
    assert lines[2].startswith("words >= 1 (baseline) ")
    assert lines[3].startswith("link_density<=0.33 ")


def test_any_sweep_has_its_rows_in_the_table_and_the_csv() -> None:
    sweep = parse_sweep("link_density<=0:1:0.02")
    rows = [
        row_of(
            threshold,
            {"P@10": 0.7 if value == 0.26 else 0.5},
            (7, 8, 9),
            sweeps=[sweep],
        )
        for value, threshold in zip(sweep.values, sweep.thresholds, strict=True)
    ]
    cleaner = Variant(Comparison("link_density", "<=", 0.33))
    other = row_of(cleaner, {"P@10": 0.5}, (7, 8, 9))
    assert [value for value, _ in sweeps_of(rows, [sweep])["link_density<="]] == [
        *sweep.values
    ]
    lines = scores_csv([*rows, other]).splitlines()
    assert lines[2] == "link_density<=,0.02,7,8,9,0.5000"
    assert lines[-1] == "link_density<=0.33,,7,8,9,0.5000"
    of_topics = topics_csv({rows[1].variant: {"P@10": [0.5]}}, ["t"], [sweep])
    assert of_topics.splitlines()[1] == "link_density<=,0.02,t,0.5000"
    table = sweep_table([*rows, other], 9, [sweep])
    shown = [
        line.split()[0] for line in table.splitlines()[2:] if line.startswith("link")
    ]
    assert shown[:3] == ["link_density<=0", "link_density<=0.1", "link_density<=0.2"]
    assert shown[-2:] == ["link_density<=1", "link_density<=0.33"]
    assert "link_density<=0.26" in shown
    assert "39 more thresholds" in table


def test_of_equal_scores_the_lowest_threshold_is_best() -> None:
    rounded = [row("words", 1.0, 0.3), row("words", 2.0, 0.1 + 0.2)]
    assert best_of(rounded, "P@10") is rounded[0]


def lines_of(table: str) -> dict[str, str]:
    """Return the lines of thresholds, by what they keep."""
    found = (re.match(r"(\w+ >= [\d.]+)", line) for line in table.splitlines())
    return {match[1]: match.string for match in found if match}


def test_the_best_of_each_sweep_and_measure_is_marked() -> None:
    table = sweep_table(ROWS, 1234)
    assert "Means over 1,234 topics." in table
    assert "looks better than it is" in table
    assert "more thresholds" not in table
    lines = lines_of(table)
    marked = {kept: re.findall(r"[\d.]+\*", line) for kept, line in lines.items()}
    assert marked == {
        "words >= 1": [],
        "words >= 11": ["0.440*"],
        "words >= 20": ["0.700*"],
        "density >= 1": ["0.500*"],
        "density >= 10.5": ["0.320*"],
    }
    assert "(baseline)" in lines["words >= 1"]
    assert "(baseline)" in lines["density >= 1"]
    assert "1,200" in lines["words >= 11"]
    assert "56,789" in lines["words >= 11"]


@pytest.mark.parametrize("best", [2, 50, 99])
@pytest.mark.parametrize("best_ndcg", [3, 50, 98])
def test_long_sweeps_are_thinned_but_the_best_stay(best: int, best_ndcg: int) -> None:
    rows = [
        row(
            "words", float(v), 0.9 if v == best else 0.3, 0.8 if v == best_ndcg else 0.2
        )
        for v in range(1, 101)
    ]
    table = sweep_table(rows, 50)
    lines = lines_of(table)
    assert MAX_ROWS - 3 <= len(lines) <= MAX_ROWS
    assert {
        "words >= 1",
        "words >= 100",
        f"words >= {best}",
        f"words >= {best_ndcg}",
    } <= set(lines)
    assert "0.900*" in lines[f"words >= {best}"]
    assert "0.800*" in lines[f"words >= {best_ndcg}"]
    assert f"{100 - len(lines)} more thresholds are in scores.csv" in table


@pytest.mark.parametrize(("thresholds", "left_out"), [(MAX_ROWS, 0), (MAX_ROWS + 1, 1)])
def test_thinning_begins_beyond_the_maximum(thresholds: int, left_out: int) -> None:
    rows = [row("words", float(value), 0.3) for value in range(1, thresholds + 1)]
    lines = lines_of(sweep_table(rows, 50))
    assert (len(lines) == thresholds) == (left_out == 0)
    assert len(lines) <= MAX_ROWS


def test_many_measures_do_not_break_the_thinning() -> None:
    rows = [
        row_of(
            Variant.at_least("words", float(v)),
            {f"P@{k}": v * k % 97 for k in range(1, 31)},
        )
        for v in range(1, 101)
    ]
    lines = lines_of(sweep_table(rows, 50))
    assert {"words >= 1", "words >= 100"} <= set(lines)
