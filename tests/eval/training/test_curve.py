"""What a model reaches by how many pages it learned from."""

import csv
from pathlib import Path

import pytest

from boilersweep import UsageError
from boilersweep.eval.judge.datasets import Dataset, read_dataset
from boilersweep.eval.training import curve, validation
from boilersweep.eval.training.curve import learning_curve, write_curve
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import TrainingRequest, finish, prepare


@pytest.fixture(autouse=True)
def two_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "FOLDS", 2)
    monkeypatch.setattr(curve, "SHARES", (0.5, 1.0))


def asked(folder: Path, *labels: str) -> TrainingRequest:
    """Return the pages of the folder, dealt to sources."""
    pages = read_dataset("folder", folder).pages
    count = len(labels)
    sources = tuple(
        Source(Dataset("folder", folder, pages[number::count], label=name))
        for number, name in enumerate(labels)
    )
    return TrainingRequest(sources, "logistic", "schaefer", 1)


@pytest.mark.usefixtures("drawn_figures")
def test_the_last_point_is_that_of_the_cross_validation(
    folder: Path, tmp_path: Path
) -> None:
    training = prepare(asked(folder, "even", "odd"))
    points = learning_curve(training)
    assert [(point.source, point.share) for point in points] == [
        ("", 0.5),
        ("even", 0.5),
        ("odd", 0.5),
        ("", 1.0),
        ("even", 1.0),
        ("odd", 1.0),
    ]
    # 24 pages in two folds.
    assert [point.pages for point in points[::3]] == [6, 12]
    scores = finish(training).provenance.cross_validation
    assert points[3].mean == scores["word_f1"]
    assert {point.measure for point in points} == {"word_f1"}
    files = write_curve(points, tmp_path / "curve")
    with files[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert (rows[3]["pages"], float(rows[3]["mean"])) == ("12.0", scores["word_f1"])
    assert files[2].read_bytes().startswith(b"\x89PNG")


def test_too_few_pages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curve, "SHARES", (0.01,))
    with pytest.raises(UsageError, match=r"begins with 1\.0% of the pages"):
        learning_curve(prepare(asked(folder, "all")))
