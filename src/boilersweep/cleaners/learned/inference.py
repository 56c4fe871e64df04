"""Probabilities of models in plain NumPy, and what a page keeps by them."""

from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.model import Estimator, Network, Tree
from boilersweep.pages.columns import BoolArray, IntArray

Floats = NDArray[np.float32] | NDArray[np.float64]

_LIMITED = Lock()  # the limit is the process's: who ends second would restore the first one's


def probabilities(estimator: Estimator, values: Floats) -> NDArray[np.float64]:
    """Return (p,) the probability of content.

    Args:
        estimator: The network or tree.
        values: (p, k) A column for each feature that the model reads; values that are not finite
            count as 0.
    """
    return _tree(estimator, values) if isinstance(estimator, Tree) else _network(estimator, values)


def logistic(values: Floats) -> NDArray[np.float64]:
    """Return 1 / (1 + e^-x), without overflow."""
    return 1 / (1 + np.exp(-np.clip(values.astype(np.float64), -500, 500)))


# The least probability of a paragraph of which the model is sure.
SURE = 0.7

# Of so many words must it be sure for F / 2 and LIKELY_CONTENT to count the same.
SURE_WORDS = 40

# The threshold of a page with very many sure words: news by sites that no model has seen has a
# little less content than the probabilities say.
LIKELY_CONTENT = 0.53


