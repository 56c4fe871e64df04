"""Which nodes are visual blocks: each rule on a page where it alone decides."""

import pytest

from boilersweep.extractors.vips import Drawn, visual_blocks
from tests.extractors.vips_pages import BLUE, WHOLE, Element, Text, body, named, node, p

X = p("p9", "x", (0, 800, 100, 820))


def extracted(page: Drawn, root: str = "body") -> list[tuple[str, int]]:
    return [(named(one.node), one.doc) for one in visual_blocks(node(page, root))]


def test_rule_2_a_single_child_that_is_no_text_divides() -> None:
    inner = Element("div", [p("p", "one", (0, 0, 900, 600))])
    assert extracted(body(Element("div", [inner]), X)) == [("one", 10), ("x", 10)]


def test_rule_3_the_root_is_divided() -> None:
    texts: list[Element | Text] = [
        Text("one", (0, 0, 50, 20)),
        Text("two", (50, 0, 100, 20)),
    ]
    page = body(Element("div", texts), X)
    assert extracted(page) == [("one two", 10), ("x", 10)]
    assert extracted(page, "div") == [("one", 10), ("two", 10)]


@pytest.mark.parametrize(("weight", "doc"), [(400, 10), (700, 9)])
def test_rule_4_text_in_one_font_is_more_coherent(weight: int, doc: int) -> None:
    bold = Element("b", [Text("two", (0, 500, 900, 600), (16, weight))])
    texts: list[Element | Text] = [
        Text("one", (0, 0, 900, 500)),
        bold,
        Text("three", (0, 600, 900, 700)),
    ]
    page = body(Element("div", texts), X)
    assert extracted(page) == [("one two three", doc), ("x", 10)]


def test_rule_5_an_inline_node_with_a_line_break_is_divided() -> None:
    inside: list[Element | Text] = [
        Text("one", (0, 0, 50, 20)),
        p("div", "two", (0, 20, 50, 40)),
    ]
    page = body(Element("span", inside), X)
    assert extracted(page) == [("one", 10), ("two", 10), ("x", 10)]


def test_rule_6_a_node_with_a_rule_is_divided() -> None:
    both: list[Element | Text] = [
        p("p1", "one", (0, 0, 50, 20)),
        p("p2", "two", (0, 40, 50, 60)),
    ]
    # Without it, rule 9: children are small.
    assert extracted(body(Element("div", both), X)) == [("one two", 8), ("x", 10)]
    divided = body(Element("div", both, rules=[(28, 30)]), X)
    assert extracted(divided) == [("one", 10), ("two", 10), ("x", 10)]


def test_rule_7_a_child_of_another_background_stays_whole_in_this_round() -> None:
    blue = Element(
        "div",
        [p("p2", "two", (0, 40, 900, 300)), p("p3", "three", (0, 300, 900, 600))],
        background=BLUE,
    )
    page = body(Element("div", [p("p1", "one", (0, 0, 50, 20)), blue]), X)
    # It has more than half of the page: 5 by size, and at least 6 by the rule.
    assert extracted(page) == [("one", 10), ("two three", 6), ("x", 10)]


@pytest.mark.parametrize(
    ("height", "found"), [(90, ["one two"]), (110, ["one", "two"])]
)
def test_rule_8_a_small_node_with_text_is_not_divided(
    height: int, found: list[str]
) -> None:
    # The box of the child makes it not small, so that rule 9 does not decide.
    child = Element("div2", [Text("two", (0, 4, 1000, height))], (0, 0, 1000, 150))
    one = Element("div", [Text("one", (0, 0, 1000, 4)), child], (0, 0, 1000, height))
    assert [name for name, _ in extracted(body(one, X))] == [*found, "x"]


@pytest.mark.parametrize(
    ("height", "found"), [(90, ["one two"]), (110, ["one", "two"])]
)
def test_rule_9_a_node_of_small_children_is_not_divided(
    height: int, found: list[str]
) -> None:
    one, two = p("p1", "one", (0, 0, 1000, height)), p("p2", "two", (0, 200, 1000, 220))
    page = body(Element("div", [one, two]), X)
    assert [name for name, _ in extracted(page)] == [*found, "x"]


def test_rule_10_a_cell_behind_one_that_was_not_divided_is_not() -> None:
    small = Element(
        "td",
        [p("div1", "a", (0, 0, 400, 10)), p("div2", "b", (0, 10, 400, 20))],
    )
    large = Element(
        "td",
        [p("div1", "c", (500, 0, 1000, 400)), p("div2", "d", (500, 400, 1000, 800))],
    )
    page = body(Element("table", [Element("tr", [small, large])]), X)
    assert [name for name, _ in extracted(page, "tr")] == ["a b", "c d"]
    page = body(Element("table", [Element("tr", [large, small])]), X)
    assert [name for name, _ in extracted(page, "tr")] == ["c d", "a b"]  # rule 12


def test_rule_11_other_nodes_are_divided() -> None:
    both: list[Element | Text] = [
        p("p1", "one", (0, 0, 1000, 300)),
        p("p2", "two", (0, 300, 1000, 700)),
    ]
    page = body(Element("div", both), X)
    assert extracted(page) == [("one", 10), ("two", 10), ("x", 10)]


def test_rule_12_a_table_is_not_divided_in_the_first_round() -> None:
    one = Element("tr", [p("td", "one", (0, 0, 1000, 300))])
    two = Element("tr", [p("td", "two", (0, 300, 1000, 700))])
    page = body(Element("table", [one, two]), X)
    assert extracted(page) == [("one two", 5), ("x", 10)]  # 70 % of the page: 5 by size
    assert extracted(page, "table") == [("one", 10), ("two", 10)]


@pytest.mark.parametrize(
    ("height", "doc"), [(20, 8), (60, 7), (250, 6), (510, 5), (1000, 5)]
)
def test_coherence_by_size(height: int, doc: int) -> None:
    # A table whose rows are small by their boxes is kept whole by rule 9, a list likewise.
    rows: list[Element | Text] = [
        p(f"li{n}", f"{n}", (0, 0, 1000, 10)) for n in range(3)
    ]
    for tag, expected in (("ul", doc), ("table", max(5, doc - 1))):
        page = body(Element(tag, rows, (0, 0, 1000, height)), X)
        assert extracted(page)[0] == ("0 1 2", expected)


def test_deep_nesting() -> None:
    inner = p("div", "deep", WHOLE)
    for number in range(400):
        inner = Element("div", [Text(str(number), WHOLE), inner])
    blocks = visual_blocks(node(body(inner), "body"))
    assert len(blocks) == 401
