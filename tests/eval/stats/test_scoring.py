"""Scores: computed by hand, and as ir-measures computes them from the files."""
# ruff: noqa: S311

import math
import random
from collections.abc import Callable, Sequence
from operator import itemgetter
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.eval.ranking.runs import (
    ArrayHits,
    PackedDocids,
    Run,
    as_written,
    merged_scores_note,
    read_run,
    write_run,
)
from boilersweep.eval.stats.scoring import (
    DEFAULT_MEASURES,
    Scorer,
    depth_of,
    parse_measures,
    score,
)


def gain(*grades: int) -> float:
    return sum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1)
    )


def test_computed_by_hand() -> None:
    grades = {
        "1": {"a": 2, "b": 0, "c": 1, "d": 1, "unfound": 2},
        "2": {"x": 1, "y": 0},
        "3": {"z": 1},
    }
    run: Run = {
        "1": [("a", 5.0), ("b", 4.0), ("new", 3.0), ("c", 2.0), ("d", 1.0)],
        "2": [("y", 2.0), ("x", 1.0)],
    }
    measures = parse_measures(["P@10", "nDCG@10", "Judged@10", "RR"])
    scores = score(run, grades, measures)
    one = gain(2, 0, 0, 1, 1) / gain(2, 2, 1, 1)
    two = gain(0, 1) / gain(1)
    assert scores.by_topic["1"]["P@10"] == pytest.approx(0.3)
    assert scores.by_topic["1"]["nDCG@10"] == pytest.approx(one)
    assert scores.by_topic["2"] == pytest.approx(
        {"P@10": 0.1, "nDCG@10": two, "Judged@10": 1.0, "RR": 0.5}
    )
    assert scores.by_topic["3"] == dict.fromkeys(
        ["P@10", "nDCG@10", "Judged@10", "RR"], 0.0
    )
    assert scores.mean["P@10"] == pytest.approx(0.4 / 3)
    assert scores.mean["nDCG@10"] == pytest.approx((one + two) / 3)
    assert scores.mean["RR"] == pytest.approx(0.5)


def test_absent_topics_count_zero_and_foreign_ones_not_at_all() -> None:
    grades = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}, "4": {"a": 1}}
    run: Run = {"1": [("a", 1.0)], "2": [], "foreign": [("a", 1.0)]}
    scores = score(run, grades, parse_measures(["RR"]))
    assert scores.mean == {"RR": pytest.approx(0.25)}
    assert {topic: values["RR"] for topic, values in scores.by_topic.items()} == {
        "1": 1.0,
        "2": 0.0,
        "3": 0.0,
        "4": 0.0,
    }


