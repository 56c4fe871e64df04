"""How the top ten changes, without judgements."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, OutputError, UsageError
from boilersweep.cleaners.syntax.grammar import as_cleaner
from boilersweep.cleaners.syntax.variants import as_sweep
from boilersweep.eval import SearchOptions
from boilersweep.eval.sweep.overlap import (
    OVERLAP,
    compare_unjudged,
    overlap,
    rank_biased_overlap,
)
from boilersweep.topics import Topic
from tests.stores import contents


def test_overlap_of_lists() -> None:
    assert overlap(["a", "b"], ["b", "c"]) == 0.5
    assert overlap([], []) == 1
    assert overlap(["a"], []) == 0


def test_rank_biased_overlap_weighs_the_first_ranks_most() -> None:
    assert rank_biased_overlap(["a", "b"], ["a", "b"]) == pytest.approx(1)
    assert rank_biased_overlap(["a", "b"], ["c", "d"]) == 0
    assert rank_biased_overlap([], []) == 1
    ranked = list("abcdefghij")
    last = rank_biased_overlap(ranked, [*ranked[:9], "x"])
    first = rank_biased_overlap(ranked, ["x", *ranked[:9]])
    assert first < last < 1
    # X: 1, 1 of 2: extrapolated .5 * .9^2 + .1 / .9 * (1 * .9 + .5 * .9^2)
    assert rank_biased_overlap(["a", "b"], ["a", "c"]) == pytest.approx(0.405 + 0.145)


def compared(
    store: BlockStore, topics: Sequence[Topic], output: Path, **more: Any
) -> tuple[str, list[Path]]:
    return compare_unjudged(
        store,
        topics,
        as_cleaner("words>=1"),
        [as_cleaner("bte")],
        [as_sweep("words=1:3")],
        output,
        options=SearchOptions(),
        title="t",
        **more,
    )


@pytest.mark.usefixtures("java")
def test_thresholds_are_compared_without_a_judgement(
    store: BlockStore, tmp_path: Path
) -> None:
    topics = [Topic("1", "zebra otter"), Topic("2", "nothing-of-this-kind")]
    table, files = compared(store, topics, tmp_path / "out")
    assert {path.name for path in files} == {
        "overlap.txt",
        "overlap.csv",
        "changed-topics.csv",
        "overlap.svg",
        "overlap.png",
    }
    assert all(path.stat().st_size for path in files)
    with (tmp_path / "out" / "overlap.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert float(rows[0]["overlap"]) == float(rows[0]["RBO"]) == 1
    with (tmp_path / "out" / "changed-topics.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3 * 2
    assert "P@10" not in table
    assert table.splitlines()[2].endswith("0.0 MB")
    assert list(OVERLAP.check(tmp_path / "out")) == []
    whole = contents(tmp_path / "out")
    compared(store, topics, tmp_path / "out")
    assert contents(tmp_path / "out") == whole
    with pytest.raises(OutputError, match="topics 2 was nothing-of-this-kind"):
        compared(store, topics[:1], tmp_path / "out")
    (tmp_path / "out" / "overlap.csv").write_text("edited")
    assert any("overlap.csv" in one for one in OVERLAP.check(tmp_path / "out"))


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("name", ["overlap.csv", "manifest.json"])
def test_files_of_others_stay(store: BlockStore, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("theirs")
    for overwrite in (False, True):
        with pytest.raises(OutputError, match=name):
            compared(store, [Topic("1", "zebra")], tmp_path, overwrite=overwrite)
    assert (tmp_path / name).read_text() == "theirs"


def test_nothing_to_compare_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected `cleaners` or a `sweep`"):
        compare_unjudged(
            None,  # type: ignore[arg-type]
            [],
            as_cleaner("words>=1"),
            [],
            [],
            tmp_path,
            options=SearchOptions(),
            title="t",
        )
