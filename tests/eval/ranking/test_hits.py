"""Packed docids are a sequence of the docids; hits in arrays are read and written as hits."""

from pathlib import Path

import numpy as np
import pytest

from boilersweep.eval.ranking.runs import (
    ArrayHits,
    PackedDocids,
    Run,
    as_written,
    top_of,
    write_run,
)
from boilersweep.eval.stats.scoring import parse_measures, score


@pytest.mark.parametrize("docids", [[], ["d1"], ["a", "", "zürich", "\ufeffx", "😀"]])
def test_packed_docids_are_the_docids(docids: list[str]) -> None:
    packed = PackedDocids(docids)
    assert len(packed) == len(docids)
    assert list(packed) == docids == packed[:]
    assert [packed[n] for n in range(len(docids))] == docids
    for beyond in (-1, len(docids)):
        with pytest.raises(IndexError):
            packed[beyond]


def random_hits(docids: PackedDocids, seed: int) -> ArrayHits:
    """Hits with many ties, and scores of every size below and above 2^63."""
    dice = np.random.default_rng(seed)
    scores = dice.normal(size=40) * 10.0 ** dice.integers(-7, 18 + 4 * (seed % 2), 40)
    scores = np.sort(np.repeat(scores.astype(np.float32), 2))[::-1]
    return ArrayHits(docids, dice.permutation(len(docids))[: len(scores)], scores)


def test_hits_in_arrays_are_written_and_scored_as_others(tmp_path: Path) -> None:
    docids = PackedDocids([f"d{number}ü" for number in range(100)])
    arrays: Run = {f"{seed}é": random_hits(docids, seed) for seed in range(8)}
    arrays["\ufeffnone"] = ArrayHits(docids, np.empty(0, np.int64), np.empty(0, np.float32))
    lists: Run = {topic: list(hits) for topic, hits in arrays.items()}
    written = {}
    for name, run in {
        "arrays": arrays,
        "lists": lists,
        "mixed": lists | {"0é": arrays["0é"]},
    }.items():
        write_run(tmp_path / name, run, "tag")
        written[name] = (tmp_path / name).read_bytes()
    assert written["arrays"] == written["lists"] == written["mixed"]
    assert as_written(arrays) == as_written(lists)
    for depth in range(1, 80):
        assert top_of(arrays["1é"], depth) == top_of(lists["1é"], depth)
    grades = {topic: {"d3ü": 1, "d7ü": 0, "d50ü": 2, "nowhere": 1} for topic in arrays}
    measures = parse_measures(["AP", "P@10", "nDCG", "Bpref", "Judged@10", "AP(rel=2)"])
    assert score(arrays, grades, measures) == score(lists, grades, measures)
