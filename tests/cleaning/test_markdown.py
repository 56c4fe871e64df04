"""Markdown: headings, lists, quotes, tables, code and links of what is kept."""

import pytest

from boilersweep.cleaners.parsing import parse_rule
from boilersweep.cleaners.rules import Rule
from boilersweep.cleaning.markdown import markdown

EVERY = parse_rule("words>=1")


def written(html: str, rule: Rule = EVERY) -> str:
    return markdown(html.encode(), rule)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><p>two</p><h3>Three</h3>", "# One\n\ntwo\n\n### Three"),
        ("<p>a <b>bold</b> word, <i>in</i>side", "a bold word, inside"),
        ("<p>one<br>two", "one\n\ntwo"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ol><li>a</li>\n<li>b</ol>", "1. a\n2. b"),
        ("<p>x<ul><li>a<ul><li>b<li>c</ul><li>d</ul><p>y", "x\n\n- a\n  - b\n  - c\n- d\n\ny"),
        ("<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n- c"),
        ("<li>a", "- a"),
        ("<blockquote><p>a<p>b</blockquote><p>c", "> a\n>\n> b\n\nc"),
        ("<p>see <a href='/x y'>the  page</a>.", "see [the page](/x%20y)."),
        ("<p><a href=#top>up</a> <a>x</a> <a href='javascript:a()'>y</a>", "up x y"),
        ("<a href=a><h2>Title</h2><p>text</p></a>", "## [Title](a)\n\n[text](a)"),
        ("<p>a <a href=u>b</a><a href=v> c</a>", "a [b](u) [c](v)"),
        ("<pre>\nif x:\n    <b>y</b> = 1\n</pre>", "```\nif x:\n    y = 1\n```"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<p>1. no list", "1\\. no list"),
        ("<p># no heading", "\\# no heading"),
        ("<p>- no item", "\\- no item"),
        ("<p>-5 degrees and 1.5", "-5 degrees and 1.5"),
        ("<p>a*b _c_ d_e [f] &lt;g> `h` \\i", "a\\*b \\_c\\_ d_e \\[f\\] \\<g> \\`h\\` \\\\i"),
    ],
)
def test_what_the_structure_has(html: str, expected: str) -> None:
    assert written(html) == expected


def test_items_of_nested_lists_stand_below_the_text_of_the_outer_one() -> None:
    lines = written("<ol>" + "<li>a" * 10 + "<ul><li>b</ul></ol>").splitlines()
    assert lines[-2:] == ["10. a", "    - b"]


TABLE = "<table><caption>Of pets</caption><tr><th>name<th>size|cm<tr><td>cat<td><a href=c>25</a>"


def test_an_address_is_percent_encoded_as_utf_8() -> None:
    page = '<p>see <a href="http://x/a\u3000b\u00a0c(d)">one two</a> there'
    assert "(http://x/a%E3%80%80b%C2%A0c%28d%29)" in written(page)


def test_a_table() -> None:
    assert written(TABLE) == ("Of pets\n\n| name | size\\|cm |\n| --- | --- |\n| cat | [25](c) |")


def test_a_table_of_layout_is_its_paragraphs() -> None:
    assert written("<table><tr><td>menu<td><p>one<p>two</table>") == "menu\n\none\n\ntwo"
    inner = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    outer = f"<table><tr><td>x<td>y<tr><td>z<td>{inner}</table>"
    assert written(outer) == "x\n\ny\n\nz\n\n| a | b |\n| --- | --- |\n| c | d |"


def test_only_what_is_kept() -> None:
    html = "<nav><a href=/>Home</a></nav><ul><li>one two three<li>x</ul><p>y <b>four five six</b>"
    assert written(html, parse_rule("words>=3")) == "- one two three\n\nfour five six"
    assert written("<p>one", parse_rule("words>=3")) == ""
    assert written("", EVERY) == written("<script>x</script>", EVERY) == ""


def test_text_that_people_do_not_see_is_not_in_it() -> None:
    html = "<title>T</title><p>a<script>b()</script> c <a href=x>d<noscript>e</noscript> f</a>"
    assert written(html) == "a c [d f](x)"


@pytest.mark.parametrize(
    "html",
    [
        "<table><tr><td>a<td>" * 3000,
        "<ul><li>a" * 3000,
        "<table><tr>" + "<td>a" * 3000 + "<tr><td>a<td>b" * 3000,
        "<blockquote>a" * 3000,
        "<a href=x>b" * 3000,
    ],
    ids=["tables", "lists", "wide", "quotes", "links"],
)
def test_what_is_written_stays_in_proportion(html: str) -> None:
    assert len(written(html)) < 50 * len(html)
