"""Extractors' names in rules: the blocks that their texts hold."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from boilersweep import PageError, UsageError, blocks, clean, parse_cleaner
from boilersweep.cleaners.rules import And, Comparison, Not, Or
from boilersweep.cleaners.selection import (
    AlignmentCounts,
    Cleaner,
    ExtractorBlocks,
    PageText,
    page_texts_of,
    select,
    sum_alignments,
    texts_beside,
    texts_within,
)
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.pages import alignment
from boilersweep.pages.columns import TEXTS, columns_of, documents_of
from boilersweep.pages.segmenter import Segmenter

PAGES = [
    Segmenter().html(html)
    for html in (
        b"<p>Home<p>The pony crossed the river<p>About us",
        b"",
        b"<p>It rained<p>News",
    )
]
COLUMNS = replace(
    columns_of(["a", "b", "c"], PAGES),
    page_texts={
        "x": ["the pony: crossed the river! (Reuters)", "", "it rained"],
        "y": ["About us", "nothing of it", ""],
    },
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x & words>=1", [0, 1, 0, 1, 0]),
        ("y & words>=1", [0, 0, 1, 0, 0]),
        ("x | y", [0, 1, 1, 1, 0]),
        ("x & y", [0, 0, 0, 0, 0]),
        ("!x", [1, 0, 1, 0, 1]),
        ("x & !y | words==1", [1, 1, 0, 1, 1]),
        ("largest-content(x | y)", [0, 1, 1, 1, 0]),
    ],
)
def test_masks(text: str, kept: list[bool]) -> None:
    rule = parse_rule(text)
    assert rule.needs >= TEXTS
    assert rule.mask(COLUMNS).tolist() == [bool(keep) for keep in kept]
    assert parse_rule(str(rule)) == rule
    assert select(COLUMNS, [rule]).mask(0).tolist() == rule.mask(COLUMNS).tolist()


X, Y, PLACE = (ExtractorBlocks(name) for name in ("x", "y", "my.module:function"))


@pytest.mark.parametrize(
    ("text", "cleaner"),
    [
        ("x", PageText("x")),
        ("(x)", PageText("x")),
        ("x|y", Or(X, Y)),
        ("!x", Not(X)),
        ("my.module:function & x", And(PLACE, X)),
    ],
)
def test_alone_it_is_the_text(text: str, cleaner: Cleaner) -> None:
    assert parse_cleaner(text) == cleaner


def test_a_text_may_stand_beside_the_blocks_and_for_some_of_them() -> None:
    cleaners: list[Cleaner] = [
        PageText("y"),
        Or(X, Comparison("words", "==", 1)),
        Not(Y),
    ]
    assert texts_within(cleaners) == ["x", "y"]
    assert (texts_beside(cleaners), page_texts_of(cleaners)) == (["y"], ["y", "x"])
    found = select(COLUMNS, cleaners)
    assert [one.text for one in found.kept(0)] == ["About us", "nothing of it", ""]
    assert [one.text for one in found.kept(1)] == [
        "Home\nThe pony crossed the river",
        "It rained\nNews",
    ]


def test_what_stands_in_no_block_is_counted() -> None:
    found = select(COLUMNS, [parse_cleaner("x | y"), PageText("x")])
    # "reuters" stands nowhere, nor do "nothing of it".
    assert found.placed == {"x": AlignmentCounts(8, 7), "y": AlignmentCounts(5, 2)}
    assert found.placed["x"].share_left == pytest.approx(1 / 8)
    assert AlignmentCounts().share_left == 0
    assert select(COLUMNS, [PageText("x")]).placed == {}
    assert sum_alignments(
        {"x": AlignmentCounts(8, 7)},
        {"x": AlignmentCounts(2, 1), "y": AlignmentCounts(1, 1)},
    ) == {
        "x": AlignmentCounts(10, 8),
        "y": AlignmentCounts(1, 1),
    }


def test_a_text_is_aligned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = replace(COLUMNS, page_texts=COLUMNS.page_texts)
    asked: list[str] = []
    real = alignment.align

    def counted(texts: list[str], text: str) -> alignment.Alignment:
        asked.append(text)
        return real(texts, text)

    monkeypatch.setattr("boilersweep.cleaners.selection.align", counted)
    select(columns, [parse_cleaner(f"x & words>={k}") for k in range(1, 30)])
    assert asked == COLUMNS.page_texts["x"]
    # Another page's blocks know nothing of it.
    some = documents_of(columns, COLUMNS.starts[1:] > 3)
    assert parse_rule("!x").mask(some).tolist() == [False, True]
    assert len(asked) == 4


def test_without_the_text() -> None:
    with pytest.raises(
        UsageError, match="z keeps the blocks contained in an extractor's text"
    ):
        parse_rule("!z").mask(COLUMNS)


PAGE = "<title>t</title><p>Menu</p><div><p>{}</p></div>".format(
    "one two three four " * 30
)


def first(html: str) -> str:
    """Extract the page's first paragraph."""
    return html.partition("<p>")[2].partition("</p>")[0]


def failing(html: str) -> str:
    """Fail as an extractor."""
    raise ValueError(len(html))


FIRST = f"{__name__}:first"
FAILING = f"{__name__}:failing"


def test_a_page_is_cleaned_by_what_extractors_hold() -> None:
    assert clean(PAGE, f"{FIRST} & words>=1") == "Menu"
    assert clean(PAGE, f"!{FIRST}").startswith("one two three")
    assert blocks(PAGE, f"{FIRST} | words>=3").texts[0] == "Menu"
    assert blocks(PAGE, f"!{FIRST}").kept is not None
    assert clean("", f"!{FIRST}") == ""


@pytest.mark.parametrize("call", [clean, blocks])
def test_an_extractor_that_fails_fails_the_page(
    call: Callable[[str, str], object],
) -> None:
    with pytest.raises(PageError, match="failing failed on the page"):
        call(PAGE, f"{FAILING} | words>=3")


@pytest.mark.application("extractors")
def test_an_extractor_that_there_is_not() -> None:
    with pytest.raises(
        UsageError, match=r"no cleaner is named 'trafilatur' \(did you mean"
    ):
        clean(PAGE, "trafilatur | words>=3")
