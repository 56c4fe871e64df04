"""How the shipped model is trained: what its two networks read, and how they are fitted.

One reads pages as they are. The other reads pages in old markup, and learns from all pages in that.
"""

import numpy as np

from boilersweep.cleaners.learned.feature_sets import FEATURE_SETS
from boilersweep.cleaners.learned.features import group_columns
from boilersweep.cleaners.learned.model import Model
from boilersweep.eval.training.labelled import Labelled, View
from boilersweep.eval.training.learners import Fit
from boilersweep.eval.training.markup import old_fashioned
from boilersweep.eval.training.network import Recipe, fit_ensemble
from boilersweep.pages.columns import BoolArray, FloatArray, IntArray

FEATURES = "paragraphs"

MODERN_RECIPE = Recipe(members=4, hidden=32, penalty=3.0, sampled=0.25)
OLD_RECIPE = Recipe(members=3, hidden=32, penalty=10.0, sampled=0.3)

DECADES = ("text", "place", "neighbours", "context", "ancestors", "centre")
"""The groups of features that hold across decades: neither names of elements nor marks, and no
features of whole documents."""


def old_view() -> View:
    """The pages in old markup, by the features that hold across decades."""
    return View(old_fashioned, _old_columns())


def networks(labelled: Labelled, weights: FloatArray) -> Fit:
    """What fits both ensembles. labelled: with `old_view`. weights: (r,) of rows."""
    as_they_are = np.asarray(labelled.rows.values, dtype=np.float32)
    old = np.asarray(labelled.viewed, dtype=np.float32)
    width = as_they_are.shape[1]

    def fit(rows: BoolArray, seed: int) -> Model:
        labels, weight = labelled.labels[rows], weights[rows]
        return Model(
            features=FEATURES,
            version=FEATURE_SETS[FEATURES].version,
            columns=(np.arange(width, dtype=np.int32), _old_columns().astype(np.int32)),
            estimators=(
                fit_ensemble([as_they_are[rows]], labels, weight, MODERN_RECIPE, seed),
                fit_ensemble([old[rows]], labels, weight, OLD_RECIPE, seed),
            ),
            threshold="page",
        )

    return fit


def _old_columns() -> IntArray:
    return np.array([n for group in DECADES for n in group_columns(group)], dtype=np.int64)
