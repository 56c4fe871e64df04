"""Segmentation: pages cut by hand, and broken ones."""

import time
from typing import Any

import pytest
from lxml import etree

from boilersweep.pages.elements import CONTAINERS, LEFT_OUT, OTHER_TITLE, SKIPPED
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page
from boilersweep.pages.repairs import close_title
from boilersweep.pages.segmenter import Segmenter

SEGMENTER = Segmenter(borders="paper")


def cut(page: str | bytes, segmenter: Segmenter = SEGMENTER) -> Page:
    return segmenter.html(page.encode() if isinstance(page, str) else page)


def links(page: str) -> list[tuple[str, int, int]]:
    """Text, words and link words of every block."""
    blocks = cut(page)
    return list(zip(blocks.texts, blocks.words, blocks.link_words, strict=True))


def test_a_page_by_hand() -> None:
    page = cut("""<!DOCTYPE html><html><head><title> My
        page </title><style>p {}</style></head><body>
        <h1>Head line</h1> | <ul><li><a href="/">Home</a> | <a href="/x">About us</a></ul>
        <p>Two  words,
        <a href=y>linked text</a> - end.</p></body></html>""")
    assert page.title == "My page"
    assert page.texts == [
        "Head line",
        "Home | About us",
        "Two words, linked text - end.",
    ]
    assert page.words == [2, 3, 5]
    assert page.density == [2.0, 3.0, 5.0]
    assert page.link_words == [0, 3, 2]
    assert page.tags == ["h1", "li", "p"]
    assert len(page) == 3


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p>one <a>two three</a> four", [("one two three four", 4, 2)]),
        ("<p>a<a>b</a>c<a>d</a>e f<a>g</a> h", [("abcde fg h", 3, 2)]),
        ("<p><a>one</a> <a>two</a>", [("one two", 2, 2)]),
        ("<p><a>one</a>\n|\n<a>two</a>", [("one | two", 2, 2)]),
        ("<p><a>|</a> one", [("| one", 1, 0)]),
        ("<p>un<a>der</a>tow b", [("undertow b", 2, 1)]),
        ("<p>un<a>der </a>tow b", [("under tow b", 3, 1)]),
        ("<p>un<a> der</a>tow b", [("un dertow b", 3, 1)]),
        ("<p>un<a> </a>der", [("un der", 2, 0)]),
        ("<p>un<a></a>der", [("under", 1, 0)]),
        ("<p>x<a>(</a>", [("x(", 1, 1)]),
        ("<p>one<a name=x>two", [("onetwo", 1, 1)]),
        (
            "<div>one <a>two <a>three</a> four</a> five",
            [("one two three four five", 5, 2)],
        ),
        ("<div><a>1 <b>2</b> 3</a> 4", [("1", 1, 1), ("2", 1, 1), ("3 4", 2, 1)]),
        ("<a>one<p>two</p></a>three", [("one", 1, 1), ("two", 1, 1), ("three", 1, 0)]),
        ("<a>1<script>x</script>2</a> 3", [("1", 1, 1), ("2 3", 2, 1)]),
        ("<div><a>one</div><div>two</div>", [("one", 1, 1), ("two", 1, 0)]),
        ("<div>one</a> two</div>", [("one two", 2, 0)]),
    ],
)
def test_link_words(page: str, expected: list[tuple[str, int, int]]) -> None:
    assert links(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            "<form>one<input><label>two</label><button>three</button></form>four",
            "one/form two/label three/button four/body",
        ),
        ("<p>|</p><p>&nbsp;</p><p>-- » ...</p><p>a1</p><p><a>&gt;</a></p>", "a1/p"),
        (
            "<div>0<table><tr><th>1<td>2<table><td><p>3</table>4</table>5</div>6",
            "0/div 1/th 2/td 3/p 4/td 5/div 6/body",
        ),
        (
            "<li>one<ul><li>two<h3>three</h3>four</ul>five",
            "one/li two/li three/h3 four/li five/li",
        ),
    ],
)
def test_blocks_and_the_elements_that_name_them(page: str, expected: str) -> None:
    blocks = cut(page)
    found = [
        f"{text}/{tag}" for text, tag in zip(blocks.texts, blocks.tags, strict=True)
    ]
    assert found == expected.split()


