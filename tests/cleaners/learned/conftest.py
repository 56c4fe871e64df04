"""Tiny models."""

import numpy as np
import pytest

from boilersweep.cleaners.learned import features
from boilersweep.cleaners.learned.model import Model, Network


@pytest.fixture(scope="session")
def at_least_five_words() -> Model:
    """A model of one weight: the logit is 100 * (log(1 + words) / 4 - log(5.5) / 4)."""
    place = features.names().index("words")
    network = Network(
        mean=np.array([np.log(5.5) / 4], dtype=np.float32),
        scale=np.array([1], dtype=np.float32),
        weights=(np.array([[100]], dtype=np.float32),),
        biases=(np.array([0], dtype=np.float32),),
    )
    read = np.array([place], dtype=np.int32)
    return Model("paragraphs", features.VERSION, read, network, "fixed", {"trained_on": "nothing"})
