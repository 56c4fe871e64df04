"""study.json is read as it was written, and nothing else is taken for one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import InputError
from boilersweep.eval.statistics import Outcomes
from boilersweep.eval.study.choice import Choice, Fold
from boilersweep.eval.study.differences import Difference, PValues
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.pairs import compare_pairs
from boilersweep.eval.study.results import (
    Advice,
    IndexSize,
    Losses,
    Result,
    Role,
    Statistics,
    Study,
    StudyRow,
    StudyTopic,
    TopicLosses,
)
from boilersweep.eval.study.study_json import read_study, study_json


def _row(variant: Variant, role: Role, mean: float, p: float | None) -> StudyRow:
    tests = (
        None
        if p is None
        else PValues(
            {"randomisation": p / 2, "t": p / 2}, {"randomisation": p, "t": p}, is_near=p > 0.04
        )
    )
    difference = Difference(0.1, (-0.1, 0.3), Outcomes(1, 0, 1), tests)
    return StudyRow(
        variant=variant,
        role=role,
        documents=3,
        empty=1,
        tokens=10,
        tokens_kept=0.5,
        index=IndexSize(8, measured=False),
        losses=Losses(1, None, TopicLosses(np.array([1, 0]), np.array([0, 2]))),
        results={
            "P@10": Result(mean, None, None if role == "baseline" else difference, 0.25),
            "Bpref": Result(0.5, (0.4, 0.6), None, None),
        },
        topic_scores={"P@10": np.array([mean, mean]), "Bpref": np.array([0.25, 0.75])},
    )


ROWS = [
    _row(Variant.at_least("words", 1.0), "baseline", 0.4, None),
    _row(Variant(parse_cleaner("bte")), "cleaner", 0.5, 0.01),
    _row(Variant.at_least("words", 7.0), "swept", 0.3, 1.0),
    _row(Variant.at_least("words", 3.0), "swept", 0.6, 0.2),
    _row(Variant(parse_cleaner("gold")), "gold", 0.9, None),
]
STUDY = Study(
    title="Ä study",
    tested=["P@10"],
    beside=["Bpref"],
    topics=[StudyTopic("1", "a b", ["a", "b"], 3, 2, 2, 4), StudyTopic("2", "c", None, 1, 0, 0, 0)],
    rows=ROWS,
    statistics=Statistics(seed=7, comparisons=3),
    choice=Choice(
        *("P@10", 1, 0.5, (Fold((0,), 1, 0.5, 0.4), Fold((1,), 3, 0.6, 0.5))),
        *(0.45, (0.4, 0.5), 0.05, (0.01, 0.09)),
    ),
    suggestion=Suggestion(
        Variant.at_least("words", 7.0),
        9,
        0.7,
        0.5,
        0.1,
        None,
        0.01,
        (0.5, 0.5),
        (0.4, 0.1),
        (0.1, 0.4),
    ),
    advice=Advice("bte", ("Index with bte.", "The cost."), "boilersweep index"),
    notes=["A note"],
    run={"documents": 4, "verified": None},
    pairs=compare_pairs(
        {"P@10": np.array([[0.4, 0.5, 0.3, 0.6, 0.9], [0.4, 0.7, 0.2, 0.6, 0.8]])},
        ([0, 1, 3], 2),
        ["P@10"],
        ("randomisation", "t"),
        seed=7,
    ),
)

Changed = Callable[[dict[str, Any]], object]


def written(value: object, folder: Path) -> Path:
    path = folder / "study.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    text = study_json(STUDY)
    read = read_study(written(text, tmp_path))
    assert study_json(read) == text
    assert [row.variant for row in read.rows] == [row.variant for row in ROWS]
    assert (read.choice, read.suggestion, read.advice) == (
        STUDY.choice, STUDY.suggestion, STUDY.advice,
    )  # fmt: skip
    assert (read.topics, read.statistics, read.run) == (STUDY.topics, STUDY.statistics, STUDY.run)
    assert read.rows[1].results == ROWS[1].results
    assert read.pairs
    assert STUDY.pairs
    assert read.pairs.groups == STUDY.pairs.groups
    assert read.letters("P@10") == {read.rows[n]: "a" for n in (0, 1, 3)}


def test_which_rows_are_shown_and_in_which_order() -> None:
    names = [str(row.variant) for row in STUDY.ordered(STUDY.shown)]
    assert names == ["words>=1", "words>=3", "bte", "words>=7", "gold"]  # 7 is suggested
    assert STUDY.curve("words") == [(1, ROWS[0]), (3, ROWS[3]), (7, ROWS[2])]
    assert STUDY.curve("density") == [(1, ROWS[0])]  # a density of 1 is everything, too
    assert STUDY.swept == ["words"]
    assert (STUDY.chosen, STUDY.verdict) == (ROWS[1], "significant")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value.update(study_version=2), "expected a study of version 1, got 2"),
        (lambda value: value.pop("study_version"), "expected a study of version 1, got none"),
        (lambda value: value.pop("topics"), "is damaged: no 'topics'"),
        (lambda value: value.pop("pairs"), "is damaged: no 'pairs'"),
        (lambda value: value.pop("sweeps"), "is damaged: no 'sweeps'"),
        (lambda value: value["statistics"].pop("tests"), "is damaged: no 'tests'"),
        (lambda value: value["topics"].pop(), "has not one P@10 per topic"),
        (lambda value: value["variants"].pop(0), "it has no baseline"),
        (lambda value: value["choice"].update(chosen=9), "it chose what is not among"),
        (lambda value: value["statistics"].update(significant=0.1), "not significant below 0.05"),
        (lambda value: value["choice"].update(mean="much"), "expected float, got 'much'"),
        (lambda value: value["variants"][1].update(cleaner="wurds>=1"), "not known here"),
        (lambda value: value["variants"][1].update(results=[]), "is damaged: expected"),
        (lambda value: value["statistics"].update(tests=["t", "u"]), "no 'u'|tests are not among"),
        (lambda value: value["pairs"].update(rows=[0, 1, 9]), "pairs are not of its variants"),
        (lambda value: value["pairs"].update(rows=[0, 3]), "pairs are not of its variants"),
        (lambda value: value["pairs"]["groups"].clear(), "pairs are not by its measures"),
        (lambda value: value["pairs"]["by_measure"]["P@10"].pop(), "pairs are not all there"),
        (lambda value: value["pairs"]["groups"]["P@10"].clear(), "groups are not of what"),
    ],
)
def test_another_version_and_damage_are_named(
    change: Changed, message: str, tmp_path: Path
) -> None:
    value = json.loads(study_json(STUDY))
    change(value)
    with pytest.raises(InputError, match=message):
        read_study(written(value, tmp_path))


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_what_is_no_study_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.json: expected"):
        read_study(written(text, tmp_path))
    with pytest.raises(InputError, match=r"No such file"):
        read_study(tmp_path / "none.json")
