"""Classes of blocks from annotated pages."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from boilersweep.eval.judge.datasets.l3s import annotated_blocks
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.segmenter import Segmenter
from tests.conftest import annotated_pages

SEGMENTER = Segmenter(structure=True)


def span(number: int, text: str) -> str:
    return f'<span class="x-nc-sel{number} x" title="y">{text}</span>'


def blocks(page: str) -> list[tuple[str, int]]:
    found = annotated_blocks(page.encode(), SEGMENTER)
    return list(zip(found.page.texts, found.classes, strict=True))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (f"<p>menu</p><p>{span(2, 'one two')}</p>", [("menu", 0), ("one two", 2)]),
        # The spans are no borders.
        (f"<p>{span(1, 'one')} {span(1, 'two')}</p>", [("one two", 1)]),
        # Most words decide: two of class 3 against one of class 0.
        (f"<p>by {span(3, 'Ann Lee')}</p>", [("by Ann Lee", 3)]),
        # Of equally many, the first.
        (f"<p>by {span(3, 'Ann')}</p>", [("by Ann", 0)]),
        (f"<p>{span(3, 'Ann')} wrote</p>", [("Ann wrote", 3)]),
        # A bar is no word.
        (f"<p>| | {span(2, 'one')}</p>", [("| | one", 2)]),
        # The innermost span counts, and what follows it is of the outer one again.
        (f"<div>{span(2, 'a b ' + span(4, 'c') + ' d')}</div>", [("a b c d", 2)]),
        (f"<div>{span(2, span(0, 'a b') + '<p>c</p>')}</div>", [("a b", 0), ("c", 2)]),
        # A word that runs on across a span is of the class it begins in.
        (f"<p>un{span(2, 'der')} {span(2, '')}x</p>", [("under x", 0)]),
        # Comments, scripts and links.
        (f"<p>{span(2, 'a<!-- b -->c')}<script>x</script> d</p>", [("ac d", 2)]),
        (f"<p>{span(5, '<a>x</a> y')} z</p>", [("x y z", 5)]),
        (f"<p>a<b>b</b>{span(2, 'c')} {span(3, '<i>d</i>e')} f</p>", [("abc de f", 0)]),
        ("<p><span class=x-nc-sel7>a</span><b class=x-nc-sel2>b</b></p>", [("ab", 0)]),
    ],
)
def test_classes_by_hand(page: str, expected: list[tuple[str, int]]) -> None:
    assert blocks(f"<html><body>{page}") == expected


def test_counts_are_those_of_the_page_without_annotations() -> None:
    words = " ".join(["four"] * 16)  # 79 characters: with a mark among them, two lines
    page = f"<body><div class=c><p>{{}}{words}{{}} x</p><a>{words}</a></div>"
    plain = SEGMENTER.html(page.format("", "").encode())
    marked = page.format('<span class="x-nc-sel2">', "</span>")
    assert annotated_blocks(marked.encode(), SEGMENTER).page == plain
    assert plain.density == [16.0, 16.0]
    assert plain.structure is not None


@pytest.mark.parametrize(
    ("doctype", "kind"), [("<!DOCTYPE html>", "html5"), ("", ""), ("<!-- x -->", "")]
)
def test_the_document_type_stays(doctype: str, kind: str) -> None:
    found = annotated_blocks(f"{doctype}<p>{span(2, 'one')}".encode(), SEGMENTER)
    assert found.page.structure
    assert found.page.structure.doctype == kind


def test_gold_is_words_of_content() -> None:
    page = f"<p>by {span(3, 'Ann')}</p><p>{span(4, 'more')}</p><p>{span(5, 'nice | one')}</p>"
    found = annotated_blocks(f"<body>{page}".encode(), SEGMENTER)
    assert found.gold == ["Ann", "", "nice one"]


def test_a_page_without_annotations_is_told() -> None:
    assert not annotated_blocks(b"<p>one", SEGMENTER).is_annotated
    assert annotated_blocks(f"<p>{span(0, 'one')}".encode(), SEGMENTER).is_annotated


def test_a_page_with_characters_of_the_marks_keeps_them() -> None:
    odd = "\U0010fff2one"
    found = annotated_blocks(f"<body><p>{odd}</p>{span(2, 'x')}".encode(), SEGMENTER)
    assert found.page.texts[0] == odd


def test_what_is_no_page_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty"):
        annotated_blocks(b"", SEGMENTER)


@pytest.mark.slow
def test_the_collection_of_the_paper(outside_data: Callable[[str], Path]) -> None:
    classes: Counter[int] = Counter()
    words = 0
    segmenter = make_segmenter(borders="paper")
    for page in annotated_pages(outside_data):
        found = annotated_blocks(page, segmenter)
        classes.update(found.classes)
        words += sum(found.page.words)
    assert (classes.total(), words) == (72_544, 515_291)
    # 79 % in Table 1
    assert classes[0] / classes.total() == pytest.approx(0.798, abs=0.001)
    assert set(classes) == {0, 1, 2, 3, 4, 5}
