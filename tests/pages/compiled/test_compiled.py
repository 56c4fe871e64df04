"""The compiled segmentation against the pure one: the same pages, whatever the input."""

import re
from html.entities import html5

import pytest
from fuzzing import segmentation as fuzz
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.pages import compiled
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.page import Page, TooManyBlocksError
from boilersweep.pages.segmenter import Segmenter
from tests.running import python

needs_extension = pytest.mark.skipif(
    not fuzz.is_comparable(), reason="the oracle is libxml2 2.14, with the extension"
)


PURE = [Segmenter(borders=t, structure=s) for t, s in fuzz.OPTIONS]


def fast_ones() -> list[Segmenter]:
    from boilersweep.pages.compiled.segmenter import CompiledSegmenter

    return [CompiledSegmenter(borders=t, structure=s) for t, s in fuzz.OPTIONS]


@pytest.fixture(scope="module")
def fast() -> list[Segmenter]:
    return fast_ones()


SMALL_PAGES = [
    b"<p>one<p>two<p>three",
    b"<p>one<p>two<p>three<p>four",
    b"<div><div><div>" * 3 + b"one",
    b"<div>" * 9 + b"a</div>" * 9,
    b"one<br>two<br>three<br><a href=x>four</a>",
    b"<title>of four</title><p>a<p>b<p>c<p>and <a>d</a> <b>",
    "größe\n\n\u2028x\x85y\x0bz".encode(),
    b"",
]
KINDS = [(structure, plain) for structure in (False, True) for plain in (False, True)]


@needs_extension
@pytest.mark.parametrize(("structure", "plain"), KINDS)
@pytest.mark.parametrize("most", [0, 3, 5, 12])
def test_pages_of_too_many_blocks_are_refused_by_both_and_leave_no_trace(
    structure: bool, plain: bool, most: int
) -> None:
    from boilersweep.pages.compiled.segmenter import CompiledSegmenter

    outcomes: list[list[object]] = []
    for kind in (Segmenter, CompiledSegmenter):
        segmenter = kind(structure=structure, most_blocks=most)
        unlimited = kind(structure=structure)
        outcomes.append([])
        for page in SMALL_PAGES:
            cut, free = (s.plain if plain else s.html for s in (segmenter, unlimited))
            whole = free(page)
            elements = len(whole.structure.names) if whole.structure else 0
            if max(len(whole), elements) > most:
                with pytest.raises(
                    TooManyBlocksError, match=f"more than {most} "
                ) as caught:
                    cut(page)
                outcomes[-1].append(str(caught.value))
            else:
                assert cut(page) == whole
                outcomes[-1].append(whole)
    assert outcomes[0] == outcomes[1]


def check(page: bytes, fast: list[Segmenter]) -> None:
    """Compare both; `fast` has the last of all options."""
    page = fuzz.without_end_breaks(page)
    for slow, quick in zip(PURE[-len(fast) :], fast, strict=True):
        assert fuzz.cut(quick, page) == fuzz.cut(slow, page)


# The switch.


@needs_extension
def test_the_compiled_path_is_taken_where_it_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BOILERSWEEP_PURE", raising=False)
    assert type(compiled.make_segmenter()).__name__ == "CompiledSegmenter"


def test_the_environment_forces_the_pure_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert type(compiled.make_segmenter()) is Segmenter


def test_without_the_extension_the_pure_path_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "built", False)
    segmenter = compiled.make_segmenter(borders="block")
    assert type(segmenter) is Segmenter
    assert segmenter.html(b"one<b>two</b><p>three").texts == ["onetwo", "three"]


# What the parser leaves to lxml.


def cut_by_the_parser(page: bytes) -> bool:
    from boilersweep.pages.compiled.parser import Parser

    return Parser("paper", True, 5000).page(page) is not None