SIXTEEN = " ".join(["four"] * 16)  # 79 characters


@pytest.mark.parametrize(
    "page",
    [
        f"<p>{SIXTEEN}{' |' * 50}",
        f"<p>{SIXTEEN} x",
        f"<p>{SIXTEEN} | more | words |",
        f"<p><a>{SIXTEEN}</a>{' |' * 50} more",
    ],
)
def test_only_words_are_wrapped_for_the_density(page: str) -> None:
    assert cut(page).density == [16.0]


@pytest.mark.parametrize("tag", sorted(CONTAINERS - {"td", "th"}))
def test_containers_name_their_blocks(tag: str) -> None:
    page = cut(f"<section>one<{tag}>two <b>three</b></{tag}>four</section>five")
    assert page.tags[:3] == ["section", tag, tag]
    assert page.tags[-1] == "body"


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>a  b</title>", "a b"),
        ("<title>a &amp; b</title>", "a & b"),
        ("<TITLE lang=en>a</TITLE>", "a"),
        ("<title>a <b>c</title>", "a <b>c"),
        ("<head><title>a</title></head><title>b</title>", "a b"),
        ("<p>x</p>", ""),
        ("<title></title>", ""),
        ("<title>a</title><svg><title>b</title></svg>", "a"),
        ("<title>a</title><svg><div><title>b</title></div></svg>", "a"),
    ],
)
def test_the_title_is_kept_apart(page: str, title: str) -> None:
    blocks = cut(page + "<body><p>text")
    assert blocks.title == title
    assert blocks.texts[-1] == "text"
    assert not {"a", "b", title} & set(blocks.texts)


@pytest.mark.parametrize(
    "page",
    [
        "<title>a<body><p>text</p>",
        "<title>a<p>text</p>",
        "<head><title>a</head><body><p>text</body>",
        "<title>a<meta name=x><link rel=y><body><p>text</p>",
        "<title>a<script>b</script><p>text</p>",
        "<title>a<link><body><svg><title>b</title></svg><p>text",
    ],
)
def test_an_unclosed_title_does_not_swallow_the_page(page: str) -> None:
    blocks = cut(page)
    assert (blocks.title, blocks.texts) == ("a", ["text"])


@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"<p>a",
        b"<title>a</title><p>b",
        b"<titles>a<p>",
        b"<title>a <b>b</title><body>",
    ],
)
def test_a_page_whose_title_is_closed_is_left_as_it_is(page: bytes) -> None:
    assert close_title(page) == page


@pytest.mark.parametrize(
    "page",
    [
        b"<object " * 100_000,
        b"<!--object" * 100_000,
        b"<script>object" * 100_000,
        b"<title " * 100_000,  # 45 seconds when every one was tried
        b"<title " * 100_000 + b">one<p>two",
        b"<a>" + b"<" * 500_000,  # 4 seconds when a token grew by one part at a time
    ],
)
def test_the_same_few_bytes_again_and_again_take_no_longer_than_others(
    page: bytes,
) -> None:
    before = time.process_time()
    cut(page)
    assert time.process_time() - before < 3


@pytest.mark.parametrize("tag", ["div", "b", "a", "x-y"])
def test_twenty_thousand_levels_keep_the_innermost_text(tag: str) -> None:
    page = cut(f"<p>first</p>{f'<{tag}>' * 20_000}deep{f'</{tag}>' * 20_000}<p>last")
    assert page.texts == ["first", "deep", "last"]


