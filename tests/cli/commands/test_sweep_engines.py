"""--engine, --verify and --formula of the command line."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs, Outcome, read_json

THRESHOLDS = ("--sweep", "words=1:6", "--sweep", "density=2,3")


EXACT = ("--engine", "exact")


@pytest.fixture
def sweep(call: Call, inputs: Inputs, tmp_path: Path) -> Call:
    def run(output: str, *arguments: object) -> Outcome:
        usual = ("--output", tmp_path / output, "--threads", 1, *THRESHOLDS)
        return call("sweep", *inputs.arguments, *usual, *arguments)

    return run


@pytest.mark.java
def test_the_exact_engine_end_to_end(sweep: Call, tmp_path: Path) -> None:
    real = sweep("real")
    exact = sweep("exact", *EXACT)
    assert (real.status, exact.status) == (0, 0), real.err + exact.err
    for name in ("scores.csv", "topics.csv", "table.txt", "runs/words-005.trec"):
        assert (tmp_path / "exact" / name).read_bytes() == (
            tmp_path / "real" / name
        ).read_bytes()
    assert exact.out.replace("/exact/", "/real/") == real.out
    assert "verified: " not in real.err
    assert "are those of real indexes" in exact.err
    assert "2 runs (words-001, " in exact.err
    assert len(list((tmp_path / "real" / "indexes").iterdir())) == 8
    assert len(list((tmp_path / "exact" / "indexes").iterdir())) == 2
    assert (
        read_json(tmp_path / "real" / "manifest.json")["facts"]["engine"] == "indexes"
    )
    assert read_json(tmp_path / "exact" / "manifest.json")["facts"]["engine"] == "exact"

    assert sweep("exact", *EXACT).ok().out == exact.out


@pytest.mark.java
@pytest.mark.parametrize(("engine", "told"), [("indexes", True), ("exact", False)])
def test_only_real_indexes_take_their_size(
    sweep: Call, monkeypatch: pytest.MonkeyPatch, engine: str, told: bool
) -> None:
    monkeypatch.setattr("boilersweep.cli.options.experiment._MUCH", 0)
    assert (
        "8 indexes will take about" in sweep("out", "--engine", engine).ok().err
    ) == told


SITE = "site(words>=2, 5)"


@pytest.mark.java
def test_exact_runs_are_those_of_indexes_part_by_part_too(
    call: Call,
    store: Path,
    inputs: Inputs,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A large store is swept part by part."""
    cleaners = f"{SITE},weighted({SITE}, 3),ancestor(!site(link_words<1))"
    arguments = (
        "sweep",
        "--store",
        store,
        *inputs.judged,
        "--cleaners",
        cleaners,
        "--sweep",
        "words=1",
        "--sweep",
        "site(words>=1, {2,30,31})",
        "--engine",
        "exact",
        "--verify",
        7,
    )
    call(*arguments, "--output", tmp_path / "whole").ok().noted("hits of 7 runs")
    monkeypatch.setattr("boilersweep.eval.experiment.run.MOST_IN_MEMORY", 0)
    call(*arguments, "--output", tmp_path / "divided").ok()
    assert list((tmp_path / "divided").glob(".tasks/*.npz"))
    for name in ("scores.csv", "topics.csv"):
        assert (tmp_path / "divided" / name).read_bytes() == (
            tmp_path / "whole" / name
        ).read_bytes()
    runs = tmp_path / "whole" / "runs"
    # Of five animals four stand in the menu of each of 30 pages, a fifth of them on 24.
    assert len((runs / "site-words-ge-1-2.trec").read_text().splitlines()) == 30
    everything = (runs / "words-001.trec").read_text()
    left = (runs / "site-words-ge-1-31.trec").read_text()
    assert left.replace("site-words-ge-1-31", "words-001") == everything
