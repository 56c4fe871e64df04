"""Classifiers fitted on rows of features, as the arrays that `boilersweep.cleaners.learned` reads.

They go through scikit-learn, as the papers' authors went through Weka and FANN.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from boilersweep.cleaners.learned.model import Estimator, Model, Network, Tree
from boilersweep.errors import UsageError
from boilersweep.extras import install_command
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

# From (r, k) features, (r,) whether rows are content, (r,) words and a seed to an estimator.
Learner = Callable[[FloatArray, BoolArray, FloatArray, int], Estimator]

# From (r,) whether to learn from each row, and a seed, to a model.
Fit = Callable[[BoolArray, int], Model]

# The least weight of a leaf, in words.
#
# The 2010 paper has "leaves matching at least 1000 instances" and trees of up to 125 leaves over
# 72,662 blocks: its instances are words.
LEAF_WORDS = 1000

# Schäfer's hidden layer, section 3.
HIDDEN_UNITS = 18

_LEAST_DEVIATION = 1e-9
_UNLIMITED = 1e30


def require_scikit_learn() -> None:
    """Check that scikit-learn is installed.

    Raises:
        UsageError: It is missing.
    """
    if find_spec("sklearn") is None:
        raise UsageError(
            "trees, support vector machines and perceptrons need scikit-learn, which is not "
            f"installed; run: {install_command('train')}"
        )


def tree(
    features: FloatArray, content: BoolArray, words: FloatArray, seed: int
) -> Tree:
    """Fit a decision tree for content, see `grown`."""
    return _tree_arrays(grown(features, content, words, seed).tree_)


def grown(
    features: FloatArray, classes: IntArray | BoolArray, words: FloatArray, seed: int
) -> Any:
    """Fit a decision tree after C4.5: splits by entropy, leaves of at least LEAF_WORDS words.

    The 2010 paper prunes its trees to leaves of that size; each row weighs as its words.

    Args:
        features: (r, k) features.
        classes: (r,) any number of classes.
        words: (r,) weights.
        seed: Of what scikit-learn draws.

    Returns:
        scikit-learn's tree.

    Raises:
        UsageError: scikit-learn is missing.
    """
    require_scikit_learn()
    from sklearn.tree import DecisionTreeClassifier

    grower = DecisionTreeClassifier(
        criterion="entropy",
        min_weight_fraction_leaf=_least_leaf(words),
        random_state=seed,
    )
    return grower.fit(features, classes, sample_weight=words)


def one_rule(
    features: FloatArray, content: BoolArray, words: FloatArray, seed: int
) -> Tree:
    """Fit 1R: the tree over a single feature that errs least among the trees of all features.

    Source: Holte, Very simple classification rules perform well on most commonly used datasets,
    Machine Learning 11, 1993. Ranges have at least LEAF_WORDS words.
    """
    from sklearn.tree import DecisionTreeClassifier

    least, best, place = np.inf, None, 0
    for index, column in enumerate(features.T):
        grower = DecisionTreeClassifier(
            criterion="entropy",
            max_leaf_nodes=6,  # Holte's ranges are few
            min_weight_fraction_leaf=_least_leaf(words),
            random_state=seed,
        ).fit(column[:, None], content, sample_weight=words)
        error = float(words[grower.predict(column[:, None]) != content].sum())
        if error < least:
            least, best, place = error, grower.tree_, index
    tree = _tree_arrays(best)
    return replace(
        tree, feature=np.where(tree.feature >= 0, place, -1).astype(np.int32)
    )


def linear_svm(
    features: FloatArray, content: BoolArray, words: FloatArray, seed: int
) -> Network:
    """Fit a linear support vector machine; the middle of its margin has a probability of .5."""
    from sklearn.svm import LinearSVC

    return _linear(
        LinearSVC(C=1.0, dual=False, random_state=seed), features, content, words
    )


def logistic_regression(
    features: FloatArray, content: BoolArray, words: FloatArray, seed: int
) -> Network:
    """Fit a logistic regression with a small L2 penalty."""
    from sklearn.linear_model import LogisticRegression

    return _linear(
        LogisticRegression(max_iter=300, random_state=seed), features, content, words
    )


def perceptron(
    features: FloatArray, content: BoolArray, _words: FloatArray, seed: int
) -> Network:
    """Fit Schäfer's multilayer perceptron: one hidden layer of 18 units; every row counts once.

    Adam and the logistic loss replace FANN's RPROP and squared loss.
    """
    from sklearn.neural_network import MLPClassifier

    mean, scale = _standard(features)
    fitted = MLPClassifier(
        hidden_layer_sizes=(HIDDEN_UNITS,),
        activation="tanh",
        alpha=1e-4,
        learning_rate_init=0.003,
        batch_size=min(256, len(features)),
        max_iter=60,
        random_state=seed,
    )
    with unfinished():
        fitted.fit((features - mean) * scale, content)
    return Network(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        weights=tuple(weights.astype(np.float32) for weights in fitted.coefs_),
        biases=tuple(biases.astype(np.float32) for biases in fitted.intercepts_),
        activation="tanh",
        limit=_UNLIMITED,
    )


# The models of the papers, by the names of `boilersweep train --model`.
LEARNERS: dict[str, Learner] = {
    "tree": tree,
    "1r": one_rule,
    "svm": linear_svm,
    "logistic": logistic_regression,
    "perceptron": perceptron,
}


def _least_leaf(words: FloatArray) -> float:
    return min(LEAF_WORDS / max(float(words.sum()), 1.0), 0.5)


def _tree_arrays(fitted: Any) -> Tree:
    """Return scikit-learn's tree, in which children follow parents; a leaf's feature is -1."""
    leaf = fitted.children_left < 0
    shares = fitted.value[:, 0, :]
    total = np.maximum(shares.sum(axis=1), _LEAST_DEVIATION)
    return Tree(
        feature=np.where(leaf, -1, fitted.feature).astype(np.int32),
        threshold=np.where(leaf, 0.0, fitted.threshold).astype(np.float64),
        left=np.where(leaf, 0, fitted.children_left).astype(np.int32),
        right=np.where(leaf, 0, fitted.children_right).astype(np.int32),
        value=(shares[:, -1] / total).astype(np.float32),
    )


def _standard(features: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (k,) means, and (k,) the inverse of standard deviations, 0 for constant features."""
    mean = features.mean(axis=0, dtype=np.float64)
    deviation = features.std(axis=0, dtype=np.float64)
    varies = deviation > _LEAST_DEVIATION
    return mean, np.where(varies, 1 / np.where(varies, deviation, 1), 0.0)


def _linear(
    classifier: Any, features: FloatArray, content: BoolArray, words: FloatArray
) -> Network:
    """Fit a linear classifier; every row counts as its words."""
    mean, scale = _standard(features)
    with unfinished():
        fitted = classifier.fit(
            (features - mean) * scale, content, sample_weight=words / words.mean()
        )
    return Network(
        mean=mean.astype(np.float32),
        scale=scale.astype(np.float32),
        weights=(fitted.coef_.T.astype(np.float32),),
        biases=(fitted.intercept_.astype(np.float32),),
        limit=_UNLIMITED,
    )


@contextmanager
def unfinished() -> Iterator[None]:
    """Ignore warnings of an optimiser that stops at its last step: the recipe sets the steps."""
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
