"""Which nodes are visual blocks: each rule on a page where it alone decides."""

import pytest

from boilersweep.cleaners.published.vips.extraction import visual_blocks
from tests.cleaners.published.vips.conftest import BLUE, Hand

PAGE = {"": (0, 0, 1000, 1000)}


def extracted(page: Hand, root: int | None = None) -> list[tuple[str, int]]:
    """Name and DoC of the visual blocks."""
    tree = page.tree
    blocks = visual_blocks(tree, tree.root if root is None else root)
    return [(page.named(one.node), one.doc) for one in blocks]


X = {"x": (0, 800, 100, 820)}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(
            Hand("<div id=a>one</div><div id=b>two</div>", {"one": (0, 0, 100, 20)}, PAGE),
            [("a", 10)],
            id="rule 1: what cannot be seen is cut",
        ),
        pytest.param(
            Hand(
                "<div id=a><div id=b><p id=c>one</p></div></div><p id=d>two",
                {"one": (0, 0, 100, 20), "two": (0, 30, 100, 50)},
                PAGE,
            ),
            [("c", 10), ("d", 10)],  # c holds one text, and rule 4 comes
            id="rule 2: a single child that is no text divides",
        ),
        pytest.param(
            Hand(
                "<span id=s>one<div id=d>two</div></span><p id=p>x",
                {"one": (0, 0, 50, 20), "two": (0, 20, 50, 40), **X},
                PAGE,
            ),
            [("one", 10), ("d", 10), ("p", 10)],
            id="rule 5: an inline node with a line break is divided",
        ),
        pytest.param(
            Hand(
                "<div id=a><p id=b>one</p><div id=c><p id=d>two</p><p id=e>three</p></div></div>"
                "<p id=p>x",
                {
                    "one": (0, 0, 50, 20),
                    "two": (0, 40, 900, 300),
                    "three": (0, 300, 900, 600),
                    **X,
                },
                PAGE,
                {"c": BLUE},
            ),
            # c has more than half of the page: 5 by size, and at least 6 by the rule.
            [("b", 10), ("c", 6), ("p", 10)],
            id="rule 7: a child of another background stays whole in this round",
        ),
        pytest.param(
            Hand(
                "<div id=a><p id=b>one</p><p id=c>two</p></div><p id=p>x",
                {"one": (0, 0, 1000, 300), "two": (0, 300, 1000, 700), **X},
                PAGE,
            ),
            [("b", 10), ("c", 10), ("p", 10)],
            id="rule 11: other nodes are divided",
        ),
        pytest.param(
            Hand(
                "<div id=a>one <a href=x>two</a> three</div><p id=p>x",
                {"one two three": (0, 0, 1000, 300), **X},
                PAGE,
            ),
            [("a", 10), ("p", 10)],
            id="links are part of the text",
        ),
    ],
)
def test_one_round(page: Hand, expected: list[tuple[str, int]]) -> None:
    assert extracted(page) == expected


def test_rule_3_the_root_is_divided() -> None:
    page = Hand(
        "<body><div id=a>one<br>two</div><p id=p>three",
        {"one": (0, 0, 50, 20), "two": (50, 0, 100, 20), "three": (0, 30, 100, 50)},
        PAGE,
    )
    assert extracted(page) == [("a", 10), ("p", 10)]
    root = page.tree.names.index("div")
    assert extracted(page, root) == [("one", 10), ("two", 10)]


@pytest.mark.parametrize(("weight", "doc"), [(400, 10), (700, 9)])
def test_rule_4_text_in_one_font_is_more_coherent(weight: int, doc: int) -> None:
    page = Hand(
        "<div id=a>one <br>two <br>three</div><p id=p>x",
        {
            "one": (0, 0, 900, 500),
            "two": (0, 500, 900, 600),
            "three": (0, 600, 900, 700),
            "x": (0, 800, 100, 820),
        },
        PAGE,
        fonts={"two": (16, weight)},
    )
    assert extracted(page) == [("a", doc), ("p", 10)]


def test_rule_6_a_node_with_a_rule_is_divided() -> None:
    texts = {"one": (0, 0, 50, 20), "two": (0, 40, 50, 60), "x": (0, 800, 100, 820)}
    html = "<div id=a><p id=b>one</p><p id=c>two</p></div><p id=p>x"
    assert extracted(Hand(html, texts, PAGE)) == [("a", 8), ("p", 10)]  # rule 9: small children
    divided = Hand(html, texts, PAGE, rules=(("a", (0, 28, 50, 30)),))
    assert extracted(divided) == [("b", 10), ("c", 10), ("p", 10)]


@pytest.mark.parametrize(("height", "found"), [(90, ["a"]), (110, ["one", "d"])])
def test_rule_8_a_small_node_with_text_is_not_divided(height: int, found: list[str]) -> None:
    page = Hand(
        "<div id=a>one<div id=d>two</div></div><p id=p>x",
        {"one": (0, 0, 1000, 4), "two": (0, 4, 1000, height), "x": (0, 800, 100, 820)},
        # A box that makes the larger child of a not small, so that rule 9 does not decide.
        PAGE | {"d": (0, 0, 1000, 150)},
    )
    assert [name for name, _ in extracted(page)] == [*found, "p"]


@pytest.mark.parametrize(("height", "found"), [(90, ["a"]), (110, ["b", "c"])])
def test_rule_9_a_node_of_small_children_is_not_divided(height: int, found: list[str]) -> None:
    page = Hand(
        "<div id=a><p id=b>one</p><p id=c>two</p></div><p id=p>x",
        {"one": (0, 0, 1000, height), "two": (0, 200, 1000, 220), "x": (0, 800, 100, 820)},
        PAGE,
    )
    assert [name for name, _ in extracted(page)] == [*found, "p"]


def test_rule_10_a_cell_behind_one_that_was_not_divided_is_not() -> None:
    cell = "<td id={0}><div id={0}1>{0}one</div><div id={0}2>{0}two</div></td>"
    page = Hand(
        f"<div><table id=t><tr id=r>{cell.format('a')}{cell.format('b')}</tr></table></div><p>x",
        {
            "aone": (0, 0, 400, 10),
            "atwo": (0, 10, 400, 20),
            "bone": (500, 0, 1000, 400),
            "btwo": (500, 400, 1000, 800),
            "x": (0, 800, 100, 820),
        },
        PAGE,
    )
    root = page.tree.names.index("tr")
    assert [name for name, _ in extracted(page, root)] == ["a", "b"]


def test_rule_12_a_table_is_not_divided_in_the_first_round() -> None:
    page = Hand(
        "<table id=t><tr id=r><td id=a>one</td></tr><tr id=s><td id=b>two</td></tr></table><p>x",
        {"one": (0, 0, 1000, 300), "two": (0, 300, 1000, 700), "x": (0, 800, 100, 820)},
        PAGE,
    )
    # 70 % of the page: 5 by size.
    assert extracted(page) == [("t", 5), ("p", 10)]
    assert extracted(page, page.tree.names.index("table")) == [("a", 10), ("b", 10)]


def test_an_element_without_a_box_has_that_of_its_texts() -> None:
    page = Hand(
        "<div id=a><p id=b>one</p><p id=c>two</p></div><p id=p>x",
        {"one": (10, 20, 30, 40), "two": (50, 60, 70, 80), "x": (0, 800, 100, 820)},
        PAGE | {"a": (0, 0, 1000, 0)},
    )
    tree = page.tree
    assert tree.rectangles[tree.names.index("div")] == (10, 20, 70, 80)
