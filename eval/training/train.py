"""From annotated pages to a model with cross-validated scores."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.cleaner import content_probabilities, kept_rows
from boilersweep.cleaners.learned.feature_sets import FEATURE_SETS
from boilersweep.cleaners.learned.features import group_columns
from boilersweep.cleaners.learned.model import Model
from boilersweep.errors import UsageError
from boilersweep.eval.judge.block_scores import block_scores, weighted_auc
from boilersweep.eval.judge.classifiers import require_scikit_learn
from boilersweep.eval.judge.crossvalidation import folds
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.scores import bag_of_words, word_score
from boilersweep.eval.training.labelled import Labelled, changed_rows, of_pages, read_labelled
from boilersweep.eval.training.learners import LEARNERS
from boilersweep.eval.training.markup import old_fashioned
from boilersweep.eval.training.network import Recipe, fit_ensemble, page_weights
from boilersweep.pages.alignment import HELD_SHARE
from boilersweep.pages.columns import BoolArray, FloatArray
from boilersweep.progress import steps

FOLDS = 5

LEARNED = "learned"
MODERN_RECIPE = Recipe(members=4, hidden=32, penalty=3.0, sampled=0.25)
OLD_RECIPE = Recipe(members=3, hidden=32, penalty=10.0, sampled=0.3)

DECADES = ("text", "place", "neighbours", "context", "ancestors", "centre")
"""The groups of features that hold across decades: neither names of elements nor marks, and no
features of whole documents."""

_LICENCES = {
    "wcxb": "Web Content Extraction Benchmark (WCXB), development split, Murrough Foley, 2026, "
    "https://github.com/murroughfoley/wcxb, CC BY 4.0 "
    "(https://creativecommons.org/licenses/by/4.0/); the pages were reduced to numbers",
    "l3s-gn1": "L3S-GN1, Christian Kohlschütter, 2010: research use only",
    "cleaneval": "CleanEval, Baroni et al., 2008: its pages are not to be passed on",
}

Fit = Callable[[BoolArray, int], Model]
"""(r,) the rows to learn from, and a seed, to a model."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the pages of WCXB's word_f1 and of the bag of words' F1; the word-weighted F1 of
    content and the area under the curve of rows; all from 0 to 1."""

    word_f1: float
    bag_f1: float
    block_f1: float
    block_auc: float


def check_choice(model: str, features: str) -> None:
    """Raises UsageError for names that are not there or do not go together."""
    if features not in FEATURE_SETS:
        raise UsageError(f"expected the features {', '.join(FEATURE_SETS)}, got {features!r}")
    if model != LEARNED and model not in LEARNERS:
        raise UsageError(f"expected the model {LEARNED}, {', '.join(LEARNERS)}, got {model!r}")
    if model == LEARNED and features != "paragraphs":
        raise UsageError(f"the model {LEARNED} reads the features paragraphs, got {features!r}")
    require_scikit_learn()


def train(dataset: Dataset, model: str, features: str, seed: int) -> Model:
    """A model on all pages of a dataset, with the scores of FOLDS models on pages of other sites.

    The same data, names, seed and versions give the same model. Raises UsageError as
    `check_choice`, and where the pages have too few sites or only one class.
    """
    check_choice(model, features)
    labelled = read_labelled(dataset, FEATURE_SETS[features])
    content = labelled.labels >= HELD_SHARE
    if content.all() or not content.any():
        raise UsageError(
            f"expected pages with main text and with boilerplate in {dataset.folder}, got "
            f"{len(content):,} paragraphs of one kind"
        )
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # scikit-learn's

    fit = _networks(labelled, seed) if model == LEARNED else _single(labelled, model, features)
    # Sums in another order round otherwise: on one thread every machine's are in the same.
    with threadpool_limits(1), steps("Training", FOLDS + 1, "models") as bar:
        scores = _cross_validate(labelled, fit, seed, bar.update)
        whole = fit(np.ones(len(content), dtype=bool), seed)
        bar.update()
    return Model(
        features=whole.features,
        version=whole.version,
        columns=whole.columns,
        estimators=whole.estimators,
        threshold=whole.threshold,
        provenance={
            "trained_on": dataset.name,
            "licence": _LICENCES.get(dataset.name, "that of the pages"),
            "pages": len(dataset.pages),
            "rows": len(content),
            "model": model,
            "seed": seed,
            "command": f"boilersweep train --dataset {dataset.name} --input DIR --model {model} "
            f"--features {features} --seed {seed} --output FILE",
            "cross_validation": {
                "folds": FOLDS,
                "groups": "registered domains, with near-duplicates",
                "word_f1": round(scores.word_f1, 4),
                "bag_f1": round(scores.bag_f1, 4),
                "block_f1": round(scores.block_f1, 4),
                "block_auc": round(scores.block_auc, 4),
            },
            "versions": {
                "boilersweep": version("boilersweep"),
                "python": platform.python_version(),
                "numpy": version("numpy"),
                "scikit-learn": version("scikit-learn"),
                "lxml": version("lxml"),
            },
        },
    )


def _networks(labelled: Labelled, seed: int) -> Fit:
    """The two ensembles of the shipped model, for pages as they are and in old markup."""
    random = np.random.default_rng(seed)
    as_they_are = np.asarray(labelled.rows.values, dtype=np.float32)
    old_columns = np.array([n for group in DECADES for n in group_columns(group)], dtype=np.int32)
    old_values = changed_rows(
        labelled, FEATURE_SETS["paragraphs"], lambda columns: old_fashioned(columns, random)
    )
    old = np.asarray(old_values[:, old_columns], dtype=np.float32)
    weights = page_weights(labelled.rows.words, labelled.rows.starts)
    width = as_they_are.shape[1]

    def fit(rows: BoolArray, seed: int) -> Model:
        labels, weight = labelled.labels[rows], weights[rows]
        return Model(
            features="paragraphs",
            version=FEATURE_SETS["paragraphs"].version,
            columns=(np.arange(width, dtype=np.int32), old_columns),
            estimators=(
                fit_ensemble([as_they_are[rows]], labels, weight, MODERN_RECIPE, seed),
                fit_ensemble([old[rows]], labels, weight, OLD_RECIPE, seed),
            ),
            threshold="page",
        )

    return fit


def _single(labelled: Labelled, model: str, features: str) -> Fit:
    """A model of the papers: rows that are content by half or more, weighted by their words."""
    known = FEATURE_SETS[features]
    columns = np.arange(len(known.names()), dtype=np.int32)

    def fit(rows: BoolArray, seed: int) -> Model:
        estimator = LEARNERS[model](
            labelled.rows.values[rows].astype(np.float64),
            labelled.labels[rows] >= HELD_SHARE,
            labelled.rows.words[rows],
            seed,
        )
        return Model(features, known.version, (columns,), (estimator,), "fixed")

    return fit


def _cross_validate(labelled: Labelled, fit: Fit, seed: int, done: Callable[[], Any]) -> Scores:
    rows = labelled.rows
    page_words = np.diff(np.concatenate([[0.0], np.cumsum(rows.words)])[rows.starts])
    fold_of = folds(labelled.groups, page_words.astype(np.int64), FOLDS)
    probability: NDArray[np.float64] = np.zeros(len(rows.words))
    keep = np.zeros(len(rows.words), dtype=bool)
    for fold in range(FOLDS):
        pages = fold_of == fold
        held_out = pages[rows.owners]
        model = fit(~held_out, seed + 1 + fold)
        tested = of_pages(rows, pages)
        probability[held_out] = content_probabilities(model, tested)
        keep[held_out] = kept_rows(model, tested)
        done()
    return _scores(labelled, probability, keep)


def _scores(labelled: Labelled, probability: FloatArray, keep: BoolArray) -> Scores:
    found = [
        "\n".join(compress(labelled.texts[a:b], keep[a:b]))
        for a, b in pairwise(labelled.rows.starts.tolist())
    ]
    pairs = list(zip(found, labelled.golds, strict=True))
    content = labelled.labels >= HELD_SHARE
    words = labelled.rows.words.astype(np.int64)
    return Scores(
        word_f1=float(np.mean([word_score(text, gold).f1 for text, gold in pairs])),
        bag_f1=float(np.mean([bag_of_words(text, gold).f1 for text, gold in pairs])),
        block_f1=block_scores(content, keep, words).content_f1,
        block_auc=weighted_auc(content, probability, words),
    )
