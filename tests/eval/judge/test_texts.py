"""Texts that somebody else took from the pages."""

import json
from pathlib import Path

import pytest

from boilersweep import InputError, UsageError
from boilersweep.cleaners.rules import Comparison
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.judge.files import judgement_identity
from boilersweep.eval.judge.judge import judge
from boilersweep.eval.judge.leaks import training_notes
from boilersweep.eval.judge.texts import GivenTexts, parse_given, read_texts
from tests.eval.judge.conftest import STORY, write

EVERYTHING = Comparison("words", ">=", 1)


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    pages: dict[str, str | bytes] = {}
    for name in ("a", "b", "c/d", "e"):
        pages |= {f"{name}.html": f"<p>menu<p>{STORY}", f"{name}.txt": STORY}
    return read_dataset("folder", write(tmp_path / "pages", pages))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Texts of a (right), b (empty), c/d (not UTF-8) and no page, and none of e."""
    texts: dict[str, str | bytes] = {
        "a.txt": "\ufeff" + STORY,
        "b.txt": " \n",
        "c/d.txt": b"caf\xe9",
        "f.txt": "of no page",
        "e.html": STORY,
    }
    return write(tmp_path / "texts", texts)


def given(dataset: Dataset, path: Path) -> GivenTexts:
    return read_texts("mine", path, dataset.pages)


def test_a_folder_is_judged_beside_cleaners(dataset: Dataset, folder: Path) -> None:
    texts = given(dataset, folder)
    mine, everything = judge(dataset, [texts, EVERYTHING]).judgements
    assert mine.cleaner == "mine"
    assert [score.bag.f1 for score in mine.scores] == [1, 0, 0, 0]
    assert [score.characters.f1 for score in mine.scores] == [1, 0, 0, 0]
    # The menu is no part of the gold text, and of no text.
    assert [score.block_accuracy for score in mine.scores] == [1, 0.5, 0.5, 0.5]
    assert {score.block_accuracy for score in everything.scores} == {0.5}
    assert mine.failures == {
        "its text is not UTF-8": ["c/d"],
        "no text of this page": ["e"],
    }
    assert (mine.empty, mine.failed) == (3, 2)
    assert list(texts.describe()) == [
        "1 texts of mine have no word (b)",
        "1 texts of mine belong to no page, or to one with a text (f)",
    ]
    assert training_notes([texts], dataset, judge(dataset, [EVERYTHING])) == []


def test_lines_of_json(dataset: Dataset, tmp_path: Path) -> None:
    lines = [
        {"id": "c/d", "contents": STORY, "url": "x"},
        {"id": "c/d", "contents": "again"},
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n\n".join(map(json.dumps, lines)))
    texts = given(dataset, path)
    assert texts.text("c/d") == STORY
    assert texts.strange == ("c/d",)


@pytest.mark.parametrize(
    ("files", "path", "message"),
    [
        (
            {"x.txt": "a", "y.txt": "b"},
            "",
            r"named as the pages \(a, b, c/d, e\), found x, y$",
        ),
        ({"a.txt": b"\xff"}, "", r"found a$"),
        ({"a.html": "a"}, "", r"found none$"),
        ({}, "nowhere", "cannot read the texts of .*nowhere"),
        ({"t.jsonl": '{"id": 1}'}, "t.jsonl", r"id and contents in .*, line 1 has "),
        ({"t.jsonl": b"\xff"}, "t.jsonl", "line 1 has "),
        ({"t.jsonl": ""}, "t.jsonl", "found none"),
    ],
)
def test_nothing_to_judge_is_an_error_of_one_line(
    dataset: Dataset,
    tmp_path: Path,
    files: dict[str, str | bytes],
    path: str,
    message: str,
) -> None:
    root = write(tmp_path / "texts", files)
    with pytest.raises(InputError, match=message) as error:
        given(dataset, root / path)
    assert "\n" not in str(error.value)


def test_a_judgement_depends_on_the_texts(dataset: Dataset, folder: Path) -> None:
    identities = []
    for name, text in {"a": STORY, "c/d": "coffee", "g": "of no page"}.items():
        identities.append(judgement_identity(dataset, [given(dataset, folder)]))
        (folder / f"{name}.txt").write_text(text + ".")
    identities.append(judgement_identity(dataset, [given(dataset, folder)]))
    known = [json.dumps(identity) for identity in identities]
    assert len(set(known)) == 4


@pytest.mark.parametrize("text", ["mine", "=folder", "mine=", ""])
def test_a_name_and_a_path_are_needed(text: str) -> None:
    with pytest.raises(UsageError, match="expected NAME=PATH"):
        parse_given(text)
