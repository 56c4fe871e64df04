"""LP, by hand."""

import pytest
from lxml import etree

from boilersweep.extractors.partitions import largest_pagelet, pagelets

LINKS = "<a href=1>a</a> <a href=2>b</a> <a href=3>c</a>"
STORY = "<div id=story><p>The story</p><p>goes on, with <a href=4>a link</a>.</p></div>"


def found(page: str) -> list[str]:
    """Return the pagelets of a page, an element by its name or id."""
    return [
        one.strip() if isinstance(one, str) else one.get("id") or one.tag
        for one in pagelets(etree.HTML(page))
        if not isinstance(one, str) or one.strip()
    ]


@pytest.mark.parametrize(
    ("page", "parts"),
    [
        # Fewer than three links in every child: the page is one.
        ("<p>x <a href=1>a</a></p>", ["html"]),
        ("<p><a href=1>a</a> <a href=2>b</a></p><p><a href=3>c</a></p>", ["body"]),
        # BODY has a child with three links; its children, and its own texts, are pagelets.
        (f"<ul id=menu>{LINKS}</ul>between{STORY}", ["menu", "between", "story"]),
        # The innermost element with three links whose children have fewer.
        (f"<div><div id=in>{LINKS}</div></div>{STORY}", ["in", "story"]),
        # An A without an address is no link.
        ("<p><a name=1>a</a> <a>b</a> <a id=c>c</a> <a href=d>d</a></p>", ["html"]),
    ],
)
def test_pagelets_by_hand(page: str, parts: list[str]) -> None:
    assert found(page) == parts


def test_pagelets_cover_every_text_once() -> None:
    page = f"<ul>{LINKS}</ul>one<div>two<div>{LINKS}</div>three<b>four</b></div>{STORY}five"
    texts = [
        one if isinstance(one, str) else str(one.xpath("string()"))
        for one in pagelets(etree.HTML(page))
    ]
    assert "".join(texts) == etree.HTML(page).xpath("string()")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (
            f"<ul>{LINKS}</ul>between{STORY}after it",
            "The story goes on, with a link.",
        ),
        (f"<ul>{LINKS}</ul>a long text between<p>short</p>", "a long text between"),
        # Of one size the first.
        (f"<ul>{LINKS}</ul><p>aaa bbb</p><p>ccc ddd</p>", "aaa bbb"),
        # White space and scripts have no size.
        (f"<ul>{LINKS}</ul><p>x{' ' * 99}y<script>{'z' * 99}</script></p><p>abcdef</p>", "abcdef"),
        ("", ""),
        ("<!-- only --><script>x</script>", ""),
        ("<?xml version='1.0' encoding='latin1'?><p>\u0142&amp;</p>", "\u0142&"),
        ("plain \ud800", "plain ?"),
    ],
)  # fmt: skip
def test_the_largest_stays(page: str, text: str) -> None:
    assert largest_pagelet(page) == text


def test_a_deep_page_ends() -> None:
    assert largest_pagelet("<p>top</p>" + "<div>" * 100_000 + "x") != ""
