from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boilersweep import UsageError
from boilersweep.cleaners.learned.model import Model, Network, load_model, save_model
from boilersweep.eval.judge.datasets import Dataset, JudgedPage, read_dataset
from boilersweep.eval.training import recipe as recipes
from boilersweep.eval.training import validation
from boilersweep.eval.training.network import Recipe
from boilersweep.eval.training.sources import Source
from boilersweep.eval.training.train import (
    TrainingRequest,
    check_choice,
    finish,
    prepare,
)

pytestmark = pytest.mark.application("learned")


def trained(dataset: Dataset, model: str, features: str, seed: int) -> Model:
    return finish(prepare(TrainingRequest((Source(dataset),), model, features, seed)))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = Recipe(
        members=1,
        hidden=4,
        penalty=0.1,
        sampled=1.0,
        epochs=25,
        rate=0.01,
        batch=32,
        views=(1.0, 0.5),
    )
    monkeypatch.setattr(recipes, "RECIPE", recipe)
    monkeypatch.setattr(validation, "FOLDS", 2)


def test_the_network_of_the_shipped_model(
    small: None, folder: Path, tmp_path: Path
) -> None:
    model = trained(read_dataset("folder", folder), "learned", "paragraphs", 1)
    assert model.threshold == "page"
    assert isinstance(model.estimator, Network)
    scores = model.provenance.cross_validation
    assert float(scores["word_f1"]) > 0.9
    assert float(scores["block_auc"]) > 0.9
    assert model.provenance.pages == 24
    assert "--model learned --features paragraphs --seed 1" in model.provenance.command
    save_model(model, tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").provenance == model.provenance


def test_networks_of_two_sources_are_the_same_again(
    small: None, folder: Path, tmp_path: Path
) -> None:
    dataset = read_dataset("folder", folder)
    sources = tuple(
        Source(replace(dataset, pages=pages, label=label), weight)
        for label, pages, weight in (
            ("one", dataset.pages[:16], 1.0),
            ("two", dataset.pages[16:], 0.25),
        )
    )
    asked = TrainingRequest(sources, "learned", "paragraphs", 5, ("site", "source"))
    for name in ("one.npz", "two.npz"):
        save_model(finish(prepare(asked)), tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    said = load_model(tmp_path / "one.npz")
    assert len(said.pages) == 24
    assert [source.share for source in said.provenance.sources] == [0.8, 0.2]
    assert "--weights two=0.25 --leave-out site,source" in said.provenance.command


def test_a_source_without_weight_is_only_tried_on(small: None, folder: Path) -> None:
    dataset = read_dataset("folder", folder)
    one = replace(dataset, pages=dataset.pages[:16], label="one")
    two = replace(dataset, pages=dataset.pages[16:], label="two")
    alone = trained(one, "logistic", "schaefer", 1)
    found = finish(
        prepare(
            TrainingRequest((Source(one), Source(two, 0.0)), "logistic", "schaefer", 1)
        )
    )
    network, same = found.estimator, alone.estimator
    assert isinstance(network, Network)
    assert isinstance(same, Network)
    assert np.array_equal(network.weights[0], same.weights[0])
    assert len(found.pages) == found.provenance.pages == 16
    assert found.provenance.trained_on == "one"
    tried = found.provenance.sources[1]
    assert (tried.label, tried.rows, tried.share) == ("two", 0, 0)
    assert tried.held_out["site"]["word_f1"] > 0.9


@pytest.mark.parametrize(
    ("model", "features"),
    [("tree", "kohlschuetter"), ("logistic", "schaefer"), ("perceptron", "schaefer")],
)
def test_models_of_the_papers(
    small: None, folder: Path, model: str, features: str
) -> None:
    found = trained(read_dataset("folder", folder), model, features, 1)
    assert found.threshold == "fixed"
    assert float(found.provenance.cross_validation["block_f1"]) > 0.9


def test_the_shipped_data_are_attributed(
    small: None, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = read_dataset("folder", folder)
    named = type(dataset)("wcxb", dataset.folder, dataset.pages)
    licence = trained(named, "tree", "paragraphs", 1).provenance.licence
    assert "CC BY 4.0" in licence
    assert "Murrough Foley" in licence


@pytest.mark.parametrize(
    ("model", "features", "message"),
    [
        ("forest", "paragraphs", "expected the model"),
        ("tree", "wordz", "expected the features"),
        ("learned", "schaefer", "reads the features paragraphs"),
    ],
)
def test_names_that_do_not_go_together(model: str, features: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_choice(model, features)


def test_scikit_learn_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boilersweep.eval.training.learners.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'scikit-learn>="):
        check_choice("tree", "paragraphs")


def test_pages_of_one_class(small: None, tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.html").write_text("<p>one two")
        (tmp_path / f"{name}.txt").write_text("one two")
    with pytest.raises(UsageError, match="main text and with boilerplate"):
        trained(read_dataset("folder", tmp_path), "tree", "paragraphs", 1)


def test_too_few_sites(small: None, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>one two<p>three")
    (tmp_path / "a.txt").write_text("one two")
    with pytest.raises(UsageError, match="2 folds"):
        trained(read_dataset("folder", tmp_path), "tree", "paragraphs", 1)


def test_pages_that_are_no_articles_weigh_more(tmp_path: Path) -> None:
    kinds = ("article", "forum", "")
    pages = [
        JudgedPage(kind, tmp_path, None, "", "a.org", page_type=kind) for kind in kinds
    ]
    assert recipes.kind_weights(pages).tolist() == [1, recipes.OTHER_KINDS, 1]
