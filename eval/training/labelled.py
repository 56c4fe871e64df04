"""Annotated pages as rows of features with labels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from boilersweep.cleaners.learned.features import FeatureSet
from boilersweep.cleaners.learned.inference import Rows
from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets import Dataset, JudgedPage
from boilersweep.eval.judge.leaks import groups
from boilersweep.eval.judge.scores import squeezed
from boilersweep.pages.alignment import HELD_SHARE, align
from boilersweep.pages.columns import (
    BlockColumns,
    BoolArray,
    FloatArray,
    IntArray,
    columns_of,
    structure_of,
)
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.words import letter_runs
from boilersweep.work.progress import steps

HEADINGS = frozenset({"h1", "h2", "h3"})

# Pages whose features are computed at a time.
BATCH = 100

# Changes pages at random to what they might have been.
Change = Callable[[BlockColumns, Generator], BlockColumns]


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """The r rows of the n pages of a dataset.

    Attributes:
        rows: The rows with their features; `of_blocks` is empty.
        viewed: (r, k) the features of the same rows on changed pages; (r, 0) without a change.
        labels: (r,) the share of each row's words that the gold text has.
        known: (r,) whether a row has a label; few rows have one on pages with strings instead of a
            gold text.
        headline: (r,) whether a row is its page's headline; at most one row of a page is.
        texts: (r,) the rows' texts.
    """

    rows: Rows
    viewed: NDArray[np.float32]
    labels: FloatArray
    known: BoolArray
    headline: BoolArray
    texts: list[str]


@dataclass(frozen=True, slots=True, eq=False)
class Pages:
    """The r rows of the n pages of all sources, one source after the other.

    Attributes:
        labelled: The rows.
        pages: (n,) the pages.
        sources: (n,) the number of each page's source.
        groups: (n,) the group of each page; a split never divides a group.
    """

    labelled: Labelled
    pages: list[JudgedPage]
    sources: IntArray
    groups: IntArray


def read_labelled(
    dataset: Dataset, features: FeatureSet, change: Change | None = None, seed: int = 0
) -> Labelled:
    """Segment the pages, compute the features of their rows, and label the rows.

    A page's headline is the heading with the title that the dataset states, or else with that of
    the title element. The latter does not count if the gold text leaves it out, unless most gold
    texts of the dataset leave out their headlines.

    Args:
        dataset: The dataset.
        features: The features to compute.
        change: Changes the pages for the features of `Labelled.viewed`; None for no such features.
        seed: The seed of the random changes.

    Raises:
        InputError: A page cannot be read.
    """
    segmenter = make_segmenter(structure=True)
    random = np.random.default_rng(seed)
    parts: list[Labelled] = []
    with steps(f"Reading {dataset.label}", len(dataset.pages), "pages") as bar:
        for at in range(0, len(dataset.pages), BATCH):
            judged = dataset.pages[at : at + BATCH]
            cut = [_cut(segmenter, page) for page in judged]
            columns = columns_of([page.name for page in judged], cut)
            rows = features.rows(columns, "training")
            part = _labelled(judged, cut, columns, rows)
            if change:
                changed = features.rows(change(columns, random), "training").values
                part = replace(part, viewed=np.asarray(changed, dtype=np.float32))
            parts.append(part)
            bar.update(len(judged))
    whole = _joined_labelled(parts)
    _drop_headlines_outside_gold(whole, dataset.pages)
    return whole


def _cut(segmenter: Segmenter, page: JudgedPage) -> Page:
    try:
        return segmenter.html(page.utf8)
    except ValueError as error:
        raise InputError(f"cannot parse {page.path}: {error}") from error


def _labelled(
    judged: Sequence[JudgedPage], cut: Sequence[Page], columns: BlockColumns, rows: Rows
) -> Labelled:
    """Label the rows of some pages, and mark the likeliest headline of each page."""
    texts = row_texts(columns, rows)
    in_headings = _in_headings(columns, rows)
    labels, known = np.zeros(len(texts)), np.zeros(len(texts), dtype=bool)
    headline = np.zeros(len(texts), dtype=bool)
    for index, (first, end) in enumerate(pairwise(rows.starts.tolist())):
        page, own = judged[index], slice(first, end)
        if page.wanted or page.unwanted:
            labels[own], known[own] = string_labels(
                texts[own], page.wanted, page.unwanted
            )
        else:
            labels[own], known[own] = align(texts[own], page.gold).shares, True
        headings = np.flatnonzero(in_headings[own])
        row = headline_of(texts[own], headings, page.title or cut[index].title)
        if row is not None:
            headline[first + row] = True
    nothing = np.zeros((len(texts), 0), dtype=np.float32)
    return Labelled(rows, nothing, labels, known, headline, texts)


def _drop_headlines_outside_gold(
    labelled: Labelled, pages: Sequence[JudgedPage]
) -> None:
    """Unmark title elements outside the gold text, unless most gold texts lack their headline."""
    marked = np.flatnonzero(labelled.headline)
    in_gold = labelled.labels[marked] >= HELD_SHARE
    if 2 * in_gold.sum() >= len(in_gold):
        stated = np.array([bool(page.title) for page in pages])
        labelled.headline[marked] = in_gold | stated[labelled.rows.owners[marked]]


def _joined_labelled(parts: Sequence[Labelled]) -> Labelled:
    return Labelled(
        rows=joined([part.rows for part in parts]),
        viewed=np.concatenate([part.viewed for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        known=np.concatenate([part.known for part in parts]),
        headline=np.concatenate([part.headline for part in parts]),
        texts=[text for part in parts for text in part.texts],
    )


def mixed(datasets: Sequence[Dataset], parts: Sequence[Labelled]) -> Pages:
    """Return the pages of all datasets.

    Args:
        datasets: The datasets in the order of their sources.
        parts: The rows of each dataset.
    """
    pages = [page for dataset in datasets for page in dataset.pages]
    numbers = [index for index, one in enumerate(datasets) for _ in one.pages]
    return Pages(
        labelled=_joined_labelled(parts),
        pages=pages,
        sources=np.array(numbers, dtype=np.int64),
        groups=np.array(groups(list(map(_placed, pages, numbers))), dtype=np.int64),
    )


def _placed(page: JudgedPage, source: int) -> JudgedPage:
    """Return a page whose site is a host, or a name that no page of another source has."""
    return page if "." in page.site else replace(page, site=f"{source} {page.site}")


def headline_of(texts: Sequence[str], headings: IntArray, title: str) -> int | None:
    """Return the longest heading whose words are within a title.

    Args:
        texts: (r,) the texts of the rows.
        headings: The rows that are headings.
        title: The page's title.
    """
    of_title = _padded(title)
    headlines = [
        row
        for row in headings
        if len(texts[row]) > 1 and _padded(texts[row]) in of_title
    ]
    return max(headlines, key=lambda row: len(texts[row]), default=None)


def _padded(text: str) -> str:
    """Return the words of a text, in lower case, with a space around each."""
    return f" {' '.join(letter_runs(text.lower()))} "


def _in_headings(columns: BlockColumns, rows: Rows) -> BoolArray:
    """Return (r,) whether a row begins in a heading, or in an element within one."""
    structure = structure_of(columns, "training")
    codes = [code for code, name in enumerate(structure.name_list) if name in HEADINGS]
    headings = np.isin(structure.names, codes)
    first_blocks = np.searchsorted(rows.of_blocks, np.arange(len(rows.words)))
    around = structure.elements[first_blocks]
    inside: BoolArray = headings[around] | headings[structure.parents[around]]
    return inside


def string_labels(
    texts: Sequence[str], wanted: Sequence[str], unwanted: Sequence[str]
) -> tuple[FloatArray, BoolArray]:
    """Return (r,) 1 for content and 0 for boilerplate, and (r,) whether strings decide a row.

    A row with an unwanted string is boilerplate: keeping the row would keep the string. A row is
    content if it alone has a wanted string; if several rows have it, keeping one is enough, and
    the string decides none. A row that would be both is undecided.

    Args:
        texts: (r,) the texts of the rows.
        wanted: Strings that a cleaner must keep.
        unwanted: Strings that a cleaner must drop.
    """
    letters = list(map(squeezed, texts))
    bad = np.zeros(len(texts), dtype=bool)
    good = np.zeros(len(texts), dtype=bool)
    for string in map(squeezed, unwanted):
        bad |= np.array([string in text for text in letters], dtype=bool)
    for string in map(squeezed, wanted):
        holds = np.array([string in text for text in letters], dtype=bool)
        if holds.sum() == 1:
            good |= holds
    return good.astype(np.float64), good ^ bad


def row_texts(columns: BlockColumns, rows: Rows) -> list[str]:
    """Return (r,) the texts of the blocks of each row, joined by spaces."""
    firsts = np.searchsorted(rows.of_blocks, np.arange(len(rows.words) + 1))
    return [" ".join(columns.texts[a:b]) for a, b in pairwise(firsts.tolist())]


def joined(parts: Sequence[Rows]) -> Rows:
    """Join the rows of several batches of pages; `of_blocks` is empty."""
    row_counts = np.cumsum([0, *(len(rows.words) for rows in parts)])
    page_counts = np.cumsum([0, *(len(rows.starts) - 1 for rows in parts)])
    return Rows(
        values=np.concatenate([rows.values for rows in parts]),
        words=np.concatenate([rows.words for rows in parts]),
        of_blocks=np.zeros(0, dtype=np.int64),
        owners=np.concatenate(
            [rows.owners + at for rows, at in zip(parts, page_counts, strict=False)]
        ),
        starts=np.concatenate(
            [
                [0],
                *(
                    rows.starts[1:] + at
                    for rows, at in zip(parts, row_counts, strict=False)
                ),
            ]
        ),
        relations=np.concatenate([rows.relations for rows in parts]),
        excluded=np.concatenate([rows.excluded for rows in parts]),
    )


def of_pages(rows: Rows, pages: NDArray[np.bool_]) -> Rows:
    """Return the rows of some pages; `of_blocks` is empty.

    Args:
        rows: The rows of all pages.
        pages: (n,) whether to return the rows of a page.
    """
    keep = pages[rows.owners]
    numbers = np.cumsum(pages) - 1
    return Rows(
        values=rows.values[keep],
        words=rows.words[keep],
        of_blocks=np.zeros(0, dtype=np.int64),
        owners=numbers[rows.owners[keep]],
        starts=np.concatenate([[0], np.cumsum(np.diff(rows.starts)[pages])]),
        relations=rows.relations[keep],
        excluded=rows.excluded[keep],
    )
