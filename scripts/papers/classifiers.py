"""The classifiers of the papers: fitted on rows of features, they give a chance to every class.

Rows are weighted with the words of their blocks throughout, as the 2010 paper weights its scores.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from boilersweep.eval.training.learners import (
    HIDDEN_UNITS,
    LEAF_WORDS,
    grown,
    require_scikit_learn,
)
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

# (m, k) features in, (m, c) chances of the c classes out.
Model = Callable[[FloatArray], FloatArray]

# (n, k) features, (n,) classes, (n,) words and the number of classes in, a fitted model out.
Learner = Callable[[FloatArray, IntArray, IntArray, int], Model]

_SEED = 2010
_LANDMARKS = 300
_EPOCHS = 60


def zero_rule(
    _features: FloatArray, classes: IntArray, words: IntArray, count: int
) -> Model:
    """Return always the class of most words, whatever the features (Weka's ZeroR)."""
    shares = np.bincount(classes, weights=words, minlength=count) / max(
        int(words.sum()), 1
    )
    return lambda features: np.tile(shares, (len(features), 1))


def one_rule(
    features: FloatArray, classes: IntArray, words: IntArray, count: int
) -> Model:
    """1R: ranges of the one feature that errs least, and the class of most words in each.

    Source: Holte, Very simple classification rules perform well on most commonly used datasets,
    Machine Learning 11, 1993. A range is closed when its class has LEAF_WORDS words and the next
    value is not mostly of that class; neighbouring ranges of one class are one.
    """
    best, (borders, labels) = _best_ranges(features, classes, words, count)

    def model(rows: FloatArray) -> FloatArray:
        return np.eye(count)[
            labels[np.searchsorted(borders, rows[:, best], side="right")]
        ]

    return model


def range_leaves(
    features: FloatArray, classes: IntArray, words: IntArray, count: int
) -> int:
    """How many ranges the rule of `one_rule` has."""
    return len(_best_ranges(features, classes, words, count)[1][1])


def _best_ranges(
    features: FloatArray, classes: IntArray, words: IntArray, count: int
) -> "tuple[int, Ranges]":
    """Return the feature that errs least, and its ranges."""
    rules = [_ranges(column, classes, words, count) for column in features.T]
    errors = [_one_rule_errors(rule, features[:, n]) for n, rule in enumerate(rules)]
    best = int(np.argmin([words[found != classes].sum() for found in errors]))
    return best, rules[best]


def tree(features: FloatArray, classes: IntArray, words: IntArray, count: int) -> Model:
    """Return the decision tree of `boilersweep train --model tree`, for any number of classes."""
    fitted = grown(features, classes, words.astype(np.float64), _SEED)
    return lambda rows: _spread(fitted.predict_proba(rows), fitted.classes_, count)


def tree_leaves(
    features: FloatArray, classes: IntArray, words: IntArray, _count: int
) -> int:
    """How many leaves `tree` has."""
    return int(grown(features, classes, words.astype(np.float64), _SEED).get_n_leaves())


def linear_svm(
    features: FloatArray, classes: IntArray, words: IntArray, count: int
) -> Model:
    """Return a support vector machine with a linear kernel, on features of mean 0 and variance 1.

    Its chances are 0 and 1: Weka's SMO gives no others, hence its low AUC in Table 2.
    """
    require_scikit_learn()
    from sklearn.svm import LinearSVC

    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation == 0] = 1
    fitted = LinearSVC(C=1.0, dual=False, random_state=_SEED)
    weights = words / words.mean()
    fitted.fit((features - mean) / deviation, classes, sample_weight=weights)
    return lambda rows: np.eye(count)[fitted.predict((rows - mean) / deviation)]


def perceptron(
    features: FloatArray, classes: IntArray, _words: IntArray, count: int
) -> Model:
    """Schäfer's multilayer perceptron: one hidden layer of 18 units; every block counts once.

    The library differs: tanh for FANN's symmetric Gaussian, Adam for RPROP, and the logistic loss
    for the squared one.
    """
    from sklearn.exceptions import ConvergenceWarning

    fitted = _perceptron()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(features, classes)
    return lambda rows: _spread(fitted.predict_proba(rows), fitted.classes_, count)


