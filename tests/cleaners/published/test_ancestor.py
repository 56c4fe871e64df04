"""The ancestor filter, by hand and as a property."""

import pytest

from boilersweep import UsageError
from boilersweep.cleaners.published.boilerpipe import KeepEverything
from boilersweep.cleaners.published.filters import Ancestor
from boilersweep.cleaners.rules import Comparison, Rule
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


@pytest.mark.parametrize(
    ("cleaner", "page", "expected"),
    [
        pytest.param(
            Comparison("words", ">=", 6),
            PAGE,
            ["m n o p q r"],
            id="one kept block, in #more",
        ),
        pytest.param(
            Comparison("words", "!=", 5),
            PAGE,
            ["m n o p q r"],
            id="dropped words do not count",
        ),
        pytest.param(
            ALL,
            "<div><p>a b</p></div><div><p>c</p><p>d</p></div>",
            ["a b"],
            id="the first of equal groups",
        ),
        pytest.param(
            ALL,
            "<div><p>a <b>b</b></p></div><div><table><td>c<td>d<td>e</table></div>",
            ["c", "d", "e"],
            id="b and td are no paragraphs: two words in the p, three in the table",
        ),
        pytest.param(
            ALL,
            "<div>a b <br> c<p>d</p></div><div><p>e f g</p></div>",
            ["a b", "c", "d"],
            id="the div contains a p: the first parent of its bare text is the div, as the p's",
        ),
        pytest.param(
            ALL,
            "<table><tr><td>a <b>b</b></td><td>c</td><td><p>d</p></td></tr></table>",
            ["a b", "c"],
            id="a cell without a paragraph counts as one; its parent is the row",
        ),
        pytest.param(
            ALL,
            "<body><form><td>a</td></form><span>b</span></body>",
            ["a", "b"],
            id="body is the one paragraph",
        ),
        pytest.param(
            ALL, "<frameset><a>x</a></frameset>", ["x"], id="no paragraph at all"
        ),
    ],
)
def test_groups_by_hand(
    kept: Kept, cleaner: Rule, page: str, expected: list[str]
) -> None:
    assert kept(Ancestor(cleaner, 1), page, "") == [expected, []]


@pytest.mark.parametrize("depth", [0, 6, 2.5])
def test_depths_are_whole_numbers_from_1_to_5(depth: float) -> None:
    with pytest.raises(UsageError, match="depth"):
        Ancestor(ALL, depth)
