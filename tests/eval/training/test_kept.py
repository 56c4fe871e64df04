"""What a training has finished."""

from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.model import Model, Tree
from boilersweep.errors import BusyError
from boilersweep.eval.training.kept import parts_of
from boilersweep.eval.training.learners import LEARNERS


@pytest.fixture
def model() -> Model:
    features = np.arange(99.0)[:, None]
    tree = LEARNERS["tree"](features, features[:, 0] > 50, np.full(99, 99.0), 1)
    return Model("schaefer", 1, np.zeros(1, dtype=np.int32), tree, "fixed")


def unwanted() -> Model:
    raise AssertionError("it is there")


class StoppedError(Exception):
    pass


def test_models_are_there_after_a_stop(tmp_path: Path, model: Model) -> None:
    output = tmp_path / "model.npz"

    def stop() -> None:
        with parts_of(output) as kept:
            kept.model({"seed": 1}, lambda: model)
            raise StoppedError

    with pytest.raises(StoppedError):
        stop()
    with parts_of(output) as kept:
        fitted = kept.model({"seed": 1}, unwanted)
        other = kept.model({"seed": 2}, lambda: model)
    assert other is model
    one, same = model.estimator, fitted.estimator
    assert isinstance(one, Tree)
    assert isinstance(same, Tree)
    assert np.array_equal(one.threshold, same.threshold)
    assert fitted.digest == ""
    assert list(tmp_path.iterdir()) == []  # a training that ends well leaves nothing


def test_a_damaged_model_is_made_anew(tmp_path: Path, model: Model) -> None:
    with parts_of(tmp_path / "model.npz") as kept:
        kept.model({}, lambda: model)
        (path,) = (tmp_path / "model.npz.parts").iterdir()
        path.write_bytes(path.read_bytes()[:99])
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
