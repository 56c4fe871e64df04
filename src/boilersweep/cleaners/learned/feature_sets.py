"""The sets of features that models read, by their names."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned import features
from boilersweep.features import kohlschuetter, schaefer
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a model decides on: r paragraphs or blocks of n documents with m blocks.

    values: (r, k) features. words: (r,). of_blocks: (m,) the row of each block. owners: (r,)
    documents. starts: (n + 1,) the rows of document i are starts[i] to starts[i + 1].
    """

    values: NDArray[np.float32] | FloatArray
    words: FloatArray
    of_blocks: IntArray
    owners: IntArray
    starts: IntArray


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """version: changes with any of the features. names: of the k columns, in their order.
    rows: from columns with texts and structure; raises UsageError where they are missing."""

    version: int
    names: Callable[[], tuple[str, ...]]
    rows: Callable[[BlockColumns, object], Rows]


def _paragraphs(columns: BlockColumns, cleaner: object) -> Rows:
    paragraphs, values = features.paragraph_features(columns, cleaner)
    return Rows(
        values=values,
        words=paragraphs.sums(columns.words).astype(np.float64),
        of_blocks=paragraphs.of_blocks,
        owners=paragraphs.owners,
        starts=paragraphs.starts,
    )


def _blocks(table: Callable[[BlockColumns], FloatArray]) -> Callable[[BlockColumns, object], Rows]:
    def rows(columns: BlockColumns, _cleaner: object) -> Rows:
        return Rows(
            values=table(columns),
            words=columns.words.astype(np.float64),
            of_blocks=np.arange(len(columns.words)),
            owners=columns.owners,
            starts=columns.starts,
        )

    return rows


FEATURE_SETS = {
    "paragraphs": FeatureSet(features.VERSION, features.names, _paragraphs),
    "kohlschuetter": FeatureSet(
        1,
        lambda: tuple(feature.name for feature in kohlschuetter.FEATURES[:64]),
        _blocks(lambda columns: kohlschuetter.kohlschuetter_features(columns, None).values),
    ),
    "schaefer": FeatureSet(
        1,
        lambda: tuple(feature.name for feature in schaefer.FEATURES),
        _blocks(lambda columns: schaefer.schaefer_features(columns).values),
    ),
}
"""paragraphs: those of the shipped model. kohlschuetter: the 64 of the 2010 paper that need no
block frequencies. schaefer: the 37 of the perceptron. The latter two are of blocks."""
