"""Tiny models."""

from dataclasses import replace

import numpy as np
import pytest

from boilersweep.cleaners.learned.features import NAMES, PARAGRAPHS, VERSION
from boilersweep.cleaners.learned.model import Model, ModelProvenance, Network


def at_least(words: int) -> Network:
    """Return a network with the logit 400 * (log(1 + words) / 4 - log(`words` + .5) / 4)."""
    return Network(
        mean=np.array([np.log(words + 0.5) / 4], dtype=np.float32),
        scale=np.array([1], dtype=np.float32),
        weights=(np.array([[400]], dtype=np.float32),),
        biases=(np.array([0], dtype=np.float32),),
    )


@pytest.fixture(scope="session")
def at_least_five_words() -> Model:
    """Return a model that takes paragraphs of five words for content."""
    read = np.array([NAMES.index("words")], dtype=np.int32)
    said = ModelProvenance(trained_on="nothing")
    return Model(PARAGRAPHS, VERSION, read, at_least(5), "fixed", said)


@pytest.fixture(scope="session")
def with_classes(at_least_five_words: Model) -> Model:
    """Return the same with a headline from eight words and a comment from three words."""
    return replace(
        at_least_five_words, classes={"headline": at_least(8), "comment": at_least(3)}
    )
