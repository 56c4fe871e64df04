"""The step of PyTerrier's pipelines, in the real one; skipped where that is not installed."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from boilersweep import UsageError, clean
from boilersweep.eval.ranking.runs import Run, write_run
from boilersweep.eval.stats.scoring import parse_measures, score

pt: Any = pytest.importorskip("pyterrier", reason="pyterrier is not installed")
pd: Any = pytest.importorskip("pandas")
ours: Any = pytest.importorskip("boilersweep.cleaning.pyterrier")

MANUAL = Path(__file__).parents[2] / "src" / "boilersweep" / "cleaning" / "README.md"

LONG = "<title>A title</title><p>menu<p>a paragraph of more than five words, <b>bold</b> ones"
PAGES: dict[str, str | bytes] = {
    "a": LONG,
    "b": "<p>menu",
    "c": b"",
    "d": "<p>\u00e9 in some more words".encode("latin-1"),
}
LARGE = "<p>" + "x " * 9 * 2**20
LEARNED = pytest.param("learned", marks=pytest.mark.application("learned"))


class Indexer(pt.Indexer):  # type: ignore[misc]
    """Keeps what it is given."""

    def index(self, iter: Any, **_: Any) -> list[dict[str, Any]]:  # noqa: A002
        return list(iter)


def rows(pages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"docno": docno, "html": html} for docno, html in pages.items()]


@pytest.mark.parametrize("cleaner", ["words>=5", LEARNED, "cetr"])
def test_pages_are_cleaned_as_by_clean(cleaner: str) -> None:
    found = ours.Cleaner(cleaner)(pd.DataFrame(rows(PAGES)))
    assert found.docno.tolist() == list(PAGES)
    assert found.text.tolist() == [clean(page, cleaner) for page in PAGES.values()]
    assert found.title.tolist() == ["A title", "", "", ""]
    assert found.text[0]


def test_a_pipeline_that_indexes() -> None:
    many = {f"d{number}": f"<p>{number} " + "word " * 5 for number in range(250)}
    pipeline = ours.Cleaner("words>=5") >> Indexer()
    indexed = pipeline.index(iter(rows(many)))
    assert [one["docno"] for one in indexed] == list(many)
    assert [one["text"] for one in indexed] == [
        clean(page, "words>=5") for page in many.values()
    ]
    assert repr(ours.Cleaner("words>=5")) == "Cleaner('words>=5')"


def test_a_page_that_cannot_be_cleaned_has_no_text_and_costs_no_other() -> None:
    with pytest.warns(UserWarning, match="^large: the page cannot be cut"):
        found = ours.Cleaner("words>=5")(rows({"large": LARGE, **PAGES}))
    assert [bool(one["text"]) for one in found] == [False, True, False, False, True]


def test_what_pyterrier_asks_of_a_transformer() -> None:
    step = pickle.loads(pickle.dumps(ours.Cleaner("words>=5")))  # noqa: S301
    assert pt.inspect.transformer_inputs(step) == [["html"]]
    assert pt.inspect.transformer_outputs(step, ["docno", "html"]) == [
        "docno",
        "html",
        "text",
        "title",
    ]
    for without in ([{"docno": "a", "text": "t"}], pd.DataFrame({"docno": ["a"]})):
        with pytest.raises(pt.validate.InputValidationError, match="html"):
            list(step(without))


def test_a_cleaner_that_there_is_not_is_told_at_once() -> None:
    with pytest.raises(UsageError, match="nothing-known"):
        ours.Cleaner("nothing-known")


def recipe(mark: str) -> str:
    """Return the piece of the manual with a mark in it."""
    (found,) = re.findall(
        rf"```python\n([^`]*{mark}[^`]*)```", MANUAL.read_text("utf-8")
    )
    return str(found)


@pytest.mark.application("learned")
def test_the_recipe_of_a_pipeline() -> None:
    given = []

    class Keeper(Indexer):
        def index(self, iter: Any, **_: Any) -> None:  # type: ignore[override]  # noqa: A002
            given.extend(iter)

    exec(recipe("pipeline.index"), {"pages": PAGES.items(), "indexer": Keeper()})  # noqa: S102
    assert {one["docno"]: one["text"] for one in given} == {
        docno: clean(page) for docno, page in PAGES.items()
    }


def test_the_recipe_of_an_experiment_scores_our_runs_as_we_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: dict[str, Run] = {
        "words-001": {"1": [("b", 2.5), ("a", 1.5)], "2": [("c", 1.0)]},
        "learned": {"1": [("a", 2.5)], "2": [("007", 3.0), ("c", 1.0)]},
    }
    grades = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "007": 0}}
    monkeypatch.chdir(tmp_path)
    Path("OUT/runs").mkdir(parents=True)
    for name, run in runs.items():
        write_run(Path(f"OUT/runs/{name}.trec"), run, "boilersweep")
    Path("TOPICS").write_text("1\tone\n2\ttwo\n")
    Path("QRELS").write_text(
        "".join(
            f"{t} 0 {d} {grade}\n"
            for t, judged in grades.items()
            for d, grade in judged.items()
        )
    )
    found: dict[str, Any] = {}
    exec(recipe("pt.Experiment"), found)  # noqa: S102
    for place, run in enumerate(runs.values()):
        mean = score(run, grades, parse_measures(["P@10", "nDCG@10"])).mean
        assert list(found["table"].iloc[place][1:]) == pytest.approx(
            list(mean.values())
        )
