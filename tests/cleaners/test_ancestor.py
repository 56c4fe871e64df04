"""The ancestor filter, by hand and as a property."""

import pytest

from boilersweep.cleaners.ancestor import Ancestor
from boilersweep.cleaners.boilerpipe import KeepEverything
from boilersweep.cleaners.rules import STRUCTURE, Comparison
from boilersweep.errors import UsageError
from tests.cleaners.conftest import Kept

ALL = KeepEverything()

PAGE = """<body>
<div id=menu><ul><li>menu one</li></ul></div>
<div id=main>
  <div id=head><h1>Head line</h1></div>
  <div id=text><p>a b c d e</p><p>f g</p></div>
  <div id=more><p>m n o p q r</p></div>
</div></body>"""
# Paragraphs: ul, h1, p, p, p. With the first parent the groups are #menu 2 words, #head 2, #text
# 7, #more 6; with the second body 2 and #main 15; with the third html 2 and body 15; with the
# fourth the document 2 and html 15; with the fifth all are under the document.


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (1, ["a b c d e", "f g"]),
        (2, ["Head line", "a b c d e", "f g", "m n o p q r"]),
        (3, ["Head line", "a b c d e", "f g", "m n o p q r"]),
        (4, ["Head line", "a b c d e", "f g", "m n o p q r"]),
        (5, ["menu one", "Head line", "a b c d e", "f g", "m n o p q r"]),
    ],
)
def test_depths_by_hand(kept: Kept, depth: int, expected: list[str]) -> None:
    assert kept(Ancestor(ALL, depth), PAGE, PAGE) == [expected, expected]


def test_only_what_the_cleaner_keeps_is_counted_and_stays(kept: Kept) -> None:
    # Of at least 6 words there is one block, in #more.
    rule = Ancestor(Comparison("words", ">=", 6), 1)
    assert kept(rule, PAGE) == [["m n o p q r"]]
    rule = Ancestor(Comparison("words", "!=", 5), 1)
    assert kept(rule, PAGE) == [["m n o p q r"]]


def test_of_equal_groups_the_first_stays(kept: Kept) -> None:
    page = "<div><p>a b</p></div><div><p>c</p><p>d</p></div>"
    assert kept(Ancestor(ALL, 1), page) == [["a b"]]


def test_a_paragraph_is_one_however_its_text_is_marked(kept: Kept) -> None:
    # b and td are no paragraphs, so both words are in the p, all three cells in the table.
    page = "<div><p>a <b>b</b></p></div><div><table><td>c<td>d<td>e</table></div>"
    assert kept(Ancestor(ALL, 1), page) == [["c", "d", "e"]]


def test_bare_text_beside_paragraphs_goes_with_them(kept: Kept) -> None:
    # The div holds a p, so it is none; its bare text's first parent is the div, as the p's.
    page = "<div>a b <br> c<p>d</p></div><div><p>e f g</p></div>"
    assert kept(Ancestor(ALL, 1), page) == [["a b", "c", "d"]]
    # In the cell without a paragraph the cell stands in for one; its parent is the row.
    page = "<table><tr><td>a <b>b</b></td><td>c</td><td><p>d</p></td></tr></table>"
    assert kept(Ancestor(ALL, 1), page) == [["a b", "c"]]


def test_a_page_without_paragraphs_is_one_group(kept: Kept) -> None:
    page = "<body><form><td>a</td></form><span>b</span></body>"
    # body itself is the one paragraph.
    assert kept(Ancestor(ALL, 1), page) == [["a", "b"]]
    assert kept(Ancestor(ALL, 1), "<frameset><a>x</a></frameset>", "") == [["x"], []]


def test_depths_and_names() -> None:
    assert str(Ancestor(ALL)) == "ancestor(keep-everything, 2)"
    assert Ancestor(ALL, 3.0) == Ancestor(ALL, 3)
    assert str(Ancestor(ALL, 3.0)) == "ancestor(keep-everything, 3)"
    assert Ancestor(ALL).needs == STRUCTURE
    for depth in (0, 6, 2.5):
        with pytest.raises(UsageError, match="depth"):
            Ancestor(ALL, depth)
