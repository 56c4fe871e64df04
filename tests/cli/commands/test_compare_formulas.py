"""`boilersweep compare` with several formulas, tuned parameters, and runs from elsewhere."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, Inputs, Outcome

pytestmark = pytest.mark.java


@pytest.fixture
def compare(call: Call, store: Path, inputs: Inputs, tmp_path: Path) -> Call:
    """Calls `boilersweep compare` with an output folder in tmp_path and more arguments."""

    def run(*arguments: object) -> Outcome:
        usual = ("--store", store, "--topics", inputs.topics, "--qrels", inputs.qrels)
        cleaners = ("--cleaners", "words>=3", "--threads", 1)
        return call("compare", *usual, *cleaners, "--output", tmp_path / "out", *arguments)

    return run


def study(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "study.json").read_text())
    return read


def formulas(folder: Path) -> dict[str, str]:
    return {one["name"]: one["model"] for one in study(folder).get("formulas", [])}


def test_several_formulas(compare: Call, call: Call, tmp_path: Path) -> None:
    arguments = ("--formula", "bm25,rm3,classic", "--k1", 1.2, "--rm3.fbTerms", 5, "--choose")
    outcome = compare(*arguments)
    assert outcome.status == 0, outcome.err
    out = tmp_path / "out"
    assert outcome.out.startswith("Does cleaning still help under feedback? P@10\n")
    assert "the best P@10 under bm25 of 5 topics" in outcome.out
    assert "--storeDocvectors" not in outcome.out
    assert formulas(out) == {
        "bm25": "bm25(k1=1.2,b=0.4)",
        "rm3": "bm25(k1=1.2,b=0.4)+rm3(fbTerms=5,fbDocs=10,originalQueryWeight=0.5)",
        "classic": "classic",
    }
    assert sorted(path.name for path in (out / "runs").iterdir()) == ["bm25", "classic", "rm3"]
    assert compare(*arguments).out == outcome.out
    assert call("report", out).status == 0
    page = (out / "report.html").read_text()
    assert "Does cleaning still help under feedback?" in page
    checked = call("check", out)
    assert checked.status == 0, checked.out
    assert "runs/rm3/words-003.trec" in checked.out


def test_lists_of_parameters_are_tuned_on_both_sides(compare: Call, tmp_path: Path) -> None:
    outcome = compare("--k1", "0.4,2", "--b", "0.1,0.9", "--choose")
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("Does cleaning still help once both sides are tuned? P@10\n")
    assert "Rank by bm25(k1=" in outcome.out
    assert formulas(tmp_path / "out") == {
        "bm25-tuned": "tuned among 4 settings, bm25(k1=0.4,b=0.1) to bm25(k1=2,b=0.9)",
        "bm25": "bm25(k1=0.9,b=0.4)",
    }
    assert study(tmp_path / "out")["statistics"]["comparisons"] == 2
    changed = compare("--k1", "0.4,1.5", "--b", "0.1,0.9")
    assert changed.status == 1
    assert "formulas bm25-tuned tuned among was" in changed.err


def test_a_parameter_that_is_not_tuned_holds_for_all(compare: Call, tmp_path: Path) -> None:
    assert compare("--k1", "0.4,2", "--b", 0.75).status == 0
    assert formulas(tmp_path / "out") == {
        "bm25-tuned": "tuned among 2 settings, bm25(k1=0.4,b=0.75) to bm25(k1=2,b=0.75)",
        "bm25": "bm25(k1=0.9,b=0.75)",
    }


def test_real_indexes_give_the_same_tuned_runs(compare: Call, tmp_path: Path) -> None:
    def found() -> dict[str, bytes]:
        runs = tmp_path / "out" / "runs"
        return {str(path.relative_to(runs)): path.read_bytes() for path in runs.rglob("*.trec")}

    assert compare("--k1", "0.4,2").status == 0
    exact = found()
    assert len(exact) == 4
    assert compare("--k1", "0.4,2", "--engine", "indexes", "--overwrite").status == 0
    assert found() == exact


def test_mu_is_tuned_beside_another_formula(compare: Call, tmp_path: Path) -> None:
    outcome = compare("--formula", "bm25,qld", "--mu", "100,1000")
    assert outcome.status == 0, outcome.err
    assert list(formulas(tmp_path / "out")) == ["bm25", "qld-tuned", "qld"]
    assert compare("--qld", "--mu", 250, "--overwrite").status == 0
    assert study(tmp_path / "out")["run"]["model"] == "qld(mu=250)"
    assert formulas(tmp_path / "out") == {}


def test_feedback_by_name_is_feedback_by_its_option(compare: Call, tmp_path: Path) -> None:
    real = ("--engine", "indexes")
    assert compare("--formula", "rocchio", *real).status == 0
    model = study(tmp_path / "out")["run"]["model"]
    outcome = compare("--rocchio", *real)
    assert outcome.status == 0, outcome.err
    assert study(tmp_path / "out")["run"]["model"] == model


def test_runs_from_elsewhere(compare: Call, call: Call, inputs: Inputs, tmp_path: Path) -> None:
    made = tmp_path / "made.trec"
    dice = random.Random(1)  # noqa: S311
    made.write_text(
        "".join(
            f"{topic} Q0 GX000-{number:02d} 1 {dice.random()} mine\n"
            for topic in range(1, 5)
            for number in range(31)
        )
    )
    arguments = ("--runs", f"mine={made}", "--choose")
    outcome = compare(*arguments)
    assert outcome.status == 0, outcome.err
    assert "Run mine ranks nothing for 1 of 5 topics, which count as zero." in outcome.err
    assert "are not in the block store, such as GX000-30" in outcome.err
    assert "mine (run)" in outcome.out
    checked = call("check", tmp_path / "out")
    assert checked.status == 0, checked.out
    assert call("report", tmp_path / "out").status == 0
    made.write_text(made.read_text() + "5 Q0 GX000-01 1 1 mine\n")
    assert "runs mine was" in compare(*arguments).err


def test_a_changed_copy_of_a_run_is_found(compare: Call, call: Call, tmp_path: Path) -> None:
    made = tmp_path / "made.trec"
    made.write_text("".join(f"{topic} Q0 GX000-01 1 1 mine\n" for topic in range(1, 6)))
    assert compare("--runs", f"mine={made}").status == 0
    copy = tmp_path / "out" / "runs" / "mine.trec"
    copy.write_text(copy.read_text().replace("GX000-01", "GX000-02"))
    checked = call("check", tmp_path / "out")
    assert checked.status == 1
    assert "runs/mine.trec" in checked.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--runs", "words-003=made.trec"), "words-003 is the name of words>=3 already"),
        (("--runs", "a/b=made.trec"), "expected NAME=RUN with a name of letters"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_exits_with_two_before_the_work(
    compare: Call, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    outcome = compare(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_run_that_is_none_exits_with_one_before_the_work(compare: Call, tmp_path: Path) -> None:
    made = tmp_path / "made.trec"
    made.write_text("1 Q0 GX000-01 first\n")
    outcome = compare("--runs", f"mine={made}")
    assert (outcome.status, outcome.out) == (1, "")
    assert f"{made}:1: expected six columns" in outcome.err
    assert not (tmp_path / "out" / "runs").exists()