@pytest.mark.parametrize("seed", range(5))
def test_the_files_give_ir_measures_the_same(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    docids = [f"d{number}" for number in range(60)]
    grades = {
        str(t): {d: dice.choice([-1, 0, 0, 1, 2, 4]) for d in dice.sample(docids, 30)}
        for t in range(12)
    }
    # Scores that differ in the seventh digit only tie in the file, and must tie in memory.
    run: Run = {
        str(t): [
            (d, 9 - rank // 3 - rank * 1e-8)
            for rank, d in enumerate(dice.sample(docids, dice.randint(1, 40)))
        ]
        for t in range(10)
    }
    write_run(tmp_path / "run", run, "tag")
    with (tmp_path / "qrels").open("w") as file:
        for topic, documents in grades.items():
            file.writelines(
                f"{topic} 0 {docid} {grade}\n" for docid, grade in documents.items()
            )
    measures = parse_measures([*DEFAULT_MEASURES, "Bpref", "P(rel=2)@5", "R@20", "RR"])
    expected = ir_measures.calc_aggregate(
        measures,
        ir_measures.read_trec_qrels(str(tmp_path / "qrels")),
        ir_measures.read_trec_run(str(tmp_path / "run")),
    )
    in_memory = score(as_written(run), grades, measures)
    assert in_memory.mean == pytest.approx(
        {str(m): v for m, v in expected.items()}, abs=1e-12
    )
    assert score(read_run(tmp_path / "run"), grades, measures) == in_memory


@pytest.mark.parametrize("scale", [1e-30, 1e-7, 1e12])
def test_scores_of_any_scale_with_ties(tmp_path: Path, scale: float) -> None:
    hits = (
        f"1 Q0 d{n} 1 {scale * (2.5 + n % 3 + n // 6 * 1e-3)} t\n" for n in range(9)
    )
    (tmp_path / "run").write_text("".join(hits))
    grades, measures = (
        {"1": {"d1": 1, "d3": 0, "d8": 2}},
        parse_measures(["AP", "nDCG@5", "RR"]),
    )
    theirs = list(ir_measures.read_trec_run(str(tmp_path / "run")))
    expected = {
        str(m): v
        for m, v in ir_measures.calc_aggregate(measures, grades, theirs).items()
    }
    assert score(read_run(tmp_path / "run"), grades, measures).mean == pytest.approx(
        expected
    )


# Scores that cross-encoders and other engines give; each maker takes a rank.
SATURATED: dict[str, Callable[[int], float]] = {
    "just below one": lambda rank: 1 - (rank + 1) * 1e-9,
    "a sigmoid": lambda rank: 1 / (1 + math.exp(rank / 4 - 20)),
    "a sum of large numbers": lambda rank: 20_000_000 - rank / 3,
    "negative logarithms": lambda rank: -1e-12 - 1e6 - rank * 0.01,
    "below the least single": lambda rank: 1e-50 / (rank + 1),
    "around the least single": lambda rank: 1e-44 / (rank + 1),
    "above the largest single": lambda rank: 1e300 / (rank + 1),
    "Anserini's steps for ties": lambda rank: 40.1234 - rank * 1e-6,
}


@pytest.mark.parametrize("name", SATURATED)
@pytest.mark.parametrize("seed", range(4))
def test_scores_that_single_precision_merges(
    tmp_path: Path, seed: int, name: str
) -> None:
    """The evaluator ties them: a cut between two of them would score another ranking."""
    dice = random.Random(seed)
    docids = [f"d{number:02}" for number in range(50)]
    grades = {
        str(t): {d: dice.choice([0, 0, 1, 2]) for d in dice.sample(docids, 8)}
        for t in range(10)
    }
    lines = [
        f"{topic} Q0 {docid} {rank + 1} {SATURATED[name](rank)!r} t\n"
        for topic in grades
        for rank, docid in enumerate(dice.sample(docids, 40))
    ]
    (tmp_path / "run").write_text("".join(lines))
    run = read_run(tmp_path / "run")
    names = ("RR", "AP", "P@1", "P@10", "nDCG@10", "AP@5", "R@20", "Judged@10", "Bpref")
    measures = parse_measures(names)
    theirs = ir_measures.read_trec_run(str(tmp_path / "run"))
    expected: dict[str, dict[str, float]] = {topic: {} for topic in grades}
    for topic, measure, value in ir_measures.iter_calc(measures, grades, theirs):
        expected[topic][str(measure)] = value
    assert score(run, grades, measures).by_topic == expected
    packed = PackedDocids(docids)
    arrays: Run = {
        topic: ArrayHits(
            packed,
            packed.numbers_of([docid for docid, _ in hits]),
            np.array([value for _, value in hits]),
        )
        for topic, hits in run.items()
    }
    assert score(arrays, grades, measures).by_topic == expected
    assert "(topic 0 and 9 more)" in merged_scores_note(run)


def test_scores_that_differ_in_single_precision_merge_nowhere() -> None:
    run: Run = {"1": [("a", 0.9999), ("b", 0.9998), ("c", 0.9998)], "2": []}
    assert merged_scores_note(run) == ""


OF_THE_TOP = (
    "P@3",
    "P(rel=2)@2",
    "nDCG@3",
    "nDCG@1",
    "Judged@3",
    "R@2",
    "R(rel=2)@3",
    "AP@3",
    "RR@3",
    "Success@2",
    "Success(rel=2)@3",
)


@pytest.mark.parametrize(
    ("names", "depth"),
    [
        (["P@10", "nDCG@5", "Judged@7"], 10),
        (OF_THE_TOP, 3),
        (["P@10", "AP"], None),
        (["P@10", "P(judged_only=True)@10"], None),
        (["nDCG(gains={1:2})@10"], None),
        (["nDCG(dcg='exp-log2')@10"], None),
        (["Bpref"], None),
        (["NumRet"], None),
    ],
)
def test_how_deep_measures_look(names: Sequence[str], depth: int | None) -> None:
    measures = parse_measures(names)
    assert depth_of(measures) == depth


RANKED = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from([1.0, 2.0, 2.5])),
    unique_by=itemgetter(0),
)


@given(
    st.lists(RANKED, min_size=1, max_size=3),
    st.lists(
        st.dictionaries(
            st.integers(0, 11).map("d{}".format), st.integers(0, 2), min_size=1
        ),
        min_size=3,
        max_size=3,
    ),
)
def test_what_looks_at_the_top_scores_it_as_the_whole_run(
    lists: list[list[tuple[int, float]]], judged: list[dict[str, int]]
) -> None:
    """With its ties at the end: which of them count is up to ir-measures."""
    grades = {str(topic): documents for topic, documents in enumerate(judged)}
    whole: Run = {
        str(topic): sorted(
            ((f"d{d}", score) for d, score in hits), key=lambda hit: -hit[1]
        )
        for topic, hits in enumerate(lists)
    }
    top: Run = {
        topic: [hit for n, hit in enumerate(hits) if n < 3 or hit[1] == hits[2][1]]
        for topic, hits in whole.items()
    }
    scorer = Scorer(grades, parse_measures(OF_THE_TOP))
    assert (
        scorer.score(top)
        == scorer.score(whole)
        == score(whole, grades, parse_measures(OF_THE_TOP))
    )
