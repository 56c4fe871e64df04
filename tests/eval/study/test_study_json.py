"""study.json is read as it was written, and damage is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep import InputError
from boilersweep.eval.study.differences import Group, compare_pairs
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.study_json import read_study, study_json
from tests.eval.made_up import ReadStudy
from tests.eval.study.conftest import run_scores

Changed = Callable[[dict[str, Any]], object]


@pytest.fixture
def paired(study: Study) -> Study:
    scores = {
        m: np.array([row.scores[m] for row in study.rows]).T for m in study.tested
    }
    group, tests = Group(run_scores(scores), None), ("randomisation", "t")
    pairs = compare_pairs(group, ([0, 1, 4], 2), study.tested, tests, seed=7)
    return replace(study, pairs=pairs)


def written(value: object, folder: Path) -> Path:
    path = folder / "study.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def test_what_was_written_is_read(paired: Study, tmp_path: Path) -> None:
    text = study_json(paired)
    read = read_study(written(text, tmp_path))
    assert study_json(read) == text
    assert [row.variant for row in read.rows] == [row.variant for row in paired.rows]
    assert (read.choice, read.suggestion, read.topics) == (
        paired.choice,
        paired.suggestion,
        paired.topics,
    )
    assert read.rows[1].results == paired.rows[1].results
    assert read.pairs == paired.pairs


def test_which_rows_are_shown_and_in_which_order(study: Study) -> None:
    names = [row.label for row in study.ordered(study.shown)]
    assert names == ["words>=1", "bte", "words>=2", "density>=2", "gold"]
    assert [(value, row.label) for value, row in study.curve("words")] == [
        (1, "words>=1"),
        (2, "words>=2"),
        (3, "words>=3"),
    ]
    # A density of 1 is everything, too
    assert study.curve("density")[0] == (1, study.rows[0])
    assert study.swept == ["words", "density"]
    assert (study.chosen.label, study.verdict) == ("bte", "significant")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda value: value.update(study_version=1),
            "expected a study of version 2, got 1",
        ),
        (
            lambda value: value.pop("study_version"),
            "expected a study of version 2, got none",
        ),
        (lambda value: value.pop("topics"), "missing required field `topics`"),
        (lambda value: value.pop("pairs"), "missing required field `pairs`"),
        (lambda value: value["topics"].pop(), "has not one P@10 per topic"),
        (lambda value: value["variants"].pop(0), "it has no baseline"),
        (
            lambda value: value["variants"].append(value["variants"][0]),
            "are not in order",
        ),
        (
            lambda value: value["choice"].update(chosen=9),
            "a place outside of its variants",
        ),
        (
            lambda value: value["statistics"].update(significant=0.1),
            "not significant below 0.05",
        ),
        (
            lambda value: value["choice"].update(mean="much"),
            r"got `str` - at `\$.choice.mean`",
        ),
        (
            lambda value: value["variants"][1].update(cleaner="wurds>=1"),
            "an unknown cleaner",
        ),
        (lambda value: value["variants"][1].update(cleaner=None), "an unknown cleaner"),
        (
            lambda value: value["variants"][1].update(results=[]),
            "is damaged: Expected `object`",
        ),
        (
            lambda value: value["statistics"].update(tests=["t", "u"]),
            "tests are not among",
        ),
        (
            lambda value: value["pairs"].update(rows=[0, 1, 9]),
            "pairs are not of its variants",
        ),
        (
            lambda value: value["pairs"].update(rows=[0, 3]),
            "pairs are not of its variants",
        ),
        (
            lambda value: value["pairs"]["compared"].pop(),
            "pairs are not complete",
        ),
        (
            lambda value: value["pairs"]["compared"][0].update(measure="AP"),
            "pairs are not complete",
        ),
        (
            lambda value: value.update(
                variants=[{**row, "formula": "a"} for row in value["variants"]],
                formulas=[
                    {"name": "a", "model": "a", "tested": True},
                    {"name": "b", "model": "b", "tested": True},
                ],
            ),
            "b has other variants than the first formula",
        ),
    ],
)
def test_another_version_and_damage_are_named(
    paired: Study, change: Changed, message: str, tmp_path: Path
) -> None:
    value = json.loads(study_json(paired))
    change(value)
    with pytest.raises(InputError, match=message):
        read_study(written(value, tmp_path))


def test_damage_to_kinds_of_pages_is_named(
    document: dict[str, Any], read: ReadStudy
) -> None:
    document["kinds"] = [
        {"kind": "article", "pages": 1, "words": 1, "kept": {"bte": 1}}
    ]
    with pytest.raises(InputError, match="kinds of pages are not of its variants"):
        read(document)


@pytest.mark.parametrize("text", ["", "[1]", "{", "[" * 100_000])
def test_what_is_no_study_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.json: expected"):
        read_study(written(text, tmp_path))
    with pytest.raises(InputError, match=r"No such file"):
        read_study(tmp_path / "none.json")
