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
    """Return a function that calls `boilersweep compare` with an output folder in tmp_path."""

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
    outcome = compare(*arguments).ok()
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
    call("report", out).ok()
    page = (out / "report.html").read_text()
    assert "Does cleaning still help under feedback?" in page
    assert "runs/rm3/words-003.trec" in call("check", out, "--verbose").ok().out


def test_lists_of_parameters_are_tuned_on_both_sides(compare: Call, tmp_path: Path) -> None:
    outcome = compare("--k1", "0.4,2", "--b", "0.1,0.9", "--choose").ok()
    assert outcome.out.startswith("Does cleaning still help once both sides are tuned? P@10\n")
    assert "Rank by bm25(k1=" in outcome.out
    assert formulas(tmp_path / "out") == {
        "bm25-tuned": "tuned among 4 settings, bm25(k1=0.4,b=0.1) to bm25(k1=2,b=0.9)",
        "bm25": "bm25(k1=0.9,b=0.4)",
    }
    assert study(tmp_path / "out")["statistics"]["comparisons"] == 2
    compare("--k1", "0.4,1.5", "--b", "0.1,0.9").refused(1, "formulas bm25-tuned tuned among was")


def test_mu_is_tuned_beside_another_formula(compare: Call, tmp_path: Path) -> None:
    compare("--formula", "bm25,qld", "--mu", "100,1000").ok()
    assert list(formulas(tmp_path / "out")) == ["bm25", "qld-tuned", "qld"]
    compare("--qld", "--mu", 250, "--overwrite").ok()
    assert study(tmp_path / "out")["run"]["model"] == "qld(mu=250)"
    assert formulas(tmp_path / "out") == {}


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
    compare(*arguments).ok("mine (run)").noted(
        "Run mine ranks nothing for 1 of 5 topics, which count as zero.",
        "are not in the block store, such as GX000-30",
    )
    call("check", tmp_path / "out").ok()
    call("report", tmp_path / "out").ok()
    made.write_text(made.read_text() + "5 Q0 GX000-01 1 1 mine\n")
    assert "runs mine was" in compare(*arguments).err
