"""The network of the cleaner `learned`: perceptrons with one hidden layer, averaged into one.

Each member of the ensemble is fitted by scikit-learn on a sample of the rows; their logits are
averaged, which makes one perceptron with the hidden units of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from boilersweep.cleaners.learned.model import Network
from boilersweep.eval.training.learners import unfinished
from boilersweep.pages.columns import FloatArray, IntArray

Floats = NDArray[np.float32]

# A page with fewer words weighs as if it had so many.
PAGE_WORDS = 50

# The most that a row weighs, in mean weights.
MOST_WEIGHT = 30

LIMIT = 5.0  # the largest absolute value of a standardised feature
_ROWS = 8192  # processed at a time
_TINY = 1e-300
_LEAST_DEVIATION = 0.02  # a smaller one would blow up the values of a rare feature
_CERTAIN = 0.02  # labels this near to 0 or 1 count as 0 or 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How an ensemble of networks is fitted.

    Attributes:
        members: The number of networks in the ensemble.
        hidden: The hidden units of each network.
        penalty: The L2 penalty, scikit-learn's alpha.
        sampled: The share of the rows that a member is fitted on.
        epochs: The number of passes of Adam over these rows.
        rate: Adam's learning rate.
        batch: Adam's batch size.
        dropped: The share of values that are replaced by the feature's mean, drawn for each value.
        views: For each view, the share of the sampled rows that is taken from it.
        caseless: The share of rows whose features of case are 0, as in scripts without case.
    """

    members: int
    hidden: int
    penalty: float
    sampled: float
    epochs: int = 8
    rate: float = 1e-3
    batch: int = 512
    dropped: float = 0.1
    views: tuple[float, ...] = (1.0,)
    caseless: float = 0.0


def page_weights(words: FloatArray, owners: IntArray) -> FloatArray:
    """Return (r,) each row's share of its page's words, so that every page weighs the same.

    Args:
        words: (r,) the words of the rows.
        owners: (r,) the rows' pages.
    """
    weights = words / np.maximum(np.bincount(owners, words)[owners], PAGE_WORDS)
    weights /= weights.mean()
    limited: FloatArray = np.minimum(weights, MOST_WEIGHT)
    return limited


