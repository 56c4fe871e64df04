"""Markdown: the kept blocks with their markup, as a CommonMark parser reads it."""

import re
from collections.abc import Callable
from html import escape
from typing import Any

import commonmark  # type: ignore[import-untyped]
import markdown as python_markdown  # type: ignore[import-untyped]
import mistune
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from markdown_it import MarkdownIt

from boilersweep import PageError, clean
from boilersweep.cleaning.markdown import markdown
from boilersweep.cleaning.markdown_line import SCHEMES
from boilersweep.pages.block_tree import TreeSegmenter
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.limits import Deadline
from tests.system.test_growth import MOST, growth

PARSER = MarkdownIt("commonmark", {"maxNesting": 200}).enable(
    ["table", "strikethrough"]
)


def written(html: str, cleaner: str = "words>=1", *, images: bool = False) -> str:
    return clean(html, cleaner, format="markdown", images=images)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><p>two</p><h3>Three</h3>", "# One\n\ntwo\n\n### Three"),
        ("<h2>on <div>two</div> lines #</h2>", "## on two lines \\#"),
        (
            "<p>The <b>w</b>eather re<i>mains</i> <b>fine </b>now",
            "The weather remains **fine** now",
        ),
        ("<p><b><i>a</i> b</b>, <em>c</em>!", "***a* b**, *c*!"),
        ("<p><b>a</b><i>b</i> <s>c</s>", "ab ~~c~~"),
        ("<p>H<sub>2</sub>O", "H2O"),
        ("<p>a<b>, </b>b <b>(</b>c)", "a, b (c)"),
        ("<p>one<br>two<br><br>three", "one  \ntwo\n\nthree"),
        ("<ul><li>a<li>b</ul>", "- a\n- b"),
        ("<ol><li>a</li>\n<li>b</ol>", "1. a\n2. b"),
        ("<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
        (
            "<p>x<ul><li>a<ul><li>b<li>c</ul><li>d</ul><p>y",
            "x\n\n- a\n  - b\n  - c\n- d\n\ny",
        ),
        ("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n\n- c"),
        ("<ul><li>a</ul><ul><li>b</ul><div><ul><li>c</ul></div>", "- a\n\n* b\n\n- c"),
        ("<ul><li>a<pre>b</pre><li>c</ul>", "- a\n\n  ```\n  b\n  ```\n\n- c"),
        ("<li>a<li>b", "- a\n- b"),
        ("<blockquote><p>a<p>b</blockquote><p>c", "> a\n>\n> b\n\nc"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<p>see <a href='/x y'>the  page</a>.", "see [the page](/x%20y)."),
        (
            "<p>so! <a href=u>here</a>! Hey!<a href=v>there</a>",
            "so! [here](u)! Hey\\![there](v)",
        ),
        ("<p><a href=#top>up</a> <a>x</a> <a href='javascript:a()'>y</a>", "up x y"),
        ("<a href=a><h2>Title</h2><p>text</p></a>", "## [Title](a)\n\n[text](a)"),
        ("<p>a <a href=u>b</a><a href=v> c</a>", "a [b](u) [c](v)"),
        ("<nav><a href=u>b</a><b><a href=v>c</a></b></nav>", "[b](u) **[c](v)**"),
        (
            "<pre>\nif x:\n    <b>y</b> = {\n    }\n</pre>",
            "```\nif x:\n    y = {\n    }\n```",
        ),
        ("<pre>    a\n\nb<br>c</pre>", "```\n    a\n\nb\nc\n```"),
        ("<pre><code class='language-py'>a</code></pre>", "```py\na\n```"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<p>call <code>f(`x`)</code> or <kbd>*</kbd>", "call ``f(`x`)`` or `*`"),
        ("<p>1. no list", "1\\. no list"),
        ("<p># no heading<br>=== no line", "\\# no heading  \n\\=== no line"),
        ("<p>- no item", "\\- no item"),
        ("<p>-5 degrees and 1.5", "-5 degrees and 1.5"),
        (
            "<p>a*b _c_ d_e [f] &lt;g> `h` \\i",
            "a\\*b \\_c\\_ d_e [f] &lt;g> \\`h\\` \\i",
        ),
        (
            "<p>[a](b) [c]: d &lt;1 \\* <a href=u>[e]</a>",
            "[a\\](b) [c\\]: d <1 \\\\\\* [\\[e\\]](u)",
        ),
        ("<ul><li>[x] done<li>[…] | --a</ul>", "- \\[x] done\n- […] | --a"),
        ("<p>a | b<br>-- | --<br>| c", "a | b  \n\\-- | --  \n| c"),
        ("<p>AT&amp;T &amp;copy; ~~x~~", "AT&T &amp;copy; \\~\\~x\\~\\~"),
        ("<p>so <math alttext='a^2'><mi>a</mi><mn>2</mn></math> is", "so $a^2$ is"),
        (
            "<math display=block><semantics><mi>a</mi><annotation encoding='application/x-tex'>"
            "a&lt;b</annotation></semantics></math>",
            "a",  # browsers hide annotations
        ),
        ("<p>a <math><mi>b</mi><mo>+</mo><mi>c</mi></math> d", "a b+c d"),
        ("<dl><dt>term<dd>meaning</dl>", "term\n\nmeaning"),
        (
            "<p>a<script>b()</script> c <a href=x>d<noscript>e</noscript> f</a>",
            "a c [d f](x)",
        ),
        ("<title>T</title>", ""),
        ("", ""),
    ],
)
def test_markup(html: str, expected: str) -> None:
    assert written(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<table><caption>Of pets</caption><tr><th>name<th>size|cm<tr><td>cat<td>25</table>",
            ["Of pets", "", "| name | size\\|cm |", "| --- | --- |", "| cat | 25 |"],
        ),
        (
            "<table><tr><th>a<th><th>c<tr><td><td>—<td>1<tr><td>x</table>",
            ["| a |  | c |", "| --- | --- | --- |", "|  | — | 1 |", "| x |  |  |"],
        ),
        (
            "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td>d<tr><td>e<td>f<td>g</table>",
            ["| a | b |  |", "| --- | --- | --- |", "|  | c | d |", "| e | f | g |"],
        ),
        (
            "<table><tr><th>a<td><p>b</p><p>c</p><pre> x|y\n z</pre></table>",
            ["| a | b<br>c<br>` x\\|y`<br>` z` |", "| --- | --- |"],
        ),
        ("<table><tr><td>menu<td><p>one<p>two</table>", ["menu", "", "one", "", "two"]),
        ("<table role=presentation><tr><th>a<tr><th>b</table>", ["a", "", "b"]),
        (
            "<table><tr><td>x<td>y<tr><td>z<td><table><tr><th>a</table></table>",
            ["x", "", "y", "", "z", "", "| a |", "| --- |"],
        ),
    ],
)
def test_tables_have_empty_cells_in_their_place(html: str, expected: list[str]) -> None:
    assert [re.sub(" +", " ", line) for line in written(html).split("\n")] == [
        re.sub(" +", " ", line) for line in expected
    ]


