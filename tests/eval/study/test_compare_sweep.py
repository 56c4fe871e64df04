"""A finished sweep as a study, by its runs."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from boilersweep import BlockStore, InputError, OutputError
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.eval import (
    ExperimentOptions,
    StudyOptions,
    Verification,
    compare_sweep,
    run_grid,
    run_study,
    run_sweep,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.search import VariantRun

pytestmark = pytest.mark.java

Given = tuple[BlockStore, Path, Path]

OPTIONS = ExperimentOptions(
    engine="exact", measures=["P@10", "AP"], verification=Verification(variants=1)
)


@pytest.fixture(scope="module")
def given(store: BlockStore, tmp_path_factory: pytest.TempPathFactory) -> Given:
    """Return the store, and files of topics and qrels."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "topics.tsv").write_text("1\tpony\n2\tzebra word7\n5\tword1\n")
    lines = [
        f"{t} 0 d{d:02d} {(d + int(t)) % 3}\n" for t in "125" for d in range(0, 30, 2)
    ]
    (folder / "qrels.txt").write_text("".join(lines))
    return store, folder / "topics.tsv", folder / "qrels.txt"


@pytest.fixture
def sweep(given: Given, tmp_path: Path) -> Path:
    store, topics, qrels = given
    output = tmp_path / "sweep"
    run_sweep(
        store, "words=1:5", topics, qrels, output, cleaners="bte", options=OPTIONS
    )
    return output


def test_it_is_the_study_of_the_same_cleaners_and_searches_nothing(
    given: Given, sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, topics, qrels = given
    study = StudyOptions(sweeps="words=1:5")
    once = run_study(
        store,
        ["bte", "words>=9"],
        topics,
        qrels,
        tmp_path / "once",
        study=study,
        options=OPTIONS,
    )
    searched: list[str] = []
    run = ExactEngine.run

    def noted(
        engine: ExactEngine, variant: Variant, topics: Sequence[str] | None = None
    ) -> VariantRun:
        if topics is None or topics:
            searched.append(str(variant))
        return run(engine, variant, topics)

    monkeypatch.setattr(ExactEngine, "run", noted)
    found = compare_sweep(
        sweep, tmp_path / "again", cleaners="words>=9", options=OPTIONS
    )
    assert set(searched) == {"words>=9", "words>=1"}  # `words>=1` is verified
    assert found.table == once.table
    for name in ("compare.csv", "topics.csv", "pairs.csv", "table.tex"):
        assert (tmp_path / "again" / name).read_bytes() == (
            tmp_path / "once" / name
        ).read_bytes()
    runs = [path.name for path in (tmp_path / "once" / "runs").iterdir()]
    assert len(runs) == 7
    for name in runs:
        assert (tmp_path / "again" / "runs" / name).read_bytes() == (
            tmp_path / "once" / "runs" / name
        ).read_bytes()


def test_what_changed_or_is_no_sweep_is_named(
    given: Given, sweep: Path, tmp_path: Path
) -> None:
    store, topics, qrels = given
    run = sweep / "runs" / "bte.trec"
    run.write_text(run.read_text() + "9 Q0 d01 1 1.0 x\n")
    with pytest.raises(InputError, match=r"runs/bte.trec.*; run the sweep again"):
        compare_sweep(sweep, tmp_path / "study", options=OPTIONS)
    grid = tmp_path / "grid"
    run_grid(store, ("words=1:2", "density=1:2"), topics, qrels, grid, options=OPTIONS)
    with pytest.raises(OutputError, match="has a grid, expected the folder of"):
        compare_sweep(grid, tmp_path / "study")
    assert not (tmp_path / "study").exists()


def test_other_code_is_another_sweep(
    sweep: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "boilersweep.eval.experiment.request.anserini_identity", lambda: "another"
    )
    with pytest.raises(InputError, match="made with other anserini; run the sweep"):
        compare_sweep(sweep, tmp_path / "study", options=OPTIONS)