@needs_extension
@pytest.mark.parametrize(
    "page",
    [
        b" ",
        b"one",
        b"\xef\xbb\xbf<p>one",
        b"<p class='\xc3\xa9' id=&eacute;>one",
        b"<\xc3\xa9><x\xc3\xa9>one</x\xc3\xa9>",
        b"<!-- \xff --><script>\xff</script><p title=\xff>one",
        b"<" + b"x" * 100 + b">one",
        b"<div>" * 3000 + b"one",
        b"<p>one</html><p>two",
    ],
)
def test_these_pages_the_parser_cuts_itself(page: bytes) -> None:
    assert cut_by_the_parser(page)


@needs_extension
@pytest.mark.parametrize(
    "page",
    [
        b"",
        b"<p>one\0",
        b"<p>\xff",
        b"<title>\xff</title>",
        b"<p class='\xff'>one",
        b"<p\xff>one",
        b"<" + b"x" * 101 + b">one",
        b"</" + b"x" * 101 + b">one",
    ],
)
def test_these_pages_are_left_to_lxml(page: bytes, fast: list[Segmenter]) -> None:
    assert not cut_by_the_parser(page)
    check(page, fast)


# Names.


@needs_extension
def test_any_number_of_names(fast: list[Segmenter]) -> None:
    """More than the table of short names holds, and than are kept for the next page."""
    names = [
        f"{letter}{number}" for number in range(2500) for letter in ("x", "long-name-")
    ]
    page = "".join(f"<{name}>a</{name.upper()}>b" for name in names).encode()
    for _ in range(3):
        check(page, fast)
    check(NEWS, fast)


# Character references.


@needs_extension
@pytest.mark.parametrize("follows", ["", ";", "=", "x", "1", " "])
def test_every_named_reference(follows: str, fast: list[Segmenter]) -> None:
    names = sorted({name.rstrip(";") for name in html5})
    for start in range(0, len(names), 100):
        some = [f"&{name}{follows}" for name in names[start : start + 100]]
        for page in (
            "<p>" + "|".join(some),
            "".join(f'<p class="{one}">a' for one in some),
        ):
            check(page.encode(), fast[-1:])


@needs_extension
@pytest.mark.parametrize("form", ["&#{};", "&#{}", "&#x{:x};", "&#X{:X}", "&#0000{}z"])
def test_numeric_references(form: str, fast: list[Segmenter]) -> None:
    numbers = [
        *range(300),
        0xD7FF,
        0xD800,
        0xDFFF,
        0xFFFE,
        0x10FFFF,
        0x110000,
        2**31,
        2**32,
        2**65,
    ]
    page = "|".join(form.format(number) for number in numbers)
    check(f"<p class='{page}'>a {page}".encode(), fast)


# UTF-8.


@needs_extension
def test_what_is_no_utf8() -> None:
    from boilersweep.pages.compiled.utf8 import is_utf8

    for first in range(0x80, 0x100):
        for rest in (
            b"",
            b"\x80",
            b"\x9f\x80",
            b"\xa0\x80",
            b"\x8f\xbf\xbf",
            b"\x90\x80\x80",
            b"a",
        ):
            data = b"x" * 9 + bytes([first]) + rest
            assert is_utf8(data) == compiled._is_utf8_in_python(data)


# Equality.