BORDERS = "p b span em td h2 form font x-y center".split()
VOID = ["br", "br/", "hr", "img src=x", "input", "wbr"]
IGNORED = sorted(SKIPPED - {OTHER_TITLE, *LEFT_OUT.values(), "noembed"})
NESTED = ["noscript", "object", "template"]
SPACES = ["\xa0", "&nbsp;", "\u3000", "\u2003", "\t", "\r\n", "\u2028"]

# Subject -> pages and the texts of their blocks.
TEXTS: dict[str, list[tuple[str | bytes, list[str]]]] = {
    "no text": [
        (b"", []),
        (b" ", []),
        (b"\n\t\r\n", []),
        (b"<", []),
        (b"<!DOCTYPE html>", []),
        (b"<html><head></head><body></body></html>", []),
    ],
    "broken markup": [
        (b"one", ["one"]),
        (b"one < two", ["one < two"]),
        (b"<p>one <b two", ["one"]),
        (b"<p title='>one<p>two", []),
        (b"</div></p>one</a></b></td>", ["one"]),
        (b"<p>one<!-- two", ["one"]),
        (b"<p>one\0</p>\0<p>two</p>\0<p\0>three", ["one\ufffd", "two", "three"]),
        (to_utf8(b"\0<\0p>o\0ne \x93<p>\x01two").utf8, ["one \u201c", "\x01two"]),
        ("<p title='" + "x " * 500_000 + "'>one", ["one"]),
    ],
    "character references": [
        (
            b"<p>one &amp two &lt;b&gt; &bogus; &#65; &#x42; &",
            ["one & two <b> &bogus; A B &"],
        ),
        (b"<p>one &#99999999999; two", ["one \ufffd two"]),
        (b"<p>one &#xD800; two", ["one \ufffd two"]),
        (b"<p>one &#xD83D;&#xDE00; two", ["one \ufffd\ufffd two"]),
        (b"<p>one &#x1F600; two", ["one \U0001f600 two"]),
        ("<p>one\uffff two".encode(), ["one\uffff two"]),
        (b"<p>one &#xFFFF; two", ["one \uffff two"]),
    ],
    "comments and instructions": [
        ("<p>one <!-- two --> three", ["one three"]),
        ("<!-- <p>one</p> -->", []),
        ("<?xml version='1.0' encoding='x'?><!DOCTYPE x><p>one<?php two ?>", ["one"]),
    ],
    "several bodies": [
        ("<html><body><p>1</body></html><p>2</p>3<div>4", ["1", "2", "3", "4"]),
        ("<html><body><p>one</body><body><p>two</body></html>3", ["one", "two", "3"]),
        ("<body><p>one</p><body><p>two</p>", ["one", "two"]),
    ],
    "svg": [
        ("<div>a<svg><path><p>b</div>c", ["a", "b", "c"]),
        ("<div>a<svg><g><a>no<b>b</svg>c<p>d", ["a", "b", "c", "d"]),
        ("<svg><foreignObject><p>in</svg>a<svg><desc><b>no</svg>b", ["in", "a", "b"]),
        ("<svg><desc>no</desc><p>a", ["a"]),
        ("<svg><p>a<svg>no<p>b", ["a", "b"]),
        ("<svg><g>no<svg>no</svg>no</g>no</svg>a", ["a"]),
    ],
    "object": [
        ("a<object data=x><param name=y><p>b", ["a", "b"]),
        ("a<object><object>no</object><p>b", ["a", "b"]),
        ("a<object><p>no</object>b<!-- <object> --><p>c", ["a", "b", "c"]),
    ],
    "select": [
        ("a<option>no<p>b", ["a", "b"]),
        ("a<select><option>no<input>b", ["a", "b"]),
        ("<table><tr><td><select><option>no<td>a</table>b", ["a", "b"]),
        ("<select><option>no<p>no</select>a", ["a"]),
    ],
    "borders": [
        *((f"<td>one<{tag}>two</{tag}>3", ["one", "two", "3"]) for tag in BORDERS),
        *((f"<p>one<{tag}>two", ["one", "two"]) for tag in VOID),
    ],
    "skipped elements": [
        (
            "<script>document.write('<p>one<script>x<\\/script>')</script><p>two",
            ["two"],
        ),
        *(
            (f"<body>one<{tag}>x</{tag}>two<p>3", ["one", "two", "3"])
            for tag in IGNORED
        ),
        *(
            (f"<p>1<{tag}><i>x<{tag}>y</{tag}></i>z</{tag}>2", ["1", "2"])
            for tag in NESTED
        ),
    ],
    "spaces": [
        (f"<p>{space}one{space}{space}<a>two{space}</a>", ["one two"])
        for space in SPACES
    ],
}


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param(*one, id=f"{subject} {number}")
        for subject, pages in TEXTS.items()
        for number, one in enumerate(pages)
    ],
)
def test_texts_of_blocks(page: str | bytes, expected: list[str]) -> None:
    assert cut(page).texts == expected


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"<title>swallowed",
        b"<div><a>open<b>and",
        b"<script>never closed",
        b"<textarea>never closed",
        b"<select><option>one",
        b"<a><a><a>",
        b"<!-- never closed",
        b"<p>\xff\xfe&#xD800;",
    ],
)
def test_a_page_leaves_nothing_to_the_next(before: bytes) -> None:
    page = b"<title>t</title>one <a>two</a><p>three"
    segmenter = Segmenter()
    segmenter.html(before)
    assert segmenter.html(page) == Segmenter().html(page)


