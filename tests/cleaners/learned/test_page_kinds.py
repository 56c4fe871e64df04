from pathlib import Path

import numpy as np
import pytest

import boilersweep
from boilersweep import UsageError
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.inference import (
    Rows,
    kind_probabilities,
    likeliest,
    page_features,
)
from boilersweep.cleaners.learned.model import Model, load_model, save_model
from boilersweep.cleaners.page_model import KINDS
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.training.recipe import fit_kinds
from tests.cleaners.conftest import MakeColumns


def judged(kinds: str) -> list[JudgedPage]:
    names = {"a": "", "f": "forum", "c": "collection", "x": "unheard"}
    return [
        JudgedPage("n", Path("n"), None, "", "s", page_type=names[kind])
        for kind in kinds
    ]


def test_features_of_pages_are_means_by_words_and_counts() -> None:
    values = np.array([[1.0, 0.0], [0.0, 3.0], [5.0, 5.0]], dtype=np.float32)
    rows = Rows(
        values=values,
        words=np.array([3.0, 1.0, 0.0]),
        of_blocks=np.zeros(0, dtype=np.int64),
        owners=np.array([1, 1, 3]),
        starts=np.array([0, 0, 2, 2, 3]),
        relations=np.zeros((3, 5), dtype=np.int64),
        excluded=np.zeros(3, dtype=bool),
    )
    found = page_features(rows)
    assert found[1].tolist() == [0.75, 0.75, np.log(5), np.log(3)]
    assert found[[0, 2]].tolist() == [[0, 0, 0, 0]] * 2
    assert found[3].tolist() == [0, 0, 0, np.log(2)]


def test_kinds_are_learned_from_types_and_untyped_pages_as_articles() -> None:
    pages = judged("aaffccx" * 40)
    place = np.array(
        [{"": 0, "forum": 1, "collection": 2, "unheard": 2}[p.page_type] for p in pages]
    )
    features = np.eye(3)[place]
    network = fit_kinds(features, pages, np.ones(len(pages), dtype=bool))
    assert network is not None
    found = kind_probabilities(network, np.eye(3))
    assert likeliest(found) == ["article", "forum", "listing"]
    assert np.allclose(found.sum(axis=1), 1)
    assert found[:, [KINDS.index("product"), KINDS.index("service")]].max() == 0
    two = fit_kinds(features, pages, place < 2)
    assert two is not None
    assert likeliest(kind_probabilities(two, np.eye(3)[:2])) == ["article", "forum"]
    assert fit_kinds(features, pages, place == 1) is None


@pytest.mark.application("learned")
def test_kinds_come_back_and_are_told_of_documents(
    tmp_path: Path, columns: MakeColumns, at_least_five_words: Model
) -> None:
    page = columns("<p>one two three</p>", "")
    save_model(at_least_five_words, tmp_path / "none.npz")
    with pytest.raises(UsageError, match="has no kinds of pages"):
        Learned(str(tmp_path / "none.npz")).kinds(page)
    shipped = Learned().model
    save_model(shipped, tmp_path / "again.npz")
    again = load_model(tmp_path / "again.npz").kinds
    assert again is not None
    assert shipped.kinds is not None
    assert np.array_equal(again.weights[0], shipped.kinds.weights[0])
    assert Learned().kinds(page).shape == (2, len(KINDS))
    assert Learned().kinds(columns()).shape == (0, len(KINDS))


@pytest.mark.application("learned")
def test_a_page_has_a_kind() -> None:
    text = "<p>The mayor opened the bridge on Monday, and people walked across it in the rain.</p>"
    found = boilersweep.page(
        f"<title>News</title><article><h1>News</h1>{text * 9}</article>"
    )
    assert found.kind == "article"
