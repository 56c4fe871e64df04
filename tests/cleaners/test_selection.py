"""What cleaners leave of documents, extractors' texts among it."""

from dataclasses import replace

from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.selection import (
    Kept,
    PageText,
    Selection,
    needs_of,
    page_texts_of,
    select,
)
from boilersweep.pages.columns import BoolArray, columns_of
from boilersweep.pages.segmenter import Segmenter

PAGES = [
    Segmenter().html(html) for html in (b"<p>one two<p>three", b"", b"<p>four five")
]
COLUMNS = replace(
    columns_of(["a", "b", "c"], PAGES),
    page_texts={"x": ["X a", "X b", ""], "y": ["Y a", "Y b", "Y c"]},
)
LONG = Comparison("words", ">=", 2)


def masks(found: Selection) -> list[BoolArray]:
    return [found.mask(number) for number in range(found.cleaners)]


def kept(*cleaners: Comparison | PageText) -> list[list[list[str]]]:
    """Return the kept text of each document, by cleaner."""
    found = select(COLUMNS, cleaners)
    bounds = list(zip(found.starts[:-1], found.starts[1:], strict=True))
    return [
        [[found.texts[n] for n in range(a, b) if mask[n]] for a, b in bounds]
        for mask in masks(found)
    ]


def test_an_extractors_text_stands_for_the_document() -> None:
    assert kept(PageText("x")) == [[["X a"], ["X b"], [""]]]


def test_rules_and_extractors_beside_each_other() -> None:
    assert kept(LONG, PageText("y"), PageText("x"), LONG) == [
        [["one two"], [], ["four five"]],
        [["Y a"], ["Y b"], ["Y c"]],
        [["X a"], ["X b"], [""]],
        [["one two"], [], ["four five"]],
    ]


def test_what_is_kept_is_one_text_of_its_blocks() -> None:
    every = Comparison("words", ">=", 1)
    found = select(COLUMNS, [LONG, every, PageText("x")])
    assert list(found.kept(0)) == [Kept(0, [0], "one two"), Kept(2, [4], "four five")]
    assert [one.text for one in found.kept(1)] == ["one two\nthree", "four five"]
    assert [one.text for one in found.kept(2)] == ["X a", "X b", ""]


def test_no_documents() -> None:
    none = columns_of([], [])
    assert select(none, [LONG]).mask(0).shape == (0,)
    empty = replace(none, page_texts={"x": []})
    assert select(empty, [LONG, PageText("x")]).starts.tolist() == [0]


def test_what_cleaners_need() -> None:
    assert needs_of([LONG, PageText("x")]) == frozenset()
    assert page_texts_of([PageText("x"), LONG, PageText("y"), PageText("x")]) == [
        "x",
        "y",
    ]


def test_masks_of_more_cleaners_than_a_byte_has_bits() -> None:
    """A bit each: eight times as small as masks, whatever the number of cleaners."""
    cleaners = [
        Comparison("words", sign, n) for n in range(7) for sign in (">=", "==", "<")
    ]
    found = select(COLUMNS, cleaners)
    assert found.bits.shape == (3, len(COLUMNS.words))
    expected = [cleaner.mask(COLUMNS).tolist() for cleaner in cleaners]
    assert [mask.tolist() for mask in masks(found)] == expected