def test_only_kept_blocks_are_written() -> None:
    html = "<nav><a href=/>Home</a></nav><ul><li>one two three<li>x</ul><p>y <hr>four five six"
    assert written(html, "words>=3") == "- one two three\n\nfour five six"
    assert written("<p>one", "words>=3") == ""
    table = "<table><tr><th>one two<th>three four<tr><td>x<td>y<tr><td>z<td>five six</table>"
    assert written(table, "words>=2").split("\n") == [
        "| one two | three four |",
        "| --- | --- |",
        "|  | five six |",
    ]


def test_images_in_kept_blocks_and_between_them() -> None:
    html = (
        "<img src=m.png>x<p>one two three <img src='a b.png' alt='A [b]'> four five six"
    )
    assert written(html, "words>=3") == "one two three four five six"
    assert written(html, "words>=3", images=True) == (
        "one two three ![A \\[b\\]](a%20b.png) four five six"
    )
    html = "<p>a b c <img src=d.png><p>d <img src=e.png> e<p>f g h"
    assert written(html, "words>=3", images=True) == "a b c ![](d.png)\n\nf g h"


def test_words_are_not_torn_at_inline_elements() -> None:
    html = "<p>The <x-y>w</x-y>eather<blink> re</blink>mains <output>f</output>ine"
    assert written(html) == "The weather remains fine"


def test_addresses_are_completed_and_percent_encoded() -> None:
    html = b"<p>see <a href='x/a\xe3\x80\x80b(d)'>one two</a>"
    assert markdown(html, [True] * 2, url="http://e.example/y/") == (
        "see [one two](http://e.example/y/x/a%E3%80%80b%28d%29)"
    )


