"""How the shipped model is trained: what its network reads, and how it is fitted.

It learns from every page twice: as it is, and in old markup, without marks.

Two small networks beside it tell classes apart. That of headlines learns from the headings that
have the page's title. That of readers' comments learns what classes and ids call comments on pages
whose gold text does not have it; it does not read these marks, so that it finds others, too.

The kind of a page is told by a linear network of the means of its features. It learns from the
types of WCXB's pages, and with less weight from all other pages as articles, which most of them
are: what has learned from WCXB alone takes news in Greek and Chinese for forums and listings.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.features import NAMES, PARAGRAPHS, VERSION
from boilersweep.cleaners.learned.inference import page_features
from boilersweep.cleaners.learned.model import Model, Network
from boilersweep.cleaners.page_model import KINDS
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.training.labelled import Labelled
from boilersweep.eval.training.learners import Fit
from boilersweep.eval.training.network import LIMIT, Recipe, fit_ensemble, half
from boilersweep.pages.alignment import HELD_SHARE
from boilersweep.pages.columns import BoolArray, FloatArray

RECIPE = Recipe(
    members=6, hidden=48, penalty=5.0, sampled=0.2, views=(0.8, 0.2), caseless=0.5
)

CLASS_RECIPE = Recipe(
    members=1, hidden=24, penalty=5.0, sampled=0.3, views=(0.7, 0.3), caseless=0.3
)

# Words of a row from which on marks say that it is a comment; shorter ones are controls, too.
COMMENT_WORDS = 3

# Weight of a page that is not an article, as most sources contain only articles (weight 1).
OTHER_KINDS = 1.7

# What page types of datasets are called in KINDS; most sources without types are articles.
KIND_NAMES = {"": "article", "collection": "listing"}

# Weight, among pages of a known kind, of a page whose source does not say it.
UNTYPED = 0.3

# Bias of a kind that no page has.
NEVER = -1000.0

# Of L2, by scikit-learn's 1 / C.
KIND_PENALTY = 50.0

_CASE = ("capitalised", "all_caps", "uppercase")


def kind_weights(pages: Sequence[JudgedPage]) -> FloatArray:
    """(n,) what pages weigh by what kind of page they are, where their source says that."""
    return np.array(
        [OTHER_KINDS if p.page_type not in ("", "article") else 1.0 for p in pages]
    )


def kinds_of(pages: Sequence[JudgedPage]) -> list[str]:
    """(n,) the kind of each page; a name that is not in KINDS where it is another one."""
    return [KIND_NAMES.get(page.page_type, page.page_type) for page in pages]


def fit_kinds(
    features: FloatArray, pages: Sequence[JudgedPage], used: BoolArray
) -> Network | None:
    """Fit the network that tells kinds of pages apart; None if all pages are of one kind.

    Args:
        features: (n, k), as `page_features` gives them.
        pages: (n,) the pages.
        used: (n,) the pages to learn from.
    """
    from sklearn.linear_model import LogisticRegression

    kinds = np.array(kinds_of(pages))
    used = used & np.isin(kinds, KINDS)
    if len(set(kinds[used])) < 2:
        return None
    values = features[used]
    weights = np.array([1.0 if page.page_type else UNTYPED for page in pages])[used]
    mean = np.average(values, axis=0, weights=weights).astype(np.float32)
    deviation = np.sqrt(np.average(np.square(values - mean), axis=0, weights=weights))
    scale = np.where(deviation > 1e-4, 1 / np.maximum(deviation, 0.02), 0).astype(
        np.float32
    )
    values = np.clip((values - mean) * scale, -LIMIT, LIMIT)
    fitted = LogisticRegression(C=1 / KIND_PENALTY, max_iter=300)
    fitted.fit(values, kinds[used], sample_weight=weights)
    slopes, biases = fitted.coef_, fitted.intercept_
    if len(slopes) == 1:  # of the second of two classes
        slopes, biases = (
            np.vstack([-slopes, slopes]) / 2,
            np.append(-biases, biases) / 2,
        )
    matrix = np.zeros((len(scale), len(KINDS)))
    offsets = np.full(len(KINDS), NEVER)
    places = [KINDS.index(kind) for kind in fitted.classes_]
    matrix[:, places], offsets[places] = slopes.T, biases
    return Network(mean, scale, (half(matrix),), (half(offsets),), limit=LIMIT)


def _classes(
    labelled: Labelled,
    views: Sequence[NDArray[np.float32]],
    weights: FloatArray,
    seed: int,
) -> dict[str, Network]:
    """CLASSES -> networks; nothing where a class has no rows.

    Args:
        labelled: the rows.
        views: (r, k) features each.
        weights: (r,) of rows, 0 for those not to learn from.
        seed: of the random numbers.
    """
    content = labelled.labels >= HELD_SHARE
    marked = _column(labelled, "all:comment") > 0
    comment = (
        marked
        & (labelled.rows.words >= COMMENT_WORDS)
        & (_column(labelled, "in:form") == 0)
    )
    marks = [
        n for n, name in enumerate(NAMES) if name.startswith(("own:", "near:", "all:"))
    ]
    of_comments = ~content & ~labelled.headline & (comment | ~marked)
    classes = {}
    for name, used, positive, unread in (
        ("headline", weights > 0, labelled.headline, []),
        ("comment", of_comments & (weights > 0), comment, marks),
    ):
        if not (used & positive).any() or positive[used].all():
            return {}
        weight = np.where(used, weights, 0.0)
        labels = positive.astype(np.float64)
        classes[name] = fit_ensemble(
            views, labels, weight, CLASS_RECIPE, seed, _of_case(), unread
        )
    return classes


def _column(labelled: Labelled, name: str) -> FloatArray:
    return np.asarray(labelled.rows.values[:, NAMES.index(name)], dtype=np.float64)


def _of_case() -> list[int]:
    """Return the numbers of the features of uppercase letters."""
    return [n for n, name in enumerate(NAMES) if any(case in name for case in _CASE)]


def network(
    labelled: Labelled, weights: FloatArray, pages: Sequence[JudgedPage]
) -> Fit:
    """Return a function that fits the ensemble.

    Args:
        labelled: rows of pages that `old_fashioned` changed, too.
        weights: (r,) of rows.
        pages: (n,).
    """
    as_they_are = np.asarray(labelled.rows.values, dtype=np.float32)
    old = np.asarray(labelled.viewed, dtype=np.float32)
    of_pages = page_features(labelled.rows)

    def fit(rows: BoolArray, seed: int) -> Model:
        weight = np.where(rows, weights, 0.0)  # without a copy of the rows
        owners = labelled.rows.owners
        return Model(
            features=PARAGRAPHS,
            version=VERSION,
            columns=np.arange(as_they_are.shape[1], dtype=np.int32),
            estimator=fit_ensemble(
                [as_they_are, old], labelled.labels, weight, RECIPE, seed, _of_case()
            ),
            threshold="page",
            classes=_classes(labelled, [as_they_are, old], weight, seed),
            kinds=fit_kinds(of_pages, pages, np.bincount(owners, rows, len(pages)) > 0),
        )

    return fit
