"""The features of the learned cleaner: one row per paragraph, most within -1 to 1.

Nothing in a row depends on other documents of the shard. VERSION changes with any of them: a
model names the version it was trained on, and reads no other.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.paragraph_columns import ParagraphColumns
from boilersweep.cleaners.learned.paragraphs import Paragraphs, paragraphs_of
from boilersweep.cleaners.learned.text_features import (
    NamedColumns,
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
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.page import Page
from boilersweep.pages.structure import ROOT, PageStructure

VERSION = 2

GROUPS: dict[str, Callable[[ParagraphColumns], NamedColumns]] = {
    "text": text,
    "place": place,
    "tags": tags,
    "marks": marks,
    "neighbours": neighbours,
    "document": document,
    "context": context,
    "ancestors": ancestors,
    "look-alikes": look_alikes,
    "centre": centre,
    "container": container,
}
"""The groups in the order of their columns."""


def paragraph_features(
    columns: BlockColumns, cleaner: object
) -> tuple[Paragraphs, NDArray[np.float32]]:
    """The paragraphs of some documents, and (p, k) their features.

    Raises UsageError that names the cleaner where the columns came without texts or structure.
    """
    if not len(columns.words):
        return paragraphs_of(columns, cleaner), np.zeros((0, len(names())), dtype=np.float32)
    of_paragraphs = ParagraphColumns(columns, cleaner)
    # One row per feature while they are written, since whole columns come one after the other.
    values = np.empty((len(names()), len(of_paragraphs.words)), dtype=np.float32)
    row = 0
    for group in GROUPS.values():
        for _, column in group(of_paragraphs):
            values[row] = column
            row += 1
    return of_paragraphs.paragraphs, values.T


@cache
def names() -> tuple[str, ...]:
    """(k,) the features' names."""
    return tuple(name for columns in _named_groups().values() for name in columns)


@cache
def group_columns(group: str) -> range:
    """The places of a group's features."""
    start = 0
    for name, columns in _named_groups().items():
        if name == group:
            return range(start, start + len(columns))
        start += len(columns)
    raise AssertionError(f"no group {group!r}")


@cache
def _named_groups() -> dict[str, tuple[str, ...]]:
    """The names, as the groups give them for the smallest page there is."""
    structure = PageStructure([0], [1], [0], [0], [0], [False], [ROOT], [""], [0], [0], [1])
    page = Page(texts=["word"], words=[1], density=[1.0], link_words=[0], tags=["body"])
    page.structure = structure
    of_paragraphs = ParagraphColumns(columns_of(["page"], [page]), "features")
    return {
        name: tuple(column for column, _ in group(of_paragraphs)) for name, group in GROUPS.items()
    }
