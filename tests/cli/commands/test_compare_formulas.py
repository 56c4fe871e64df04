"""`boilersweep compare` with several formulas, tuned parameters, and runs from elsewhere."""

import random
from pathlib import Path

import pytest

from tests.cli.conftest import Call, read_json

pytestmark = pytest.mark.java


@pytest.fixture
def study(compare: Call) -> Call:
    """Return a function that compares one cleaner with the baseline."""
    return lambda *arguments: compare("--cleaners", "words>=3", *arguments)


def formulas(folder: Path) -> dict[str, str]:
    return {
        one["name"]: one["model"] for one in read_json(folder / "study.json").get("formulas", [])
    }


def test_several_formulas(study: Call, call: Call, tmp_path: Path) -> None:
    arguments = ("--formula", "bm25,rm3,classic", "--k1", 1.2, "--rm3.fbTerms", 5, "--choose")
    outcome = study(*arguments).ok()
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
    assert study(*arguments).out == outcome.out
    call("report", out).ok()
    page = (out / "report.html").read_text()
    assert "Does cleaning still help under feedback?" in page
    call("check", out, "--verbose").ok("runs/rm3/words-003.trec")


def test_lists_of_parameters_are_tuned_on_both_sides(study: Call, tmp_path: Path) -> None:
    outcome = study("--k1", "0.4,2", "--b", "0.1,0.9", "--choose").ok()
    assert outcome.out.startswith("Does cleaning still help once both sides are tuned? P@10\n")
    assert "Rank by bm25(k1=" in outcome.out
    assert formulas(tmp_path / "out") == {
        "bm25-tuned": "tuned among 4 settings, bm25(k1=0.4,b=0.1) to bm25(k1=2,b=0.9)",
        "bm25": "bm25(k1=0.9,b=0.4)",
    }
    assert read_json(tmp_path / "out" / "study.json")["statistics"]["comparisons"] == 2
    study("--k1", "0.4,1.5", "--b", "0.1,0.9").refused(1, "formulas bm25-tuned tuned among was")


def test_mu_is_tuned_beside_another_formula(study: Call, tmp_path: Path) -> None:
    study("--formula", "bm25,qld", "--mu", "100,1000").ok()
    assert list(formulas(tmp_path / "out")) == ["bm25", "qld-tuned", "qld"]
    study("--qld", "--mu", 250, "--overwrite").ok()
    assert read_json(tmp_path / "out" / "study.json")["run"]["model"] == "qld(mu=250)"
    assert formulas(tmp_path / "out") == {}


def test_runs_from_elsewhere(study: Call, call: Call, tmp_path: Path) -> None:
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
    study(*arguments).ok("mine (run)").noted(
        "Run mine ranks nothing for 1 of 5 topics, which count as zero.",
        "are not in the block store, such as GX000-30",
    )
    call("check", tmp_path / "out").ok()
    call("report", tmp_path / "out").ok()
    made.write_text(made.read_text() + "5 Q0 GX000-01 1 1 mine\n")
    assert "runs mine was" in study(*arguments).err
