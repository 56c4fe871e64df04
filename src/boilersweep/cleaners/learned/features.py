"""The features of the learned cleaner: one row per paragraph, most within -1 to 1.

Nothing in a row depends on other documents of the shard. VERSION changes with any of them: a
model names the version it was trained on, and reads no other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.inference import RatedRows, Rows, logistic, ready_network
from boilersweep.cleaners.learned.model import Estimator, Model, Network
from boilersweep.cleaners.learned.paragraph_columns import (
    ParagraphColumns,
    Paragraphs,
    paragraphs_of,
)
from boilersweep.cleaners.learned.text_features import (
    Features,
    context,
    document,
    neighbours,
    place,
    text,
)
from boilersweep.cleaners.learned.tree_features import (
    ancestors,
    centre,
    container,
    look_alikes,
    marks,
    tags,
)
from boilersweep.features import kohlschuetter, schaefer
from boilersweep.pages.columns import BlockColumns, FloatArray, columns_of, structure_of
from boilersweep.pages.page import Page
from boilersweep.pages.structure import ROOT, PageStructure

VERSION = 2

# The groups in the order of their columns.
GROUPS: tuple[Callable[[ParagraphColumns], Features], ...] = (
    text,
    place,
    tags,
    marks,
    neighbours,
    document,
    context,
    ancestors,
    look_alikes,
    centre,
    container,
)


def paragraph_features(
    columns: BlockColumns, cleaner: object
) -> tuple[Paragraphs, NDArray[np.float32]]:
    """Return the paragraphs of some documents, and (p, k) their features.

    Raises:
        UsageError: The columns came without texts or structure; the message names the cleaner.
    """
    if not len(columns.words):
        return paragraphs_of(columns, cleaner), np.zeros((0, len(names())), dtype=np.float32)
    of_paragraphs = ParagraphColumns(columns, cleaner)
    # One row per feature while they are written, since whole columns come one after the other.
    values = np.empty((len(names()), len(of_paragraphs.words)), dtype=np.float32)
    columns_of_groups = (group(of_paragraphs).values() for group in GROUPS)
    for row, column in enumerate(chain.from_iterable(columns_of_groups)):
        values[row] = column
    return of_paragraphs.paragraphs, values.T


@cache
def names() -> tuple[str, ...]:
    """Return (k,) the features' names, as the groups give them for the smallest possible page."""
    structure = PageStructure([0], [1], [0], [0], [0], [False], [ROOT], [""], [0], [0], [1])
    page = Page(texts=["word"], words=[1], density=[1.0], link_words=[0], tags=["body"])
    page.structure = structure
    of_paragraphs = ParagraphColumns(columns_of(["page"], [page]), "features")
    return tuple(name for group in GROUPS for name in group(of_paragraphs))


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """A kind of features.

    Attributes:
        version: Changes with any of the features.
        names: A function that returns the names of the k columns, in their order.
        rows: A function from columns with texts and structure to rows; raises UsageError if they
            are missing.
    """

    version: int
    names: Callable[[], tuple[str, ...]]
    rows: Callable[[BlockColumns, object], Rows]


def _paragraphs(columns: BlockColumns, cleaner: object) -> Rows:
    if compiled_path():
        return _compiled(columns, cleaner, None, ())
    paragraphs, values = paragraph_features(columns, cleaner)
    return Rows(
        values=values,
        words=np.bincount(paragraphs.of_blocks, columns.words, len(paragraphs.owners)).astype(
            float
        ),
        of_blocks=paragraphs.of_blocks,
        owners=paragraphs.owners,
        starts=paragraphs.starts,
    )


def rated_rows(
    columns: BlockColumns, cleaner: object, model: Model, networks: tuple[Estimator, ...]
) -> RatedRows | None:
    """Return rows without values and the results of a model's networks, by compiled code.

    None if that is impossible. Raises as `paragraph_features`.
    """
    if model.features != "paragraphs" or not compiled_path():
        return None
    if not all(isinstance(one, Network) and one.is_small for one in networks):
        return None
    return _compiled(columns, cleaner, model, networks)


def compiled_path() -> bool:
    """Return whether compiled code reads paragraphs on this machine."""
    from boilersweep.pages.compiled import forbidden  # the command line does without lxml

    return _BUILT and not forbidden()


_BUILT = find_spec("boilersweep.cleaners.learned.compiled") is not None


def _compiled(
    columns: BlockColumns, cleaner: object, model: Model | None, networks: tuple[Estimator, ...]
) -> RatedRows:
    structure = structure_of(columns, cleaner)
    idle = _idle_readers(model, networks)
    try:
        reader = idle.pop()
    except IndexError:
        from boilersweep.cleaners.learned.compiled import Reader

        ready = [ready_network(one) for one in networks if isinstance(one, Network)]
        reader = Reader(ready, model.columns if model else slice(0), len(names()))
    of_blocks, starts, words, logits, values = reader.read(columns, structure, not networks)
    idle.append(reader)
    return RatedRows(
        values=np.asfortranarray(values),  # as `paragraph_features` has them
        words=words,
        of_blocks=of_blocks,
        owners=np.repeat(np.arange(len(columns)), np.diff(starts)),
        starts=starts,
        rated=dict(zip(networks, logistic(logits), strict=True)),
    )


@lru_cache(maxsize=16)
def _idle_readers(_model: Model | None, _networks: tuple[Estimator, ...]) -> list[Any]:
    """Return the readers that no thread uses now."""
    return []


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


# paragraphs: of the shipped model. kohlschuetter: the 64 of the 2010 paper that need no block
# frequencies. schaefer: the 37 of the perceptron. The latter two are of blocks.
FEATURE_SETS = {
    "paragraphs": FeatureSet(VERSION, names, _paragraphs),
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