def test_an_extractor_has_the_blocks_that_its_text_contains() -> None:
    html = "<h1>One two three four</h1><p>Five six seven eight"
    assert clean(html, "cetr", format="markdown").startswith("# One two three")


RENDERERS: dict[str, Callable[[str], Any]] = {
    "markdown-it-py": PARSER.render,
    "commonmark": commonmark.commonmark,
    "Python-Markdown": lambda text: python_markdown.markdown(
        text, extensions=["extra"]
    ),
    "mistune": mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough"]
    ),
}
SCRIPT = "&lt;script>alert(1)&lt;/script>"


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize(
    "html",
    [
        *(
            f"<p>word <{element}>click</a>"
            for address in (
                "javascript:alert(1)",
                "javascript&amp;colon;alert(1)",
                "javascript&amp;amp;colon;alert(1)",
                "&amp;#106;avascript:alert(1)",
                "&amp;#x6a;avascript:alert(1)",
                "java\tscript:alert(1)",
                "java\nscript:alert(1)",
                " \x01javascript:alert(1)",
                "java script:alert(1)",
                "JaVaScRiPt:alert(1)",
                "vbscript:x",
                "data:text/html,x",
                "x) [y](javascript:alert(1)",
                'x" onclick="alert(1)',
            )
            for element in (f"a href='{address}'", f"img alt=a src='{address}'")
        ),
        f"<p>{SCRIPT}",
        f"<p>a&lt;<b>script</b>>alert(1)&lt;/script> {SCRIPT}",
        f"<h2>{SCRIPT}</h2><ul><li>{SCRIPT}</ul><blockquote>{SCRIPT}</blockquote>",
        f"<pre>{SCRIPT}</pre><ul><li><pre>{SCRIPT}</pre><li>a<pre>b\n{SCRIPT}</pre></ul>",
        f"<ol><li>a<pre>b\n {SCRIPT}</pre></ol><blockquote><pre>{SCRIPT}</pre></blockquote>",
        f"<table><tr><th>{SCRIPT}<td><code>{SCRIPT}</code><tr><td><pre>{SCRIPT}</pre></table>",
        f"<p>see <code>{SCRIPT}</code>, &amp;lt;script> and &lt;<img src=x>",
        "<p>so <math alttext='x$ [click](javascript:alert(1)) $y'><mi>x</mi></math>",
        "<p>so <math alttext='x ![a](javascript:alert(1)) `'><mi>x</mi></math> `",
        f"<p>so <math alttext='x{SCRIPT} &lt;img src=x onerror=alert(1)>'><mi>x</mi></math>",
        "<p><img src=x alt='](javascript:alert(1)) &lt;script>'> word",
    ],
)
def test_nothing_runs_in_any_renderer(renderer: str, html: str) -> None:
    rendered = RENDERERS[renderer](written(html, images=True))
    for element in _parsed(rendered).iter():
        assert element.tag != "script"
        for name, value in element.items():
            assert not name.startswith("on")
            if name in ("href", "src"):
                scheme, colon, _ = value.partition(":")
                assert not colon or scheme in SCHEMES


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("x?a=1&amp;b=2", "x?a=1&b=2"),
        ("x?a&amp;copy;=1", "x?a&amp;copy;=1"),
        ("HTTPS://e.example/a`b", "HTTPS://e.example/a%60b"),
        ("mailto:a@e.example", "mailto:a@e.example"),
        ("/a:b", "/a:b"),
        ("?a:b", "?a:b"),
        ("//e.example:80/", "//e.example:80/"),
        (" \n ht\ntp://e.example", "http://e.example"),
    ],
)
def test_addresses_of_known_schemes_are_written(address: str, expected: str) -> None:
    assert written(f"<p><a href='{address}'>a</a>") == f"[a]({expected})"


@pytest.mark.parametrize(
    ("begin", "repeated"),
    [
        *(
            ("<p>", tag)
            for tag in ("<a href=x>a</a>", "<i> </i>", "<i>", "<i>a", "<a href=x>a")
        ),
        *(
            ("<p>", tag)
            for tag in ("<b>a</b><i>b</i>", "<code>`</code>", "<img src=x alt=[>")
        ),
        ("<h1>", "#"),
        ("<table>", "<tr><td rowspan=50 colspan=50>a<td>b"),
        ("<ul>", "<li>a<li><ul><li>b</ul>"),
        ("<p>", "&amp;amp"),
    ],
)
def test_twice_the_page_takes_twice_the_time(begin: str, repeated: str) -> None:
    def write(html: str) -> str:
        return written(html, images=True)

    assert growth(write, lambda n: begin + repeated * n, 2_000) <= MOST


