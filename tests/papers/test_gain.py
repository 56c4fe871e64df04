"""Information gain after cutting by minimum description length."""

import numpy as np
import pytest
from papers.gain import entropy, information_gain, information_gains

from boilersweep.features.table import Feature, table_of

CLASSES = np.repeat([0, 1], 50)
ONES = np.ones(100, dtype=np.int64)


def test_entropy_by_hand() -> None:
    assert entropy(np.array([[1.0, 1], [3, 1], [0, 5], [0, 0]])) == pytest.approx(
        [1, 0.75 * np.log2(4 / 3) + 0.25 * 2, 0, 0]
    )


def test_a_feature_that_tells_all_gains_the_whole_entropy() -> None:
    assert information_gain(np.arange(100.0), CLASSES, ONES) == pytest.approx(1)
    assert information_gain(-CLASSES.astype(float), CLASSES, ONES) == pytest.approx(1)


def test_a_feature_that_tells_nothing_is_not_cut() -> None:
    assert information_gain(np.ones(100), CLASSES, ONES) == 0
    noise = np.random.default_rng(4).permutation(100).astype(float)
    assert information_gain(noise, CLASSES, ONES) == 0


def test_words_are_weights() -> None:
    # The second value is of one class only, with 30 of 40 words; the first has 5 words of each.
    column, classes = np.array([0.0, 0, 1]), np.array([0, 1, 1])
    gain = information_gain(column, classes, np.array([5, 5, 30]))
    whole = -(1 / 8) * np.log2(1 / 8) - (7 / 8) * np.log2(7 / 8)
    assert gain == pytest.approx(whole - 1 / 4)
    # Too few words for a cut
    assert information_gain(column, classes, np.array([1, 1, 2])) == 0


def test_features_by_gain() -> None:
    features = [Feature(name, "", "") for name in ("flat", "sharp")]
    table = table_of(features, [np.ones(100), np.arange(100.0)])
    assert list(information_gains(table, CLASSES, ONES).items()) == [
        ("sharp", 1.0),
        ("flat", 0.0),
    ]
    empty = table_of(features, [np.zeros(0), np.zeros(0)])
    assert set(
        information_gains(empty, np.zeros(0, int), np.zeros(0, int)).values()
    ) == {0.0}
