"""The curve: files are written, alike each time, and show what they should."""

import re
from pathlib import Path

import pytest

from boilersweep import OutputError
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval.experiment.scored import ScoredRun, Scores
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.stats.scoring import RunScores
from boilersweep.eval.sweep.sweep import draw_curve
from tests.eval.conftest import bootstrap_interval
from tests.eval.rows import row_of

pytestmark = pytest.mark.usefixtures("drawn_figures")

MEASURES = ("P@10", "nDCG@10")


def rows(feature: str, values: range, best: int) -> list[Row]:
    return [
        row_of(
            Variant.at_least(feature, float(value)),
            {
                "P@10": 0.5 - abs(value - best) / 200,
                "nDCG@10": 0.4 - abs(value - best) / 300,
            },
            (10, 0, 100),
        )
        for value in values
    ]


ROWS = rows("words", range(1, 41), 11) + rows("density", range(1, 15), 9)


@pytest.mark.slow
def test_a_title_from_outside_is_no_formula_and_has_room(tmp_path: Path) -> None:
    """A folder may be named with dollars, between which others read TeX, and be long."""
    draw_curve(ROWS, MEASURES, r"$\nothing{ $ " + "x" * 500, tmp_path / "curve")
    assert r"$\nothing{ $ xxx" in (tmp_path / "curve.svg").read_text("utf-8")


def test_both_files_are_written_whole(tmp_path: Path) -> None:
    draw_curve(ROWS, MEASURES, "a title & more", tmp_path / "curve")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "curve.png",
        "curve.svg",
    ]
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    svg = (tmp_path / "curve.svg").read_text("utf-8")
    assert svg.rstrip().endswith("</svg>")
    for text in (
        "a title &amp; more",
        "minimum words of a block",
        "minimum text density",
    ):
        assert text in svg
    assert "0.500 at 11" in svg
    assert "0.400 at 9" in svg
    assert draw_curve([], MEASURES, "no sweep", tmp_path / "none") == []


@pytest.mark.slow
def test_the_svg_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        draw_curve(ROWS, MEASURES, "title", tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def bands(svg: Path) -> int:
    text = svg.read_text("utf-8")
    return len(re.findall('mark-area[^>]*><path d="M[^"]', text))


def test_intervals_are_bands(tmp_path: Path) -> None:
    runs = []
    for row in ROWS:
        mean = row.results["P@10"].mean
        by_topic = {
            topic: {"P@10": mean + change}
            for topic, change in (("1", -0.1), ("2", 0.0), ("3", 0.1))
        }
        scores = RunScores({"P@10": mean}, by_topic)
        runs.append(ScoredRun(row.variant, 10, 0, 100, scores))
    with_intervals = Scores(runs).frame()
    for one in with_intervals:
        result = one.results["P@10"]
        expected = bootstrap_interval(one.scores["P@10"])
        assert (result.low, result.high) == pytest.approx(expected, abs=1e-8)
    draw_curve(with_intervals, MEASURES[:1], "title", tmp_path / "with")
    assert bands(tmp_path / "with.svg") == 2  # of P@10, one in each panel


def test_an_interval_of_one_topic_is_no_band(tmp_path: Path) -> None:
    scores = RunScores({"P@10": 0.5}, {"1": {"P@10": 0.5}})
    runs = [ScoredRun(row.variant, 10, 0, 100, scores) for row in ROWS]
    draw_curve(Scores(runs).frame(), MEASURES[:1], "title", tmp_path / "one")
    assert bands(tmp_path / "one.svg") == 0


@pytest.mark.parametrize("values", [range(1, 2), range(5, 9), range(7, 8)])
def test_one_threshold_or_no_baseline_is_enough(tmp_path: Path, values: range) -> None:
    draw_curve(rows("density", values, 6), MEASURES[:1], "title", tmp_path / "curve")
    svg = (tmp_path / "curve.svg").read_text("utf-8")
    assert ("every block kept" in svg) == (1 in values)


def test_a_folder_that_is_not_there_is_an_output_error(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        draw_curve(ROWS, MEASURES, "title", tmp_path / "nothing" / "curve")
