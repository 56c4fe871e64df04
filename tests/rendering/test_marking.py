"""Pages written anew with their numbers: the same blocks, and nothing that acts or fetches."""

import re

import numpy as np
import pytest
from lxml import html as lxml_html

from boilersweep.pages.compiled import make_segmenter
from boilersweep.rendering.marking import CLOSES, NUMBER, OPENS, MarkingSegmenter

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
    "<style>p{}</style>",
    "<select><option>o</select>",
    "<textarea>t</textarea>",
    "<hr>",
    "<frameset>",
    "<iframe src=u>i</iframe>",
    "<object>o",
    "<o:p>",
    "<plaintext>",
    " one",
    "two ",
    "thr",
    "ee\n",
    ",",
    " ",
    "&amp;",
    "<!-- c -->",
    "<svg><a>v</svg>",
)

HOSTILE = """<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://h.example/strict.dtd">
<html manifest=http://h.example/m><head><base href=http://h.example/>
<meta http-equiv=refresh content="0;url=http://h.example/"><link rel=stylesheet href=http://h.example/s>
<script src=http://h.example/s.js>1</script><title>t</title></head>
<body background=http://h.example/b onload="window.open('http://h.example/')">
<p onclick="x()" style="color: red" class="a b">one <img src=http://h.example/i srcset=http://h.example/j>
<a href=http://h.example/ ping=http://h.example/p target=_blank download>two</a>
<iframe src=http://h.example/f srcdoc="<p>x" width=50></iframe><object data=http://h.example/o></object>
<embed src=http://h.example/e><video src=http://h.example/v poster=http://h.example/w></video>
<form action=http://h.example/a><input formaction=http://h.example/x type=image src=http://h.example/y>
</form><svg><use xlink:href=http://h.example/u /></svg><applet codebase=http://h.example/c></applet>
"""


def marked(html: str) -> str:
    return MarkingSegmenter(structure=True).html(html.encode()).html


@pytest.mark.parametrize("seed", range(200))
def test_the_blocks_are_those_of_any_segmenter(seed: int) -> None:
    chance = np.random.default_rng(seed)
    html = "".join(chance.choice(SOUP, 60)).encode()
    page = MarkingSegmenter(structure=True).html(html)
    other = make_segmenter(structure=True).html(html)
    assert page.texts == other.texts
    assert page.structure == other.structure
    numbers = re.findall(f"{OPENS}(\\d+){CLOSES}", page.html)
    assert list(dict.fromkeys(map(int, numbers))) == list(range(len(page)))


def test_elements_and_texts_have_their_numbers() -> None:
    html = marked("<html><body><div></div><p> one <b>two</b></p><ul><li>three <a href=u>four</a>")
    assert html == (
        f'<html {NUMBER}="1"><body {NUMBER}="2"><div></div>'
        f'<p {NUMBER}="3"> {OPENS}0{CLOSES}one <b>{OPENS}0{CLOSES}two</b></p>'
        f'<ul {NUMBER}="4"><li {NUMBER}="5">{OPENS}1{CLOSES}three '
        f'<a href="x:">{OPENS}1{CLOSES}four</a></li></ul></body></html>'
    )


@pytest.mark.parametrize(
    ("html", "wanted", "count"),
    [
        # Characters stay characters.
        (
            f"<p title='&quot;'>1 &lt;b&gt; &amp;amp; {OPENS}7{CLOSES}",
            f"{OPENS}0{CLOSES}1 &lt;b&gt; &amp;amp; 7",
            1,
        ),
        (f"<p {NUMBER}=9>one", NUMBER, 3),  # a page cannot claim a number
        (f"<p {NUMBER}=9>one", f'{NUMBER}="9"', 0),
        ("<style>p { color: red } </styl></style><p>one", "</style>", 1),
        # A page drawn by scripts is read as without them.
        (f"<p>Loading<noscript><p>{'word ' * 60}</noscript>", f"{OPENS}1{CLOSES}word", 1),
    ],
)
def test_what_is_written(html: str, wanted: str, count: int) -> None:
    assert marked(html).count(wanted) == count


def test_nothing_that_is_written_names_an_address() -> None:
    html = marked(HOSTILE)
    assert html.startswith('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://h.example')
    tree = lxml_html.document_fromstring(html)
    for element in tree.iter("*"):
        for name, value in element.attrib.items():
            assert "h.example" not in str(value), (element.tag, name)
            assert not str(name).startswith("on")
    names = {str(element.tag) for element in tree.iter("*")}
    assert not names & {"script", "iframe", "object", "embed", "meta", "link", "base"}
    assert [p.get("style") for p in tree.iter("p")] == ["color: red"]


def test_a_plain_text_is_one_preformatted_block_a_line() -> None:
    page = MarkingSegmenter(structure=True).plain(b"one <two>\n\nthree")
    assert page.texts == ["one <two>", "three"]
    assert f"{OPENS}0{CLOSES}one &lt;two&gt;\n{OPENS}1{CLOSES}three" in page.html
    text = f"one {OPENS}{'9' * 400}{CLOSES} two"  # it cannot number its own blocks
    page = MarkingSegmenter(structure=True).plain(text.encode())
    assert page.html.count(OPENS) == page.html.count(CLOSES) == len(page) == 1
    assert page.texts == [text]


def test_a_segmenter_takes_the_next_page() -> None:
    segmenter = MarkingSegmenter(structure=True)
    first = segmenter.html(b"<p>one<p>two").html
    segmenter.html(b"<div><div>other")
    assert segmenter.html(b"<p>one<p>two").html == first