HOSTILE = [
    b"",
    b" ",
    b"<",
    b"</",
    b"</>",
    b"<!",
    b"<?",
    b"<!-",
    b"<!--",
    b"<p",
    b"<p ",
    b"<p/",
    b"<p a",
    b"<p a=",
    b"<p a='",
    b'one<p a="two>three',
    b"one<!--two-->three<!--four",
    b"one<!-->two<!--->three<!---->four<!--->-->five",
    b"one<!--!>two--!>three<!---!>four-->five",
    b"one<!--a--b->c- ->d-->two",
    b"&am<!-- -->p; &<!-- -->#65; &#6<!-- -->5; &lt<!-- -->; <<!-- -->p>one \r<!-- -->\n two",
    b"\xc3<!-- -->\xa9 \xc3<p>\xa9</p>\xe2\x80<b x=y>\x8b</b>",
    b"<!-- -->\xff\xfeone",
    b"<!-- -->\xef\xbb\xbfone",
    b"\xef\xbb\xbf<p>one",
    b"<?xml version='1.0' encoding='utf-16'?><p>one",
    b"<meta charset=utf-16><meta http-equiv=content-type content='text/html; charset=x'>\xc3\xa9",
    b"one\0two<p\0>three</p\0><p a\0='\0>'>four<\0b>five",
    b"<script>a</script>b<script/>c</script>d<script><!-- <script> </script> e --></script>f",
    b"<script><!--<script></script>-->a</script>b<script><!-->c<script></script>d",
    b"<script>a</scriptx>b</script\n x='>'>c<SCRIPT>d</ScRiPt/>e",
    b"<script>never closed <p>one",
    b"<script>a</script",
    b"<style><!-- </style> --> one</style> two",
    b"<textarea><p>one</textarea><p>two<textarea/>three",
    b"<iframe><p>one</iframe>two<noembed><p>x</noembed>three<noframes>y</noframes>four",
    b"<xmp><b a=b>one</b> &amp;</xmp>two",
    b"<plaintext a=b><b a=b>one</plaintext><p>two",
    b"<title>a<!-- b --> &amp; <b x=y></title>one<title/>two<title>c",
    b"<svg><title>a</title><script>b</script><style>c</style></svg>one<math><mi>d</math>",
    b"<![CDATA[one]]>two]]><![CDATA[>three",
    b"<!DOCTYPE html PUBLIC '>' \"x\">one<!DOCTYPE x>two<!doctype",
    b"<? a ?>one<?php echo '<p>' ?>two<! three>four</ five>six",
    b"one</p> <a>two</a></p> <a>three</a><html> <body x=y> four<head> five",
    b"one <body> two</body> three</html> four<html> five <html/> six <head/> seven",
    b"<p><body/>one<p><html/>two<p><head/>three",
    b"<html> one <head> two </head> three",
    b"<head>\n<meta x=y>\n one <link> two",
    b"<a>one<a>two</a> three</a> four<a/>five",
    b"<p>un<a>der</a>tow <a>x</a><b>y</b><a>|</a> z<i> <a>i</a></i>j",
    b"<select><option>a<option>b</select>one<object><p>x<object>y</object></p></object>two",
    b"<p<b>one</p<b></p/b>two<p=x>three<p'>four</p'><x:y>five",
    b"<a'>one<a\">two<a=>three<a =>four<a = >five<a = '>' >six<a b= c>seven<a b=c/>eight",
    b"<br/>one<br />two<br / >three<br/ />four<br x/>five<br x=/>six<p//>seven<p/x/>eight",
    b"<p a=1 a=2 a>one<p \x0b a>two<p\x0b>three<p\x0c>four<p\xc2\xa0>five",
    b"<b>\n\none \t two\x0b\x0cthree\x1c\x1d\x85four\r\rfive\r\n</b>\r\n<i> six </i>",
    b"a " * 60 + b"<p>" + b"b" * 300 + b" c " + b"| " * 100 + b"d" * 79 + b" e",
    "<p>é\u2003ß\u3000\u200b Ω\u2028x 二三 ٣ ² ½ _ \U0001f600 \U00020000\xa0|\xa0y".encode(),
    b"<p>&nbsp;one&nbsp;&#12288;two&ensp;three&#x1F600;&#xD800;&bogus;&notit;&amp",
    b"<p>" + b"<p a=b>" * 300 + b"one" + b"</p>" * 300,
    b"<div a=b>" * 3000 + b"one" + b"</div>" * 3000 + b"<p>two",
    b"<a b=c>" * 3000 + b"one",
    b"<select>" * 3000 + b"one" + b"</select>" * 2999 + b"two",
    b"<p " + b"a=b " * 20_000 + b">one",
    b"<p title='" + b"x " * 100_000 + b"'>one",
    b"<!--" + b"-" * 100_000 + b"one",
    b"<script>" + b"<!--<script>" * 5000 + b"</script>" * 5000 + b"one",
    b"one &" + b"x" * 100_000,
]


