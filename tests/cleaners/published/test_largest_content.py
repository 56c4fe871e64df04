"""Largest and main content, on pages worked out by hand."""

import pytest

from boilersweep.cleaners.published.filters import (
    BRIDGED,
    COMMENTS,
    LargestContent,
    MainContent,
    title_parts,
)
from boilersweep.cleaners.rules import Comparison, Filter
from tests.cleaners.conftest import Kept

LONG = Comparison("words", ">=", 3)
LARGEST = LargestContent(LONG)
MAIN = MainContent(LONG)


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count)


def titled(title: str, *texts: str) -> str:
    return f"<title>{title}</title>{paragraphs(*texts)}"


BIG_FISH = titled(
    "Big Fish Found | News Site", "a a a a", "Big fish: found!", "b b b b b"
)
TWO_TITLES = ("The Title Here", "b b b", "The Title Here", words(9, "c"))
MENU, TITLE, BODY = (
    "这是菜单的一些文字内容",
    "中国今天的重要消息",
    "这是文章的第一段文字" * 4,
)


@pytest.mark.parametrize(
    ("rule", "page", "expected"),
    [
        pytest.param(
            LARGEST,
            paragraphs("a a a", "x", "x", "b b b", "x", "x", "x", "c c c c c"),
            ["a a a", "b b b"],
            id="the run with the most words: at most two dropped blocks between, 3 + 3 words, 5",
        ),
        pytest.param(
            LARGEST,
            paragraphs("a a a", "x", "x", "x", "b b b"),
            ["a a a"],
            id="the first of equals",
        ),
        pytest.param(
            LARGEST,
            BIG_FISH,
            ["a a a a", "Big fish: found!", "b b b b b"],
            id="largest-content knows no title",
        ),
        pytest.param(
            MAIN,
            BIG_FISH,
            ["Big fish: found!", "b b b b b"],
            id="text above the title: 8 of 12 kept words, at least half, come from it on",
        ),
        pytest.param(
            MAIN,
            titled("Big Fish Found", words(9, "a"), "Big fish found"),
            [words(9, "a"), "Big fish found"],
            id="the name of the site: 3 of 12 kept words come from it on",
        ),
        pytest.param(
            MAIN,
            titled("The Title Here", "n n n", *TWO_TITLES),
            [*TWO_TITLES],
            id="the first of two titles",
        ),
        pytest.param(
            MAIN,
            titled(f"{TITLE} | 网站", MENU, TITLE, BODY),
            [TITLE, BODY],
            id="without spaces",
        ),
        pytest.param(
            LARGEST,
            paragraphs(words(60), "12 Comments:", words(70, "c")),
            [words(60), words(70, "c")],
            id="largest-content knows no comments",
        ),
        pytest.param(
            MAIN,
            paragraphs(words(60), "12 Comments:", words(70, "c")),
            [words(60)],
            id="text from the comments on",
        ),
        pytest.param(
            MAIN,
            paragraphs(words(59), "Comments", words(70, "c")),
            [words(59), words(70, "c")],
            id="comments above sixty kept words",
        ),
        pytest.param(
            MAIN,
            paragraphs(words(60), "See all user comments", words(70, "c")),
            [words(60), "See all user comments", words(70, "c")],
            id="a marker with other words",
        ),
    ],
)
def test_one_page(kept: Kept, rule: Filter, page: str, expected: list[str]) -> None:
    assert kept(rule, page) == [expected]
    assert (BRIDGED, len(COMMENTS)) == (2, 11)


def test_runs_and_comments_end_with_the_page(kept: Kept) -> None:
    pages = [
        paragraphs("a a a"),
        paragraphs("b b b", "x", "x", "x", "c c c c"),
        paragraphs("x"),
    ]
    assert kept(LARGEST, *pages) == [["a a a"], ["c c c c"], []]
    pages = [
        paragraphs(words(60), "User comments"),
        paragraphs("b b b", "Comments", "c c c"),
    ]
    assert kept(MAIN, *pages) == [[words(60)], ["b b b", "c c c"]]


@pytest.mark.parametrize(
    ("title", "parts"),
    [
        ("A big story - The Site", {"a big story the site", "a big story"}),
        ("Site: story of a fish", {"site story of a fish", "story of a fish"}),
        ("Site»It happened", {"siteit happened", "it happened"}),
        ("A two-part word", {"a twopart word"}),
        (" | ", set()),
        ("", set()),
    ],
)
def test_parts_of_titles(title: str, parts: set[str]) -> None:
    assert title_parts(title) == parts
