"""Probabilities of rows by trees and networks; what a page keeps by them, and its kind.

Small networks over paragraphs are computed by `compiled.pyx`, with the same bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.model import Estimator, Network, Tree
from boilersweep.cleaners.page_model import KINDS
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

Floats = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The input of a model: r paragraphs or blocks of n documents with m blocks.

    Attributes:
        values: (r, k) Features; (r, 0) if compiled code has rated the rows.
        words: (r,) Words.
        of_blocks: (m,) The row of each block.
        owners: (r,) Documents.
        starts: (n + 1,) The rows of document i are starts[i] to starts[i + 1].
        relations: (r, 5) Where other rows are, in numbers of rows:
            how far before a row the first one with the same text is, if the elements around them
            differ in names or classes, else 0;
            how far before it the first one is whose elements have the same names and classes;
            how far before it the first definition list of an element begins, if the row is in one,
            else 0 (lists in lists belong to the outermost one);
            how far before code the innermost element around it with other text begins, else 0;
            how far behind code this element ends, else 0.
        excluded: (r,) Whether a row is a consent banner's, or its page marks it as no content;
            its probabilities are 0.
        rated: Small networks -> (r,) their results, if compiled code has rated the rows.
    """

    values: NDArray[np.float32] | FloatArray
    words: FloatArray
    of_blocks: IntArray
    owners: IntArray
    starts: IntArray
    relations: IntArray
    excluded: BoolArray
    rated: Mapping[Estimator, FloatArray] = field(default_factory=dict)


def probabilities(estimator: Estimator, values: Floats) -> NDArray[np.float64]:
    """Return (p,) the probability of content.

    Args:
        estimator: The network or tree.
        values: (p, k) A column for each feature that the model reads; values that are not finite
            count as 0.
    """
    return (
        _tree(estimator, values)
        if isinstance(estimator, Tree)
        else _network(estimator, values)
    )


def logistic(values: Floats) -> NDArray[np.float64]:
    """Return 1 / (1 + e^-x), without overflow."""
    return 1 / (1 + np.exp(-np.clip(values.astype(np.float64), -500, 500)))