@needs_extension
@pytest.mark.parametrize("page", HOSTILE, ids=lambda page: repr(page[:30]))
def test_hostile_pages(page: bytes, fast: list[Segmenter]) -> None:
    check(page, fast)


@needs_extension
def test_hostile_pages_cut_off_anywhere(fast: list[Segmenter]) -> None:
    for page in HOSTILE:
        for end in range(len(page) if len(page) < 1000 else 0):
            check(page[:end], fast)


@needs_extension
@pytest.mark.parametrize("name", sorted({*fuzz.NAMES, *fuzz.RAW}))
def test_every_element(name: str, fast: list[Segmenter]) -> None:
    for before in ("", "<p>a ", "<a>a ", "<table><tr><td>a ", f"<{name}> a "):
        for element in (
            "<{0}>",
            "<{0}/>",
            "</{0}>",
            "<{0} x> c </{0} y>",
            "<{0} x/> c </{0} y/>",
        ):
            check(f"{before}{element.format(name)} b".encode(), fast)
            check(f"{before}{element.format(name.upper())} b</a> d".encode(), fast)


@needs_extension
def test_a_page_leaves_nothing_to_the_next(fast: list[Segmenter]) -> None:
    page = b"<title>t</title>one <a>two</a><p>three"
    expected = Segmenter().html(page)
    for before in HOSTILE:
        fuzz.cut(fast[0], before)
        assert fast[0].html(page) == expected


@needs_extension
def test_results_are_not_changed_by_later_pages(fast: list[Segmenter]) -> None:
    first = fast[0].html(b"<title>t</title><p>one")
    fast[0].html(b"<p>two<p>three")
    assert first == Page("t", ["one"], [1], [1.0], [0], ["p"])


ATTRIBUTES = st.sampled_from([*fuzz.ATTRIBUTES, *[""] * len(fuzz.ATTRIBUTES)])
WORDS = "one|two words|(|&amp;|&am|p;|&#65;|<|>|\xa0|é|二|\U0001f600| |  |\n|\r\n|-|--|'|\"|=|/"
TEXTS = st.sampled_from(WORDS.split("|"))
COMMENTS = st.sampled_from(
    "<!--x--> <!----> <!--<p>--!> <!x> <?x> <![CDATA[x]]>".split()
)
TAGS = st.tuples(
    st.sampled_from(["<", "<", "</"]),
    st.sampled_from(fuzz.NAMES + fuzz.RAW),
    ATTRIBUTES,
    st.sampled_from([">", ">", ">", "/>"]),
).map("".join)


