"""Largest and main content, on pages worked out by hand."""

from boilersweep.cleaners.largest_content import (
    BRIDGED,
    COMMENTS,
    LargestContent,
    MainContent,
    title_parts,
)
from boilersweep.cleaners.rules import NOTHING, TEXTS, Comparison
from tests.cleaners.conftest import Kept

LONG = Comparison("words", ">=", 3)
LARGEST = LargestContent(LONG)
MAIN = MainContent(LONG)


def paragraphs(*texts: str) -> str:
    return "".join(f"<p>{text}</p>" for text in texts)


def words(count: int, word: str = "w") -> str:
    return " ".join([word] * count)


def test_the_run_with_the_most_words_stays(kept: Kept) -> None:
    # Runs of at most two dropped blocks between: 3 + 3 = 6 words, then 5 words.
    page = paragraphs("a a a", "x", "x", "b b b", "x", "x", "x", "c c c c c")
    assert BRIDGED == 2
    assert kept(LARGEST, page) == [["a a a", "b b b"]]


def test_of_equal_runs_the_first_stays(kept: Kept) -> None:
    page = paragraphs("a a a", "x", "x", "x", "b b b")
    assert kept(LARGEST, page) == [["a a a"]]


def test_runs_end_with_the_page(kept: Kept) -> None:
    pages = [paragraphs("a a a"), paragraphs("b b b", "x", "x", "x", "c c c c"), paragraphs("x")]
    assert kept(LARGEST, *pages) == [["a a a"], ["c c c c"], []]


def test_text_above_the_title_goes(kept: Kept) -> None:
    # 8 of the 12 kept words stand from the title on, at least half; above are 4.
    page = "<title>Big Fish Found | News Site</title>" + paragraphs(
        "a a a a", "Big fish: found!", "b b b b b"
    )
    assert kept(LARGEST, page) == [["a a a a", "Big fish: found!", "b b b b b"]]
    assert kept(MAIN, page) == [["Big fish: found!", "b b b b b"]]


def test_a_title_below_most_of_the_text_is_the_name_of_the_site(kept: Kept) -> None:
    # 3 of 12 kept words stand from "Big fish found" on: less than half.
    page = "<title>Big Fish Found</title>" + paragraphs("a a a a a a a a a", "Big fish found")
    assert kept(MAIN, page) == [["a a a a a a a a a", "Big fish found"]]


def test_the_first_of_two_titles_counts(kept: Kept) -> None:
    page = "<title>The Title Here</title>" + paragraphs(
        "n n n", "The Title Here", "b b b", "The Title Here", "c c c c c c c c c"
    )
    assert kept(MAIN, page)[0][0] == "The Title Here"
    assert len(kept(MAIN, page)[0]) == 4


def test_text_from_the_comments_on_goes(kept: Kept) -> None:
    page = paragraphs(words(60), "12 Comments:", words(70, "c"))
    assert kept(LARGEST, page) == [[words(60), words(70, "c")]]
    assert kept(MAIN, page) == [[words(60)]]


def test_comments_count_below_sixty_kept_words(kept: Kept) -> None:
    page = paragraphs(words(59), "Comments", words(70, "c"))
    assert kept(MAIN, page) == kept(LARGEST, page)


def test_a_block_is_a_marker_only_if_it_is_solely_one(kept: Kept) -> None:
    page = paragraphs(words(60), "See all user comments", words(70, "c"))
    assert len(kept(MAIN, page)[0]) == 3
    assert len(COMMENTS) == 11


def test_comments_do_not_reach_into_the_next_page(kept: Kept) -> None:
    pages = [paragraphs(words(60), "User comments"), paragraphs("b b b", "Comments", "c c c")]
    assert kept(MAIN, *pages) == [[words(60)], ["b b b", "c c c"]]


def test_parts_of_titles() -> None:
    assert title_parts("A big story - The Site") == {"a big story the site", "a big story"}
    assert title_parts("Site: story of a fish") == {"site story of a fish", "story of a fish"}
    assert title_parts("Site»It happened") == {"siteit happened", "it happened"}
    assert title_parts("A two-part word") == {"a twopart word"}
    assert title_parts(" | ") == set()
    assert title_parts("") == set()


def test_needs_and_names() -> None:
    assert (LARGEST.needs, MAIN.needs) == (NOTHING, TEXTS)
    assert str(LARGEST) == "largest-content(words>=3)"
    assert str(MAIN) == "main-content(words>=3)"


def test_a_title_of_a_script_without_spaces_is_found(kept: Kept) -> None:
    menu, title, body = "这是菜单的一些文字内容", "中国今天的重要消息", "这是文章的第一段文字" * 4
    page = f"<title>{title} | 网站</title>{paragraphs(menu, title, body)}"
    assert kept(MAIN, page) == [[title, body]]
