"""How the shipped model is trained: what its network reads, and how it is fitted.

It learns from every page twice: as it is, and in old markup, without marks.
"""

from collections.abc import Sequence

import numpy as np

from boilersweep.cleaners.learned.features import FEATURE_SETS, names
from boilersweep.cleaners.learned.model import Model
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.training.labelled import Labelled, View
from boilersweep.eval.training.learners import Fit
from boilersweep.eval.training.markup import old_fashioned
from boilersweep.eval.training.network import Recipe, fit_ensemble
from boilersweep.pages.columns import BoolArray, FloatArray

FEATURES = "paragraphs"

RECIPE = Recipe(members=3, hidden=48, penalty=5.0, sampled=0.2, views=(0.8, 0.2), caseless=0.5)

OTHER_KINDS = 1.7
"""Weight of a page that is not an article, as most sources contain only articles (weight 1)."""

_CASE = ("capitalised", "all_caps", "uppercase")


def old_view() -> View:
    """The pages in old markup, by all features."""
    return View(old_fashioned, np.arange(len(names())))


def kind_weights(pages: Sequence[JudgedPage]) -> FloatArray:
    """(n,) what pages weigh by what kind of page they are, where their source says that."""
    return np.array([OTHER_KINDS if p.page_type not in ("", "article") else 1.0 for p in pages])


def network(labelled: Labelled, weights: FloatArray) -> Fit:
    """What fits the ensemble. labelled: with `old_view`. weights: (r,) of rows."""
    as_they_are = np.asarray(labelled.rows.values, dtype=np.float32)
    old = np.asarray(labelled.viewed, dtype=np.float32)
    of_case = [n for n, name in enumerate(names()) if any(case in name for case in _CASE)]

    def fit(rows: BoolArray, seed: int) -> Model:
        weight = np.where(rows, weights, 0.0)  # without a copy of the rows
        return Model(
            features=FEATURES,
            version=FEATURE_SETS[FEATURES].version,
            columns=np.arange(as_they_are.shape[1], dtype=np.int32),
            estimator=fit_ensemble(
                [as_they_are, old], labelled.labels, weight, RECIPE, seed, of_case
            ),
            threshold="page",
        )

    return fit
