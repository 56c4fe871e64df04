"""The datasets that a model learns from, and their weights."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.errors import UsageError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.pages.columns import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset to learn from.

    Attributes:
        dataset: The dataset.
        weight: The weight of all its pages together; with 0 the model is only tested on it.
    """

    dataset: Dataset
    weight: float = 1.0

    @property
    def label(self) -> str:
        """The dataset's name among several."""
        return self.dataset.label


def weighted_sources(
    datasets: Sequence[Dataset], weights: dict[str, float]
) -> list[Source]:
    """Return sources in the order of their datasets.

    Args:
        datasets: The datasets, each with a label.
        weights: Label -> weight; a missing label weighs 1.

    Raises:
        UsageError: A label has no dataset, a weight is no number of 0 or more, or all are 0.
    """
    labels = [dataset.label for dataset in datasets]
    for label, weight in weights.items():
        if label not in labels:
            raise UsageError(
                f"expected the weight of {', '.join(labels)}, got that of {label!r}"
            )
        if not (math.isfinite(weight) and weight >= 0):
            raise UsageError(
                f"expected a weight of 0 or more for {label}, got {weight}"
            )
    sources = [Source(dataset, weights.get(dataset.label, 1.0)) for dataset in datasets]
    if not any(source.weight for source in sources):
        raise UsageError("expected a dataset to learn from, got the weight 0 for all")
    return sources


def shares(sources: Sequence[Source]) -> list[float]:
    """Return each source's share of the total weight."""
    total = sum(source.weight for source in sources)
    return [source.weight / total for source in sources]


def scaled(
    weights: FloatArray, of_rows: IntArray, sources: Sequence[Source]
) -> FloatArray:
    """Return (r,) weights, scaled so that each source has its share of their sum.

    Args:
        weights: (r,) the weights of rows.
        of_rows: (r,) the numbers of the rows' sources.
        sources: The sources.
    """
    sums = np.bincount(of_rows, weights, minlength=len(sources))
    learned = np.array([source.weight > 0 for source in sources])
    total = sums[learned].sum()
    factors = np.array(shares(sources)) * total / np.where(sums > 0, sums, 1.0)
    scaled_weights: FloatArray = weights * factors[of_rows]
    return scaled_weights
