"""How the top ten changes, without judgements."""

import csv
from pathlib import Path

import pytest

from boilersweep import BlockStore, UsageError
from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.language.variants import as_sweep
from boilersweep.eval import SearchOptions
from boilersweep.eval.assess.unjudged import (
    compare_unjudged,
    overlap,
    rank_biased_overlap,
)
from boilersweep.topics import Topic


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


@pytest.mark.usefixtures("java")
def test_thresholds_are_compared_without_a_judgement(
    store: BlockStore, tmp_path: Path
) -> None:
    topics = [Topic("1", "zebra otter"), Topic("2", "nothing-of-this-kind")]
    table, files = compare_unjudged(
        store,
        topics,
        as_cleaner("words>=1"),
        [as_cleaner("bte")],
        [as_sweep("words=1:3")],
        tmp_path / "out",
        options=SearchOptions(),
        title="t",
    )
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


def test_nothing_to_compare_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="expected --cleaners or --sweep"):
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
