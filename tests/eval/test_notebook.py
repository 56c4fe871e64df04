"""What results show in a notebook."""

import re
from collections.abc import Sequence

import pytest

from boilersweep import BlockStore
from boilersweep.cleaners.rules import Comparison
from boilersweep.eval import run_grid, run_study, run_sweep, search_index
from boilersweep.eval.experiment.run import ExperimentResult
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.judge import judge
from boilersweep.eval.stats.scoring import RunScores
from boilersweep.outputs.notebook import Framed
from boilersweep.topics import Qrels, Topic

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def results(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Framed]:
    folder = tmp_path_factory.mktemp("results")
    for name in "ab":
        (folder / f"{name}.html").write_text(f"<p>menu<p>one two three {name}")
        (folder / f"{name}.txt").write_text(f"one two three {name}")
    cleaners = [Comparison("words", ">=", number) for number in (1.0, 3.0)]
    swept = run_sweep(
        store, ["words=1,5"], topics, qrels, folder / "sweep", cleaners=["bte"]
    )
    return {
        "sweep": swept,
        "grid": run_grid(
            store, ("words=1:3", "density=1:2"), topics, qrels, folder / "grid"
        ),
        "study": run_study(store, ["bte", "words>=5"], topics, qrels, folder / "study"),
        "search": search_index(
            folder / "sweep" / "indexes" / "words-001", {"1": "pony"}, hits=5
        ),
        "judge": judge(read_dataset("folder", folder), cleaners),
    }


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.parametrize(
    ("name", "columns", "rows", "line"),
    [
        (
            "sweep",
            {"sweep", "threshold", "P@10"},
            3,
            "<SweepResult: 3 rows in .*scores.csv>",
        ),
        (
            "grid",
            {"words", "density", "P@10"},
            11,
            "<GridResult: 11 rows in .*scores.csv>",
        ),
        (
            "study",
            {"cleaner", "P@10_diff"},
            3,
            "<StudyResult: 3 rows in .*compare.csv>",
        ),
        (
            "search",
            {"topic", "docid", "rank", "score"},
            5,
            "<SearchResult: 5 hits of 1 topics>",
        ),
        ("judge", {"cleaner", "F1", "pages"}, 2, "<Judgements: 2 cleaners on 2 pages>"),
    ],
)
def test_a_result_is_a_frame_a_table_a_curve_and_a_line(
    results: dict[str, Framed], name: str, columns: set[str], rows: int, line: str
) -> None:
    result = results[name]
    frame = result.to_pandas()
    assert columns <= set(frame.columns)
    assert len(frame) == rows
    if isinstance(result, ExperimentResult):
        lines = result.frame()
        assert len(lines) % rows == 0
        assert {"cleaner", "measure", "mean", "difference"} <= set(lines.columns)
    assert re.fullmatch(line, repr(result))
    shown = result._repr_html_()
    assert "<table" in shown
    assert ("<svg" in shown) == (name in ("sweep", "grid"))
    assert "overflow-x: auto" in shown
    latex = result.to_latex(caption="Mine", label="tab:mine")
    assert latex.count(r"\bottomrule") == latex.count(r"\caption{Mine}") == 1
    assert all(column.replace("_", r"\_") in latex for column in columns)
    paper = result.to_latex()
    assert (r"\begin{table*}" in paper) == (name == "study")
    bundle = result.plot()._repr_mimebundle_()
    chart = bundle["application/vnd.vegalite.v5+json"]
    assert chart["data"]["values"]
    assert chart["encoding"]["tooltip"]
    assert "mark-" in bundle["image/svg+xml"]


def test_scores_of_a_run() -> None:
    by_topic = {"7": {"P@10": 0.5, "AP": 0.25}, "8": {"P@10": 0.7, "AP": 0.35}}
    scores = RunScores({"P@10": 0.6, "AP": 0.3}, by_topic)
    assert repr(scores) == "<RunScores: P@10 0.6000, AP 0.3000; 2 topics>"
    assert scores.to_pandas().to_dict("list") == {
        "topic": ["7", "8"],
        "P@10": [0.5, 0.7],
        "AP": [0.25, 0.35],
    }
    assert "7 & 0.500 & 0.250" in scores.to_latex()
    bars = scores.plot("AP").spec["data"]["values"]
    assert [(bar["name"], bar["value"]) for bar in bars] == [("7", 0.25), ("8", 0.35)]


def test_a_plot_shows_another_measure(results: dict[str, Framed]) -> None:
    chart = results["sweep"].plot("nDCG@10", title="mine").spec
    assert (chart["encoding"]["y"]["title"], chart["title"]) == ("nDCG@10", "mine")
    with pytest.raises(KeyError, match="expected one of sweep, threshold"):
        results["sweep"].plot("F1")