def page_choice(
    probability: NDArray[np.float64], weights: Floats, owners: IntArray, starts: IntArray
) -> BoolArray:
    """Choose what makes the expected F1 of each page high; a page never loses everything.

    With the paragraphs in the order of falling probability, let F be the highest of
    2 * sum(p w over the first ones) / (sum(w over them) + sum(p w over all)), the F1 of expected
    counts. The choice with the highest F1 takes paragraphs of at least F / 2: a paragraph raises
    2 a / b exactly if 2 p w / w exceeds it.

    F takes paragraphs for independent. Paragraphs of a kind, such as the teasers beside an article,
    are content or boilerplate together, and thirty of .4 would drown the article. So the more words
    the model is sure of, the nearer is the threshold to LIKELY_CONTENT: of s sure words the share
    s^2 / (s^2 + SURE_WORDS^2) of the way. On a page of teasers alone F decides.

    Args:
        probability: (p,) Of content, for paragraphs.
        weights: (p,) Their words.
        owners: (p,) Their documents.
        starts: (n + 1,) The paragraphs of document i are starts[i] to starts[i + 1].

    Returns:
        (p,) True for every paragraph that its page keeps.
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
    sure = np.add.reduceat(np.where(probability >= SURE, weights, 0), at, dtype=np.float64)
    nearer = sure**2 / (sure**2 + SURE_WORDS**2)
    thresholds = np.zeros(len(starts) - 1)
    # F / 2 may be rounded up beyond the highest.
    higher = likely + nearer * np.maximum(LIKELY_CONTENT - likely, 0)
    thresholds[filled] = np.minimum(higher, highest)
    keep: BoolArray = probability >= thresholds[owners]
    return keep


def expected_f1(
    probability: NDArray[np.float64],
    weights: Floats,
    owners: IntArray,
    starts: IntArray,
    keep: BoolArray,
) -> NDArray[np.float64]:
    """Return (n,) the F1 that may be expected of what each page keeps; 0 of a page without words.

    Contrary to `page_choice`, paragraphs of a page depend on each other as much as they can: if one
    of them is content, all likelier ones are. With the paragraphs in the order of falling
    probability, the first j are the content with the probability p_j - p_(j + 1), and F1 is then
    2 * min(kept, their words) / (kept + their words).

    Args:
        probability: (p,) Of content, for paragraphs.
        weights: (p,) Their words.
        owners: (p,) Their documents.
        starts: (n + 1,) The paragraphs of document i are starts[i] to starts[i + 1].
        keep: (p,) True for every paragraph that its page keeps.
    """
    pages = len(starts) - 1
    order = np.lexsort((-probability, owners))
    of_order = owners[order]
    falling = probability[order]
    last = np.append(of_order[1:] != of_order[:-1], True)[: len(order)]
    content = falling - np.where(last, 0.0, np.append(falling[1:], 0.0)[: len(order)])
    taken = np.append(0.0, np.cumsum(weights[order], dtype=np.float64))
    words = taken[1:] - taken[starts[:-1]][of_order]
    kept = np.bincount(owners, np.where(keep, weights, 0), minlength=pages)[of_order]
    f1 = 2 * np.minimum(kept, words) / np.maximum(kept + words, 1e-9)
    expected = np.bincount(of_order, content * f1, minlength=pages)
    return expected.astype(np.float64)  # of no paragraphs they are integers


def fixed_choice(probability: NDArray[np.float64]) -> BoolArray:
    """Return (p,) True for content with a probability of at least one half."""
    keep: BoolArray = probability >= 0.5
    return keep


def _network(network: Network, values: Floats) -> NDArray[np.float64]:
    ready = ready_network(network)
    layer = (values.astype(np.float64) - ready.mean) * ready.scale
    np.clip(layer, -network.limit, network.limit, out=layer)
    np.nan_to_num(layer, copy=False)
    # On one thread: these products are so small that others would cost more than they bring.
    with _LIMITED, _pools().limit(limits=1):
        for number, of_layer in enumerate(ready.layers):
            if number:
                layer = _activated(layer, network.activation)
            layer += of_layer.rounder
            layer -= of_layer.rounder
            layer = layer @ of_layer.weights
            layer += of_layer.biases
    return logistic(layer[:, 0])


def _activated(layer: NDArray[np.float64], activation: str) -> NDArray[np.float64]:
    if activation == "relu":
        return np.maximum(layer, 0)
    return np.tanh(layer) if activation == "tanh" else logistic(layer)


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer whose sums of products are exact in double precision, in whatever order.

    If nothing cuts the inputs, the sums are plain ones, with a rounder of 0. No sum has more than
    53 bits, and a weight at most 24, as in single precision.

    Attributes:
        rounder: Added to an input and subtracted again, it rounds the input to a multiple of a
            power of two.
        weights: (inputs, outputs) Such multiples.
        biases: (outputs,) Such multiples.
    """

    rounder: float
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ReadyNetwork:
    """A network with its layers rounded; mean and scale, (k,), are in double precision."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    limit: float
    activation: str
    layers: tuple[Layer, ...]


@lru_cache(maxsize=16)
def ready_network(network: Network) -> ReadyNetwork:
    """Return a network as its sums are computed."""
    layers = []
    highest = np.full(len(network.mean), network.limit)
    for weights, biases in zip(network.weights, network.biases, strict=True):
        if not network.has_exact_sums:
            layers.append(Layer(0.0, weights.astype(np.float64), biases.astype(np.float64)))
            continue
        layer, sums = _exact(weights.astype(np.float64), biases.astype(np.float64), highest)
        layers.append(layer)
        highest = sums if network.activation == "relu" else np.ones_like(sums)
    mean, scale = network.mean.astype(np.float64), network.scale.astype(np.float64)
    return ReadyNetwork(mean, scale, network.limit, network.activation, tuple(layers))


def _exact(
    weights: NDArray[np.float64], biases: NDArray[np.float64], highest: NDArray[np.float64]
) -> tuple[Layer, NDArray[np.float64]]:
    """Return the layer, and its highest sums, given the (inputs,) highest absolute values."""
    weight_bits = 24 - _bits_of(np.abs(weights).max())
    weights = _rounded(weights, weight_bits)
    sums = (highest + 1) @ np.abs(weights) + np.abs(biases)
    input_bits = min(52 - _bits_of(sums.max()) - weight_bits, 50 - _bits_of(highest.max()))
    biases = _rounded(biases, input_bits + weight_bits)
    return Layer(1.5 * 2.0 ** (52 - input_bits), weights, biases), sums


def _bits_of(value: float) -> int:
    """Return the bits before the binary point."""
    return int(np.frexp(value)[1])


def _rounded(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Round to so many bits behind the binary point."""
    return np.ldexp(np.rint(np.ldexp(values, bits)), -bits)


@cache
def _pools() -> Any:
    """Return the thread pools of NumPy's products."""
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