def test_the_time_of_a_page_is_limited() -> None:
    html = b"<p>" + b"<a href=x>a</a>" * 100
    with pytest.raises(PageError, match="takes more than 0 s"):
        markdown(html, [True], deadline=Deadline(0))


def test_deep_pages_are_written() -> None:
    deep = "<ul><li>a" * 300 + "<blockquote>" * 300 + "<p>b" + "<b>" * 300 + "c"
    assert written(deep).count("a") == 300


WORDS = st.sampled_from(
    r"one two 3. # a_b * **x ` ``` <b> &amp; [x](y) ! - | 1) ~~ ( \ \| --- === + > :- é 語 "
    r"[x] [x]: [^1]: ](y) (y) ] [ <1 \n \* -|- |:-".split()
)
TEXT = st.tuples(
    st.sampled_from(["w {}", "{} w"]), st.lists(WORDS, min_size=1, max_size=4)
).map(lambda drawn: escape(drawn[0].format(" ".join(drawn[1]))))


def _tagged(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = st.sampled_from(
        ["b", "i", "em", "strong", "s", "span", "code", "a href=u", "sub"]
    )
    wrapped = st.tuples(tags, inner).map(
        lambda two: f"<{two[0]}>{two[1]}</{two[0].split()[0]}>"
    )
    return st.lists(
        st.one_of(inner, wrapped, st.just(" "), st.just("<br>")), max_size=4
    ).map("".join)


INLINE = st.recursive(TEXT, _tagged, max_leaves=6)
TABLE = st.lists(st.lists(INLINE, min_size=2, max_size=3), min_size=2, max_size=3).map(
    lambda rows: (
        "<table>"
        + "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        + "</table>"
    )
)


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        some.map(
            lambda items: f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
        ),
        some.map(
            lambda items: f"<ol>{''.join(f'<li>{item}</li>' for item in items)}</ol>"
        ),
        some.map(lambda parts: f"<blockquote>{''.join(parts)}</blockquote>"),
        some.map(lambda parts: f"<div>{''.join(parts)}</div>"),
    )


LEAF = st.one_of(
    INLINE.map("<p>{}</p>".format),
    INLINE.map("<h2>{}</h2>".format),
    INLINE.map("<pre>{}</pre>".format),
    INLINE,
    TABLE,
)
DOCUMENT = st.lists(
    st.recursive(LEAF, _nested, max_leaves=8), min_size=1, max_size=4
).map("".join)


def _text(element: Any) -> str:
    return re.sub(r"\s", "", "".join(element.itertext()))


def _parsed(html: str) -> Any:
    return lxml_html.fromstring(f"<div>{html}</div>")


def _counts(html: str) -> dict[str, int]:
    """Elements with text by name."""
    names = ("table", "pre", "h2", "blockquote", "li")
    return {
        name: sum(1 for one in _parsed(html).iter(name) if _text(one)) for name in names
    }


@settings(max_examples=100, deadline=None)
@given(DOCUMENT)
def test_a_parser_of_markdown_reads_the_same_text_and_elements(html: str) -> None:
    kept = [True] * len(make_segmenter().html(html.encode()))
    rendered = PARSER.render(markdown(html.encode(), kept))
    assert _text(_parsed(rendered)) == _text(_parsed(html)), rendered
    assert _counts(rendered) == _counts(html)


def _squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


SOUP = (
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href=x>",
    "</a>",
    "<br>",
    "<script>s()</script>",
    "</div>",
    "<li>",
    "<table><tr><td>",
    "</table>",
    "<title>t</title>",
    "<noscript>n</noscript>",
    "<pre>",
    " one",
    "two ",
    "thr",
    "ee\n",
    ",",
    " ",
    "&amp;",
    "<!-- c -->",
    "<option>o",
    "<svg><a>v</svg>",
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SOUP), max_size=60).map("".join))
def test_the_texts_of_the_tree_are_the_blocks_of_any_segmenter(html: str) -> None:
    page = TreeSegmenter().html(html.encode())
    texts = [""] * len(page)
    for text in page.root.texts():
        if text.block < len(texts) and (text.worded or text.text.isspace()):
            texts[text.block] += text.text
    assert [_squeezed(text) for text in texts] == [
        _squeezed(text) for text in page.texts
    ]
    assert page.texts == make_segmenter().html(html.encode()).texts


