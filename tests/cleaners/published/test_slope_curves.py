"""Document slope curves, by hand."""

import pytest

from boilersweep.cleaners.published.tag_curves import (
    WINDOW,
    AdvancedSlopeCurve,
    DocumentSlopeCurve,
)
from tests.cleaners.conftest import Kept

TEXT = " ".join(["word"] * 40)
MENU = "<li><a href=x>Go</a></li>" * 20
LINKED = f"<p><a href=x>{TEXT}</a></p>"


MENUS = f"<ul>{MENU}</ul>"
GAP = "<hr>" * 9 + "<h2>Head</h2>" + "<hr>" * 9
FEW = "w " * 11


@pytest.mark.parametrize(
    ("page", "dsc", "adsc"),
    [
        # The parser adds html and body. html, body, ul, then 20 items of li, a, /a, /li: 83 tags
        # and 20 words, then /ul, p: 2 tags, and 40 words. The page's slope is 85 / 145 = .59, so a
        # window is low below .29: of its 25 tokens 7 may be tags. In the menu 4 of 5 are. A word of
        # the text with i words before it has 12 - i of the menu's tokens in its window, at most 12;
        # from the sixth word on at most 7 of them. So 35 or more of the 40 words are low.
        pytest.param(
            f"{MENUS}<p>{TEXT}</p>", [TEXT], [TEXT], id="text stays and menus go"
        ),
        pytest.param(
            f"{MENUS}{LINKED}{MENUS}<p>{TEXT}</p>",
            [TEXT, TEXT],
            [TEXT],
            id="lists of links",
        ),
        # Between the two texts stand /p, h2, 1 word, /h2, p: 5 tokens, less than a window. The
        # word's own window holds 4 tags of 25 tokens, .16; to be sure that DSC drops it, tags are
        # added.
        pytest.param(
            f"{MENUS}<p>{TEXT}</p>{GAP}<p>{TEXT}</p>",
            [TEXT, TEXT],
            [TEXT, "Head", TEXT],
            id="sections are joined over short gaps in the advanced form",
        ),
        pytest.param(
            f"{MENUS}<p>{FEW}</p>{MENUS}<p>{TEXT}</p>",
            [TEXT],
            [TEXT],
            id="11 words are fewer than half a window, 12",
        ),
        # The parser adds html, body and p: 3 tags; the last words have none near.
        pytest.param(TEXT, [TEXT], [TEXT], id="a page without a tag"),
    ],
)
def test_sections(kept: Kept, page: str, dsc: list[str], adsc: list[str]) -> None:
    assert WINDOW == 25
    # A page is measured by its own slope.
    assert kept(DocumentSlopeCurve(), page, "<p>a</p>", page) == [dsc, [], dsc]
    assert kept(AdvancedSlopeCurve(), page, "<p>a</p>", page) == [adsc, [], adsc]
