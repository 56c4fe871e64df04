import numpy as np
import pytest

from boilersweep.cleaners.learned.inference import probabilities
from boilersweep.cleaners.learned.model import Tree
from boilersweep.eval.training.learners import LEARNERS
from boilersweep.pages.columns import BoolArray, FloatArray

Data = tuple[FloatArray, BoolArray, FloatArray]


@pytest.fixture(scope="module")
def data() -> Data:
    """Content from 5 on in the second of three features; 30 words a row."""
    random = np.random.default_rng(4)
    features = random.uniform(0, 10, size=(400, 3))
    return features, features[:, 1] >= 5, np.full(400, 30.0)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_kind_learns_one_threshold(data: Data, name: str) -> None:
    estimator = LEARNERS[name](*data, 1)
    right = (probabilities(estimator, data[0]) >= 0.5) == data[1]
    assert right.mean() > 0.95


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_seed_gives_the_same(data: Data, name: str) -> None:
    one, two = (probabilities(LEARNERS[name](*data, 3), data[0]) for _ in range(2))
    assert np.array_equal(one, two)


def test_one_rule_reads_one_feature(data: Data) -> None:
    rule = LEARNERS["1r"](*data, 1)
    assert isinstance(rule, Tree)
    assert set(rule.feature.tolist()) == {-1, 1}


def test_leaves_have_a_thousand_words() -> None:
    # 90 rows of 30 words: the last ten are 300 words, too few for a leaf of their own. A side
    # has 34 rows or more, so the one split is behind row 33 to 55, and the best one is the last.
    features = np.arange(90.0)[:, None]
    tree = LEARNERS["tree"](features, features[:, 0] >= 80, np.full(90, 30.0), 1)
    assert isinstance(tree, Tree)
    assert tree.threshold[0] == 55.5
    assert sorted(tree.value[tree.feature < 0]) == pytest.approx([0, 10 / 34])


@pytest.mark.parametrize("name", LEARNERS)
def test_scikit_learn_and_the_arrays_agree(data: Data, name: str) -> None:
    # Inference reads float32, as scikit-learn's trees compare.
    estimator = LEARNERS[name](*data, 1)
    single = probabilities(estimator, data[0].astype(np.float32))
    assert single == pytest.approx(probabilities(estimator, data[0]), abs=1e-3)
