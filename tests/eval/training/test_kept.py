"""What a training has finished."""

from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.features import FEATURE_SETS
from boilersweep.cleaners.learned.model import Model, Tree
from boilersweep.errors import BusyError
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.training.kept import parts_of
from boilersweep.eval.training.labelled import Labelled, read_labelled
from boilersweep.eval.training.learners import LEARNERS


def unwanted() -> Labelled:
    raise AssertionError("it is there")


def unwanted_model() -> Model:
    raise AssertionError("it is there")


@pytest.fixture
def labelled(folder: Path) -> Labelled:
    return read_labelled(read_dataset("folder", folder), FEATURE_SETS["schaefer"])


@pytest.fixture
def model() -> Model:
    features = np.arange(99.0)[:, None]
    tree = LEARNERS["tree"](features, features[:, 0] > 50, np.full(99, 99.0), 1)
    return Model("schaefer", 1, np.zeros(1, dtype=np.int32), tree, "fixed")


class StoppedError(Exception):
    pass


def test_rows_and_models_are_there_after_a_stop(
    tmp_path: Path, labelled: Labelled, model: Model
) -> None:
    output = tmp_path / "model.npz"

    def stop() -> None:
        with parts_of(output) as kept:
            kept.labelled({"pages": 1}, lambda: labelled)
            kept.model({"seed": 1}, lambda: model)
            raise StoppedError

    with pytest.raises(StoppedError):
        stop()
    with parts_of(output) as kept:
        again = kept.labelled({"pages": 1}, unwanted)
        fitted = kept.model({"seed": 1}, unwanted_model)
        other = kept.labelled({"pages": 2}, lambda: labelled)
    assert other is labelled
    assert again.texts == labelled.texts
    for name in ("labels", "known", "viewed"):
        assert np.array_equal(getattr(again, name), getattr(labelled, name))
    assert np.array_equal(again.rows.values, labelled.rows.values)
    assert again.rows.values.dtype == labelled.rows.values.dtype
    one, same = model.estimator, fitted.estimator
    assert isinstance(one, Tree)
    assert isinstance(same, Tree)
    assert np.array_equal(one.threshold, same.threshold)
    assert fitted.digest == ""
    assert list(tmp_path.iterdir()) == []  # a training that ends well leaves nothing


def test_what_is_damaged_is_made_anew(tmp_path: Path, labelled: Labelled, model: Model) -> None:
    with parts_of(tmp_path / "model.npz") as kept:
        kept.labelled({}, lambda: labelled)
        kept.model({}, lambda: model)
        for path in (tmp_path / "model.npz.parts").iterdir():
            body = path.read_bytes()
            path.write_bytes(body[: len(body) // 2])
        assert kept.labelled({}, lambda: labelled) is labelled
        assert kept.model({}, lambda: model) is model


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    with parts_of(tmp_path / "model.npz"):
        (tmp_path / "model.npz.parts" / "notes.txt").write_text("mine")
    assert (tmp_path / "model.npz.parts" / "notes.txt").is_file()


def test_two_trainings_of_one_file(tmp_path: Path) -> None:
    with (
        parts_of(tmp_path / "model.npz"),
        pytest.raises(BusyError),
        parts_of(tmp_path / "model.npz"),
    ):
        pass
