"""What is said of models that know the pages they are judged by."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from boilersweep.cleaners.learned.model import ModelProvenance, page_digest
from boilersweep.cleaners.rules import And, Comparison, Rule
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.judge.judge import Judgements, judge
from boilersweep.eval.judge.leaks import training_notes

LONG = Comparison("words", ">=", 3)
SCORES: dict[str, int | float | str] = {"bag_f1": 0.91, "word_f1": 0.92}


@dataclass(frozen=True)
class Model:
    """A rule with a model."""

    training_pages: frozenset[bytes] = frozenset()
    provenance: ModelProvenance = field(default_factory=ModelProvenance, hash=False)

    def __str__(self) -> str:
        return "model"


@pytest.fixture
def dataset(cleaneval: Path) -> Dataset:
    return read_dataset("cleaneval", cleaneval)


def notes(dataset: Dataset, *rules: Any) -> list[str]:
    found = Judgements([], "", judge(dataset, [LONG]).pages)
    return training_notes(rules, dataset, found)


def test_pages_are_known_by_their_digests_and_counted(dataset: Dataset) -> None:
    knows = Model(
        frozenset({page_digest(dataset.pages[1].utf8)}),
        ModelProvenance(cross_validation=SCORES),
    )
    assert notes(dataset, knows, LONG) == [
        "1 of 2 pages of cleaneval were in the training of model: its row flatters. On sites it "
        "had not seen it reached a mean F1 of 0.910 and a mean word F1 of 0.920."
    ]


def test_other_pages_of_the_dataset_are_no_reason(dataset: Dataset) -> None:
    other = Model(
        frozenset({page_digest(b"other")}), ModelProvenance(trained_on="cleaneval")
    )
    assert notes(dataset, other) == []


def test_a_model_within_a_rule_is_found_once(dataset: Dataset) -> None:
    knows = Model(frozenset({page_digest(dataset.pages[1].utf8)}))
    assert len(notes(dataset, knows, And(cast("Rule", knows), LONG))) == 1
