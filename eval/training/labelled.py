"""Annotated pages as rows of features with labels."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from boilersweep.cleaners.learned.feature_sets import FeatureSet, Rows
from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.sites import groups
from boilersweep.pages.alignment import align
from boilersweep.pages.columns import BlockColumns, FloatArray, IntArray, columns_of
from boilersweep.pages.compiled import make_segmenter
from boilersweep.progress import steps

BATCH = 100
"""Pages whose features are computed at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """n pages with r rows.

    batches: their blocks, BATCH pages each. rows: all features. labels: (r,) the share of each
    row's words that the gold text has. texts: (r,) the rows' texts. golds: (n,) gold texts.
    groups: (n,) equal where two pages must stand on one side of a split.
    """

    batches: list[BlockColumns]
    rows: Rows
    labels: FloatArray
    texts: list[str]
    golds: list[str]
    groups: IntArray


def read_labelled(dataset: Dataset, features: FeatureSet) -> Labelled:
    """Segment the pages, compute their features and align their rows with the gold texts.

    Raises InputError where a page cannot be read.
    """
    segmenter = make_segmenter(structure=True)
    batches: list[BlockColumns] = []
    parts: list[Rows] = []
    labels: list[FloatArray] = []
    texts: list[str] = []
    with steps("Reading pages", len(dataset.pages), "pages") as bar:
        for at in range(0, len(dataset.pages), BATCH):
            judged = dataset.pages[at : at + BATCH]
            pages = []
            for page in judged:
                try:
                    pages.append(segmenter.html(page.utf8))
                except ValueError as error:
                    raise InputError(f"cannot parse {page.path}: {error}") from error
            columns = columns_of([page.name for page in judged], pages)
            rows = features.rows(columns, "training")
            of_rows = row_texts(columns, rows)
            for page, (first, end) in zip(judged, pairwise(rows.starts.tolist()), strict=True):
                labels.append(align(of_rows[first:end], page.gold).shares)
            batches.append(columns)
            parts.append(rows)
            texts += of_rows
            bar.update(len(judged))
    return Labelled(
        batches=batches,
        rows=joined(parts),
        labels=np.concatenate(labels) if labels else np.zeros(0),
        texts=texts,
        golds=[page.gold for page in dataset.pages],
        groups=np.array(groups(dataset.pages), dtype=np.int64),
    )


def changed_rows(
    labelled: Labelled, features: FeatureSet, change: Callable[[BlockColumns], BlockColumns]
) -> NDArray[np.float32] | FloatArray:
    """(r, k) the features of the same rows after a change of the pages' structure."""
    parts = [features.rows(change(columns), "training") for columns in labelled.batches]
    return joined(parts).values


def row_texts(columns: BlockColumns, rows: Rows) -> list[str]:
    """(r,) the texts of the blocks of each row, joined by spaces."""
    firsts = np.searchsorted(rows.of_blocks, np.arange(len(rows.words) + 1))
    return [" ".join(columns.texts[a:b]) for a, b in pairwise(firsts.tolist())]


def joined(parts: list[Rows]) -> Rows:
    """The rows of one batch after the other."""
    row_counts = np.cumsum([0, *(len(rows.words) for rows in parts)])
    page_counts = np.cumsum([0, *(len(rows.starts) - 1 for rows in parts)])
    return Rows(
        values=np.concatenate([rows.values for rows in parts]),
        words=np.concatenate([rows.words for rows in parts]),
        of_blocks=np.concatenate(
            [rows.of_blocks + at for rows, at in zip(parts, row_counts, strict=False)]
        ),
        owners=np.concatenate(
            [rows.owners + at for rows, at in zip(parts, page_counts, strict=False)]
        ),
        starts=np.concatenate(
            [
                [0],
                *(rows.starts[1:] + at for rows, at in zip(parts, row_counts, strict=False)),
            ]
        ),
        old=np.concatenate([rows.old for rows in parts]),
    )


def of_pages(rows: Rows, pages: NDArray[np.bool_]) -> Rows:
    """The rows of some pages; of_blocks is not kept. pages: (n,) True for those."""
    keep = pages[rows.owners]
    numbers = np.cumsum(pages) - 1
    return Rows(
        values=rows.values[keep],
        words=rows.words[keep],
        of_blocks=np.zeros(0, dtype=np.int64),
        owners=numbers[rows.owners[keep]],
        starts=np.concatenate([[0], np.cumsum(np.diff(rows.starts)[pages])]),
        old=rows.old[keep],
    )