@pytest.mark.parametrize("open_tags", [["div", "a"], ["title"], ["div", "script", "p"]])
def test_a_page_lxml_gives_up_on_leaves_nothing_to_the_next(
    monkeypatch: pytest.MonkeyPatch, open_tags: list[str]
) -> None:
    segmenter = Segmenter()
    fault: Any = etree.ParseError  # of four arguments, which its stub does not know

    def give_up(_page: bytes, parser: etree.HTMLParser) -> None:
        for tag in open_tags:
            parser.target.start(tag, {})
        parser.target.data("text")
        parser.target.close()  # as lxml does whatever happens
        raise fault("some fault", 1, 1, 1)

    with monkeypatch.context() as patch:
        patch.setattr(etree, "fromstring", give_up)
        with pytest.raises(ValueError, match="some fault"):
            segmenter.html(b"")
    page = b"<script>x</script><title>t</title>one</div><p>two <a>three"
    assert segmenter.html(page) == Segmenter().html(page)


def test_plain_text_has_a_block_a_line() -> None:
    page = SEGMENTER.plain("One  two\r\n\n--\n<p>three</p> \xe9\nlast".encode())
    assert page.texts == ["One two", "<p>three</p> é", "last"]
    assert page.words == [2, 2, 1]
    assert page.link_words == [0, 0, 0]
    assert page.tags == ["body"] * 3
    assert SEGMENTER.plain(b"\xff\n") == Page()


LONG = " ".join(f"word{number}" for number in range(60))


def test_a_page_that_shows_its_text_without_scripts_alone() -> None:
    page = f"<title>t</title><p>Please wait</p><NOSCRIPT class=x><h1>Head</h1><p>{LONG}</noscript >"
    found = SEGMENTER.html(page.encode())
    assert found.texts == ["Please wait", "Head", LONG]
    assert found.tags == ["p", "h1", "p"]


FOUR_TIMES = " ".join([LONG] * 4)


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        # The text before it is enough
        (f"<p>{FOUR_TIMES}</p><noscript>{FOUR_TIMES} {LONG}</noscript>", [FOUR_TIMES]),
        # Not twice as many, and 50
        (f"<p>{LONG}</p><noscript>{LONG}</noscript>", [LONG]),
        ("<p>one</p><noscript>turn on your scripts</noscript>", ["one"]),
        (f"<p>one</p><!--<noscript>-->{LONG}<noscripts>", ["one", LONG]),
    ],
)
def test_other_text_without_scripts_is_skipped(page: str, texts: list[str]) -> None:
    assert SEGMENTER.html(page.encode()).texts == texts
