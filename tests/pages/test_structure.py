"""Where blocks stand among a page's elements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages.page import PageStructure, doctype_of, marks_of
from boilersweep.pages.segmenter import Segmenter
from tests.conftest import known

SEGMENTER = Segmenter(structure=True, borders="paper")


def structure(html: str) -> PageStructure:
    return known(SEGMENTER.html(html.encode()).structure)


def paths(found: PageStructure) -> list[str]:
    """Each block's elements, from the outermost in, without those every page has."""
    told = []
    for element in found.elements:
        names = []
        while element:
            names.append(found.names[element])
            element = found.parents[element]
        told.append("/".join(reversed(names)).removeprefix("html/body/"))
    return told


def test_blocks_among_elements() -> None:
    found = structure("<div><p>one <b>two</b></p><ul><li>three</ul></div>four")
    assert paths(found) == ["div/p", "div/p/b", "div/ul/li", "html/body"]
    assert found.names == ["#document", "html", "body", "div", "p", "b", "ul", "li"]
    assert found.parents == [0, 0, 1, 2, 3, 4, 3, 6]
    assert found.first == [0, 0, 0, 0, 0, 1, 2, 2]
    assert found.end == [4, 4, 4, 3, 2, 2, 3, 3]


def test_elements_without_a_block_are_left_out() -> None:
    found = structure("<p></p><div><img></div><div> | </div><p>one")
    assert found.names == ["#document", "html", "body", "p"]
    assert structure("<div><p> | </p></div>") == PageStructure()


def test_links_are_no_elements() -> None:
    found = structure("<p>one <a class=x>two <i>three</i></a> four")
    assert paths(found) == ["p", "p/i", "p"]
    assert found.links == [1, 0, 0]


@pytest.mark.parametrize(
    ("html", "column", "values"),
    [
        # html, body and p begin: 3. "one two": <a> within. </a>, </p> and <p> before "three": 3, of
        # which </a> stands within the first block. Then <br>, which has no end tag: 1.
        ("<p>one <a>two</a></p><p>three<br>four", "tags_before", [3, 2, 1]),
        ("<p>one <a>two</a></p><p>three<br>four", "tags_within", [2, 0, 0]),
        # html, head, script, /script, /head, body, p: 7.
        ("<script>x</script><p>one", "tags_before", [7]),
        # Around what is no word: </p>, <p>, <a>, </a>, </p>, <p>.
        ("<p>one<p> | <a>-</a> <p>two", "tags_before", [3, 6]),
        # <html><body><p> 6 + 6 + 3; </p><p> 4 + 3; <br> 4.
        ("<p class=long>one</p><p>two<br id=x>three", "markup", [15, 7, 4]),
        ("<!DOCTYPE html><p>one", "doctype", "html5"),
        ("<p>one", "doctype", ""),
    ],
)
def test_tags_are_counted(html: str, column: str, values: object) -> None:
    assert getattr(structure(html), column) == values


@pytest.mark.parametrize(
    ("between", "joined"),
    [
        ("<b>", True),
        ("</b><i>", True),
        ("<b>|</b>", True),
        ("<script>x</script>", True),
        ("<br>", False),
        ("<p>", False),
        ("</i></div><b>", False),
    ],
)
def test_blocks_of_one_paragraph_are_joined(between: str, joined: bool) -> None:
    assert structure(f"<div><i>one{between}two").joined[:2] == [False, joined]


def test_unclosed_elements_end_with_the_page() -> None:
    found = structure("<div><ul><li>one<li>two")
    assert list(zip(found.names, found.first, found.end, strict=True))[3:] == [
        ("div", 0, 2),
        ("ul", 0, 2),
        ("li", 0, 1),
        ("li", 1, 2),
    ]


@pytest.mark.parametrize(
    ("attributes", "marks"),
    [
        ({}, ""),
        ({"class": " a\n b ", "id": "c"}, "a b c"),
        ({"role": "Navigation main"}, "role=navigation role=main"),
        ({"hidden": ""}, "hidden"),
        ({"aria-hidden": "TRUE "}, "hidden"),
        ({"aria-hidden": "false"}, ""),
        ({"style": "color: red; DISPLAY : none"}, "hidden"),
        ({"style": "visibility:hidden"}, "hidden"),
        ({"style": "color: red", "title": "x"}, ""),
        ({"id": "x", "hidden": "", "style": "display:none"}, "x hidden"),
    ],
)
def test_marks(attributes: dict[str, str], marks: str) -> None:
    assert marks_of(attributes) == marks


@pytest.mark.parametrize(
    ("declared", "doctype"),
    [
        (("html", None, None), "html5"),
        (("HTML", "", ""), "html5"),
        (("html", "-//W3C//DTD HTML 4.01 Transitional//EN", "x"), "html4"),
        (("html", "-//W3C//DTD XHTML 1.0 Strict//EN", "x"), "xhtml"),
        (("svg", None, None), ""),
        ((None, None, None), ""),
    ],
)
def test_doctypes(
    declared: tuple[str | None, str | None, str | None], doctype: str
) -> None:
    assert doctype_of(*declared) == doctype


TAGS = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a>",
    "</a>",
    "<br>",
    "one",
    " | ",
    "two",
]


@given(st.lists(st.sampled_from(TAGS), max_size=30))
def test_every_page_has_a_proper_tree(parts: list[str]) -> None:
    page = SEGMENTER.html("".join(parts).encode())
    found = known(page.structure)
    blocks = len(page)
    columns = (
        found.elements,
        found.tags_before,
        found.tags_within,
        found.links,
        found.markup,
    )
    assert all(len(column) == blocks for column in (*columns, found.joined))
    for number, (parent, first, end) in enumerate(
        zip(found.parents, found.first, found.end, strict=True)
    ):
        assert parent < number or number == parent == 0
        assert found.first[parent] <= first < end <= found.end[parent]
    for block, element in enumerate(found.elements):
        assert found.first[element] <= block < found.end[element]
    if blocks:
        assert (found.first[0], found.end[0]) == (0, blocks)