def elements(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.tuples(st.sampled_from(fuzz.NAMES), ATTRIBUTES, inside)
    return parts.map(lambda part: f"<{part[0]}{part[1]}>{part[2]}</{part[0]}>")


PAGES = st.recursive(
    TEXTS | COMMENTS | TAGS,
    lambda inside: st.lists(inside | elements(inside), min_size=1, max_size=6).map(
        "".join
    ),
    max_leaves=30,
)


@needs_extension
@settings(max_examples=400, deadline=None)
@given(PAGES)
def test_structured_pages(page: str) -> None:
    check(page.encode(), fast_ones())


@needs_extension
@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes(body: bytes) -> None:
    fast = fast_ones()
    check(body, fast)
    check(to_utf8(body).utf8, fast)


NEWS = b"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">\r
<html xmlns="http://www.w3.org/1999/xhtml"><head>\r
<meta http-equiv="Content-Type" content="text/html; charset=utf-8" />\r
<title>Rain &amp; wind | The Daily</title><style type="text/css"><!-- p > a {} --></style>\r
<script type="text/javascript">//<![CDATA[\r
document.write('<p class="x">' + "<scr" + "ipt></scr" + "ipt>"); if (a < b && c > d) { }\r
//]]></script></head>\r
<body onload="go('>')"><!-- navigation --><div id=nav><ul><li><a href="/">Home</a> |\r
<li><a href='/about?a=1&amp;b=2'>About us</a></ul></div>\r
<h1>Rain <em>and</em> wind</h1><p class="lead">It will rain for most of the day, and the wind will\r
not let up before the evening; then, the office says, there may be &ldquo;some&rdquo; sun.\r
<p>More: <a href=a>the map</a>, <a href=b><b>the week</b></a>.<br/>&copy; 2010&nbsp;The Daily\r
<form action="/s"><input name="q" value="<b>"><select><option>all<option selected>news</select>\r
<textarea rows=2><b></textarea></form></body></html>\r
<!-- served in 3 ms -->"""

FORUM = """<html><body bgcolor=#ffffff><table width=100%><tr><td><font size=2>Förum</font></td>
<td align=right><a href=x>log in</a> &#124; <a href=y>join</td></tr><tr><td colspan=2>
<div class="post"><b>anna</b> wrote:<blockquote>Is 3 < 4 ?</blockquote>yes — it is, and a &gt; b.
<!--[if IE]><p>old</p><![endif]--><noscript><img src="x?a=<>"></noscript><pre>  a
    b </pre></div><svg viewBox='0 0 1 1'><title>icon</title><path d="M0 0"/></svg></td></table>
<dl><dt>one<dd>two<dt>three<dd>four</dl><iframe src=x><p>no frames</iframe>\u3000終わり
""".encode()


@needs_extension
@pytest.mark.parametrize(
    "count", [1000, pytest.param(10_000, marks=pytest.mark.exhaustive)]
)
def test_mutated_pages(count: int) -> None:
    comparison = fuzz.Comparison()
    pages = list(fuzz.mutations([NEWS, FORUM], count, seed=1))
    assert [page for page in [NEWS, FORUM, *pages] if comparison.differs(page)] == []


WITHOUT_MEMORY = """
from contextlib import suppress
from _testcapi import remove_mem_hooks, set_nomemory
from boilersweep.pages.compiled import make_segmenter

segmenter = make_segmenter(structure=True)
short, long = b"<p>one", b"<div><p>one" * 70 + b"<p>one" * 70
whole = make_segmenter(structure=True).html(long)
short_of_memory = 0
for allocation in range(500):
    segmenter = make_segmenter(structure=True)
    segmenter.html(short)
    set_nomemory(allocation, allocation + 1)
    try:
        segmenter.html(long)
    except MemoryError:
        short_of_memory += 1
    finally:
        remove_mem_hooks()
    segmenter.html(long)
    assert segmenter.html(long) == whole
print(short_of_memory)
"""


@needs_extension
def test_no_array_is_overrun_after_memory_was_short() -> None:
    pytest.importorskip("_testcapi")
    assert int(python("-c", WITHOUT_MEMORY, env={"PYTHONMALLOC": "debug"}).stdout) > 50


@needs_extension
@given(
    st.lists(
        st.sampled_from(
            ["<object", "<OBJECT", "<oBjEcT", "<object-x", "object", "j", "<", " "]
        )
    )
)
def test_an_object_is_found_in_any_case(parts: list[str]) -> None:
    from boilersweep.pages.compiled.parser import has_object

    for end in ("", " ", ">", "/", "\v", "\x1c"):
        page = "".join([*parts, end]).encode()
        assert has_object(page) == (
            re.search(rb"(?i)<object(?=[\s>/])", page) is not None
        )
