"""Texts run on across inline elements, with both segmenters, unless the borders are the paper's."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter

SEGMENTERS = [
    [new(structure=structure) for structure in (False, True)]
    for new in (Segmenter, make_segmenter)
]


def cut_alike(html: str) -> Page:
    """Cut a page, which both segmenters do alike, with its structure and without."""
    (page, found), (same, alike) = [
        [one.html(html.encode()) for one in s] for s in SEGMENTERS
    ]
    assert page == same
    assert found == alike
    assert (page.texts, page.link_words) == (found.texts, found.link_words)
    return found


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        (
            '<p>The <b>w</b>eather re<i>mains</i> fine: H<sub>2</sub>O is <a href="/x">water</a>',
            ["The weather remains fine: H2O is water"],
        ),
        (
            "<p>one<x-y>two</x-y><o:p>three</o:p><blink>four</blink>",
            ["onetwothreefour"],
        ),
        ("<p>wea<wbr>ther<nobr> re</nobr>mains", ["weather remains"]),
        (
            "<p>wea<script>x</script>ther<style>x</style> <noscript>x</noscript>fine",
            ["weather fine"],
        ),
        ("<p>one<br>two", ["one", "two"]),
        (
            "<p>x <math><semantics><mi>Q</mi><annotation>TeX</annotation>"
            "<annotation-xml>y</annotation-xml></semantics></math>",
            ["x Q"],
        ),
        ("<p><math><mi>Q</mi></math><span class='katex-html'>Q</span> y", ["Q y"]),
        ("<p><span class='katex-html'>Q</span> y", ["Q y"]),
        ("<x-y><template shadowrootmode=OPEN>in</template></x-y>out", ["in", "out"]),
        ("<template shadowrootmode=no>in</template><template>x</template>out", ["out"]),
        (
            "a<svg><text>no</text><foreignObject><p>in</p>side</foreignObject>no</svg>b",
            ["a", "in", "side", "b"],
        ),
        (
            "<svg><g><foreignObject>x<svg>no<foreignObject>y</foreignObject>no</svg>z"
            "</foreignObject></g><text>no</text></svg>b",
            ["x", "y", "z", "b"],
        ),
        ("<select><svg><foreignObject>no</foreignObject></svg></select>b", ["b"]),
        ("<p>one<hr>two<div>three</div>four", ["one", "two", "three", "four"]),
        ("<ul>one<li>two<li>three</ul>", ["one", "two", "three"]),
        ("<table><tr><td>one<td>two<tr><td>three</table>", ["one", "two", "three"]),
        ("<p>one<img src=x>two<input>three", ["one two three"]),
        (
            "<p>one<select><option>x</select>two<iframe>x</iframe>three",
            ["one two three"],
        ),
        ("<p>one<svg><path></svg>two<textarea>x</textarea>three", ["one two three"]),
        ("<p>one<button>two</button>three", ["one", "two", "three"]),
        ("<nav><a>Home</a><a>About</a></nav>", ["Home About"]),
        ("<li><a>fashion</a><b><a>recipes</a></b></li>", ["fashion recipes"]),
        ("<li>one<a></a> <a>two</a><a>three", ["one two three"]),
        ("<a></a><a>one</a>two<a>three</a>four", ["onetwothreefour"]),
        (
            "<div><span><time>2020</time></span><a>one</a><i></i><x-y>two",
            ["2020 one two"],
        ),
        ("<label>one</label><label>two</label>", ["one two"]),
        ("<div><span>हिन्दी</span><span>ગુજરાતી</span>", ["हिन्दी ગુજરાતી"]),
        ("<div><span>$</span><span>29</span><span>+</span><span>x", ["$29+x"]),
        ("<div><b>w</b><i>eather</i> un<a>link</a>ed", ["weather unlinked"]),
        ("<p><a>A</a><a>B</a><span>C</span><span>D", ["ABCD"]),
        ("<pre><span>one</span><span>two", ["onetwo"]),
        ("<div><span>one</span><script>x</script><p></p><span>two", ["one", "two"]),
        ("<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", ["漢 kan 字"]),
        ("<b>one<p>two</p>three</b>", ["one", "two", "three"]),
        ("<p><span>|</span> <b>-</b></p><p>one</p>", ["one"]),
    ],
)
def test_text_runs_on_across_inline_elements(html: str, texts: list[str]) -> None:
    assert cut_alike(html).texts == texts


@pytest.mark.parametrize("new", [Segmenter, make_segmenter])
def test_items_run_on_under_the_papers_borders(new: Callable[..., Segmenter]) -> None:
    assert new(borders="paper").html(b"<nav><a>Home</a><a>About</a></nav>").texts == [
        "HomeAbout"
    ]


def test_links_and_tags_of_joined_blocks() -> None:
    page = cut_alike(
        "<div>one<b>two</b> <i>three <a>four</a></i><br>five<p>six</p><label>7</label></div>"
    )
    assert page.texts == ["onetwo three four", "five", "six", "7"]
    assert page.link_words == [1, 0, 0, 0]
    assert page.tags == ["div", "div", "p", "div"]


def test_the_structure_has_no_inline_elements() -> None:
    structure = cut_alike(
        "<p>one <b>two<script>x</script></b> <img> three<br><i>four"
    ).structure
    assert structure is not None
    assert structure.names == ["#document", "html", "body", "p"]
    assert structure.tags_within == [5, 1]
    assert structure.tags_before == [3, 2]
    assert structure.joined == [False, False]


INLINE = "b em sub i code font".split()
OPENING = {
    **{f"<{name}>": "" for name in INLINE},
    **dict.fromkeys(("<div>", "<section>", "<blockquote>"), " "),
}


# Markup -> what it is between words: nothing, a space, or its text.
LEAVES = {
    **{text: text for text in ("wea", "ther", "a", " ", "\n")},
    **dict.fromkeys(
        ("<wbr>", "<script>x</script>", "<style>p {}</style>", "<!-- x -->"), ""
    ),
    **dict.fromkeys(("<br>", "<img src=x>", "<svg><path></svg>", "<hr>"), " "),
}


MARKUP = st.recursive(
    st.sampled_from([*LEAVES.items()]),
    lambda inner: st.builds(
        lambda tag, parts: (
            f"{tag[0]}{''.join(html for html, _ in parts)}</{tag[0][1:]}",
            f"{tag[1]}{''.join(text for _, text in parts)}{tag[1]}",
        ),
        st.sampled_from([*OPENING.items()]),
        st.lists(inner, max_size=6),
    ),
    max_leaves=30,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(MARKUP, max_size=8))
def test_no_word_is_torn_or_joined(parts: list[tuple[str, str]]) -> None:
    words = "".join(text for _, text in parts).split()
    page = cut_alike("<div>" + "".join(html for html, _ in parts))
    assert " ".join(page.texts).split() == words