def perceptron_errors(
    features: FloatArray, classes: IntArray, fold_of: IntArray
) -> dict[str, FloatArray]:
    """Return "training" and "testing" -> (folds, epochs) mean square errors of the perceptron.

    Args:
        features: (m, k) features.
        classes: (m,) 0 or 1.
        fold_of: (m,) the fold in which a row is tested.
    """
    errors: dict[str, list[list[float]]] = {"training": [], "testing": []}
    for fold in np.unique(fold_of):
        tested = fold_of == fold
        fitted = _perceptron()
        sides: dict[str, list[float]] = {name: [] for name in errors}
        for _ in range(_EPOCHS):
            fitted.partial_fit(features[~tested], classes[~tested], classes=[0, 1])
            squares = (fitted.predict_proba(features)[:, 1] - classes) ** 2
            sides["training"].append(float(squares[~tested].mean()))
            sides["testing"].append(float(squares[tested].mean()))
        for name, values in sides.items():
            errors[name].append(values)
    return {name: np.array(values) for name, values in errors.items()}


def _perceptron() -> Any:
    require_scikit_learn()
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(
        hidden_layer_sizes=(HIDDEN_UNITS,),
        activation="tanh",
        alpha=1e-4,
        learning_rate_init=0.003,
        batch_size=256,
        max_iter=_EPOCHS,
        random_state=_SEED,
    )


def rbf_svm(
    features: FloatArray, classes: IntArray, _words: IntArray, count: int
) -> Model:
    """Schäfer's support vector machine with an RBF kernel; every block counts once.

    The kernel is approximated by `_LANDMARKS` blocks (Nyström), since the exact one takes time and
    memory with the square of the blocks; its width is libSVM's, one by the number of features.
    """
    require_scikit_learn()
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import LinearSVC

    kernel = Nystroem(
        gamma=1 / features.shape[1], n_components=_LANDMARKS, random_state=_SEED
    )
    return _on_scaled(
        features, classes, count, kernel, LinearSVC(dual=False, random_state=_SEED)
    )


def logistic_regression(
    features: FloatArray, classes: IntArray, _words: IntArray, count: int
) -> Model:
    """Schäfer's logistic regression; every block counts once."""
    require_scikit_learn()
    from sklearn.linear_model import LogisticRegression

    return _on_scaled(features, classes, count, LogisticRegression(max_iter=1000))


def _on_scaled(
    features: FloatArray, classes: IntArray, count: int, *steps: Any
) -> Model:
    """Fit steps on features of mean 0 and variance 1; chances are 0 and 1."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    fitted = make_pipeline(StandardScaler(), *steps).fit(features, classes)
    return lambda rows: np.eye(count)[fitted.predict(rows)]


def _spread(chances: FloatArray, classes: IntArray, count: int) -> FloatArray:
    """Chances of the classes that were there in training, as columns of all classes."""
    spread = np.zeros((len(chances), count))
    spread[:, classes] = chances
    return spread


# (r - 1,) borders, each of which opens a range, and (r,) the classes of the ranges.
Ranges = tuple[FloatArray, IntArray]


def _ranges(
    column: FloatArray, classes: IntArray, words: IntArray, count: int
) -> Ranges:
    values, places = np.unique(column, return_inverse=True)
    weights = np.zeros((len(values), count))
    np.add.at(weights, (places, classes), words)
    majority = weights.argmax(axis=1)
    borders: list[float] = []
    labels: list[int] = []
    gathered = np.zeros(count)
    for n, value in enumerate(values):
        label = int(gathered.argmax())
        if gathered[label] >= LEAF_WORDS and majority[n] != label:
            labels.append(label)
            borders.append((values[n - 1] + value) / 2)
            gathered = np.zeros(count)
        gathered += weights[n]
    labels.append(int(gathered.argmax()))
    changes: BoolArray = np.diff(labels) != 0
    kept = np.array(labels)[np.concatenate([[True], changes])]
    return np.array(borders)[changes], kept


def _one_rule_errors(rule: Ranges, column: FloatArray) -> IntArray:
    borders, labels = rule
    return np.asarray(labels[np.searchsorted(borders, column, side="right")])
