"""Probabilities of models in plain NumPy, and what a page keeps by them."""

from functools import cache, lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.model import Estimator, FloatArray, Network, Tree
from boilersweep.pages.columns import BoolArray, IntArray

Floats = NDArray[np.float32] | NDArray[np.float64]

_LIMITED = Lock()  # the limit is the process's: who ends second would restore the first one's


def probabilities(estimator: Estimator, values: Floats) -> NDArray[np.float64]:
    """(p,) the probability of content. values: (p, k) features, a column for each the model reads.

    Values that are not finite count as 0.
    """
    return _tree(estimator, values) if isinstance(estimator, Tree) else _network(estimator, values)


def logistic(values: Floats) -> NDArray[np.float64]:
    """1 / (1 + e^-x), without overflow."""
    return 1 / (1 + np.exp(-np.clip(values.astype(np.float64), -500, 500)))


SURE = 0.7
"""Probability from which on the model is sure of a paragraph."""

SURE_WORDS = 60
"""Words that it must be sure of, for a page to keep none that are likelier boilerplate."""


def page_choice(
    probability: NDArray[np.float64], weights: Floats, owners: IntArray, starts: IntArray
) -> BoolArray:
    """(p,) what every page keeps; a page never loses everything.

    probability: (p,) of content, weights: (p,) words, of paragraphs. owners: (p,) their
    documents. starts: (n + 1,) the paragraphs of document i are starts[i] to starts[i + 1].

    What makes the expected F1 of the page high: with the paragraphs in the order of falling
    probability, let F be the highest of
    2 * sum(p w over the first ones) / (sum(w over them) + sum(p w over all)), the F1 of expected
    counts. The choice with the highest F1 takes what is at least F / 2: a paragraph raises
    2 a / b exactly if 2 p w / w exceeds it.

    F takes paragraphs for independent. Those of a kind, as the teasers beside an article, are
    content or boilerplate together, and thirty of .4 would drown the article. So where the model
    is sure of SURE_WORDS words, a paragraph must be content rather than not; only where it is not,
    as on a page of teasers alone, F decides.
    """
    if not len(probability):
        return np.zeros(0, dtype=bool)
    order = np.lexsort((-probability, owners))
    expected = np.cumsum((probability * weights)[order])
    taken = np.cumsum(weights[order], dtype=np.float64)
    of_order = owners[order]
    first = starts[:-1][of_order]
    last = starts[1:][of_order] - 1
    expected_before = np.where(first > 0, expected[first - 1], 0.0)
    taken_before = np.where(first > 0, taken[first - 1], 0.0)
    total = expected[last] - expected_before
    scores = 2 * (expected - expected_before) / np.maximum(taken - taken_before + total, 1e-9)
    filled = np.flatnonzero(np.diff(starts) > 0)
    at = starts[:-1][filled]
    likely = np.maximum.reduceat(scores, at) / 2
    highest = np.maximum.reduceat(probability, at)
    sure = np.add.reduceat(np.where(probability >= SURE, weights, 0), at) >= SURE_WORDS
    thresholds = np.zeros(len(starts) - 1)
    # F / 2 may be rounded up beyond the highest.
    thresholds[filled] = np.minimum(np.where(sure, np.maximum(likely, 0.5), likely), highest)
    keep: BoolArray = probability >= thresholds[owners]
    return keep


def fixed_choice(probability: NDArray[np.float64]) -> BoolArray:
    """(p,) what is content with a probability of at least one half."""
    keep: BoolArray = probability >= 0.5
    return keep


def _network(network: Network, values: Floats) -> NDArray[np.float64]:
    lowest, highest, weights, biases = _ready(network)
    layer = np.clip(values.astype(np.float32, copy=False), lowest, highest)
    if np.isnan(layer.sum()):
        layer = np.where(np.isnan(layer), network.mean, layer)
    # On one thread: the sums are the same on every machine, and these products are so small that
    # the others would cost more than they bring.
    with _LIMITED, _pools().limit(limits=1):
        for of_layer, bias in zip(weights[:-1], biases[:-1], strict=True):
            layer = layer @ of_layer
            layer += bias
            if network.activation == "relu":
                np.maximum(layer, 0, out=layer)
            elif network.activation == "tanh":
                np.tanh(layer, out=layer)
            else:
                layer = logistic(layer).astype(np.float32)
        return logistic((layer @ weights[-1] + biases[-1])[:, 0])


@lru_cache(maxsize=16)
def _ready(
    network: Network,
) -> tuple[FloatArray, FloatArray, list[FloatArray], list[FloatArray]]:
    """The lowest and highest values of features, weights and biases for values as they are.

    Standardising and cutting are one cut of the raw values and other weights.
    """
    reach = np.divide(
        network.limit,
        network.scale,
        out=np.full_like(network.scale, np.inf),
        where=network.scale > network.limit / np.finfo(np.float32).max,
    )
    weights = [network.scale[:, None] * network.weights[0], *network.weights[1:]]
    biases = [network.biases[0] - network.mean @ weights[0], *network.biases[1:]]
    return network.mean - reach, network.mean + reach, weights, biases


@cache
def _pools() -> Any:
    """The thread pools of NumPy's products."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def _tree(tree: Tree, values: Floats) -> NDArray[np.float64]:
    values = np.nan_to_num(values.astype(np.float32))  # as scikit-learn compares
    nodes = np.zeros(len(values), dtype=np.int64)
    rows = np.arange(len(values))
    while len(rows):
        feature = tree.feature[nodes[rows]]
        rows, feature = rows[feature >= 0], feature[feature >= 0]
        at = nodes[rows]
        goes_left = values[rows, feature] <= tree.threshold[at]
        nodes[rows] = np.where(goes_left, tree.left[at], tree.right[at])
    return tree.value[nodes].astype(np.float64)