def fit_ensemble(
    views: Sequence[Floats],
    labels: FloatArray,
    weights: FloatArray,
    recipe: Recipe,
    seed: int,
    of_case: Sequence[int] = (),
    unread: Sequence[int] = (),
) -> Network:
    """Return an ensemble as one network.

    Args:
        views: (r, k) features each, of the same rows in different markup.
        labels: (r,) the shares of words that are in the gold text.
        weights: (r,) the weights of the rows.
        recipe: How to fit a member.
        seed: The seed of the random numbers.
        of_case: The features that tell of uppercase letters.
        unread: Features that the network ignores.
    """
    chances = _chances(weights, recipe.sampled)
    mean, scale = _standard(views, chances)
    scale[list(unread)] = 0
    rows = _Rows(views, labels, weights, chances, mean, scale, of_case)
    members = [
        _member(rows, recipe, default_rng([seed, index]))
        for index in range(recipe.members)
    ]
    hidden, hidden_biases, output, output_biases = zip(*members, strict=True)
    return Network(
        mean=mean,
        scale=scale,
        weights=(
            half(np.concatenate(hidden, axis=1)),
            half(np.concatenate(output, axis=0) / recipe.members),
        ),
        biases=(
            half(np.concatenate(hidden_biases)),
            half(np.mean(output_biases, axis=0)),
        ),
        limit=LIMIT,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows that the members of an ensemble are fitted on; see also `fit_ensemble`.

    Attributes:
        views: (r, k) features each.
        labels: (r,) the labels.
        weights: (r,) the weights.
        chances: (r,) the probability that a row is drawn.
        mean: (k,) the means of the features.
        scale: (k,) the inverse of their standard deviations, 0 for a feature that is ignored.
        of_case: The features that tell of uppercase letters.
    """

    views: Sequence[Floats]
    labels: FloatArray
    weights: FloatArray
    chances: FloatArray
    mean: Floats
    scale: Floats
    of_case: Sequence[int]


def _member(
    rows: _Rows, recipe: Recipe, random: Generator
) -> tuple[Floats, Floats, Floats, Floats]:
    """Fit a member; return the weights and biases of the hidden layer, then of the output."""
    from sklearn.neural_network import MLPClassifier

    values, shares, weight = _sample(rows, recipe, random)
    # scikit-learn has no soft labels: a doubtful row is in both classes, weighted by its shares.
    doubtful = (shares > _CERTAIN) & (shares < 1 - _CERTAIN)
    values = np.concatenate([values, values[doubtful]])
    content = np.concatenate(
        [(shares > 0.5) | doubtful, np.zeros(doubtful.sum(), dtype=bool)]
    )
    weight = np.concatenate(
        [np.where(doubtful, weight * shares, weight), (weight * (1 - shares))[doubtful]]
    )
    for at in range(0, len(values), _ROWS):
        part = values[at : at + _ROWS]
        part *= random.random(part.shape, dtype=np.float32) >= recipe.dropped
    fitted = MLPClassifier(
        hidden_layer_sizes=(recipe.hidden,),
        alpha=recipe.penalty,
        batch_size=min(recipe.batch, len(values)),
        learning_rate_init=recipe.rate,
        max_iter=recipe.epochs,
        tol=0.0,
        n_iter_no_change=recipe.epochs + 1,
        random_state=int(random.integers(2**31)),
    )
    with unfinished():
        fitted.fit(
            values, content, sample_weight=(weight / weight.mean()).astype(np.float32)
        )
    return (
        *fitted.coefs_[:1],
        *fitted.intercepts_[:1],
        fitted.coefs_[1],
        fitted.intercepts_[1],
    )


def _sample(
    rows: _Rows, recipe: Recipe, random: Generator
) -> tuple[Floats, FloatArray, FloatArray]:
    """Draw rows of every view; return their standardised features, labels and weights."""
    chances = rows.chances
    samples = [
        np.flatnonzero(random.random(len(chances)) < chances * share)
        for _, share in zip(rows.views, recipe.views, strict=True)
    ]
    values = np.concatenate(
        [view[drawn] for view, drawn in zip(rows.views, samples, strict=True)],
        dtype=np.float32,
    )
    shares = np.concatenate([rows.labels[drawn] for drawn in samples])
    weight = np.concatenate([rows.weights[drawn] / chances[drawn] for drawn in samples])
    caseless = np.flatnonzero(random.random(len(values)) < recipe.caseless)
    values[np.ix_(caseless, np.array(rows.of_case, dtype=np.int64))] = 0
    values -= rows.mean
    values *= rows.scale
    np.clip(values, -LIMIT, LIMIT, out=values)
    return values, shares, weight


def half(values: Floats | FloatArray) -> Floats:
    """Round to two bytes, which halves the model's file; training scores the rounded values."""
    return values.astype(np.float16).astype(np.float32)


def _chances(weights: FloatArray, share: float) -> FloatArray:
    """Return (r,) the probability that a row is drawn, which grows with its weight.

    It is min(1, weight / t), with the t by which a share of the rows is expected in a sample.
    """
    low, high = 0.0, float(weights.max())
    for _ in range(50):
        level = (low + high) / 2
        if np.minimum(1, weights / max(level, _TINY)).mean() > share:
            low = level
        else:
            high = level
    chances: FloatArray = np.minimum(1, weights / max(high, _TINY))
    return chances


def _standard(views: Sequence[Floats], chances: FloatArray) -> tuple[Floats, Floats]:
    """Return (k,) means and (k,) the inverse of standard deviations, 0 for constant features.

    A row counts with its chance to be in a sample. If all rows counted alike, most would be words
    of menus, and a paragraph would be far from the mean in every feature.
    """
    width = views[0].shape[1]
    sums, squares = np.zeros(width), np.zeros(width)
    for view in views:
        for at in range(0, len(view), _ROWS):
            part = view[at : at + _ROWS].astype(np.float64)
            sums += chances[at : at + _ROWS] @ part
            squares += chances[at : at + _ROWS] @ np.square(part)
    count = chances.sum() * len(views)
    mean = sums / count
    deviation = np.sqrt(np.maximum(squares / count - np.square(mean), 0))
    scale = np.where(deviation > 1e-4, 1 / np.maximum(deviation, _LEAST_DEVIATION), 0)
    return mean.astype(np.float32), scale.astype(np.float32)
