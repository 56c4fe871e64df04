"""run_grid: every pair scored as a sweep scores it, in one folder; its table and its heat map."""

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from boilersweep import BlockStore
from boilersweep.cleaners.syntax.variants import Grid, parse_sweep
from boilersweep.eval import (
    ExperimentOptions,
    GridResult,
    SearchOptions,
    run_grid,
    run_sweep,
)
from boilersweep.eval.experiment.finished import CHECKED
from boilersweep.eval.ranking.exact.engine import GridEngine
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.sweep.grid import draw_heat_maps, grid_sheet, grid_table
from boilersweep.topics import Qrels, Topic
from tests.conftest import known
from tests.eval.conftest import bootstrap_interval
from tests.eval.requests import experiment_arguments
from tests.eval.rows import row_of

java = pytest.mark.java

GRID = Grid(parse_sweep("words=1,2,5,200"), parse_sweep("density<={1,2,900}"))
KEPT = (
    "words-001",
    *(f"words-ge-{k}-and-density-le-{d}" for k in (1, 200) for d in (1, 900)),
)
MEASURES = ("P@10", "nDCG@10", "AP")

Run = Callable[..., GridResult]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("grid")


@pytest.fixture(scope="module")
def sources(qrels: Qrels, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    path = tmp_path_factory.mktemp("qrels") / "qrels.txt"
    path.write_text(
        "".join(
            f"{t} 0 {d} {g}\n"
            for t, judged in qrels.grades.items()
            for d, g in judged.items()
        )
    )
    return {"qrels": path}


@pytest.fixture(scope="module")
def run(store: BlockStore, topics: Sequence[Topic], qrels: Qrels) -> Run:
    """Return a function that runs the grid into a folder."""

    def run(output: Path, grid: Grid = GRID, **options: Any) -> GridResult:
        asked = experiment_arguments(**{"measures": MEASURES, **options})
        return run_grid(store, grid, topics, qrels, output, **asked)

    return run


@pytest.fixture(scope="module")
def result(run: Run, output: Path, sources: dict[str, Path]) -> GridResult:
    return run(output, sources=sources)


@java
@pytest.mark.parametrize("measures", [MEASURES, ("P@10", "Judged@3")])
def test_scores_are_those_of_a_sweep_over_the_same_cleaners(
    run: Run,
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    tmp_path: Path,
    measures: tuple[str, ...],
) -> None:
    found = run(tmp_path / "grid", measures=measures)
    cleaners = [row.variant.cleaner for row in found.rows]
    options = ExperimentOptions(engine="exact", measures=measures)
    expected = run_sweep(
        store, (), topics, qrels, tmp_path / "sweep", cleaners=cleaners, options=options
    )
    assert means_of(found.rows) == means_of(expected.rows)


@java
def test_the_files_are_those_of_the_documentation(
    result: GridResult, output: Path
) -> None:
    names = {
        "scores.csv",
        "topics.csv",
        "table.txt",
        "grid.svg",
        "grid.png",
        "manifest.json",
    }
    assert {path.name for path in output.iterdir()} == names | {"indexes", "runs"}
    best = {result.places[pair].name for pair in result.best.values()}
    for folder in ("runs", "indexes"):
        assert {path.stem for path in (output / folder).iterdir()} >= {*KEPT[:3], *best}
        assert {Path(name).stem.removesuffix(".trec") for name in (*KEPT, *best)} == {
            path.name.removesuffix(".trec") for path in (output / folder).iterdir()
        }
    assert all(path.is_file() for path in result.files)
    assert set(known(result.verified).variants) == {*KEPT, *best}
    with (output / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:6] == [
        *("cleaner", "words", "density<=", "documents", "empty", "tokens")
    ]
    assert len(rows) == 4 * 3 + 4 + 3
    assert [(row["words"], row["density<="]) for row in rows[3:9]] == [
        ("200", ""),
        ("", "1"),
        ("", "2"),
        ("", "900"),
        ("1", "1"),
        ("1", "2"),
    ]
    manifest = json.loads((output / "manifest.json").read_text("utf-8"))["facts"]
    assert manifest["grid"] == ["words=1,2,5,200", "density<=1,2,900"]
    assert manifest["variants"] == len(rows)
    assert set(manifest["kept"]) == {*KEPT, *best}


@java
def test_the_best_pair_has_its_interval(result: GridResult, output: Path) -> None:
    best = result.places[result.best["P@10"]]
    with (output / "topics.csv").open(newline="") as file:
        scores = [
            float(row["P@10"])
            for row in csv.DictReader(file)
            if row["cleaner"] == best.label
        ]
    pairs = [row for place, row in result.places.items() if None not in place]
    found = best.results["P@10"]
    assert found.mean == max(row.results["P@10"].mean for row in pairs)
    assert (found.low, found.high) == pytest.approx(
        bootstrap_interval(scores), abs=1e-4
    )
    assert sum(scores) / len(scores) == pytest.approx(found.mean, abs=1e-4)


@java
def test_it_can_be_checked(result: GridResult, output: Path) -> None:
    assert result.files
    assert list(CHECKED.check(output)) == []
    scores = (output / "scores.csv").read_text()
    line = next(line for line in scores.splitlines() if line.startswith("words>=1,"))
    (output / "scores.csv").write_text(
        scores.replace(line, re.sub(",0\\.", ",9.", line))
    )
    try:
        assert any("its run gives" in fault for fault in CHECKED.check(output))
    finally:
        (output / "scores.csv").write_text(scores)


@java
def test_a_number_of_variants_can_be_verified_and_a_sweep_can_follow(
    run: Run, store: BlockStore, topics: Sequence[Topic], qrels: Qrels, tmp_path: Path
) -> None:
    found = run(tmp_path, verified=3)
    spread = [
        "words-001",
        "words-ge-1-and-density-le-900",
        "words-ge-200-and-density-le-900",
    ]
    assert list(known(found.verified).variants) == spread
    assert sorted(path.name for path in (tmp_path / "indexes").iterdir()) == sorted(
        spread
    )
    asked = experiment_arguments(engine="exact", overwrite=True)
    run_sweep(store, [GRID.first], topics, qrels, tmp_path, **asked)
    assert not (tmp_path / "grid.svg").exists()
    assert len(list((tmp_path / "runs").iterdir())) == 4


@java
def test_topics_by_batches_score_alike(
    result: GridResult, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boilersweep.eval.experiment.scored.TOPICS_AT_ONCE", 2)
    assert means_of(run(tmp_path).rows) == means_of(result.rows)


@java
def test_the_runs_are_whole(
    result: GridResult, output: Path, store: BlockStore
) -> None:
    assert result.files
    run = read_run(output / "runs" / "words-001.trec")
    assert max(map(len, run.values())) > 10
    engine = GridEngine(store, GRID, {"1": "pony"}, SearchOptions())
    whole = engine.run(GRID.variant((0, None))).run
    assert [docid for docid, _ in run["1"]] == [docid for docid, _ in whole["1"]]


def means_of(rows: Sequence[Row]) -> list[tuple[object, ...]]:
    return [
        (
            row.cleaner,
            row.documents,
            row.empty,
            row.tokens,
            *(result.mean for result in row.results.values()),
        )
        for row in rows
    ]


def rows_of(grid: Grid) -> dict[tuple[int | None, int | None], Row]:
    """Scores that are best at (1, 0), and above that for the second sweep alone."""
    rows = {}
    for place in grid.places():
        i, j = place
        score = 0.5 if i is None else 0.6 - 0.1 * abs(i - 1)
        score += 0 if j is None else 0.2 - 0.05 * j
        rows[place] = row_of(
            grid.variant(place), {"P@10": score, "AP": 1 - score}, (7, 8, 9000)
        )
    return rows


def with_interval(row: Row, low: float, high: float) -> Row:
    """Return a row whose means have an interval."""
    results = {m: replace(one, low=low, high=high) for m, one in row.results.items()}
    return replace(row, results=results)


def test_the_table_has_the_best_pair_of_every_value() -> None:
    grid = Grid(parse_sweep("words=1:3"), parse_sweep("link_density<=0.2,0.5"))
    rows = rows_of(grid)
    rows[1, 0] = with_interval(rows[1, 0], 0.7, 0.9)
    lines = grid_table(grid, rows, {"P@10": (1, 0)}, 9).splitlines()
    assert re.split("  +", lines[0].strip())[:4] == [
        "words>=",
        "P@10 alone",
        "best link_density<=",
        "P@10",
    ]
    assert [line.split() for line in lines[2:5]] == [
        ["1", "0.500", "0.2", "0.700", "0.300", "7", "9,000"],
        ["2", "0.600", "0.2", "0.800*", "0.200", "7", "9,000"],
        ["3", "0.500", "0.2", "0.700", "0.300", "7", "9,000"],
    ]
    assert lines[6] == (
        "P@10: 0.800 [0.700, 0.900] at words>=2 & link_density<=0.2, the best of 6 pairs; alone "
        "words>=2 0.600 and link_density<=0.2 0.700; everything 0.500."
    )
    assert "more lines" not in lines[-1]
    alone = grid_table(grid, rows_of(grid), {"P@10": (1, 0)}, 1)
    assert "P@10: 0.800 at words>=2 &" in alone


def test_a_long_table_is_thinned() -> None:
    grid = Grid(parse_sweep("words=1:1000"), parse_sweep("link_density<=0.2,0.5"))
    rows = rows_of(grid)
    lines = grid_table(grid, rows, {"P@10": (1, 0)}, 9).splitlines()
    shown = [line.split()[0] for line in lines[2 : lines.index("")]]
    assert shown[:3] == ["1", "2", "50"]
    assert shown[-1] == "1000"
    assert len(shown) <= 24
    assert (
        lines[-1] == f"{1000 - len(shown)} more lines and all pairs are in scores.csv."
    )


def test_the_csv_has_a_column_for_each_sweep() -> None:
    grid = Grid(parse_sweep("words=2"), parse_sweep("ancestor(bte, {1,3})"))
    lines = grid_sheet(grid, rows_of(grid)).csv.splitlines()
    assert lines == [
        'cleaner,words,"ancestor(bte, k)",documents,empty,tokens,P@10,AP',
        "words>=1,,,7,8,9000,0.5000,0.5000",
        "words>=2,2,,7,8,9000,0.5000,0.5000",
        '"ancestor(bte, 1)",,1,7,8,9000,0.7000,0.3000',
        '"ancestor(bte, 3)",,3,7,8,9000,0.6500,0.3500',
        '"words>=2 & ancestor(bte, 1)",2,1,7,8,9000,0.7000,0.3000',
        '"words>=2 & ancestor(bte, 3)",2,3,7,8,9000,0.6500,0.3500',
    ]


@pytest.mark.usefixtures("drawn_figures")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("words=1:9", "link_density<=0.1,0.5,0.6"),
        ("words=3", "density={2,4}"),
        ("words=3", "density=4"),
    ],
)
def test_the_heat_map(tmp_path: Path, first: str, second: str) -> None:
    grid = Grid(parse_sweep(first), parse_sweep(second))
    rows = rows_of(grid)
    rows[0, 0] = with_interval(rows[0, 0], 0.5, 0.75)
    best = dict.fromkeys(("P@10", "AP"), (0, 0))
    files = draw_heat_maps(grid, rows, best, "a title & $more$", tmp_path / "grid")
    assert [path.name for path in files] == ["grid.svg", "grid.png"]
    assert files[1].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    svg = files[0].read_text("utf-8")
    for text in (
        "a title &amp; $more$",
        "minimum words of a block",
        "everything: ",
        "[0.500, 0.75",
    ):
        assert text in svg
    again = draw_heat_maps(grid, rows, best, "a title & $more$", tmp_path / "again")
    assert again[0].read_text("utf-8") == svg
