"""The printed trees, line by line, and against the cleaners of the same rules."""

import numpy as np
import pytest
from papers import partitions

from boilersweep.cleaners.published.boilerpipe import DensityRules, NumWordsRules
from boilersweep.pages.columns import BlockColumns


@pytest.mark.parametrize(
    ("row", "leaf"),
    [
        ((4, 9, 10, 0.5, 0.3, 0), 1),
        ((5, 9, 10, 0.5, 0.3, 0), 2),
        ((0, 9, 11, 0.5, 0.3, 0), 3),
        ((0, 10, 0, 0.5, 0.3, 0), 4),
        ((0, 10, 1, 0.5, 0.3, 0), 5),
        ((0, 10, 11, 0.6, 0.3, 0), 6),
        ((0, 10, 12, 0.6, 0.3, 0), 7),
        ((5, 20, 20, 0.0, 0.34, 0), 0),
    ],
)
def test_algorithm_1(row: tuple[float, ...], leaf: int) -> None:
    assert partitions.densitometric(np.array([row])).tolist() == [leaf]


@pytest.mark.parametrize(
    ("row", "leaf"),
    [
        ((4, 16, 15, 0.5, 0.3, 0), 1),
        ((5, 16, 15, 0.5, 0.3, 0), 2),
        ((0, 16, 16, 0.5, 0.3, 0), 3),
        ((0, 17, 0, 0.5, 0.3, 0), 4),
        ((0, 40, 17, 0.6, 0.3, 0), 5),
        ((0, 40, 18, 0.6, 0.3, 0), 6),
        ((0, 41, 0, 0.6, 0.3, 0), 7),
        ((5, 99, 99, 0.0, 0.34, 0), 0),
    ],
)
def test_algorithm_2(row: tuple[float, ...], leaf: int) -> None:
    assert partitions.by_words(np.array([row])).tolist() == [leaf]


def test_they_are_the_cleaners_of_these_names() -> None:
    rng = np.random.default_rng(3)
    words = rng.integers(1, 50, 4000)
    linked = rng.integers(0, words + 1)
    density = rng.integers(1, 20, 4000).astype(float)
    columns = BlockColumns(["d"], np.array([0, 4000]), words, density, linked, [])

    def rows(values: np.ndarray) -> np.ndarray:
        links = columns.link_density
        parts = [np.r_[0, values[:-1]], values, np.r_[values[1:], 0]]
        return np.column_stack(
            [*parts, np.r_[0, links[:-1]], links, np.r_[links[1:], 0]]
        )

    kept = np.isin(
        partitions.by_words(rows(words)), list(partitions.CONTENT_LEAVES_OF_WORDS)
    )
    assert np.array_equal(kept, NumWordsRules().mask(columns))
    kept = np.isin(
        partitions.densitometric(rows(density)), list(partitions.CONTENT_LEAVES)
    )
    assert np.array_equal(kept, DensityRules().mask(columns))


def test_leaves_learn_the_shares_of_the_classes() -> None:
    learn = partitions.learner(partitions.at_least(5), 2)
    features = np.array([[1.0], [2], [6], [7]])
    model = learn(features, np.array([0, 1, 1, 1]), np.array([3, 1, 2, 2]), 2)
    assert model(np.array([[4.9], [5.0]])).tolist() == [[0.75, 0.25], [0, 1]]
    nothing = learn(features[:0], np.zeros(0, int), np.zeros(0, int), 2)
    assert nothing(np.array([[1.0]])).tolist() == [[0.5, 0.5]]
