"""The kind of a page, from its paragraphs' features."""

from itertools import pairwise

import numpy as np

from boilersweep.cleaners.learned.features import Rows
from boilersweep.cleaners.learned.model import KINDS, Network
from boilersweep.pages.columns import FloatArray


def page_features(rows: Rows) -> FloatArray:
    """Return (n, k + 2) means of the rows' features weighted by words, and logarithms of counts.

    The counts are of words and of rows.
    """
    words = np.add.reduceat(np.append(rows.words, 0.0), rows.starts[:-1])
    counts = np.diff(rows.starts)
    words[counts == 0] = 0
    found = np.zeros((len(counts), rows.values.shape[1] + 2))
    for page, (first, end) in enumerate(pairwise(rows.starts.tolist())):
        if words[page] > 0:
            values = rows.values[first:end].astype(np.float64)
            found[page, :-2] = rows.words[first:end] @ values / words[page]
    found[:, -2:] = np.log1p(np.column_stack([words, counts]))
    return found


def kind_probabilities(network: Network, features: FloatArray) -> FloatArray:
    """Return (n, len(KINDS)) of pages, given (n, k + 2) features as of `page_features`."""
    standard = np.clip((features - network.mean) * network.scale, -network.limit, network.limit)
    logits = standard @ network.weights[0] + network.biases[0]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: FloatArray = odds / odds.sum(axis=1, keepdims=True)
    return found


def likeliest(probabilities: FloatArray) -> list[str]:
    """Return (n,) the likeliest of KINDS, given (n, len(KINDS)) probabilities."""
    return [KINDS[number] for number in np.argmax(probabilities, axis=1).tolist()]
