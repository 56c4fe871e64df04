"""Document slope curves, by hand."""

from boilersweep.cleaners.published.slope_curves import (
    WINDOW,
    AdvancedSlopeCurve,
    DocumentSlopeCurve,
)
from tests.cleaners.conftest import Kept

DSC = DocumentSlopeCurve()
ADSC = AdvancedSlopeCurve()
TEXT = " ".join(["word"] * 40)
MENU = "<li><a href=x>Go</a></li>" * 20
LINKED = f"<p><a href=x>{TEXT}</a></p>"


def test_text_stays_and_menus_go(kept: Kept) -> None:
    # The parser adds html and body. html, body, ul, then 20 items of li, a, /a, /li: 83 tags and
    # 20 words, then /ul, p: 2 tags, and 40 words. The page's slope is 85 / 145 = .59, so a window
    # is low below .29: of its 25 tokens 7 may be tags. In the menu 4 of 5 are. A word of the text
    # with i words before it has 12 - i of the menu's tokens in its window, at most 12; from the
    # sixth word on at most 7 of them. So 35 or more of the 40 words are low.
    page = f"<ul>{MENU}</ul><p>{TEXT}</p>"
    assert WINDOW == 25
    assert kept(DSC, page) == [[TEXT]]
    assert kept(ADSC, page) == [[TEXT]]


def test_a_page_is_measured_by_its_own_slope(kept: Kept) -> None:
    page = f"<ul>{MENU}</ul><p>{TEXT}</p>"
    assert kept(DSC, page, "<p>a</p>", page) == [[TEXT], [], [TEXT]]


def test_lists_of_links_go_in_the_advanced_form(kept: Kept) -> None:
    page = f"<ul>{MENU}</ul>{LINKED}<ul>{MENU}</ul><p>{TEXT}</p>"
    assert kept(DSC, page) == [[TEXT, TEXT]]
    assert kept(ADSC, page) == [[TEXT]]


def test_sections_are_joined_over_short_gaps_in_the_advanced_form(kept: Kept) -> None:
    # Between the two texts stand /p, h2, 1 word, /h2, p: 5 tokens, less than a window. The word's
    # own window holds 4 tags of 25 tokens, .16; to be sure that DSC drops it, tags are added.
    gap = "<hr>" * 9 + "<h2>Head</h2>" + "<hr>" * 9
    page = f"<ul>{MENU}</ul><p>{TEXT}</p>{gap}<p>{TEXT}</p>"
    assert kept(DSC, page) == [[TEXT, TEXT]]
    assert kept(ADSC, page) == [[TEXT, "Head", TEXT]]


def test_sections_of_few_words_go_in_the_advanced_form(kept: Kept) -> None:
    # 11 words are fewer than half a window, 12.
    page = f"<ul>{MENU}</ul><p>{'w ' * 11}</p><ul>{MENU}</ul><p>{TEXT}</p>"
    assert kept(ADSC, page) == [[TEXT]]


def test_a_page_without_a_tag(kept: Kept) -> None:
    # The parser adds html, body and p: 3 tags; the last words have none near.
    assert kept(DSC, TEXT) == [[TEXT]]