def test_posts_begin_with_their_author_and_date() -> None:
    post = '<div itemscope itemtype="https://schema.org/{}">{}</div>'
    answer = post.format(
        "Answer",
        "<p>With dry wood, for two hours.</p><p itemprop=author>Ben <i itemprop=name>B*</i></p>"
        "<p><time>Feb 2</time></p>",
    )
    question = post.format(
        "Question", f"<p>How are ovens heated today?</p><p><time>Jan 1</time>{answer}"
    )
    assert clean(question, "words>=4", format="markdown") == (
        "*Jan 1*\n\nHow are ovens heated today?\n\n*B\\*, Feb 2*\n\nWith dry wood, for two hours."
    )
    # The text has them already
    everything = clean(answer, "words>=1", format="markdown")
    assert everything == "With dry wood, for two hours.\n\nBen *B\\**\n\nFeb 2"
    article = question.replace("Question", "Article").replace("Answer", "Article")
    assert "Jan 1" not in clean(article, "words>=4", format="markdown")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>so <code>a b<br>c</code> is", "so `a b`  \n`c` is"),
        ("<h2><code>a<br>b</code></h2>", "## `a` `b`"),
        (
            "<div>so <code><div>a</div><div>b  c</div></code></div>",
            "so\n\n```\na\nb c\n```",
        ),
        ("<pre><div>a</div><div></div><div>b</div></pre>", "```\na\n\nb\n```"),
        (
            "<pre><div>a</div>\n<div>b</div>\n\n<div>c</div></pre>",
            "```\na\nb\n\nc\n```",
        ),
        (
            "<pre><div>a\n</div><div>b<br></div><div><br></div>c</pre>",
            "```\na\nb\n\nc\n```",
        ),
        ("<pre>a<div>b</div>c</pre>", "```\na\nb\nc\n```"),
        ("<pre><ol><li>a</li>\n<li>\tb</li></ol></pre>", "```\na\n\tb\n```"),
        ("<pre>a\n\n\tb\n\n\nc</pre>", "```\na\n\n\tb\n\n\nc\n```"),
        (
            "<pre><i class=lineno>1</i>a<button>Copy</button>\n<i class=lineno>2</i>b</pre>",
            "```\na\nb\n```",
        ),
        (
            "<table><tr><td data-line-number=1><td>a<tr><td data-line-number=2><td>  b</table>",
            "```\na\n  b\n```",
        ),
        ("<code><p>a</p><h2>b</h2></code>", "a\n\n## b"),
    ],
)
def test_lines_of_code(html: str, expected: str) -> None:
    assert written(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p><a href=u>one<br>two<br><br>three</a> four", "[one two three](u) four"),
        ("<p><a href=u>one<br></a>two", "[one](u)  \ntwo"),
        (
            "<table><tr><th><a href=u>one<br>two</a></table>",
            "| [one two](u) |\n| --- |",
        ),
        ("<a href=u><div>one<br>two</div></a>", "[one two](u)"),
    ],
)
def test_a_link_is_on_one_line(html: str, expected: str) -> None:
    assert written(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>季節\n  は\r\n巡る", "季節は巡る"),
        ("<p>季<a href=u>節\n</a>\n\tは", "季[節](u)は"),
        ("<p>季 節", "季 節"),
        ("<p>季節<br>は", "季節  \nは"),
        ("<h1>季\n節</h1><p><code>季\n節</code>", "# 季節\n\n`季節`"),
        ("<p>계절\n은 a\nb", "계절 은 a b"),
    ],
)
def test_line_breaks_within_words(html: str, expected: str) -> None:
    assert written(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>so <script type=math/tex>a^2</script> is", "so $a^2$ is"),
        (
            "<script type='math/tex; mode=display'>% <![CDATA[ a\n= b %]]></script>",
            "$$a = b$$",
        ),
        ("<p>so <img class=latex alt='a_1' src=i> is", "so $a_1$ is"),
    ],
)
def test_formulas_of_scripts_and_images(html: str, expected: str) -> None:
    assert written(html) == expected
    assert written(html, images=True) == expected


def test_base_completes_the_addresses_of_links() -> None:
    html = b"<base href=/de/><p>see <a href=x>one</a>"
    assert markdown(html, [True]) == "see [one](/de/x)"
    assert markdown(html, [True], url="http://e.example/a/b") == (
        "see [one](http://e.example/de/x)"
    )
