from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from boilersweep.cleaners.learned.inference import probabilities
from boilersweep.eval.training.network import Recipe, fit_ensemble, page_weights
from boilersweep.pages.columns import FloatArray

SMALL = Recipe(
    members=2, hidden=4, penalty=0.01, sampled=0.5, epochs=60, rate=0.01, batch=32
)

Data = tuple[NDArray[np.float32], FloatArray, FloatArray]


def test_pages_weigh_the_same() -> None:
    # Words 60 and 40 of one page, 10 of another that counts as 50: .6, .4 and .2, over their mean.
    found = page_weights(np.array([60.0, 40, 10]), np.array([0, 0, 3]))
    assert found == pytest.approx(np.array([0.6, 0.4, 0.2]) / 0.4)


@pytest.fixture(scope="module")
def data() -> Data:
    random = np.random.default_rng(3)
    values = random.normal(size=(600, 3)).astype(np.float32)
    labels = (values[:, 0] > 0.3).astype(np.float64)
    return values, labels, np.ones(600)


def test_what_can_be_learned_is(data: Data) -> None:
    values, labels, weights = data
    network = fit_ensemble([values], labels, weights, SMALL, 1)
    right = (probabilities(network, values) > 0.5) == (labels > 0.5)
    assert right.mean() > 0.93
    assert [weights.shape for weights in network.weights] == [(3, 8), (8, 1)]


def test_the_same_seed_gives_the_same_network(data: Data) -> None:
    one, two, other = (
        fit_ensemble([data[0]], *data[1:], SMALL, seed) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.weights[0], two.weights[0])
    assert not np.array_equal(one.weights[0], other.weights[0])


def test_weights_are_what_two_bytes_hold(data: Data) -> None:
    network = fit_ensemble(
        [data[0], -data[0]], *data[1:], replace(SMALL, views=(0.5, 0.5)), 1
    )
    for array in (*network.weights, *network.biases):
        assert np.array_equal(array, array.astype(np.float16).astype(np.float32))


def test_doubtful_labels_give_doubtful_probabilities() -> None:
    values = np.ones((400, 1), dtype=np.float32)
    network = fit_ensemble([values], np.full(400, 0.3), np.ones(400), SMALL, 1)
    assert probabilities(network, values[:1]) == pytest.approx(0.3, abs=0.06)


def test_a_feature_that_does_not_vary_is_left_out(data: Data) -> None:
    values = data[0].copy()
    values[:, 1] = 7
    assert fit_ensemble([values], *data[1:], SMALL, 1).scale[1] == 0


def test_a_view_with_no_share_is_not_learned_from(data: Data) -> None:
    two = replace(SMALL, views=(1.0, 0.0))
    network = fit_ensemble([data[0], -data[0]], *data[1:], two, 1)
    right = (probabilities(network, data[0]) > 0.5) == (data[1] > 0.5)
    assert right.mean() > 0.9


def test_case_is_not_all_that_a_row_is_known_by(data: Data) -> None:
    # The second feature says the same as the first one; without the first one, only it does.
    values = np.stack([data[0][:, 0], data[0][:, 0]], axis=1)
    without = values.copy()
    without[:, 0] = 0

    def right(recipe: Recipe) -> float:
        network = fit_ensemble([values], *data[1:], recipe, 1, [0])
        return float(
            ((probabilities(network, without) > 0.5) == (data[1] > 0.5)).mean()
        )

    assert right(replace(SMALL, caseless=0.5)) > right(SMALL)