def related(probability: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Return (r,) the probabilities of content, given those of rows by themselves.

    A text is content once. Pages have an article twice, for screens and for phones or printers, in
    elements of other names or classes: such a repeat is content only if the first one is not. Equal
    texts in elements that look alike are parts of the text, such as refrains.

    Rows whose elements look alike agree with each other, and so do the terms and descriptions of
    the definition lists of one element (see `_agreed`). Code is content at least as probably as the
    other text of the innermost element around it that has any (see `_with_its_text`).
    """
    places = np.arange(len(probability))
    repeats, alike, lists = rows.relations.T[:3]
    first = probability[places - repeats]
    probability = np.where(repeats > 0, probability * (1 - first), probability)
    for before in (alike, lists):
        probability = _agreed(probability, places - before, rows.words + 0.5)
    return _with_its_text(probability, rows)


def _agreed(
    probability: NDArray[np.float64], groups: IntArray, weights: FloatArray
) -> NDArray[np.float64]:
    """Return (r,) the probabilities of rows that agree with each other.

    Let r be the share of the variance of a group's probabilities, weighted by words, that it would
    have if all were 0 or 1. Each moves (1 - r)^2 of the way to their mean: the less they differ,
    the more.

    Args:
        probability: (r,) Of content.
        groups: (r,) The first row of the group of each row.
        weights: (r,) The weights of rows.
    """
    # Places that begin no group have no weight.
    totals = np.maximum(np.bincount(groups, weights), 0.5)

    def mean_of(values: FloatArray) -> FloatArray:
        means = np.bincount(groups, values * weights) / totals
        of_rows: FloatArray = means[groups]
        return of_rows

    mean = mean_of(probability)
    differ = mean_of((probability - mean) ** 2) / np.maximum(mean * (1 - mean), 1e-6)
    return probability + (1 - np.minimum(differ, 1)) ** 2 * (mean - probability)


def _with_its_text(probability: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
    """Return (r,) the probabilities, those of code at least the mean of the text around it.

    The mean is weighted by words, over all rows of the element that are no code.
    """
    before, after = rows.relations.T[3:]
    code = np.flatnonzero(after)
    if not len(code):
        return probability
    around = np.column_stack([code - before[code], code + after[code]])
    ranges, owners = np.unique(around, axis=0, return_inverse=True)
    weights = np.where(after == 0, rows.words + 0.5, 0.0)
    means = _means(probability, weights, ranges, rows)
    smoothed = probability.copy()
    smoothed[code] = np.maximum(smoothed[code], means[owners.ravel()])
    return smoothed


# A page's ranges are added up one by one if all together have at most so many times its rows.
_MOST_READ = 16


def _means(
    values: FloatArray, weights: FloatArray, ranges: IntArray, rows: Rows
) -> FloatArray:
    """Return (k,) the weighted means of ranges of rows.

    The ranges of a page that are nested without limit have running sums, in linear time. They are
    the page's own: their rounding must not depend on the pages before.

    Args:
        values: (r,) Of rows.
        weights: (r,) Of rows.
        ranges: (k, 2) The first row of each range, and the one after its last.
        rows: The rows; a range is within one page.
    """
    products = values * weights
    first, end = ranges.T
    lengths = end - first
    pages = rows.owners[first]
    read = np.bincount(pages, lengths, len(rows.starts) - 1)
    is_long = (read > _MOST_READ * np.diff(rows.starts))[pages]
    lengths = np.where(is_long, 0, lengths)
    numbers = np.repeat(np.arange(len(first)), lengths)
    places = np.arange(len(numbers)) + np.repeat(end - np.cumsum(lengths), lengths)
    # NumPy counts in integers where there is nothing to add up.
    sums, totals = (
        np.bincount(numbers, terms[places], len(first)).astype(np.float64)
        for terms in (products, weights)
    )
    for page in np.unique(pages[is_long]):
        start, stop = rows.starts[page : page + 2]
        own = pages == page
        for of_ranges, terms in ((sums, products), (totals, weights)):
            running = np.append(0.0, np.cumsum(terms[start:stop]))
            of_ranges[own] = running[end[own] - start] - running[first[own] - start]
    return sums / totals


# The least probability of a paragraph of which the model is sure.
SURE = 0.7

# Of so many words must it be sure for F / 2 and the threshold of the page's length to count the
# same.
SURE_WORDS = 40

# The mean words of likely paragraphs of a list and of prose, and the thresholds of such pages if
# the model is sure of very many words. Prose has less content than the probabilities say on sites
# that no model has seen; lists have as much.
SHORT_PARAGRAPHS, LONG_PARAGRAPHS = 10, 30
LIST_THRESHOLD, PROSE_THRESHOLD = 0.5, 0.6


def page_choice(probability: NDArray[np.float64], rows: Rows) -> BoolArray:
    """Choose what makes the expected F1 of each page high; a page never loses everything.

    With the paragraphs in the order of falling probability, let F be the highest of
    2 * sum(p w over the first ones) / (sum(w over them) + sum(p w over all)), the F1 of expected
    counts. The choice with the highest F1 takes paragraphs of at least F / 2: a paragraph raises
    2 a / b exactly if 2 p w / w exceeds it.

    F takes paragraphs for independent. Paragraphs of a kind, such as the teasers beside an article,
    are content or boilerplate together, and thirty of .4 would drown the article. So the more words
    the model is sure of, the nearer is the threshold to that of the page's length: of s sure words
    the share s^2 / (s^2 + SURE_WORDS^2) of the way. On a page of teasers alone F decides.

    Args:
        probability: (r,) Of content.
        rows: The paragraphs of pages.

    Returns:
        (r,) True for every paragraph that its page keeps.
    """
    order = np.lexsort((-probability, rows.owners))
    words = rows.words[order]
    expected, taken = _running(probability[order] * words, rows), _running(words, rows)
    total = expected[rows.starts[1:][rows.owners] - 1]
    likely = _highest(2 * expected / np.maximum(taken + total, 1e-9), rows) / 2
    sure = _sums(np.where(probability >= SURE, rows.words, 0), rows)
    nearer = sure**2 / (sure**2 + SURE_WORDS**2)
    is_likely = probability > 0.5
    length = _sums(is_likely * rows.words, rows) / np.maximum(_sums(is_likely, rows), 1)
    prose = np.clip(
        (length - SHORT_PARAGRAPHS) / (LONG_PARAGRAPHS - SHORT_PARAGRAPHS), 0, 1
    )
    of_length = LIST_THRESHOLD + prose * (PROSE_THRESHOLD - LIST_THRESHOLD)
    higher = likely + nearer * np.maximum(of_length - likely, 0)
    # Either may be above the highest probability of the page.
    keep: BoolArray = (
        probability >= np.minimum(higher, _highest(probability, rows))[rows.owners]
    )
    return keep


def expected_f1(
    probability: NDArray[np.float64], rows: Rows, keep: BoolArray
) -> FloatArray:
    """Return (n,) the F1 that may be expected of what each page keeps; 0 of a page without words.

    Contrary to `page_choice`, paragraphs of a page depend on each other as much as they can: if one
    of them is content, all likelier ones are. With the paragraphs in the order of falling
    probability, the first j are the content with the probability p_j - p_(j + 1), and F1 is then
    2 * min(kept, their words) / (kept + their words).

    Args:
        probability: (r,) Of content.
        rows: The paragraphs of pages.
        keep: (r,) True for every paragraph that its page keeps.
    """
    order = np.lexsort((-probability, rows.owners))
    falling = np.append(probability[order], 0.0)
    is_last = np.isin(np.arange(len(order)), rows.starts[1:] - 1)
    content = falling[:-1] - np.where(is_last, 0.0, falling[1:])
    words = _running(rows.words[order], rows)
    kept = _sums(np.where(keep, rows.words, 0), rows)[rows.owners]
    return _sums(
        content * 2 * np.minimum(kept, words) / np.maximum(kept + words, 1e-9), rows
    )


def _running(values: FloatArray, rows: Rows) -> FloatArray:
    """Return (r,) the running sums of (r,) values within each page."""
    sums = np.append(0.0, np.cumsum(values))
    running: FloatArray = sums[1:] - sums[rows.starts[:-1]][rows.owners]
    return running


def _sums(values: FloatArray | BoolArray, rows: Rows) -> FloatArray:
    """Return (n,) the sums of (r,) values of each page."""
    return np.bincount(rows.owners, values, len(rows.starts) - 1).astype(np.float64)


def _highest(values: FloatArray, rows: Rows) -> FloatArray:
    """Return (n,) the highest of (r,) values of each page, and 0 of a page without rows."""
    highest = np.zeros(len(rows.starts) - 1)
    np.maximum.at(highest, rows.owners, values)
    return highest


def page_features(rows: Rows) -> FloatArray:
    """Return (n, k + 2) means of the rows' features weighted by words, and logarithms of counts.

    The counts are of words and of rows.
    """
    words, counts = _sums(rows.words, rows), np.diff(rows.starts)
    features = np.zeros((len(counts), rows.values.shape[1] + 2))
    for page, (first, end) in enumerate(pairwise(rows.starts.tolist())):
        if words[page] > 0:
            values = rows.values[first:end].astype(np.float64)
            features[page, :-2] = rows.words[first:end] @ values / words[page]
    features[:, -2:] = np.log1p(np.column_stack([words, counts]))
    return features


def kind_probabilities(network: Network, features: FloatArray) -> FloatArray:
    """Return (n, len(KINDS)) of pages, given (n, k + 2) features as of `page_features`."""
    standard = np.clip(
        (features - network.mean) * network.scale, -network.limit, network.limit
    )
    logits = standard @ network.weights[0] + network.biases[0]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: FloatArray = odds / odds.sum(axis=1, keepdims=True)
    return probabilities


def likeliest(probabilities: FloatArray) -> list[str]:
    """Return (n,) the likeliest of KINDS, given (n, len(KINDS)) probabilities."""
    return [KINDS[number] for number in np.argmax(probabilities, axis=1).tolist()]


def _network(network: Network, values: Floats) -> NDArray[np.float64]:
    ready = ready_network(network)
    layer = (values.astype(np.float64) - ready.mean) * ready.scale
    np.clip(layer, -network.limit, network.limit, out=layer)
    np.nan_to_num(layer, copy=False)
    for index, of_layer in enumerate(ready.layers):
        if index:
            layer = (
                np.maximum(layer, 0) if network.activation == "relu" else np.tanh(layer)
            )
        rounded = (layer + of_layer.rounder) - of_layer.rounder
        layer = rounded @ of_layer.weights + of_layer.biases
    return logistic(layer[:, 0])


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A layer in double precision.

    Attributes:
        rounder: Added to an input and subtracted again, it rounds the input to a multiple of a
            power of two; 0 if the network is not small.
        weights: (inputs, outputs).
        biases: (outputs,).
    """

    rounder: float
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ReadyNetwork:
    """A network as its sums are computed; mean and scale are (k,)."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    limit: float
    layers: tuple[Layer, ...]


@lru_cache(maxsize=16)
def ready_network(network: Network) -> ReadyNetwork:
    """Return a network as its sums are computed; those of a small one are exact.

    The inputs and weights of a small network are rounded to multiples of powers of two. No sum of
    the hidden layer has more than 24 bits, and none of the output more than 53, so that single and
    double precision hold them exactly, in whatever order and on whatever processor they are added.
    """
    layers = []
    highest = np.full(len(network.mean), network.limit)
    for index, (weights, biases) in enumerate(
        zip(network.weights, network.biases, strict=True)
    ):
        layer = Layer(0.0, weights.astype(np.float64), biases.astype(np.float64))
        if network.is_small:
            layer, highest = _exact(layer, highest, _SUM_BITS[index])
        layers.append(layer)
    mean, scale = network.mean.astype(np.float64), network.scale.astype(np.float64)
    return ReadyNetwork(mean, scale, network.limit, tuple(layers))


# Of the sums of the hidden layer and of the output of a small network.
_SUM_BITS = (24, 52)


def _exact(
    layer: Layer, highest: NDArray[np.float64], bits: int
) -> tuple[Layer, NDArray[np.float64]]:
    """Return the layer rounded, and its highest sums.

    An input is about 1, and a weight about as large as the root of their mean square. Inputs have
    as many bits as such a weight, so that both are rounded by the same part of themselves. Sums of
    differences between inputs, too, which are up to twice as large, have at most so many bits.

    Args:
        layer: As it is in the file.
        highest: (inputs,) The highest absolute values of the inputs.
        bits: The bits of a sum.
    """
    size = _bits_of(np.sqrt(np.mean(np.square(layer.weights))))
    sums = (2 * highest + 1) @ np.abs(layer.weights) + np.abs(layer.biases)
    weight_bits = (bits - _bits_of(sums.max()) - size) // 2
    weights = _rounded(layer.weights, weight_bits)
    sums = (2 * highest + 1) @ np.abs(weights) + np.abs(layer.biases)
    input_bits = min(
        bits - _bits_of(sums.max()) - weight_bits, 50 - _bits_of(highest.max())
    )
    biases = _rounded(layer.biases, input_bits + weight_bits)
    return Layer(1.5 * 2.0 ** (52 - input_bits), weights, biases), sums


def _bits_of(value: float) -> int:
    """Return the bits before the binary point."""
    return int(np.frexp(value)[1])


def _rounded(values: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Round to so many bits behind the binary point."""
    return np.ldexp(np.rint(np.ldexp(values, bits)), -bits)


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
