"""What cleaners leave of documents, extractors' texts among it."""

from dataclasses import replace

import numpy as np

from boilersweep.columns import columns_of
from boilersweep.rules import Comparison
from boilersweep.segmentation import Segmenter
from boilersweep.selection import Extraction, extractors_of, needs_of, select

PAGES = [Segmenter().html(html) for html in (b"<p>one two<p>three", b"", b"<p>four five")]
COLUMNS = replace(
    columns_of(["a", "b", "c"], PAGES),
    extractions={"x": ["X a", "X b", ""], "y": ["Y a", "Y b", "Y c"]},
)
LONG = Comparison("words", ">=", 2)


def kept(*cleaners: Comparison | Extraction) -> list[list[list[str]]]:
    """What stays of each document, by cleaner."""
    found = select(COLUMNS, cleaners)
    bounds = list(zip(found.starts[:-1], found.starts[1:], strict=True))
    return [
        [[found.texts[n] for n in range(a, b) if mask[n]] for a, b in bounds]
        for mask in found.masks
    ]


def test_rules_alone():
    found = select(COLUMNS, [LONG])
    assert found.texts == ["one two", "three", "four five"]
    assert found.starts.tolist() == [0, 2, 2, 3]
    assert found.masks.tolist() == [[True, False, True]]


def test_an_extractors_text_stands_for_the_document():
    assert kept(Extraction("x")) == [[["X a"], ["X b"], [""]]]


def test_rules_and_extractors_beside_each_other():
    assert kept(LONG, Extraction("y"), Extraction("x"), LONG) == [
        [["one two"], [], ["four five"]],
        [["Y a"], ["Y b"], ["Y c"]],
        [["X a"], ["X b"], [""]],
        [["one two"], [], ["four five"]],
    ]


def test_no_documents():
    none = columns_of([], [])
    assert select(none, [LONG]).masks.shape == (1, 0)
    empty = replace(none, extractions={"x": []})
    assert select(empty, [LONG, Extraction("x")]).starts.tolist() == [0]


def test_what_cleaners_need():
    assert needs_of([LONG, Extraction("x")]) == frozenset()
    assert extractors_of([Extraction("x"), LONG, Extraction("y"), Extraction("x")]) == ["x", "y"]


def test_masks_are_of_the_blocks_of_the_page_alone():
    everything = Comparison("words", ">=", 1)
    masks = select(COLUMNS, [everything, Extraction("x")]).masks
    assert not np.logical_and(*masks).any()
    assert masks.sum() == len(COLUMNS.words) + len(COLUMNS)
