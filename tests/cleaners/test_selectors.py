"""Blocks in elements that selectors name: by hand, and as lxml and cssselect find them."""

import os
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import UsageError
from boilersweep.cleaners.selectors import Inside
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.pages.columns import packed_columns
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.elements import Borders
from tests.cleaners.conftest import Kept, MakeColumns
from tests.cleaners.selector_reference import Reference

PAGE = (
    "<header class='top x'>a</header><div id=menu class='a b'>b<nav>c</nav></div>"
    "<main role=MAIN><section><p itemprop=name>d<p hidden>e</section></main>"
)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("header, #menu", "a b c"),
        ("HEADER", "a"),
        (".top.x, nav", "a c"),
        (".menu, #a", ""),
        ("div > nav", "c"),
        ("body > nav", ""),
        ("body nav", "c"),
        ("main p", "d e"),
        ("main > p", ""),
        ("[role=main]", "d e"),
        ("[itemprop^=na], [hidden]", "d e"),
        ("[class~=b]", "b c"),
        ("* > html", ""),
        ("*", "a b c d e"),
    ],
)
def test_by_hand(kept: Kept, selector: str, expected: str) -> None:
    assert kept(parse_rule(f"inside('{selector}')"), PAGE, "<p>f") == [
        expected.split(),
        ["f"] if selector == "*" else [],
    ]


def test_strings_take_both_quotes(kept: Kept) -> None:
    rule = parse_rule("!inside(\"[role='main']\") & !inside('#menu')")
    assert kept(rule, PAGE) == [["a"]]
    assert parse_rule(str(rule)) == rule
    assert str(parse_rule('inside(" nav ,  .x")')) == "inside('nav , .x')"


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("", "Expected selector"),
        ("p:first-child", "p:first-child"),
        ("a:not(b)", "a:not"),
        ("p::before", "the pseudo-element before"),
        ("h1 + p", "h1 \\+ p"),
        ("h1 ~ p", "h1 ~ p"),
        ("svg|a", "the namespace svg"),
        ("[data-x]", "the attribute data-x"),
        ("[id!=x]", "the operator !="),
        ("[role='x'] [id=\"y\"]", "one kind of quotes"),
    ],
)
def test_what_is_not_supported_is_named(selector: str, found: str) -> None:
    with pytest.raises(UsageError, match=found):
        Inside(selector)


def test_marks_of_authors(kept: Kept) -> None:
    page = (
        "<p data-nosnippet>a<p>b<!--googleoff: index--><p>c<p>d<!-- googleon:all -->d<p>e"
        "<noindex><div>f</div></noindex><div class='robots-nocontent'><p>g</div>"
        "<!--noindex--><p>h<!--/NOINDEX--><p data-swiftype-index=false>i<p>j"
        "<!--googleoff: anchor--><p>k<!--noindex, follow--><p data-swiftype-index=true>l"
    )
    assert kept(parse_rule("marked"), page, "<p>m") == [
        [*list("a"), "c", "dd", *list("fghi")],
        [],
    ]


_NAMES = ["div", "p", "nav", "ul", "li", "span", "a", "table", "td", "svg", "section"]
_WORDS = ["x", "y", "x-y", "X", "hidden", "role=x"]
_ATTRIBUTES = ["class", "id", "role", "hidden", "lang", "itemprop", "CLASS", "style"]
_VALUES = st.one_of(
    st.lists(st.sampled_from(_WORDS), max_size=3).map(" ".join),
    st.sampled_from(
        [" x ", "x\ty", "&quot;x", "é", "&#120;", "x>y", "\xa0x", "display:none"]
    ),
)
_PARTS = st.one_of(
    st.sampled_from(
        ["one", " two ", "<!--googleoff: index-->", "<!--/noindex-->", "<noindex>"]
    ),
    st.sampled_from([f"</{name}>" for name in _NAMES]),
    st.builds(
        lambda name, attributes: f"<{' '.join([name, *attributes])}>",
        st.sampled_from(_NAMES),
        st.lists(
            st.builds('{}="{}"'.format, st.sampled_from(_ATTRIBUTES), _VALUES),
            max_size=4,
        ),
    ),
)
_SIMPLE = st.one_of(
    st.sampled_from([*_NAMES, "*", "DIV"]),
    st.builds(
        "".join,
        st.tuples(st.sampled_from(".#"), st.sampled_from(["x", "y", "x-y", "hidden"])),
    ),
    st.builds(
        lambda name, sign, value: f'[{name}{sign}"{value}"]',
        st.sampled_from(["class", "id", "role", "lang", "itemprop", "Hidden"]),
        st.sampled_from(["=", "~=", "|=", "^=", "$=", "*="]),
        st.sampled_from(["x", "y", "x y", "", "é"]),
    ),
    st.sampled_from(["[hidden]", "[id]", "[role]", ".x.y", "div.x#y", "p[class]"]),
)
_SELECTORS = st.lists(
    st.lists(
        st.tuples(_SIMPLE, st.sampled_from([" ", " > "])), min_size=1, max_size=3
    ).map(lambda parts: "".join(f"{a}{b}" for a, b in parts).rstrip(" >")),
    min_size=1,
    max_size=3,
).map(", ".join)


@pytest.mark.parametrize("borders", ["block", "paper"])
@given(
    st.lists(_PARTS, max_size=30).map("".join),
    st.lists(_SELECTORS, min_size=1, max_size=5),
)
def test_as_cssselect_finds_them(
    borders: Borders, page: str, selectors: list[str]
) -> None:
    utf8 = page.encode()
    if not utf8:
        return
    reference = Reference(utf8, borders)
    for pure in "01":
        with mock.patch.dict(os.environ, BOILERSWEEP_PURE=pure):
            segmenter = make_segmenter(structure=True, borders=borders)
        columns = packed_columns(["a"], [segmenter.packed_html(utf8)])
        for selector in selectors:
            found = Inside(selector).mask(columns).tolist()
            assert found == reference.inside(selector), selector


def test_documents_do_not_mix(columns: MakeColumns) -> None:
    pages = columns("<nav><p>a</nav>", "<p class=x>b", "", "<nav class=x>c")
    assert Inside("nav").mask(pages).tolist() == [True, False, True]
    assert Inside(".x").mask(pages).tolist() == [False, True, True]
